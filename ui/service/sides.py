"""Runs as the Compare tab shows them: a row of the list, a side of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from env import episode as engine
from env.episode import Episode
from graders.version import GRADER_VERSION
from runs.errors import CannotReplay
from runs.export import jsonl_line
from runs.record import Run
from runs.regrade import TOLERANCE, rebuild
from supportops_env.models import CriterionReport
from ui import comparison, snapshot
from ui.service.known import Known, failed, is_own, place_of
from ui.state import StepView
from ui.state_compare import RunRow, Side
from ui.texts import compare as texts


def is_same(known: Known, other: Known | None) -> bool:
    """Whether two are the same run."""
    return other is not None and known.run.run_id == other.run.run_id


def row(known: Known, chosen: Sequence[Known], base: Known | None) -> RunRow:
    """A run in the list, when these are compared against that one."""
    run = known.run
    # What is on this page alone has no address; what a policy does has, but on own data.
    shared = known.source in ("store", "baseline")
    shared |= known.source == "here" and not is_own(place_of(run))
    return RunRow(
        run_id=run.run_id,
        player=run.player,
        kind=run.kind,
        source=known.source,
        seed=run.seed,
        grade=run.grade,
        steps=len(run.actions),
        ending=run.stop,
        when=run.started_at or known.updated_at,
        failed=failed(run),
        partial=run.partial,
        data_version=run.data_version,
        grader_version=run.grader_version,
        knobs=run.knobs.label,
        mine=known.mine or known.source == "file",
        chosen=any(is_same(known, k) for k in chosen),
        baseline=is_same(known, base),
        then=known.then,
        grader_then=known.grader_then,
        link=run.run_id if shared else "",
    )


def sides(chosen: Sequence[Known], base: Known | None) -> tuple[Side, ...]:
    """The runs that are compared, step by step, against one of them."""
    return tuple(_side(k, chosen, base) for k in chosen)


def _side(known: Known, chosen: Sequence[Known], base: Known | None) -> Side:
    compares = base is not None and comparison.comparable(known.run, base.run)
    delta = None
    if base is not None and compares and not is_same(known, base):
        delta = comparison.difference(known.run.grade, base.run.grade)
    steps, criteria, problem = _thread(known)
    return Side(row(known, chosen, base), steps, criteria, delta, compares, problem)


def _thread(known: Known) -> tuple[tuple[StepView, ...], tuple[CriterionReport, ...], str]:
    """A run's steps as the engine explains them; as stored, where the engine says otherwise now."""
    run = known.run
    try:
        episode = _replayed(known)
    except CannotReplay as error:
        return snapshot.bare_steps(run), (), str(error)
    now = [s.reward for s in episode.steps]
    if any(abs(a - b) > TOLERANCE for a, b in zip(now, run.rewards, strict=True)):
        said = texts.GRADED_OTHERWISE.format(then=run.grader_version, now=GRADER_VERSION)
        return snapshot.bare_steps(run), (), said
    return snapshot.steps(episode), episode.report.criteria if episode.report else (), ""


def _replayed(known: Known) -> Episode:
    if known.arena is None:
        raise CannotReplay(texts.NOT_AT_HAND)
    if known.arena is engine.builtin_arena():
        return _replayed_line(jsonl_line(known.run))
    return rebuild(known.run, known.arena)


@lru_cache(maxsize=128)
def _replayed_line(line: str) -> Episode:
    """Keeps what was replayed on the built-in data: each look at a comparison asks for it again."""
    return rebuild(Run.model_validate_json(line))
