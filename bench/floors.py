"""What ours is compared with: OpenEnv's echo environment, as its authors write it.

`bench.floors:echo_sync` is the stock one; `echo_async` overrides the async methods on the event
loop and shares one executor, as our environment does.
"""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class EchoAction(Action):
    """A message."""

    message: str


class EchoObservation(Observation):
    """The same message, and how long it is."""

    echoed_message: str
    message_length: int


class Echo(Environment[EchoAction, EchoObservation, State]):
    """Answers each message with itself."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        """No step was taken."""
        super().__init__()
        self._state = State(step_count=0)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> EchoObservation:
        """Begin."""
        self._state = State(episode_id=episode_id, step_count=0)
        return EchoObservation(
            echoed_message="Echo environment ready!", message_length=0, done=False, reward=0.0
        )

    def step(self, action: EchoAction, timeout_s: float | None = None, **_: Any) -> EchoObservation:
        """Echo."""
        self._state.step_count += 1
        length = len(action.message)
        return EchoObservation(
            echoed_message=action.message, message_length=length, done=False, reward=length * 0.1
        )

    @property
    def state(self) -> State:
        """How many steps were taken."""
        return self._state


class AsyncEcho(Echo):
    """The same, on the event loop."""

    REQUIRES_SINGLE_THREAD_EXECUTOR = True

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> EchoObservation:
        """Begin."""
        return self.reset(seed, episode_id, **kwargs)

    async def step_async(
        self, action: EchoAction, timeout_s: float | None = None, **kwargs: Any
    ) -> EchoObservation:
        """Echo."""
        return self.step(action, timeout_s, **kwargs)


echo_sync = create_fastapi_app(Echo, EchoAction, EchoObservation, max_concurrent_envs=4096)
echo_async = create_fastapi_app(AsyncEcho, EchoAction, EchoObservation, max_concurrent_envs=4096)
