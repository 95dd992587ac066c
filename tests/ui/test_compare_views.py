"""The Compare tab's views: everything that people and models wrote is text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from data import catalog as catalogs
from env import episode as engine
from graders.version import GRADER_VERSION
from runs.export import jsonl_line
from runs.store import Store
from tests.runs.conftest import made_up, played
from tests.ui.hostile import HOSTILE, hostile_catalog
from ui.service import Service
from ui.state import Notice
from ui.state_compare import CompareView
from ui.texts import compare as texts
from ui.views import compare, compare_charts, compare_sides, compare_table

CLASSIFY, EASY = "ticket_classification", "easy_classify_respond"
EVERY_VIEW = (
    compare.bar,
    compare.notice,
    compare.choose,
    compare_sides.sides,
    compare_sides.criteria,
    compare_sides.threads,
    compare_table.table,
)


def page(view: CompareView) -> BeautifulSoup:
    return BeautifulSoup("".join(show(view) for show in EVERY_VIEW), "html.parser")


def harmless(html: BeautifulSoup) -> None:
    assert not html.find_all(["img", "script", "b", "iframe"])
    assert not [t for t in html.find_all(True) if any(a.startswith("on") for a in t.attrs)]
    assert all(str(a["href"]).startswith("?run=") for a in html.find_all("a"))


@pytest.fixture(scope="module")
def hostile_store() -> Store:
    """A store in which every text attacks, of a person and of a model, on hostile tickets."""
    store = Store(None)
    action = {"action_type": "respond", "payload": {"response_text": HOSTILE * 3}}
    item = engine.builtin_arena().catalog.ids(EASY, "train")[0]
    shape: dict[str, Any] = {
        "task_id": EASY,
        "split": "train",
        "item_id": item,
        "data_version": catalogs.builtin().version,
        "grader_version": GRADER_VERSION,
    }
    for n, kind in enumerate(("human", "model")):
        run = made_up(
            f"r{n}",
            0.0,
            kind=kind,
            policy=HOSTILE,
            model=HOSTILE if kind == "model" else None,
            actions=({"action_type": "classify", "payload": {"category": HOSTILE}}, action),
            rewards=(0.0, 0.0),
            error=HOSTILE,
            **shape,
        )
        store.save(run)
    store.save(made_up("unfinished", None, stop="model_error", policy=HOSTILE, **shape))
    return store


async def test_hostile_texts_stay_texts(hostile_store: Store) -> None:
    service = Service.over(store=hostile_store, arena=engine.arena(hostile_catalog()))
    view = await service.compare.link("a", "r0")
    view = await service.compare.toggle("a", "r1")
    html = page(view)
    harmless(html)
    assert html.select(".cmp-side strong")[0].get_text() == HOSTILE
    assert HOSTILE in html.select(".cmp-text details > .plain")[0].get_text()
    assert HOSTILE in html.select_one(".cmp-ticket").get_text()  # type: ignore[union-attr]
    table = await service.compare.table("a", task=EASY)
    table = await service.compare.table("a", split="train")
    table = await service.compare.mode("a", "task")
    html = page(table)
    harmless(html)
    assert HOSTILE in html.select_one(".grades thead").get_text()  # type: ignore[union-attr]
    for error in (True, False):
        said = BeautifulSoup(
            compare.notice(CompareView(notice=Notice(HOSTILE, error))), "html.parser"
        )
        harmless(said)
        assert HOSTILE in said.get_text() and bool(said.select('[role="alert"]')) == error
    taken = BeautifulSoup(compare.take(HOSTILE, HOSTILE), "html.parser")
    harmless(taken)


async def test_a_hostile_file_is_marked_and_stays_text(tmp_path: Path) -> None:
    service = Service.over()
    run = played("random", EASY, split="train")
    reply = {"action_type": "respond", "content": HOSTILE}
    forged = run.model_copy(
        update={
            "policy": HOSTILE[:50],
            "grader_version": HOSTILE,
            "grade": 0.9,
            "actions": (reply,),
            "rewards": (0.9,),
        }
    )
    file = tmp_path / "runs.jsonl"
    file.write_text(jsonl_line(forged), encoding="utf-8")
    view = await service.compare.open_file("a", file)
    html = page(view)
    harmless(html)
    mark = html.select_one(".cmp-side .chip.again")
    assert mark is not None and texts.REGRADED in mark.get_text() and "0.900" in mark.get_text()
    assert HOSTILE in html.select_one(".cmp-text").get_text()  # type: ignore[union-attr]


async def test_charts_hold_what_the_table_says_and_no_markup(hostile_store: Store) -> None:
    service = Service.over(store=hostile_store)
    await service.compare.link("a", "r0")
    view = await service.compare.play_baselines("a")
    charts = [compare_charts.rewards(view.sides), compare_charts.criteria(view.sides)]
    drawn = [json.loads(c.plot)["data"] for c in charts]
    assert [len(d) for d in drawn] == [len(view.sides)] * 2
    assert not any("<img" in c.plot or "<b>" in c.plot for c in charts)
    lines = drawn[0]
    for line, side in zip(lines, view.sides, strict=True):
        assert line["y"] == [0.0, *(pytest.approx(s.total, abs=1e-4) for s in side.steps)]


async def test_the_first_difference_is_marked_once() -> None:
    service = Service.over()
    view = await service.compare.link("a", "retrieval-draft_response-test-42-1")
    html = page(view)
    marked = html.select("tr.differs")
    assert [m["data-step"] for m in marked] == [str(view.divergence)] and view.divergence
    assert texts.PARTED in marked[0].get_text()
    assert texts.PARTED_AT.format(n=view.divergence) in html.select_one(".parted").get_text()  # type: ignore[union-attr]
    most = max(len(s.steps) for s in view.sides)
    assert len(html.select("tr[data-step]")) == most
    slider = html.select_one("[data-replay]")
    assert slider is not None and (slider["max"], slider["value"]) == (str(most), str(most))
    # Every step's cell carries the sum that stands over its column once it is reached.
    for n, side in enumerate(view.sides):
        cells = [tr.select("td")[n]["data-total"] for tr in html.select("tr[data-step]")]
        sums = [f"{s.total:.3f}".replace("-", "−") for s in side.steps]
        assert cells == sums + [sums[-1]] * (most - len(sums))


async def test_empty_states_say_what_to_do() -> None:
    service = Service.over()
    item = engine.builtin_arena().catalog.ids(CLASSIFY, "train")[0]
    view = await service.compare.episode("a", json.dumps([CLASSIFY, "train", item, ""]))
    html = page(view)
    assert texts.NO_RUNS[1] in html.get_text() and html.select('[data-act="baselines"]')
    assert not html.select(".cmp-sides, .cmp-threads, .cmp-criteria")
    view = await service.compare.filter("a", kind="model")
    assert texts.NO_RUNS_FILTERED[1] in page(view).get_text()
    await service.compare.table("a", task=CLASSIFY)
    await service.compare.table("a", split="train")
    view = await service.compare.mode("a", "task")
    assert texts.NO_TABLE[1] in page(view).get_text()
    view = await service.compare.filter("a", failed_only=True)
    assert texts.NO_TABLE_FAILED[1] in page(view).get_text()
    assert page(CompareView(loading=True)).select(".skeleton")


async def test_only_own_runs_offer_to_be_deleted() -> None:
    service = Service.over()
    for visitor in ("a", "b"):
        service.people.meet(visitor, visitor * 32, "")
    service.play.begin("a", CLASSIFY, "train", 1)
    run_id = (await service.play.act("a", "classify", text="Bug")).run_id
    mine, theirs = await service.compare.link("a", run_id), await service.compare.link("b", run_id)
    assert len(page(mine).select('[data-act="delete"][data-sure]')) == 1
    assert not page(theirs).select('[data-act="delete"]')
    assert "a" * 32 not in repr((mine, theirs))
