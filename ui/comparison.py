"""Runs side by side: where they part, and what one has over another. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import fsum

from runs.record import Run
from runs.stats import versions_of
from ui.state import StepView


def divergence(threads: Iterable[Sequence[StepView]]) -> int | None:
    """The first step, from 1, that is not the same action in all threads; None: there is none.

    A thread that has ended differs from one that goes on. Case and spaces do not make a difference,
    as they make none to the engine.
    """
    several = list(threads)
    for number, steps in enumerate(zip_longest(*several), 1):
        if len({_action(s) for s in steps}) > 1:
            return number
    return None


def _action(step: StepView | None) -> tuple[str, ...] | None:
    if step is None:
        return None
    text = " ".join(step.text.split()).casefold()
    return step.action_type, step.ticket_id.strip(), step.priority.strip().casefold(), text


def comparable(one: Run, other: Run) -> bool:
    """Whether the grades of two runs compare: same data version, grader major version and knobs."""
    return versions_of(one) == versions_of(other) and one.knobs == other.knobs


def difference(one: float | None, other: float | None) -> float | None:
    """The first minus the second, where both are there."""
    return None if one is None or other is None else one - other


def mean(values: Iterable[float]) -> float | None:
    """The mean, or None of nothing."""
    several = list(values)
    return fsum(several) / len(several) if several else None
