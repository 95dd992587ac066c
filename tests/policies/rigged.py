"""Grounds for the audit's checks to stand on: the product, or the product with one thing rigged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from env import episode as engine
from env.episode import Episode
from policies.audit import CHECKS, run_check
from policies.audit_play import Grades, Played, play_all
from policies.audit_report import AuditRow, BestReply
from policies.audit_scores import Ground
from policies.audit_subject import Plan, Subject
from supportops_env.models import SupportAction

Step = Callable[[Episode, SupportAction], Episode]
EASY, MEDIUM, CLASSIFYING = (
    "easy_classify_respond",
    "medium_kb_grounded_response",
    "ticket_classification",
)


def product(**rig: Any) -> Subject:
    """The product, with some of its parts replaced."""
    return replace(Subject(engine.builtin_arena()), **rig)


def ground(*tasks: str, played: bool = False, grades: Grades | None = None, **rig: Any) -> Ground:
    """A small ground over some tasks; with `played` all policies have played a few items."""
    subject = product(**rig)
    plan = Plan(tasks, items=2, edits=5, climbs=1, processes=1)
    return Ground(subject, plan, grades or (play_all(subject, plan) if played else Grades()))


def rows(check: str, on: Ground) -> list[AuditRow]:
    """What a check finds, as the audit runs it."""
    return run_check(check, CHECKS[check], on)


def statuses(check: str, on: Ground) -> set[str]:
    """The statuses of the rows that a check gives."""
    return {r.status for r in rows(check, on)}


def graded(task: str, **means: float) -> Grades:
    """As if each policy had played two items of a task and got this grade (`_` stands for `-`)."""
    return Grades(
        [
            Played(name.replace("_", "-"), task, split, 0, f"T-{split}", grade, False)
            for name, grade in means.items()
            for split in engine.SPLITS
        ]
    )


def climbed(grades: Grades, task: str, grade: float) -> Grades:
    """With a climb that got this grade."""
    best = BestReply(
        task=task, split="train", index=0, item="T-1", edits=1, accepted=1, value=grade,
        grade=grade, reply="Hello.",
    )  # fmt: skip
    return Grades(grades.played, [*grades.climbs, best])


def stepping(change: Callable[[Episode], Episode]) -> Step:
    """The engine's step with something done to what comes out."""
    return lambda episode, action: change(engine.step(episode, action))


def ending(change: Callable[[Episode], Episode]) -> Step:
    """The engine's step with something done to episodes that are over."""
    return stepping(lambda e: change(e) if e.done else e)


def with_last(episode: Episode, **fields: Any) -> Episode:
    """The episode with its last step changed."""
    return replace(episode, steps=(*episode.steps[:-1], replace(episode.steps[-1], **fields)))


def generous(episode: Episode) -> Episode:
    """As a grader would leave it that gives everybody full marks."""
    assert episode.report is not None
    return replace(episode, report=episode.report.model_copy(update={"grade": 1.0}))


def only(found: Iterable[AuditRow]) -> AuditRow:
    """The one row there is."""
    (row,) = found
    return row
