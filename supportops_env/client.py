"""The client: SupportOps-Env over WebSocket, one session a client.

`with SupportOpsEnv(base_url=...) as env` is synchronous, `async with` asynchronous, and `.sync()`
gives the synchronous wrapper by hand; all three under openenv-core 0.3 and openenv 0.10.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.sync_client import SyncEnvClient
from websockets.exceptions import ConnectionClosed

from supportops_env.models import SupportAction, SupportObservation, SupportState


class ServerError(RuntimeError):
    """Raised when the server refuses a message. The episode is as it was.

    `code` is the server's code (VALIDATION_ERROR, EXECUTION_ERROR, CAPACITY_REACHED, ...),
    `errors` the fields that were wrong: each a dict with `loc`, `msg` and `type`.
    """

    def __init__(self, message: str, code: str, errors: list[dict[str, Any]]) -> None:
        """Put the field errors into the message, so that they are seen."""
        self.code = code
        self.errors = errors
        fields = "; ".join(
            f"{'.'.join(str(p) for p in e.get('loc', ())) or 'message'}: {e.get('msg', '')}"
            for e in errors
        )
        super().__init__(f"{message} ({code})" + (f": {fields}" if fields else ""))


class SupportOpsEnv(EnvClient[SupportAction, SupportObservation, SupportState]):
    """A session with a SupportOps-Env server.

    `reset` takes `task_name` or `task_id`, `seed`, `episode_id`, `split`, `index`, `ticket_id`.

    Raises:
        ConnectionError: the server can't be reached.
        ServerError: the server refused a message; says which field and why.
    """

    _wrapper: SyncEnvClient[SupportAction, SupportObservation, SupportState] | None = None

    def __enter__(self) -> Any:
        """Connect, and hand out the synchronous client."""
        self._wrapper = self.sync()
        return self._wrapper.__enter__()

    def __exit__(self, *exc: Any) -> None:
        """Close the connection."""
        if self._wrapper is not None:
            self._wrapper.__exit__(*exc)
            self._wrapper = None

    async def __aenter__(self) -> Self:
        """Connect."""
        await super().__aenter__()
        return self

    async def _send_and_receive(self, message: dict[str, Any]) -> dict[str, Any]:
        # Upstream shows only "Invalid message"; the field errors are what helps.
        with suppress(ConnectionClosed):  # a full server answers, then closes: read its answer
            await self._send(message)
        response: dict[str, Any] = await self._receive()
        if response.get("type") == "error":
            data = response["data"]
            raise ServerError(data["message"], str(data["code"]), list(data.get("errors") or ()))
        return response

    def _step_payload(self, action: SupportAction) -> dict[str, Any]:
        return action.model_dump(mode="json", exclude_defaults=True)

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[SupportObservation]:
        observation = SupportObservation.model_validate(
            {**payload["observation"], "reward": payload["reward"], "done": payload["done"]}
        )
        return StepResult(observation=observation, reward=payload["reward"], done=payload["done"])

    def _parse_state(self, payload: dict[str, Any]) -> SupportState:
        return SupportState.model_validate(payload)
