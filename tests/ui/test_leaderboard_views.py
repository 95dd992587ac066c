"""The Leaderboard's pages and figures: every number where it belongs, names as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from runs import baselines
from runs.record import Usage
from runs.store import Store
from tests.runs.conftest import played
from tests.ui.hostile import HOSTILE
from tests.ui.service.test_leaderboard import human
from ui.service.leaderboard import Leaderboard
from ui.texts import leaderboard as texts
from ui.views import leaderboard as views

CLASSIFY, SORTING = "ticket_classification", "priority_sorting"


class Rows(HTMLParser):
    """The texts of a page's table cells, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.within = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.within = True
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.within = self.within and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.within:
            self.rows[-1][-1] += data


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(None) as opened:
        yield opened


@pytest.fixture
def board(store: Store, tmp_path: Path) -> Leaderboard:
    (tmp_path / f"{baselines.STAND_IN}.jsonl").touch()
    return Leaderboard(store, folder=tmp_path)


def filled(store: Store) -> None:
    used = Usage(tokens_in=1200, tokens_out=30, cost_usd=0.002)
    for n, grade in enumerate((1.0, 0.5, 0.0)):
        model = {"kind": "model", "policy": "llm", "model": "m1", "prompt_version": "2"}
        store.save(human(f"m{n}", grade, item_id=f"T-{n}", usage=used, **model))
    store.save(
        human(
            "m9", None, kind="model", policy="llm", model="m1", prompt_version="2", stop="timeout"
        )
    )
    store.save(human("h1", 0.25, policy=HOSTILE))
    store.save(played("keyword", CLASSIFY, 0, run_id="k1"))


def test_the_table_says_it_all(store: Store, board: Leaderboard) -> None:
    filled(store)
    head, *rows = Rows(views.standings(board.view(task=CLASSIFY))).rows
    assert [h.partition(".")[0] for h in head] == [
        "Player", "Mean", "95\u00a0% interval", "n", "Tickets", "pass^1", "Steps", "Tokens", "Cost",
        "Not counted",
    ]  # fmt: skip
    model = next(r for r in rows if r[0].startswith("m1"))
    assert model[0] == "m1modelprompt 2"
    assert model[1] == "0.500" and model[3:] == [
        "3", "3", "0.67", "1.0", "3,600 / 90", "$0.0060", "1 failed",
    ]  # fmt: skip
    low, high = (float(x) for x in model[2].split(" – "))
    assert 0 <= low < 0.5 < high <= 1
    person = next(r for r in rows if "person" in r[0])
    assert person[:5] == [f"{HOSTILE}person", "0.250", "–", "1", "1"]
    assert rows[-1][0].startswith(f"gpt-4o-mini{texts.PUBLISHED}")
    assert rows[-1][1] == "0.80" and set(rows[-1][2:]) == {"–"}


def test_published_scores_are_marked_as_such_everywhere(store: Store, board: Leaderboard) -> None:
    filled(store)
    for task, score in ((CLASSIFY, 0.8), (SORTING, 0.55), ("draft_response", 0.42), ("", 0.59)):
        store.save(human(f"more-{task}", 0.5, task_id=task or SORTING))
        view = board.view(task=task)
        figure = json.loads(getattr(views.means(view), "plot", ""))
        line = figure["data"][-1]
        assert line["x"] == [score, score] and line["line"]["dash"] == "dash"
        assert "not measured here" in line["name"] and f"{score:.2f}" in line["name"]
        page = views.standings(view)
        assert texts.PUBLISHED in page and "data/baselines/gpt-4o-mini.jsonl" in page
    store.save(human("more", 0.5, task_id="easy_classify_respond"))
    view = board.view(task="easy_classify_respond")
    assert "not measured" not in getattr(views.means(view), "plot", "")
    assert texts.NO_PUBLISHED in views.standings(view)


def test_names_are_text_on_every_page(store: Store, board: Leaderboard) -> None:
    filled(store)
    for person in ("human||" + HOSTILE, "model|2|m1"):
        view = board.view(player=person, against="human||" + HOSTILE)
        pages = [
            views.heading(view), views.standings(view), views.detail(view), views.costs(view),
            views.heat_heading(view), views.category_heading(view),
        ]  # fmt: skip
        for page in pages:
            assert "<img" not in page and "<script" not in page and 'onerror="' not in page
            assert "</div><b>" not in page and "</textarea>" not in page
        for figure in (views.means(view), views.heat(view)):
            assert figure is not None and "<img" not in figure.plot


