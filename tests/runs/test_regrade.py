"""Playing stored runs again, and what the present grader says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.catalog import builtin
from env import episode as engine
from runs.errors import CannotReplay
from runs.record import Run, record, replay
from runs.regrade import rebuild, regrade, summary
from runs.regrade import replay as compare
from supportops_env.models import SupportAction
from tests.runs.conftest import made_up, played


def test_played_again_a_run_is_the_same(sample: tuple[Run, ...]) -> None:
    for run in sample:
        again = compare(run)
        assert again.differences == () and again.episode.steps == replay(run).steps
        graded = regrade(run)
        assert graded.new == run and graded.change == 0.0
    assert summary(map(regrade, sample)).changed == 0


def test_what_differs_is_named() -> None:
    run = played("oracle", "ticket_classification")
    stored = run.model_copy(update={"rewards": (0.5,), "grade": 0.5, "grader_version": "0.9.0"})
    differences = compare(stored).differences
    assert any("grader version: 0.9.0 then" in d for d in differences)
    assert any("step 1 (classify): 0.5000 then, 1.0000 now" in d for d in differences)
    assert any("grade: 0.5000 then, 1.0000 now" in d for d in differences)
    graded = regrade(stored)
    assert graded.change == pytest.approx(0.5) and graded.new == run


def test_the_mean_is_over_runs_with_both_grades() -> None:
    run = played("oracle", "ticket_classification")
    worse = run.model_copy(update={"grade": 0.4})
    failed = made_up("f", None, stop="timeout")
    found = summary(map(regrade, [run, worse, failed]))
    assert (found.compared, found.left_out, found.changed) == (2, 1, 1)
    assert found.old == pytest.approx(0.7) and found.new == 1.0
    assert summary([]).old is None


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "own tickets": ({"data_version": "1.0.0+mine.csv"}, "give it with --csv"),
    "a ticket that is gone": ({"item_id": "T-9999"}, "ticket_id 'T-9999' is not in the data"),
    "a task that is gone": ({"task_id": "haggling"}, "task 'haggling'"),
    "an action that is none": ({"actions": ({"action_type": "shout"},)}, "can't be read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_played_again_says_why(name: str) -> None:
    changes, said = WRONG[name]
    run = played("oracle", "ticket_classification").model_copy(update=changes)
    with pytest.raises(CannotReplay, match=said):
        rebuild(run)
    graded = regrade(run)
    assert graded.new is None and graded.change is None and graded.problem


def test_more_actions_than_the_episode_takes() -> None:
    run = played("oracle", "ticket_classification")
    longer = run.model_copy(update={"actions": run.actions * 2, "rewards": (1.0, 0.0)})
    assert "ends with step 1 now, not 2" in regrade(longer).problem


def test_a_run_that_was_left_early_has_no_grade() -> None:
    episode = engine.start("draft_response", "train", 1, 0)
    run = record(episode, "x", "human", "Ada")
    assert (run.stop, run.grade, run.failed) == ("cancelled", None, True)
    assert "cancelled" in regrade(run).problem


def test_a_run_that_its_model_gave_up_is_graded_as_it_stands() -> None:
    episode = engine.start("draft_response", "train", 1, 0)
    whole = played("oracle", "draft_response", 0, "train")
    drafted = [SupportAction.model_validate(a) for a in whole.actions[:-1]]
    for action in drafted:
        episode = engine.step(episode, action)
    run = record(episode, "x", "model", "llm", "m").model_copy(
        update={"stop": "refusals", "grade": engine.grade_now(episode).grade}
    )
    assert run.grade is not None and run.grade > 0.9 and not run.failed
    assert compare(run).differences == () and regrade(run).change == 0.0
    assert "grade: 0.0000 then" in compare(run.model_copy(update={"grade": 0.0})).differences[0]
    ended = engine.step(episode, SupportAction(action_type="mark_resolved", content="answered"))
    assert engine.grade_now(ended) == ended.report


def test_a_ticket_that_moved_is_found_by_its_id() -> None:
    run = played("oracle", "ticket_classification", 3)
    catalog = builtin()
    key = ("ticket_classification", "test")
    moved = replace(catalog, items={**catalog.items, key: catalog.items[key][::-1]})
    arena = engine.arena(moved)
    again = compare(run, arena)
    assert again.episode.item_id == run.item_id and again.episode.grade == 1.0
    assert again.differences and "index: 3 then" in again.differences[0]


def test_built_in_runs_are_not_played_on_other_data() -> None:
    own = engine.arena(replace(builtin(), version="1.0.0+mine.csv"))
    with pytest.raises(CannotReplay, match="leave out --csv"):
        rebuild(played("oracle", "ticket_classification"), own)
