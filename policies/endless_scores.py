"""How policies fare on endless tickets under each setting of the knobs.

`settings` lists what is measured, `measure` plays it. The audit takes its difficulty and headroom
from here; `policies/endless_report.py` prints it.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

from env import episode as engine
from env.episode import Episode
from env.tasks import FAMILIES, reply_is_due
from policies.base import Policy, action, play
from policies.retrieval import RetrievalPolicy
from policies.scripted import POLICIES
from supportops_env.models import (
    Distractors,
    Knobs,
    KnowledgeMode,
    SupportAction,
    SupportObservation,
    Twist,
)

WRITER = "writer"
PLAYERS = ("oracle", WRITER, "retrieval", "keyword")
TASKS = tuple(f.id for f in FAMILIES if reply_is_due(f))
"""The families that every knob changes: those with a reply."""
SEED = 42


class Writer(RetrievalPolicy):
    """Searches, opens and decides as the retrieval policy does, then sends the reference reply.

    It reads that one label. What it loses to the oracle is lost by searching and deciding alone,
    which tells how hard a setting is to find one's way in, apart from how hard it is to write.
    """

    name = WRITER

    def __init__(self, episode: Episode) -> None:
        """Take the reference reply of the episode to be played."""
        labels = episode.arena.catalog.labels[episode.item_id]
        self._reference = labels.reference_reply or ""

    def act(self, observation: SupportObservation) -> SupportAction:
        """What the retrieval policy does, with another text where that is a reply."""
        chosen = super().act(observation)
        if chosen.action_type in ("respond", "draft_response"):
            return action(chosen.action_type, response_text=self._reference)
        return chosen


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the knobs by name."""

    name: str
    knobs: Knobs


@dataclass(frozen=True)
class Measured:
    """What players made of a setting, over `episodes` episodes each.

    `means` are mean grades, `by_task` the same by task, `found` the mean share of expected articles
    that were found, `decided` the share of right decisions on escalation; the last two where a task
    that was played has them.
    """

    setting: Setting
    episodes: int
    means: dict[str, float]
    by_task: dict[str, dict[str, float]]
    found: dict[str, float]
    decided: dict[str, float]


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
        players: `WRITER`, or names in `policies.scripted.POLICIES`.
        tasks: Families with a reply.
        each: Called after every episode.
    """
    by_task: dict[str, dict[str, float]] = {}
    found: dict[str, float] = {}
    decided: dict[str, float] = {}
    for player in players:
        grades: dict[str, list[float]] = {task: [] for task in tasks}
        criteria: dict[str, list[float]] = defaultdict(list)
        for task in tasks:
            for seed in range(SEED, SEED + seeds):
                start = engine.start(task, engine.ENDLESS, seed, knobs=setting.knobs)
                report = play(_player(player, start), start).report
                assert report is not None
                grades[task].append(report.grade or 0.0)
                for c in report.criteria:
                    if c.value is not None:
                        criteria[c.id].append(c.value)
                each()
        by_task[player] = {task: statistics.fmean(own) for task, own in grades.items()}
        for name, means in (("article", found), ("escalation", decided)):
            if criteria[name]:
                means[player] = statistics.fmean(criteria[name])
    grades_of = {p: statistics.fmean(by_task[p].values()) for p in players}
    return Measured(setting, seeds * len(tasks), grades_of, by_task, found, decided)


def _player(name: str, start: Episode) -> Policy:
    return Writer(start) if name == WRITER else POLICIES[name](start)
