"""One episode, turn by turn: the loop that the runner and the console share, and how it can end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from policies.base import Policy
from policies.bench import Assignment, Stop
from policies.game import Game, LocalGame
from policies.model_errors import GaveUp, ModelError, ModelTimeout, OutOfBudget, redact
from supportops_env.models import SupportAction, SupportObservation

OWN_WORDS = (GaveUp, OutOfBudget, ModelError)
"""What ends an episode by a player's doing; after anything else its game is in doubt too."""


class Player(Protocol):
    """Chooses an action from an observation, and may take its time."""

    async def act(self, observation: SupportObservation) -> SupportAction:
        """The next action."""


@dataclass
class ScriptedPlayer:
    """A policy as a player. It chooses in a thread: others go on meanwhile."""

    policy: Policy

    async def act(self, observation: SupportObservation) -> SupportAction:
        """The policy's next action."""
        if not observation.history:
            self.policy.begin(observation)
        return await asyncio.to_thread(self.policy.act, observation)


async def turns(
    game: Game,
    player: Player,
    a: Assignment,
    begun: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator[tuple[SupportAction, SupportObservation]]:
    """Play an episode; yields each action with what came of it, right after the step.

    `begun` is awaited once it is reset. What ends it before it is done comes as an exception: see
    `ending`.
    """
    observation = await call(game, game.reset, a.task_id, a.split, a.seed, a.index, a.knobs)
    if begun is not None:
        await begun()
    while not observation.done:
        action = await player.act(observation)
        observation = await call(game, game.step, action)
        yield action, observation


def ending(error: Exception, limit_s: float, key: str) -> tuple[Stop, str]:
    """How an episode ended that an exception ended, and why, without the key.

    Args:
        error: What was raised.
        limit_s: Seconds that the episode had, where a time-out has no words of its own.
        key: The model's key.
    """
    if isinstance(error, GaveUp):
        return "refusals", str(error)
    if isinstance(error, OutOfBudget):
        return "cancelled", str(error)
    if isinstance(error, ModelTimeout | TimeoutError):
        return "timeout", str(error) or f"the episode took longer than {limit_s:g} s"
    if isinstance(error, ModelError):
        return "model_error", str(error)
    return "model_error", redact(f"{type(error).__name__}: {error}", key)


async def call(game: Game, method: Callable[..., Any], *arguments: Any) -> Any:
    """A game on a server waits for it, in a thread; one in this process is quick."""
    if isinstance(game, LocalGame):
        return method(*arguments)
    return await asyncio.to_thread(method, *arguments)
