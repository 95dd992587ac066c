"""Playing many episodes with one policy: the loop behind inference.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tqdm import tqdm

from env.episode import Episode
from env.view import dump_action
from policies.base import Policy
from policies.game import Game, LocalGame
from policies.llm import Declined, Spent
from policies.log import StrictLog
from supportops_env.models import SupportAction, SupportObservation

Stop = Literal["done", "refusals", "model_error", "timeout", "cancelled"]
FAILURES: tuple[Stop, ...] = ("model_error", "timeout", "cancelled")


@dataclass(frozen=True, slots=True)
class Assignment:
    """An episode to be played."""

    task_id: str
    split: str
    seed: int
    index: int


@dataclass
class Played:
    """What came of one assignment. `episode` is there where it was played in process.

    `stop` is "done" also where the steps ran out; `error` says what a failure was, or why the
    model gave up. `declined`, `spent` and `parameters` are a model's.
    """

    assignment: Assignment
    score: float = 0.0
    steps: int = 0
    error: str | None = None
    episode: Episode | None = None
    stop: Stop = "done"
    declined: tuple[Declined, ...] = ()
    spent: Spent | None = None
    parameters: dict[str, object] = field(default_factory=dict)
    started_at: str | None = None
    resumed: bool = False

    @property
    def failed(self) -> bool:
        """Whether something other than its player ended it: then its score says nothing."""
        return self.stop in FAILURES


@dataclass
class Bench:
    """Plays assignments in order, one after the other, and logs each step as it is taken."""

    game: Game
    make_policy: Callable[[Game], Policy]
    label: str
    log: StrictLog
    each: Callable[[Played], None] = lambda _: None
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
        for assignment in bar:
            played = Played(assignment)
            self.results.append(played)
            self._play_one(played)
            scores = [p.score for p in self.results]
            bar.set_postfix(mean=f"{sum(scores) / len(scores):.3f}")
        return self.results

    def _play_one(self, played: Played) -> None:
        a = played.assignment
        self.log.start(a.task_id, self.label)
        try:
            observation = self.game.reset(a.task_id, a.split, a.seed, a.index)
            policy = self.make_policy(self.game)
            policy.begin(observation)
            while not observation.done:
                observation = self._step(policy, observation, played)
        except KeyboardInterrupt:
            played.stop, played.error = "cancelled", "stopped"
            raise
        except Exception as error:
            played.stop, played.error = "model_error", f"{type(error).__name__}: {error}"
        finally:
            if isinstance(self.game, LocalGame):
                played.episode = self.game.episode
            self.log.end(played.score)
            self.each(played)

    def _step(
        self, policy: Policy, observation: SupportObservation, played: Played
    ) -> SupportObservation:
        action = policy.act(observation)
        observation = self.game.step(action)
        note(played, self.log, action, observation)
        return observation


def note(
    played: Played, log: StrictLog, action: SupportAction, observation: SupportObservation
) -> None:
    """Log a step that was taken, and keep the score once the episode is done."""
    played.steps += 1
    invalid = any(line.rule == "invalid" for line in observation.reward_breakdown)
    log.step(
        played.steps,
        dump_action(action),
        float(observation.reward or 0.0),
        observation.done,
        observation.feedback if invalid else None,
    )
    if observation.done and observation.grade is not None:
        played.score = observation.grade.grade or 0.0