def test_figures_hold_the_means(store: Store, board: Leaderboard) -> None:
    filled(store)
    view = board.view(task=CLASSIFY)
    figure = json.loads(getattr(views.means(view), "plot", ""))
    drawn = {t["name"]: t["x"] for t in figure["data"][:-1]}
    assert drawn["Models"] == [0.5] and drawn["People"] == [0.25]
    tinted, shown = json.loads(getattr(views.heat(view), "plot", ""))["data"]
    places = list(texts.SHORT)
    means = [s.row(CLASSIFY).score.mean for s in view.standings]  # type: ignore[union-attr]
    assert tinted["z"] == [[m if t == CLASSIFY else None for t in places] for m in means]
    assert {0.5, 0.25} <= set(means) and shown["text"].count("–") == 5 * len(means)


def test_who_left_tasks_out_is_set_apart(store: Store, board: Leaderboard) -> None:
    for family in texts.SHORT:
        store.save(human(f"a-{family}", 0.1, policy="all", task_id=family))
    store.save(human("b", 1.0))
    rows = Rows(views.standings(board.view())).rows
    assert [r[0][:3] for r in rows[1:4]] == ["all", "Pla", "Ada"]
    assert rows[2] == [texts.PARTLY]
    assert rows[1][5] == "6 of 6" and rows[3][5] == "1 of 6"


def test_equal_names_are_told_apart(store: Store, board: Leaderboard) -> None:
    store.save(human("1", policy="oracle"))
    store.save(human("2", kind="policy", policy="oracle"))
    store.save(human("3", policy="anonymous"))
    view = board.view()
    assert sorted(views.names(view.standings)) == [
        "anonymous",
        "oracle (person)",
        "oracle (policy)",
    ]
    page = views.standings(view)
    assert page.count(texts.NOTES["oracle"]) == 1 and texts.ANONYMOUS[1] in page


def test_one_player_closely(store: Store) -> None:
    board = Leaderboard(store)
    view = board.view(player="policy||keyword", against="policy||random")
    said = re.sub("<[^>]+>", "", views.detail(view))
    assert view.detail is not None and view.detail.versus is not None
    pair = view.detail.versus
    assert f"on the {pair.difference.n} episodes that both played" in said
    assert f"better on {pair.better}, the same on {pair.same}, worse on {pair.worse}" in said
    assert views.category_heat(view) and views.confusion(view, "categories")
    right = views.confusion_heading(view, "priorities")
    assert f"{100 * (view.detail.priorities.right or 0):.0f} % of 15 right" in right


def test_no_shared_episode_and_nobody_else(store: Store, board: Leaderboard) -> None:
    store.save(human("1", policy="A&B"))
    assert texts.ALONE in views.detail(board.view())
    store.save(human("2", policy="bob", seed=7))
    assert "A&amp;B and bob share no episode" in views.detail(board.view(player="human||A&B"))


@pytest.mark.parametrize("kind", ["", "human", "model", "policy", "client"])
def test_empty_states(board: Leaderboard, kind: str) -> None:
    view = board.view(kind=kind)
    title, text = texts.NOBODY[kind]
    page = views.standings(view)
    assert title in page and text in page and texts.MEASURE in page
    assert views.means(view) is None and views.heat(view) is None
    assert views.category_heat(view) is None and views.confusion(view, "categories") is None
    assert views.detail(view) == views.heat_heading(view) == ""
    assert texts.COSTS_NONE in views.costs(view)


def test_costs_of_a_point(store: Store, board: Leaderboard) -> None:
    filled(store)
    _, row = Rows(views.costs(board.view(task=CLASSIFY))).rows
    assert row[1:] == ["3", "3,600", "90", "2,460", "0.0060", "0.0040"]


def test_old_versions_and_a_fleeting_store_are_told(store: Store, board: Leaderboard) -> None:
    store.save(human("1", grader_version="0.9.1"))
    page = views.heading(board.view(versions=board.view().groups[1].key))
    assert "do not compare with what is played now" in page
    assert "will not outlive a restart" in page
    assert "(0 runs)" in page and "(1 run)" in page
    assert "do not compare" not in views.heading(board.view())


def test_own_runs_are_asked_for_before_they_go() -> None:
    assert texts.OWN_NONE in views.own(0)
    some = views.own(1)
    assert (
        texts.OWN_SOME[1] in some and 'data-act="ask"' in some and 'data-act="delete"' not in some
    )
    sure = views.own(3, sure=True)
    assert "Delete 3 runs for good" in sure and 'data-act="delete"' in sure
    assert 'role="alert"' in views.own(0, news="no <b>", error=True)
    assert "no &lt;b&gt;" in views.own(0, news="no <b>", error=True)
