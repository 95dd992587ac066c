"""Playing many episodes with one policy: the loop behind inference.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from tqdm import tqdm

from env import episode as engine
from env.episode import NO_KNOBS, OUT_OF_STEPS, Episode
from env.view import dump_action, state_of
from policies.base import Policy
from policies.game import Game
from policies.llm import Declined, Spent
from policies.log import ReaderLeft, StrictLog
from policies.model_errors import redact
from supportops_env.models import (
    GradeReport,
    Knobs,
    RewardLine,
    SupportAction,
    SupportObservation,
    SupportState,
)

Stop = Literal["done", "out_of_steps", "refusals", "model_error", "timeout", "cancelled"]
FAILURES: tuple[Stop, ...] = ("model_error", "timeout", "cancelled")


@dataclass(frozen=True, slots=True)
class Assignment:
    """An episode to be played."""

    task_id: str
    split: str
    seed: int
    index: int
    knobs: Knobs = NO_KNOBS


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was taken: the action as plain data, its reward, the lines that sum to it."""

    action: dict[str, Any]
    reward: float
    lines: tuple[RewardLine, ...]


@dataclass(eq=False)
class Played:
    """What came of one assignment.

    `begun` is what the game called the episode, None where it never began; `taken` and `report`
    are dropped once the listener has them, so that memory stays flat. `error` says what a failure
    was, or why the model gave up. `declined`, `spent` and `parameters` are a model's.
    """

    assignment: Assignment
    score: float = 0.0
    steps: int = 0
    error: str | None = None
    stop: Stop = "done"
    begun: SupportState | None = None
    taken: list[Taken] = field(default_factory=list)
    report: GradeReport | None = None
    declined: tuple[Declined, ...] = ()
    spent: Spent | None = None
    parameters: dict[str, object] = field(default_factory=dict)
    started_at: str = field(default_factory=lambda: _now())
    resumed: bool = False

    @property
    def failed(self) -> bool:
        """Whether something other than its player ended it: then its score says nothing."""
        return self.stop in FAILURES

    def grade(self, report: GradeReport | None) -> None:
        """Take a grade; None where it could not be told."""
        self.report = report
        self.score = (report.grade if report else None) or 0.0

    def take(self, episode: Episode) -> None:
        """Take over, whole, what was played in this process by somebody else's loop."""
        self.begun = state_of(episode, "")
        self.taken = [Taken(dump_action(s.action), s.reward, s.lines) for s in episode.steps]
        self.steps = len(self.taken)
        self.grade(engine.grade_now(episode) if self.stop == "refusals" else episode.report)
        if episode.done and episode.steps[-1].feedback.endswith(OUT_OF_STEPS):
            self.stop = "out_of_steps"

    def forget(self) -> None:
        """Drop what only its listener needs."""
        self.taken.clear()
        self.declined = ()
        self.begun = self.report = None


class Listener(Protocol):
    """Hears what is played as it is played; `end` comes for every episode, whatever ended it.

    May be called from other threads, for one episode in order, but for an `end` after an interrupt,
    which may come while `begin` or `step` is still at work.
    """

    def begin(self, played: Played) -> None:
        """An episode began; `played.begun` says which."""

    def step(self, played: Played, number: int) -> None:
        """Step `number`, counted from 1, was taken: `played.taken[number - 1]`."""

    def end(self, played: Played) -> None:
        """It is over."""


class Nobody:
    """Listens to nothing."""

    def begin(self, played: Played) -> None:
        """Nothing."""

    def step(self, played: Played, number: int) -> None:
        """Nothing."""

    def end(self, played: Played) -> None:
        """Nothing."""


@dataclass
class Mean:
    """The mean of scores as they come in."""

    total: float = 0.0
    count: int = 0

    def add(self, played: Played) -> None:
        """Count an episode that did not fail."""
        if not played.failed:
            self.total += played.score
            self.count += 1

    def __str__(self) -> str:
        """For people."""
        return f"{self.total / self.count:.3f}" if self.count else "-"


@dataclass
class Bench:
    """Plays assignments in order, one after the other, and logs each step as it is taken."""

    game: Game
    make_policy: Callable[[Game], Policy]
    label: str
    log: StrictLog
    listener: Listener = field(default_factory=Nobody)
    progress: bool = True
    results: list[Played] = field(default_factory=list)

    def play(self, assignments: Sequence[Assignment]) -> list[Played]:
        """Play all; an episode that fails is logged with its [END] line and the next one begins."""
        bar = tqdm(
            assignments,
            desc=self.label,
            unit="episode",
            file=sys.stderr,
            disable=not self.progress,
        )
        mean = Mean()
        for assignment in bar:
            played = Played(assignment)
            self.results.append(played)
            self._play_one(played)
            mean.add(played)
            bar.set_postfix_str(f"mean={mean}", refresh=False)
        return self.results

    def _play_one(self, played: Played) -> None:
        a = played.assignment
        try:
            self.log.start(a.task_id, self.label)
            observation = self.game.reset(a.task_id, a.split, a.seed, a.index, a.knobs)
            played.begun = self.game.state()
            self.listener.begin(played)
            policy = self.make_policy(self.game)
            policy.begin(observation)
            while not observation.done:
                action = policy.act(observation)
                observation = self.game.step(action)
                note(played, self.log, action, observation)
                self.listener.step(played, played.steps)
        except (KeyboardInterrupt, ReaderLeft):
            played.stop, played.error = "cancelled", "stopped"
            raise
        except Exception as error:
            played.stop = "model_error"
            played.error = redact(f"{type(error).__name__}: {error}")
        finally:
            if played.failed:
                played.score = 0.0
            try:
                self.log.end(played.score)
            finally:
                self.listener.end(played)
                played.forget()


def note(
    played: Played, log: StrictLog, action: SupportAction, observation: SupportObservation
) -> None:
    """Log a step that was taken and keep it, and the grade once the episode is done."""
    played.steps += 1
    plain, reward = dump_action(action), float(observation.reward or 0.0)
    lines = observation.reward_breakdown
    played.taken.append(Taken(plain, reward, lines))
    invalid = any(line.rule == "invalid" for line in lines)
    log.step(
        played.steps, plain, reward, observation.done, observation.feedback if invalid else None
    )
    if observation.done:
        played.grade(observation.grade)
        if observation.feedback.endswith(OUT_OF_STEPS):
            played.stop = "out_of_steps"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
