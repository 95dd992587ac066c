"""What a policy is, and playing one episode with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

from env import episode as engine
from env.episode import Episode
from env.view import observe
from supportops_env.models import SupportAction, SupportObservation


def action(action_type: str, **payload: str) -> SupportAction:
    """An action with its payload."""
    return SupportAction.model_validate({"action_type": action_type, "payload": payload})


def name_words(category: str) -> tuple[str, ...]:
    """What a text may hold that speaks for a category of which only the name is known."""
    words = re.findall(r"[^\W_]+", category.casefold())
    long = [w[:-1] if w.endswith("s") else w for w in words if len(w) > 3]
    return tuple(dict.fromkeys((category.casefold(), *long)))


class Policy(Protocol):
    """Chooses an action from an observation. `name` is what [START] and runs call it."""

    name: str

    def begin(self, observation: SupportObservation) -> None:
        """Forget the last episode; a new one starts."""

    def act(self, observation: SupportObservation) -> SupportAction:
        """The next action."""


def play(
    policy: Policy, episode: Episode, each: Callable[[Episode], None] | None = None
) -> Episode:
    """Play an episode to its end in process; `each` is called after every step."""
    for after in steps(policy, episode):
        episode = after
        if each is not None:
            each(episode)
    return episode


def steps(policy: Policy, episode: Episode) -> Iterator[Episode]:
    """Play step by step; yields the episode after each."""
    policy.begin(observe(episode, ""))
    while not episode.done:
        episode = engine.step(episode, policy.act(observe(episode, "")))
        yield episode
