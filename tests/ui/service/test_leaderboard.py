"""The leaderboard's figures: whose runs count where, and that they are counted once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env import episode as engine
from env.tasks import BY_ID, FAMILIES
from graders.version import GRADER_VERSION
from runs import baselines, stats
from runs.errors import StoreError
from runs.record import identity
from runs.store import Store
from tests.runs.conftest import made_up
from ui.service import leaderboard as module
from ui.service.leaderboard import Leaderboard, player_key
from ui.state_leaderboard import BoardView

DATA = engine.builtin_arena().catalog.version
SORTING = "priority_sorting"
OWNER = "a-secret-of-one-browser-0001"
JUNK: list[Any] = [
    None,
    5,
    1.5,
    True,
    [],
    {},
    "x" * 10_000,
    "nope",
    "<b>",
    "ticket_classification ",
]


def human(run_id: str, grade: float | None = 0.5, **fields: Any) -> Any:
    shape = {"kind": "human", "policy": "Ada", "data_version": DATA}
    return made_up(run_id, grade, **{**shape, "grader_version": GRADER_VERSION, **fields})


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(None) as opened:
        yield opened


@pytest.fixture
def board(store: Store, tmp_path: Path) -> Leaderboard:
    """Over a store of its own, without the baselines that ship."""
    (tmp_path / f"{baselines.STAND_IN}.jsonl").touch()
    return Leaderboard(store, folder=tmp_path)


def players(view: BoardView) -> dict[str, tuple[int, float | None]]:
    rows = [(s.player.name, s.row(view.wanted.task)) for s in view.standings]
    return {n: (r.scored, r.score.mean if r.score else None) for n, r in rows if r}


def test_the_shipped_baselines_are_there_as_the_statistics_say(store: Store) -> None:
    view = Leaderboard(store).view()
    runs = [r for r in baselines.shipped() if r.split == "test"]
    rows = {r.player.name: r for r in stats.table(runs) if r.task_id is None}
    assert {s.player.name: s.row("") for s in view.standings} == rows
    assert view.standings[0].player.name == "oracle"
    assert [s.player.name for s in view.standings].index("retrieval") == 1
    assert view.wanted.player == "policy||retrieval"
    assert view.wanted.against == f"policy||{baselines.STAND_IN}"
    detail = view.detail
    assert detail is not None and detail.versus is not None and detail.by_category
    assert detail.categories.runs and detail.priorities.runs


def test_what_others_published_is_no_run(board: Leaderboard) -> None:
    view = board.view()
    assert [(p.task_id, p.score) for p in view.published] == [
        ("ticket_classification", 0.8),
        (SORTING, 0.55),
        ("draft_response", 0.42),
        (None, 0.59),
    ]
    assert view.standings == () and view.detail is None
    assert view.command == baselines.COMMAND and "does not compare" in view.caveat


CHOICES: list[tuple[dict[str, Any], dict[str, tuple[int, float | None]]]] = [
    ({}, {"Ada": (3, 0.5), "bob": (1, 0.8)}),
    ({"task": SORTING}, {"Ada": (1, 0.4)}),
    ({"task": "draft_response"}, {}),
    ({"split": "train"}, {"cy": (1, 0.1)}),
    ({"split": "endless"}, {"dee": (1, 0.3)}),
    ({"kind": "model"}, {"bob": (1, 0.8)}),
    ({"kind": "policy"}, {}),
    ({"versions": f"{DATA}|0"}, {"old": (1, 0.9)}),
]


@pytest.mark.parametrize(("choice", "expected"), CHOICES, ids=[str(c[0]) for c in CHOICES])
def test_who_counts_where(
    store: Store,
    board: Leaderboard,
    choice: dict[str, Any],
    expected: dict[str, tuple[int, float | None]],
) -> None:
    store.save(human("1", 0.7, item_id="T-1002"))
    store.save(human("2", 0.5, item_id="T-1003"))
    store.save(human("3", 0.4, task_id=SORTING, item_id="S-1"))
    store.save(human("4", 0.8, kind="model", policy="llm", model="bob"))
    store.save(human("5", 0.1, policy="cy", split="train"))
    store.save(human("6", 0.9, policy="old", grader_version="0.4.0"))
    store.save(human("7", 0.0, policy="own data", data_version=f"{DATA}+abc"))
    store.save(human("8", 0.0, policy="other knobs", knobs={"knowledge": "none"}))
    store.save(human("9", 0.3, policy="dee", split="endless"))
    view = board.view(**choice)
    assert players(view) == expected
    assert view.shown == ((DATA, "0") if "versions" in choice else view.present)
    assert {g.versions: g.runs for g in view.groups} == {view.present: 6, (DATA, "0"): 1}
    assert view.groups[0].versions == view.present


def test_failures_and_partial_grades_count_but_not_in_the_mean(
    store: Store, board: Leaderboard
) -> None:
    store.save(human("1", 0.6))
    store.save(human("2", None, stop="timeout"))
    store.save(human("3", 0.9, partial=True))
    store.save(human("4", None, policy="unlucky", stop="model_error"))
    first, last = board.view().standings
    row = first.row("")
    assert row is not None and row.score is not None and row.score.mean == 0.6
    assert (row.runs, row.scored, row.failures, row.partial) == (3, 1, 1, 1)
    assert (row.score.low, row.score.high) == (None, None)  # one ticket says nothing of others
    assert last.player.name == "unlucky" and players(board.view())["unlucky"] == (0, None)


def test_who_played_all_tasks_comes_first(store: Store, board: Leaderboard) -> None:
    for n, family in enumerate(FAMILIES):
        store.save(human(f"a{n}", 0.2, policy="all", task_id=family.id))
    store.save(human("b", 1.0, policy="one"))
    assert [s.player.name for s in board.view().standings] == ["all", "one"]
    assert [s.player.name for s in board.view(task="ticket_classification").standings] == [
        "one",
        "all",
    ]


def test_many_looks_are_counted_once_until_something_changes(
    store: Store, board: Leaderboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def table(runs: Any, *rest: Any) -> Any:
        counted.append(1)
        return stats.table(runs, *rest)

    monkeypatch.setattr(module, "table", table)
    store.save(human("1", 0.5))
    first = board.view()
    assert all(board.view() is first for _ in range(3))
    board.view(task=SORTING)
    store.begin("u", identity(engine.start(SORTING, "test", 1)), kind="human", policy="Ada")
    assert board.view() is first and len(counted) == 1
    store.save(human("1", 0.9))  # in place of the first
    assert players(board.view()) == {"Ada": (1, 0.9)} and len(counted) == 2
    store.save(human("2", 0.1))
    store.delete("1")
    assert players(board.view()) == {"Ada": (1, 0.1)} and len(counted) == 3


def test_a_baseline_that_is_stored_too_counts_once(store: Store, tmp_path: Path) -> None:
    run = human("keyword-x", 0.3, kind="policy", policy="keyword")
    baselines.write_runs(tmp_path / "keyword.jsonl", [run])
    store.save(run)
    assert players(Leaderboard(store, folder=tmp_path).view()) == {"keyword": (1, 0.3)}


def test_a_measured_model_is_what_others_are_compared_with(
    store: Store, board: Leaderboard, tmp_path: Path
) -> None:
    store.save(human("1", 0.5))
    store.save(human("2", 0.7, policy="bob"))
    assert board.view().wanted.against.startswith("human")
    model = human("m", 0.9, kind="model", policy="llm", model="gpt-4o-mini", prompt_version="1")
    baselines.write_runs(tmp_path / baselines.MEASURED, [model])
    view = board.view(player="human||Ada")
    assert view.wanted.against == player_key(stats.player_of(model)) == "model|1|gpt-4o-mini"
    assert view.detail is not None and view.detail.versus is not None
    assert view.detail.versus.difference.mean == pytest.approx(-0.4)
    alone = board.view(kind="model")
    assert alone.detail is not None and alone.detail.against == "" and alone.detail.versus is None


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
def test_what_does_not_fit_counts_as_unsaid(store: Store, junk: Any) -> None:
    board = Leaderboard(store)
    usual = board.view()
    fields = ("task", "split", "kind", "versions", "player", "against")
    assert board.view(**dict.fromkeys(fields, junk)) is usual
    assert (board.own(junk), board.delete_own(junk)) == (0, 0)


def test_only_ones_own_runs_are_deleted(store: Store, board: Leaderboard) -> None:
    store.save(human("1"), owner=OWNER)
    store.save(human("2", policy="bob"), owner="another-browser-altogether-2")
    store.save(human("3"))
    start = identity(engine.start(SORTING, "test", 1))
    store.begin("4", start, kind="human", policy="Ada", owner=OWNER)
    assert board.own(OWNER) == 2 and players(board.view())["Ada"] == (2, 0.5)
    assert board.delete_own(OWNER) == 2
    assert board.own(OWNER) == 0 and store.count() == 2
    assert players(board.view()) == {"Ada": (1, 0.5), "bob": (1, 0.5)}


def test_a_store_that_fails_is_told_and_the_baselines_stay(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = Leaderboard(store)
    store.save(human("1"))
    assert "Ada" in players(board.view())

    def refuse() -> Any:
        raise StoreError("runs.db: disk I/O error")

    monkeypatch.setattr(store, "stamp", refuse)
    view = board.view()
    assert view.problems == ("runs.db: disk I/O error",)
    assert "oracle" in players(view) and "Ada" not in players(view)
    monkeypatch.undo()
    assert "Ada" in players(board.view()) and board.view().problems == ()


def test_what_will_not_last_and_what_cannot_be_read_is_told(
    store: Store, board: Leaderboard, tmp_path: Path
) -> None:
    (tmp_path / "mine.jsonl").write_text("{}\n", encoding="utf-8")
    view = board.view()
    assert view.reason == store.reason != ""
    assert len(view.problems) == 1 and view.problems[0].startswith("mine.jsonl")
    (tmp_path / f"{baselines.STAND_IN}.jsonl").unlink()
    assert "keyword.jsonl" in board.view().problems[0]


def test_every_task_has_a_short_name() -> None:
    from ui.texts.leaderboard import SHORT

    assert list(SHORT) == list(BY_ID)
