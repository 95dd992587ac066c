"""The OpenEnv adapter: one session holds one episode; the work is done by the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from env import episode as engine
from env.arguments import ResetArguments, begin, new_episode_id
from env.episode import Episode
from env.errors import NoEpisode
from env.rubric import SupportRubric
from env.tasks import FAMILIES
from env.view import observe, state_of
from supportops_env.models import SupportAction, SupportObservation, SupportState

VERSION = "0.1.0"
NAME = "supportops"
DESCRIPTION = (
    "Work customer-support tickets: six task families, a grade that explains itself line by line."
)

EndHook = Callable[[Episode, Literal["http", "websocket"]], None]
"""Told of an episode that a client played, as its last step was taken. Returns at once, never raises."""


class SupportOpsEnvironment(Environment[SupportAction, SupportObservation, SupportState]):
    """Plays the six task families. Everything is in memory and takes about a millisecond a step."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    # One shared executor instead of a thread per session; steps themselves run on the event loop.
    REQUIRES_SINGLE_THREAD_EXECUTOR = True
    # On the class, since the server makes environments without arguments: see `reporting_to`.
    on_end: ClassVar[EndHook | None] = None

    def __init__(self) -> None:
        """No episode yet: reset first."""
        self._episode: Episode | None = None
        self._episode_id = ""
        super().__init__()

    @property
    def rubric(self) -> SupportRubric:
        """The rubric tree with the scores of the present episode, made when asked for."""
        tree = SupportRubric()
        if self._episode is not None and self._episode.steps:
            tree(self._episode.steps[-1].action, observe(self._episode, self._episode_id))
        return tree

    @rubric.setter
    def rubric(self, _: Any) -> None:
        """Upstream's constructor sets one; ours is made from the episode."""

    def reset(
        self, /, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> SupportObservation:
        """Start an episode; see `ResetArguments` for what it takes.

        Raises:
            pydantic.ValidationError: an argument that does not exist or does not fit. The episode
                before, if any, goes on.
        """
        given = {**kwargs, "seed": seed, "episode_id": episode_id}
        arguments = ResetArguments.model_validate(given)
        self._episode = begin(arguments)
        self._episode_id = arguments.episode_id or new_episode_id()
        return observe(self._episode, self._episode_id)

    def step(
        self, action: SupportAction, timeout_s: float | None = None, **kwargs: Any
    ) -> SupportObservation:
        """Take one step.

        Raises:
            NoEpisode: not reset yet.
            EpisodeOver: the episode is done; nothing changes.
        """
        if self._episode is None:
            raise NoEpisode()
        self._episode = engine.step(self._episode, action)
        if self._episode.done and (hook := type(self).on_end) is not None:
            hook(self._episode, "websocket")
        return observe(self._episode, self._episode_id)

    async def reset_async(
        self, /, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> SupportObservation:
        """The same as `reset`; overridden so that no thread is needed."""
        return self.reset(seed, episode_id, **kwargs)

    async def step_async(
        self, action: SupportAction, timeout_s: float | None = None, **kwargs: Any
    ) -> SupportObservation:
        """The same as `step`; overridden so that no thread is needed."""
        return self.step(action, timeout_s, **kwargs)

    @property
    def state(self) -> SupportState:
        """Where the episode stands; empty before the first reset."""
        if self._episode is None:
            return SupportState()
        return state_of(self._episode, self._episode_id)

    def get_metadata(self) -> EnvironmentMetadata:
        """Name, version, what it is."""
        return EnvironmentMetadata(
            name=NAME,
            description=f"{DESCRIPTION} Tasks: {', '.join(f.id for f in FAMILIES)}.",
            version=VERSION,
            author="the SupportOps-Env authors",
        )


def reporting_to(hook: EndHook | None) -> type[SupportOpsEnvironment]:
    """The environment's class, whose instances tell `hook` of each finished episode."""
    if hook is None:
        return SupportOpsEnvironment
    name = SupportOpsEnvironment.__name__
    return type(name, (SupportOpsEnvironment,), {"on_end": staticmethod(hook)})
