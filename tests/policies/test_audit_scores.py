"""The audit's checks on grades: each bound holds at its edge and fails beyond it."""

from __future__ import annotations

import pytest

from policies.audit_play import Grades
from tests.policies.rigged import (
    CLASSIFYING,
    EASY,
    MEDIUM,
    climbed,
    ending,
    generous,
    graded,
    ground,
    rows,
    statuses,
)

SORTING = "priority_sorting"


def status(check: str, task: str, **means: float) -> list[str]:
    """The statuses of a check's rows, those apart that speak of shipped files."""
    found = rows(check, ground(task, grades=graded(task, **means)))
    return [r.status for r in found if "shipped" not in r.measured]


@pytest.mark.parametrize(
    ("check", "task", "good", "bad"),
    [
        ("oracle_max", EASY, {"oracle": 0.95}, {"oracle": 0.949}),
        (
            "floor_gap",
            EASY,
            {"oracle": 1.0, "silent": 0.0, "random": 0.5},
            {"oracle": 1.0, "silent": 0.51, "random": 0.0},
        ),
        ("headroom", EASY, {"retrieval": 0.85}, {"retrieval": 0.86}),
        (
            "gameability_gap",
            EASY,
            {"oracle": 1.0, "echo": 0.5},
            {"oracle": 1.0, "echo": 0.51},
        ),
        ("adversarial_floor", CLASSIFYING, {"silent": 0.45}, {"silent": 0.46}),
    ],
)
def test_a_bound_holds_up_to_its_edge(
    check: str, task: str, good: dict[str, float], bad: dict[str, float]
) -> None:
    assert status(check, task, **good) == ["PASS"]
    assert status(check, task, **bad) == ["FAIL"]


def test_adversaries_of_tasks_with_a_reply_have_three_bounds() -> None:
    fine = climbed(graded(EASY, echo=0.35), EASY, 0.45)
    assert statuses("adversarial_floor", ground(EASY, grades=fine)) == {"PASS"}
    for grades in (
        climbed(graded(EASY, echo=0.36), EASY, 0.45),
        climbed(graded(EASY, echo=0.35), EASY, 0.46),
    ):
        failed = [
            r for r in rows("adversarial_floor", ground(EASY, grades=grades)) if r.status == "FAIL"
        ]
        assert len(failed) == 1


def test_one_item_alone_can_fail_the_adversaries() -> None:
    grades = graded(EASY, echo=0.0)
    lucky = graded(EASY, echo=0.61).played[0]
    found = rows("adversarial_floor", ground(EASY, grades=Grades([*grades.played, lucky])))
    assert [r.status for r in found] == ["PASS", "FAIL", "SKIP"]
    assert found[1].worst == "echo T-train"


def test_sorters_by_one_feature_have_a_bound_of_their_own() -> None:
    assert status("adversarial_floor", SORTING, silent=0.1, sort_by_sla=0.7) == ["PASS", "PASS"]
    assert status("adversarial_floor", SORTING, silent=0.1, sort_by_sla=0.71) == ["PASS", "FAIL"]


def test_difficulty_is_only_warned_about() -> None:
    falling = Grades([*graded(EASY, keyword=0.4).played, *graded(MEDIUM, keyword=0.3).played])
    rising = Grades([*graded(EASY, keyword=0.3).played, *graded(MEDIUM, keyword=0.4).played])
    assert statuses("difficulty_separation", ground(EASY, MEDIUM, grades=falling)) == {"PASS"}
    assert statuses("difficulty_separation", ground(EASY, MEDIUM, grades=rising)) == {"WARN"}


@pytest.mark.parametrize(
    "check", ["oracle_max", "floor_gap", "adversarial_floor", "gameability_gap", "headroom"]
)
def test_what_was_not_played_is_skipped_with_a_reason(check: str) -> None:
    found = [r for r in rows(check, ground(EASY)) if "shipped" not in r.measured]
    assert [r.status for r in found] == ["SKIP"]
    assert found[0].reason


def test_an_oracle_that_can_not_be_judged_whole_is_named() -> None:
    played = graded(EASY, oracle=1.0).played
    unjudged = type(played[0])("oracle", EASY, "test", 1, "T-9", 0.4, True)
    row = rows("oracle_max", ground(EASY, grades=Grades([*played, unjudged])))[0]
    assert row.status == "PASS"
    assert "T-9" in row.reason


def test_a_grader_that_gives_everybody_full_marks_fails_wherever_it_can() -> None:
    kind = ground(EASY, played=True, step=ending(generous))
    for check in ("floor_gap", "adversarial_floor", "gameability_gap", "headroom", "canary_floor"):
        assert "FAIL" in statuses(check, kind), check
