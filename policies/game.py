"""Where a policy plays: in process, or on a server over WebSocket. Both look the same."""

from __future__ import annotations

from typing import Any, Protocol

from env import episode as engine
from env.episode import NO_KNOBS, Arena, Episode
from env.errors import UnknownName
from env.view import observe, state_of
from graders.version import GRADER_VERSION
from supportops_env.client import SupportOpsEnv
from supportops_env.models import (
    GradeReport,
    Knobs,
    SupportAction,
    SupportObservation,
    SupportState,
)


class Game(Protocol):
    """One seat at the table: reset, then steps until done."""

    def reset(
        self, task_id: str, split: str, seed: int, index: int, knobs: Knobs = NO_KNOBS
    ) -> SupportObservation:
        """Start an episode."""

    def step(self, action: SupportAction) -> SupportObservation:
        """Take a step."""

    def state(self) -> SupportState:
        """What the episode is, and under which versions it is played."""

    def grade_now(self) -> GradeReport | None:
        """What the episode is worth as it stands; None where that can't be told."""

    def close(self) -> None:
        """Leave."""


class LocalGame:
    """Plays in this process. `episode` is open to the oracle."""

    def __init__(self, arena: Arena | None = None) -> None:
        """Play on `arena`, by default the built-in data."""
        self._arena = arena
        self.episode: Episode | None = None

    def reset(
        self, task_id: str, split: str, seed: int, index: int, knobs: Knobs = NO_KNOBS
    ) -> SupportObservation:
        """Start an episode."""
        self.episode = engine.start(task_id, split, seed, index, arena=self._arena, knobs=knobs)
        return observe(self.episode, "local")

    def step(self, action: SupportAction) -> SupportObservation:
        """Take a step."""
        assert self.episode is not None
        self.episode = engine.step(self.episode, action)
        return observe(self.episode, "local")

    def state(self) -> SupportState:
        """What the episode is."""
        assert self.episode is not None
        return state_of(self.episode, "local")

    def grade_now(self) -> GradeReport | None:
        """What the episode is worth as it stands."""
        assert self.episode is not None
        return engine.grade_now(self.episode)

    def close(self) -> None:
        """Nothing to leave."""


class RemoteGame:
    """Plays on a server over one WebSocket session.

    Raises:
        ConnectionError: the server can't be reached.
    """

    def __init__(self, base_url: str) -> None:
        """Connect."""
        self._client = SupportOpsEnv(base_url=base_url).sync()
        self._client.connect()

    def reset(
        self, task_id: str, split: str, seed: int, index: int, knobs: Knobs = NO_KNOBS
    ) -> SupportObservation:
        """Start an episode."""
        arguments: dict[str, Any] = {
            "task_id": task_id,
            "split": split,
            "seed": seed,
            "index": index,
            **({"knobs": knobs.changed} if knobs.changed else {}),
        }
        observation: SupportObservation = self._client.reset(**arguments).observation
        return observation

    def step(self, action: SupportAction) -> SupportObservation:
        """Take a step."""
        observation: SupportObservation = self._client.step(action).observation
        return observation

    def state(self) -> SupportState:
        """What the episode is; a server of an earlier version names no item and no versions."""
        state: SupportState = self._client.state()
        return state

    def grade_now(self) -> GradeReport | None:
        """The same, replayed here: a server gives no grade before the end, as it would tell labels.

        None where data or grader are others there than here.
        """
        there = self.state()
        if there.grader_version != GRADER_VERSION or there.seed is None:
            return None
        try:
            episode = engine.start(
                there.task_id, there.split, there.seed, there.index, knobs=there.knobs
            )
        except UnknownName:
            return None
        here = (episode.arena.catalog.version, episode.item_id)
        if (there.data_version, there.item_id) != here:
            return None
        for action in there.actions:
            episode = engine.step(episode, SupportAction.model_validate(action))
        return engine.grade_now(episode)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
