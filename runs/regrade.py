"""Playing stored runs again: does the same come out, and what does the present grader say?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

from pydantic import ValidationError

from env import episode as engine
from env.choice import ENDLESS
from env.episode import Arena, Episode, default_arena
from env.errors import UnknownName
from env.view import dump_action
from graders.version import GRADER_VERSION
from runs.errors import CannotReplay
from runs.record import Run, identity
from supportops_env.models import GradeReport, SupportAction

TOLERANCE = 1e-5
"""Stored rewards and grades are rounded to six digits."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run that was played again, and what differs from what was stored, in a person's words."""

    run: Run
    episode: Episode
    report: GradeReport | None
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Regraded:
    """One run's grade as stored and as the present grader gives it; `problem` says why not."""

    run: Run
    new: Run | None
    problem: str = ""

    @property
    def change(self) -> float | None:
        """New minus old, where both are numbers."""
        if self.new is None or self.new.grade is None or self.run.grade is None:
            return None
        return self.new.grade - self.run.grade


@dataclass(frozen=True, slots=True)
class Summary:
    """The regraded runs that have both grades, in the mean; and how many have not."""

    compared: int
    left_out: int
    old: float | None
    new: float | None
    changed: int


def rebuild(run: Run, arena: Arena | None = None) -> Episode:
    """Play a run's actions on the data at hand, on the same ticket or set.

    Raises:
        CannotReplay: the run was played on other data, its ticket is gone, an action is none any
            more, or the episode ends earlier now.
    """
    ground = arena or default_arena()
    try:
        # A stored ticket may stand elsewhere by now; an endless one is named by its seed.
        named = None if run.split == ENDLESS else run.item_id
        if named is not None:
            _check_data(run, ground)
        episode = engine.start(
            run.task_id, run.split, run.seed, ticket_id=named, arena=ground, knobs=run.knobs
        )
        if named is None:  # made from the seed, whatever the data at hand
            _check_data(run, episode.arena)
            _check_endless(run, episode.arena)
        actions = [SupportAction.model_validate(a) for a in run.actions]
    except UnknownName as error:
        raise CannotReplay(f"{error.what} {error.name!r} is not in the data at hand") from error
    except ValidationError as error:
        said = error.errors()[0]["msg"]
        raise CannotReplay(f"an action can't be read any more: {said}") from error
    for number, action in enumerate(actions, 1):
        if episode.done:
            raise CannotReplay(f"the episode ends with step {number - 1} now, not {len(actions)}")
        episode = engine.step(episode, action)
    return episode


def replay(run: Run, arena: Arena | None = None) -> Replayed:
    """Play a run again and compare with what was stored.

    Raises:
        CannotReplay: see `rebuild`.
    """
    episode = rebuild(run, arena)
    here = identity(episode)
    found = [
        f"{what}: {old} then, {new} now"
        for what, old, new in (
            ("data version", run.data_version, here["data_version"]),
            ("grader version", run.grader_version, here["grader_version"]),
            ("index", run.index, here["index"]),
        )
        if old != new
    ]
    for number, (step, reward) in enumerate(zip(episode.steps, run.rewards, strict=True), 1):
        if abs(step.reward - reward) > TOLERANCE:
            kind = step.action.action_type
            found.append(f"step {number} ({kind}): {reward:.4f} then, {step.reward:.4f} now")
    report = _report(run, episode)
    grade = report.grade if report else None
    if not _same(run.grade, grade):
        found.append(f"grade: {_shown(run.grade)} then, {_shown(grade)} now")
    return Replayed(run, episode, report, tuple(found))


def regrade(run: Run, arena: Arena | None = None) -> Regraded:
    """What the present data and grader make of a run's actions. Nothing is stored."""
    if run.failed:
        return Regraded(run, None, f"ended by {run.stop.replace('_', ' ')}: it has no grade")
    try:
        episode = rebuild(run, arena)
    except CannotReplay as error:
        return Regraded(run, None, str(error))
    report = _report(run, episode)
    if report is None:
        return Regraded(run, None, f"not played to its end ({run.stop.replace('_', ' ')})")
    changes = {
        "index": episode.index,
        "data_version": episode.arena.catalog.version,
        "grader_version": GRADER_VERSION,
        "actions": tuple(dump_action(s.action) for s in episode.steps),
        "rewards": tuple(round(s.reward, 6) for s in episode.steps),
        "grade": None if report.grade is None else round(report.grade, 6),
        "report": report,
        "partial": report.partial,
    }
    return Regraded(run, run.model_copy(update=changes))


def summary(regraded: Iterable[Regraded]) -> Summary:
    """Old against new in the mean, over the runs that have both."""
    every = list(regraded)
    both = [(r.run.grade, r.new.grade) for r in every if r.new is not None]
    pairs = [(a, b) for a, b in both if a is not None and b is not None]
    n = len(pairs)
    return Summary(
        compared=n,
        left_out=len(every) - n,
        old=fsum(a for a, _ in pairs) / n if n else None,
        new=fsum(b for _, b in pairs) / n if n else None,
        changed=sum(abs(a - b) > TOLERANCE for a, b in pairs),
    )


def _report(run: Run, episode: Episode) -> GradeReport | None:
    """The grade of an episode played again; as it stands, where its model had no more actions."""
    return engine.grade_now(episode) if run.stop == "refusals" else episode.report


def _check_data(run: Run, arena: Arena) -> None:
    """A version names its data set after a "+": own tickets have one, the built-in ones none."""
    theirs = run.data_version.partition("+")[2]
    ours = arena.catalog.version.partition("+")[2]
    if theirs == ours:
        return
    if theirs:
        raise CannotReplay(f"played on {theirs}, not on the data at hand; give it with --csv-data")
    raise CannotReplay("played on the built-in data; leave out --csv-data")


def _check_endless(run: Run, arena: Arena) -> None:
    """An endless ticket is made from its seed by one version of the generator and of the data."""
    theirs = run.data_version
    if theirs != arena.catalog.version:
        raise CannotReplay(f"played on endless tickets of {theirs}, not {arena.catalog.version}")


def _same(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return abs(old - new) <= TOLERANCE


def _shown(grade: float | None) -> str:
    return "none" if grade is None else f"{grade:.4f}"
