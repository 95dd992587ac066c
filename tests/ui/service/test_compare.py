"""Comparing: what is chosen, what is refused, what never shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data import catalog as catalogs
from data.importing import import_csv
from env import episode as engine
from graders.version import GRADER_VERSION
from policies.base import play
from policies.scripted import POLICIES
from runs.errors import StoreError
from runs.export import jsonl_line
from runs.record import Run, record
from runs.store import Store
from supportops_env.models import Knobs, SupportAction
from tests.runs.conftest import made_up, played
from ui import comparison, snapshot
from ui.service import Service
from ui.service.choice import MOST
from ui.state_compare import CompareView
from ui.texts import compare as texts

CLASSIFY, SORT, EASY = "ticket_classification", "priority_sorting", "easy_classify_respond"
OWNER = "o" * 32
NOW: dict[str, Any] = {
    "data_version": catalogs.builtin().version,
    "grader_version": GRADER_VERSION,
}
JUNK: list[Any] = [
    None,
    5,
    1.5,
    True,
    [],
    {},
    ["x"],
    "x" * 2000,
    "",
    "nope",
    "<b>",
    "[1]",
    "[" * 900,
]


def console(store: Store | None = None, **more: Any) -> Service:
    service = Service.over(store=store, **more)
    service.people.meet("a", OWNER, "Mira")
    return service


def who(view: CompareView) -> list[str]:
    return [s.row.player for s in view.sides]


def told(view: CompareView) -> str:
    assert view.notice is not None
    return view.notice.text


async def classified(service: Service, split: str = "train", seed: int = 1) -> str:
    service.play.begin("a", CLASSIFY, split, seed)
    return (await service.play.act("a", "classify", text="Bug")).run_id


async def test_a_new_visitor_sees_an_episode_with_runs() -> None:
    service = console()
    service.play.first("a")
    view = await service.compare.show("a")
    assert len(view.sides) >= 2 and view.sides[0].row.baseline and who(view)[0] == view.baseline
    assert view.total == len(view.rows) > 1 and view.tickets and view.playing and view.can_play
    assert view.notice is None
    # Nobody played anything and there is no session: the same, and nothing breaks.
    assert (await service.compare.show(None)).sides == view.sides


async def test_what_was_played_is_compared_with_what_policies_make_of_it() -> None:
    service = console()
    run_id = await classified(service)
    view = await service.compare.with_baselines("a")
    assert who(view) == ["Mira", "keyword", "retrieval", "oracle"]
    assert [s.row.baseline for s in view.sides] == [False, True, False, False]
    assert (view.sides[0].row.run_id, view.sides[0].row.mine) == (run_id, True)
    base = view.sides[1].row.grade
    for side in view.sides:
        assert side.delta == (None if side.row.baseline else side.row.grade - base)  # type: ignore[operator]
        assert side.steps and not side.problem and side.row.link == side.row.run_id
        assert side.steps[-1].total == pytest.approx(side.row.grade)
    assert view.playing == "" and view.value.startswith('["ticket_classification", "train"')
    # The tab shows it again, and another visitor does not.
    assert (await service.compare.show("a")).sides == view.sides
    assert "Mira" not in who(await service.compare.show("b"))


async def test_a_link_shows_a_run_beside_the_baseline() -> None:
    service = console()
    run_id = await classified(service, "test")
    view = await service.compare.link("b", run_id)
    assert who(view) == ["Mira", "keyword"] and not view.sides[0].row.mine
    for gone in (*JUNK, f"oracle-{CLASSIFY}-test-42-0", run_id[:-1]):
        refused = await service.compare.link("b", gone)
        assert told(refused) == texts.NO_SUCH_RUN and refused.sides == view.sides


async def test_runs_come_and_go_up_to_a_limit() -> None:
    service = console()
    await classified(service)
    view = await service.compare.with_baselines("a")
    fifth = next(r for r in view.rows if not r.chosen)
    assert len(view.sides) == MOST and fifth.player == "random"
    assert told(await service.compare.toggle("a", fifth.run_id)) == texts.ENOUGH.format(most=MOST)
    view = await service.compare.toggle("a", view.sides[1].row.run_id)
    assert who(view) == ["Mira", "retrieval", "oracle"]
    assert view.sides[0].row.baseline  # the usual one is gone: the first takes its place
    view = await service.compare.toggle("a", fifth.run_id)
    assert who(view) == ["Mira", "retrieval", "oracle", "random"]
    view = await service.compare.against("a", view.sides[2].row.run_id)
    assert [s.row.baseline for s in view.sides] == [False, False, True, False]
    assert view.sides[0].delta is not None and view.sides[0].delta <= 0
    for run_id in [s.row.run_id for s in view.sides[1:]]:
        view = await service.compare.toggle("a", run_id)
    assert who(view) == ["Mira"] and view.divergence is None
    assert told(await service.compare.toggle("a", view.sides[0].row.run_id)) == texts.ONE_AT_LEAST


async def test_odd_requests_change_nothing() -> None:
    service = console()
    await classified(service)
    before = await service.compare.with_baselines("a")
    c = service.compare
    for junk in JUNK:
        for view in (
            await c.episode("a", junk),
            await c.toggle("a", junk),
            await c.against("a", junk),
            await c.page("a", junk),
            await c.mode("a", junk),
            await c.table("a", task=junk),
            await c.table("a", split=junk),
            await c.table("a", player=junk),
            await c.delete("a", junk),
            await c.open_file("a", junk),
        ):
            assert view.notice is not None and view.notice.error, junk
            assert (view.sides, view.rows, view.mode) == (before.sides, before.rows, "episode")
        if junk not in (True, ""):
            assert told(await c.filter("a", failed_only=junk, kind=junk)) == texts.BAD_REQUEST


async def test_filters_and_pages() -> None:
    store = Store(None)
    item = engine.builtin_arena().catalog.ids(CLASSIFY, "train")[0]
    for n in range(12):
        own: dict[str, Any] = {
            "split": "train",
            "item_id": item,
            "kind": "human",
            "policy": f"P{n}",
        }
        store.save(made_up(f"r{n}", n / 11, **own))
    service = console(store)
    view = await service.compare.link("a", "r11")
    assert view.total == 12 and [r.player for r in view.rows] == [f"P{n}" for n in range(11, 3, -1)]
    view = await service.compare.page("a", "8")
    assert view.offset == 8 and [r.player for r in view.rows] == ["P3", "P2", "P1", "P0"]
    view = await service.compare.filter("a", failed_only=True)
    assert view.offset == 0 and view.total == 6 and all(r.failed for r in view.rows)
    assert all(" (6)" in o.label for o in view.options if o.value == view.value)
    view = await service.compare.filter("a", kind="model")
    assert view.rows == () and view.sides  # what is compared stays
    view = await service.compare.filter("a", kind="")
    assert view.total == 6


async def test_another_episode_from_the_list_and_the_one_in_play() -> None:
    service = console()
    await classified(service)
    view = await service.compare.show("a")
    playing = view.value
    other = next(o.value for o in view.options if SORT in o.value)
    view = await service.compare.episode("a", other)
    assert view.value == other and len(view.tickets) == 5 and view.playing == playing
    assert {s.row.player for s in view.sides} >= {"keyword", "retrieval"}
    assert (await service.compare.playing("a")).value == playing
    assert told(await service.compare.playing("b")) == texts.NO_EPISODE


async def test_baselines_on_the_spot_for_the_episode_that_is_looked_at() -> None:
    service = console()
    item = engine.builtin_arena().catalog.ids(EASY, "train")[2]
    view = await service.compare.episode("a", f'["{EASY}", "train", "{item}", ""]')
    assert view.rows == () and view.sides == () and view.can_play
    view = await service.compare.play_baselines("a")
    assert who(view) == ["keyword", "retrieval", "oracle", "random"]
    for gone in (f'["{EASY}", "train", "nope", ""]', f'["{EASY}", "train", "{item}", "x.csv"]'):
        assert not (await service.compare.episode("a", gone)).can_play
        refused = await service.compare.play_baselines("a")
        assert refused.notice is not None and refused.notice.error and refused.sides == ()


async def test_a_file_opens_with_its_runs_marked(tmp_path: Path) -> None:
    service = console()
    file = tmp_path / "runs.jsonl"
    forged = played("random", SORT).model_copy(update={"grade": 0.75})
    file.write_text(jsonl_line(forged) + "\n", encoding="utf-8")
    view = await service.compare.open_file("a", str(file))
    assert view.notice is not None and not view.notice.error and "1 runs" in view.notice.text
    row = view.sides[0].row
    assert (row.source, row.then, row.grade, row.mine) == (
        "file",
        0.75,
        played("random", SORT).grade,
        True,
    )
    assert row.link == "" and who(view) == ["random", "keyword"]
    file.write_text("{}", encoding="utf-8")
    refused = await service.compare.open_file("a", str(file))
    assert told(refused).startswith("Line 1") and refused.sides == view.sides
    away = await service.compare.delete("a", row.run_id)
    assert told(away) == texts.PUT_AWAY_DONE and row.run_id not in [r.run_id for r in away.rows]


async def test_deleting_ones_own_run() -> None:
    service = console()
    run_id = await classified(service)
    view = await service.compare.with_baselines("a")
    assert told(await service.compare.delete("b", run_id)) == texts.NOT_YOURS
    service.play.new("a", CLASSIFY, "train", 0)  # else what is on the page is kept at hand
    view = await service.compare.delete("a", run_id)
    assert told(view) == texts.DELETED and who(view) == ["keyword", "retrieval", "oracle"]
    assert told(await service.compare.link("a", run_id)) == texts.NO_SUCH_RUN


async def test_a_run_that_the_store_did_not_take_can_be_compared() -> None:
    class ReadOnly(Store):
        def _write(self) -> Any:
            raise StoreError("the disk is full")

    service = console(ReadOnly(None))
    await classified(service)
    view = await service.compare.with_baselines("a")
    assert (
        who(view)[0] == "Mira" and view.sides[0].row.source == "page" and not view.sides[0].row.link
    )


async def test_a_store_that_can_not_be_read_says_so() -> None:
    class Gone(Store):
        def _read(self) -> Any:
            raise StoreError("the disk is gone")

    view = await console(Gone(None)).compare.show("a")
    assert told(view) == "the disk is gone" and view.sides == ()


def other_grader(run: Run, **changes: Any) -> Run:
    return run.model_copy(update={"run_id": "old", **changes})


async def test_other_versions_are_shown_and_not_compared() -> None:
    store = Store(None)
    true = played("keyword", SORT)
    forged = tuple(r + 0.01 for r in true.rewards)
    store.save(
        other_grader(true, grader_version="0.9.0", rewards=forged, kind="human", policy="Ada")
    )
    view = await console(store).compare.link("a", "old")
    old = view.sides[0]
    assert who(view) == ["Ada", "keyword"] and not old.compares and old.delta is None
    assert old.problem == texts.GRADED_OTHERWISE.format(then="0.9.0", now=true.grader_version)
    assert [s.reward for s in old.steps] == list(forged) and old.criteria == ()
    assert [s.priority for s in old.steps] == [s.priority for s in view.sides[1].steps]
    assert view.divergence is None  # they did the same


async def test_knobs_make_another_episode() -> None:
    store = Store(None)
    start = engine.start("draft_response", "test", 42, 1, knobs=Knobs(knowledge="full"))
    store.save(record(play(POLICIES["keyword"](start), start), "full", "policy", "keyword"))
    view = await console(store).compare.link("a", "full")
    (side,) = view.sides  # no baseline compares with it
    assert side.row.knobs == "knowledge=full" and side.steps and not side.problem
    other = console(store)
    await other.compare.link("a", "retrieval-draft_response-test-42-1")
    view = await other.compare.toggle("a", "full")
    assert [s.compares for s in view.sides if s.row.run_id == "full"] == [
        view.sides[0].row.baseline
    ]
    policies = await other.compare.play_baselines("a")
    assert "full" not in [s.row.run_id for s in policies.sides[1:]]
    table = await other.compare.mode("a", "task")
    table = await other.compare.table("a", task="draft_response")
    assert table.table is not None and table.table.other_versions == 1


async def test_endless_tickets_are_compared_and_taken_up_again() -> None:
    store = Store(None)
    service = console(store)
    service.play.begin("a", EASY, "endless", 7)
    before = await service.play.act("a", "classify", text="Billing")
    again = console(store)
    view = await again.play.resume("a", before.run_id)
    assert view is not None and view.steps == before.steps and view.item_id == "E-7"
    await again.play.write("a", "Hello there.")
    compared = await again.compare.with_baselines("a")
    assert who(compared) == ["Mira", "keyword", "retrieval", "oracle"] and compared.title
    assert all(s.steps and not s.problem and s.row.link for s in compared.sides)
    other = await again.compare.link("b", compared.sides[3].row.run_id)
    assert who(other) == ["oracle"] and other.tickets == compared.tickets
    assert "Mira" in [r.player for r in other.rows]
    for odd in ("E-", "E--1", "E-x", "T-1002", f"E-{2**70}"):
        gone = await again.compare.episode("a", f'["{EASY}", "endless", "{odd}", ""]')
        assert not gone.tickets and not gone.can_play


async def test_own_data_is_compared_on_own_data(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        "ticket_id,query,difficulty,category,expected_response\n"
        "X1,Wrong invoice,easy,Billing,Your wrong invoice is corrected within 5 days; "
        "open Settings and ask for a new invoice.\n",
        "utf-8",
    )
    ground = engine.arena(import_csv(file, catalogs.builtin())[0])
    service = console(arena=ground)
    service.runs.arena = engine.builtin_arena()
    service.play.begin("a", EASY, "test", 0)
    view = await service.play.write("a", "Hello there.")
    compared = await service.compare.with_baselines("a")
    assert (
        who(compared) == ["Mira", "keyword", "retrieval", "random"]
        and compared.dataset == "own.csv"
    )
    assert all(s.steps and not s.problem for s in compared.sides) and compared.tickets
    assert [bool(s.row.link) for s in compared.sides] == [True, False, False, False]
    # Others have neither the data nor a way to it; a link shows the actions, which were the visitor's.
    other = await service.compare.link("b", view.run_id)
    assert not other.tickets and other.sides[0].problem and not other.can_play
    assert "own.csv" not in repr((await service.compare.show("c")).options)


@pytest.mark.parametrize("task", [EASY, CLASSIFY, "medium_kb_grounded_response",
                                  "hard_escalation_safety", SORT, "draft_response"])  # fmt: skip
async def test_nothing_that_was_expected_shows_on_test(task: str) -> None:
    service = console()
    start = engine.start(task, "test", 1, 0)
    view = await service.compare.episode("a", f'["{task}", "test", "{start.item_id}", ""]')
    view = await service.compare.play_baselines("a")
    assert "oracle" not in {*who(view), *(r.player for r in view.rows)}
    case = engine.case_of(start)
    shown = repr(view)
    assert not [line for s in view.sides for step in s.steps for line in step.lines if line.hint]
    if case.labels is not None:
        labels = case.labels
        assert not labels.reference_reply or labels.reference_reply[:60] not in shown
        assert not labels.escalation_reason or labels.escalation_reason not in shown
    table = await service.compare.mode("a", "task")
    table = await service.compare.table("a", task=task)
    assert table.table is not None and "policy:oracle" not in {c.key for c in table.table.columns}
    text, _ = await service.compare.export("a")
    assert '"policy":"oracle"' not in text and '"expected"' not in text


async def test_the_table_of_a_task() -> None:
    store = Store(None)
    items = engine.builtin_arena().catalog.ids(CLASSIFY, "train")
    for n, (who_, item, grade) in enumerate(
        [
            ("Ada", 0, 1.0),
            ("Ada", 0, 0.5),
            ("Ada", 1, 0.0),
            ("keyword", 0, 0.5),
            ("keyword", 2, 0.0),
        ]
    ):
        kind = "policy" if who_ == "keyword" else "human"
        own: dict[str, Any] = {
            "split": "train",
            "item_id": items[item],
            "kind": kind,
            "policy": who_,
            **NOW,
        }
        store.save(made_up(f"r{n}", grade, **own))
    store.save(made_up("old", 1.0, split="train", item_id=items[0], grader_version="0.1.0"))
    failed = {"stop": "model_error", "kind": "model", "model": "m", "split": "train", **NOW}
    store.save(made_up("bad", None, item_id=items[3], **failed))
    service = console(store)
    await service.compare.table("a", task=CLASSIFY)
    await service.compare.table("a", split="train")
    view = await service.compare.mode("a", "task")
    table = view.table
    assert table is not None and view.sides == () and table.other_versions == 1
    assert [(c.key, c.items, c.mean, c.delta, c.shared) for c in table.columns] == [
        ("policy:keyword", 2, 0.25, None, 0),
        ("human:Ada", 2, 0.375, 0.25, 1),
        ("model:m", 0, None, None, 0),
    ]
    cells = {r.item_id: [c and (c.grade, c.runs, c.delta) for c in r.cells] for r in table.rows}
    assert cells == {
        items[0]: [(0.5, 1, None), (0.75, 2, 0.25), None],
        items[1]: [None, (0.0, 1, None), None],
        items[2]: [(0.0, 1, None), None, None],
        items[3]: [None, None, (None, 0, None)],
    }
    view = await service.compare.filter("a", failed_only=True)
    assert view.table is not None
    assert [r.item_id for r in view.table.rows] == [items[1], items[3]]
    view = await service.compare.table("a", player="human:Ada")
    assert view.table is not None and [c.shown for c in view.table.columns] == [True, True, False]
    view = await service.compare.table("a", player="policy:keyword")
    view = await service.compare.table("a", player="model:m")
    assert told(view) == texts.ONE_PLAYER
    text, name = await service.compare.export("a")
    assert text.count("\n") == 7 and name == f"supportops-{CLASSIFY}-train.jsonl"


def act(kind: str, text: str = "", **payload: str) -> SupportAction:
    return SupportAction.model_validate(
        {"action_type": kind, "content": text or None, "payload": payload}
    )


@pytest.mark.parametrize(
    ("threads", "step"),
    [
        ([["search_kb a"], ["search_kb a"]], None),
        ([["search_kb a"], ["search_kb  A "]], None),
        ([["search_kb a"], ["search_kb b"]], 1),
        ([["search_kb a", "respond x"], ["search_kb a"]], 2),
        ([["search_kb a", "respond x"], ["search_kb a", "escalate x"]], 2),
        ([["search_kb a"], ["search_kb a"], ["search_kb a", "respond x"]], 2),
        ([["search_kb a"]], None),
        ([[], ["respond x"]], 1),
        ([[], []], None),
        ([], None),
    ],
)
def test_where_runs_part(threads: list[list[str]], step: int | None) -> None:
    several = []
    for texts_ in threads:
        actions = tuple(
            act(*t.split(" ", 1)).model_dump(mode="json", exclude_defaults=True) for t in texts_
        )
        several.append(snapshot.bare_steps(made_up(actions=actions, rewards=(0.0,) * len(actions))))
    assert comparison.divergence(several) == step
