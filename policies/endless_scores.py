"""How policies fare on endless tickets under each setting of the knobs.

`settings` lists what is measured, `measure` plays it. The audit takes its difficulty and headroom
from here; `policies/endless_report.py` prints it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from env import episode as engine
from env.tasks import FAMILIES, reply_is_due
from policies.base import play
from policies.scripted import POLICIES
from supportops_env.models import Distractors, Knobs, KnowledgeMode, Twist

PLAYERS = ("oracle", "retrieval", "keyword")
TASKS = tuple(f.id for f in FAMILIES if reply_is_due(f))
"""The families that every knob changes: those with a reply."""
SEED = 42


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the knobs by name."""

    name: str
    knobs: Knobs


@dataclass(frozen=True)
class Measured:
    """A setting with each player's mean grade over `episodes` episodes, and by task."""

    setting: Setting
    episodes: int
    means: dict[str, float]
    by_task: dict[str, dict[str, float]]


def settings() -> tuple[Setting, ...]:
    """All that is measured, the plain setting first, one knob turned at a time."""
    crowded = [c for c in get_args(Distractors) if c]
    modes = [m for m in get_args(KnowledgeMode) if m != "search"]
    return (
        Setting("plain", Knobs()),
        *(Setting(f"distractors {c:,}", Knobs(distractors=c)) for c in crowded),
        *(Setting(f"twist {t}", Knobs(twist=t)) for t in get_args(Twist)),
        *(Setting(f"knowledge {m}", Knobs(knowledge=m)) for m in modes),
    )


def measure(
    setting: Setting,
    seeds: int = 100,
    players: Sequence[str] = PLAYERS,
    tasks: Sequence[str] = TASKS,
    each: Callable[[], None] = lambda: None,
) -> Measured:
    """Play `seeds` endless episodes of each task with each player; all play the same ones.

    Args:
        setting: What the knobs are set to.
        seeds: How many episodes a task, 1 or more.
        players: Names in `policies.scripted.POLICIES`.
        tasks: Families; a twist takes none of sets.
        each: Called after every episode.
    """
    by_task: dict[str, dict[str, float]] = {p: {} for p in players}
    for player in players:
        for task in tasks:
            grades = []
            for grade in _grades(player, task, setting.knobs, seeds):
                grades.append(grade)
                each()
            by_task[player][task] = statistics.fmean(grades)
    means = {p: statistics.fmean(by_task[p].values()) for p in players}
    return Measured(setting, seeds * len(tasks), means, by_task)


def _grades(player: str, task: str, knobs: Knobs, seeds: int) -> Iterator[float]:
    for seed in range(SEED, SEED + seeds):
        start = engine.start(task, engine.ENDLESS, seed, knobs=knobs)
        yield play(POLICIES[player](start), start).grade or 0.0
