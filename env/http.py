"""What every HTTP and WebSocket request goes through: size limits and errors in one shape.

An error is `{"detail": ...}` with a sentence, or a list of `{loc, msg, type}`; the input is never
echoed, so NaN, secrets and megabytes can't come back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from env.errors import EpisodeIdMissing, EpisodeNotFound, EpisodeOver, NoEpisode, SupportOpsError

_STATUS: dict[type[SupportOpsError], int] = {
    EpisodeOver: 409,
    NoEpisode: 409,
    EpisodeNotFound: 404,
    EpisodeIdMissing: 422,
}
_DEEP = 200
_LONG = 4_000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def fields(errors: Sequence[Any]) -> list[dict[str, Any]]:
    """Validation errors without the input that caused them."""
    return [
        {
            "loc": [p if isinstance(p, int) else str(p)[:80] for p in e["loc"]],
            "msg": str(e["msg"])[:2_000],
            "type": e["type"],
        }
        for e in errors[:20]
    ]


def unanswerable(text: str) -> str | None:
    """Why JSON could be read, but what it says not be sent back; None for JSON that is broken.

    Python reads numbers of any length up to a limit, halves of surrogate pairs and deep nesting;
    writing those into an error message then fails.
    """
    brackets = text.count("{") + text.count("[")
    if len(text) <= _LONG and brackets <= _DEEP and not _SURROGATE.search(text):
        return None
    try:
        value = json.loads(text)
    except RecursionError:
        return "the JSON is nested too deeply"
    except json.JSONDecodeError:
        return None
    except ValueError:
        return "a number in the JSON is too long"
    if brackets > _DEEP and _too_deep(value):
        return "the JSON is nested too deeply"
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "a text holds half a surrogate pair, which is no character"
    return None


def _too_deep(value: object) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(_DEEP):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def add_error_handlers(app: FastAPI) -> None:
    """Answer every refusal as JSON that says what to do."""

    @app.exception_handler(RequestValidationError)
    async def _invalid_request(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"detail": fields(error.errors())}, 422)

    @app.exception_handler(ValidationError)
    async def _invalid(_: Request, error: ValidationError) -> JSONResponse:
        return JSONResponse({"detail": fields(error.errors(include_input=False))}, 422)

    @app.exception_handler(SupportOpsError)
    async def _refused(_: Request, error: SupportOpsError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, _STATUS.get(type(error), 422))


def _decoded(body: bytearray) -> str:
    """A body as `json.loads` would read it, or nothing where it could not."""
    try:
        return body.decode(json.detect_encoding(body), "surrogatepass")
    except UnicodeDecodeError:
        return ""


class BodyLimit:
    """Refuses request bodies over a size with 413, before they are read whole, and unanswerable ones."""

    def __init__(self, app: ASGIApp, limit: int, exempt: tuple[str, ...] = ()) -> None:
        """`limit` in bytes; paths that begin with one of `exempt` are left alone."""
        self._app = app
        self._limit = limit
        self._exempt = exempt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the body as it comes in."""
        if scope["type"] != "http" or scope["path"].startswith(self._exempt):
            await self._app(scope, receive, send)
            return
        declared = next((v for k, v in scope["headers"] if k == b"content-length"), b"")
        if declared.isdigit() and int(declared) > self._limit:
            await self._refuse(scope, receive, send)
            return
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            if len(body) > self._limit:
                await self._refuse(scope, receive, send)
                return
            if not message.get("more_body"):
                break
        problem = unanswerable(_decoded(body))
        if problem is not None:
            await JSONResponse({"detail": problem}, 422)(scope, receive, send)
            return
        await self._app(scope, _Replayed(bytes(body), receive), send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = JSONResponse({"detail": f"body too large; at most {self._limit} bytes"}, 413)
        await answer(scope, receive, send)


class _Replayed:
    """A receive channel that hands out a body that was read already, then the rest."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        return await self._receive()


class SocketGuard:
    """Keeps a session alive through messages that upstream's /ws would end it for.

    Upstream closes the socket, and loses the episode, on JSON that is no object, on binary frames
    and on JSON that it can't read or can't answer. Here they get an error and the session goes on.
    """

    def __init__(self, app: ASGIApp, limit: int, path: str = "/ws") -> None:
        """`limit` is the longest message in characters."""
        self._app = app
        self._limit = limit
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything through but messages that can't be a request."""
        if scope["type"] != "websocket" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return

        async def guarded() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                problem = self._problem(message.get("text"))
                if problem is None:
                    return message
                error = {"type": "error", "data": {"message": problem, "code": "INVALID_JSON"}}
                await send({"type": "websocket.send", "text": json.dumps(error)})

        await self._app(scope, guarded, send)

    def _problem(self, text: str | None) -> str | None:
        if text is None:
            return "send text frames with a JSON object"
        if len(text) > self._limit:
            return f"message too long; at most {self._limit} characters"
        if not text.lstrip().startswith("{"):
            return 'send a JSON object, such as {"type": "reset", "data": {}}'
        return unanswerable(text)
