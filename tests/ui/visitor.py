"""A visitor without a browser: speaks to the console's handlers as the page does, over HTTP."""

from __future__ import annotations

import json
import secrets
import time
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

import httpx
from bs4 import BeautifulSoup

from supportops_env.models import SupportAction

API = "/web/gradio_api"


class Console:
    """What the page knows about the console: its components and its handlers."""

    def __init__(self, config: dict[str, Any]) -> None:
        """Read the page's own configuration."""
        self.elements = {c["id"]: c["props"].get("elem_id") for c in config["components"]}
        self.handlers: dict[tuple[str, str], dict[str, Any]] = {}
        for handler in config["dependencies"]:
            for component, event in handler["targets"]:
                name = self.elements.get(component) or ""
                self.handlers.setdefault((name, event), handler)

    @classmethod
    async def at(cls, client: httpx.AsyncClient) -> Self:
        """Ask a server."""
        answer = await client.get("/web/config")
        answer.raise_for_status()
        return cls(answer.json())


class Visitor:
    """One session. Enter it to arrive, leave it to close the page."""

    def __init__(self, client: httpx.AsyncClient, console: Console) -> None:
        """Nobody has arrived yet; every visitor has a session of its own."""
        self._client, self._console = client, console
        self.session = secrets.token_hex(8)
        self.shown: dict[str, Any] = {}
        self.waits: list[tuple[str, float]] = []
        self._page = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Keep the heartbeat open, as an open page does."""
        beat = self._client.stream("GET", f"{API}/heartbeat/{self.session}", timeout=None)
        await self._page.enter_async_context(beat)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close the page."""
        await self._page.aclose()

    async def open(self, link: str) -> None:
        """Open the console at a link."""
        await self._call("", "load", [json.dumps({"run": "", "link": link})])

    async def act(self, action: SupportAction) -> None:
        """Take a step, with the control that a person takes it with."""
        kind, text = action.action_type, action.text
        if kind == "classify":
            await self.press("actions", act="classify", value=text)
        elif kind == "set_priority":
            ticket, value = action.payload["ticket_id"], action.payload["priority"]
            await self.press("thread", act="priority", ticket=ticket, value=value)
        else:
            control = {"search_kb": "search", "escalate": "escalate", "mark_resolved": "resolve"}
            await self._call(control.get(kind, "send"), "click", [text])

    async def press(self, view: str, **data: str) -> None:
        """Press a button in a view."""
        await self._call(view, "select", pressed=data)

    async def read(self, query: str) -> None:
        """Search in the Knowledge base tab."""
        await self._call("library-go", "click", [query])

    async def upload(self, name: str, content: bytes) -> str:
        """Upload a file; its path on the server."""
        answer = await self._client.post(f"{API}/upload", files={"files": (name, content)})
        answer.raise_for_status()
        path: str = answer.json()[0]
        return path

    async def snippets(self) -> None:
        """See the API tab follow."""
        await self._call("", "change", [str(self._client.base_url) + "/web/"])

    def text(self, element: str, selector: str) -> str:
        """What a part of a view says now."""
        found = BeautifulSoup(self.shown[element], "html.parser").select_one(selector)
        assert found is not None, f"{selector} is not in {element}"
        return found.get_text()

    def attribute(self, element: str, selector: str, name: str) -> str:
        """An attribute of a part of a view."""
        found = BeautifulSoup(self.shown[element], "html.parser").select_one(selector)
        assert found is not None, f"{selector} is not in {element}"
        return str(found[name])

    async def _call(
        self,
        element: str,
        event: str,
        data: list[Any] | None = None,
        pressed: dict[str, str] | None = None,
    ) -> None:
        handler = self._console.handlers[element, event]
        sent = [self.shown.get(self._console.elements.get(i) or "") for i in handler["inputs"]]
        body = {
            "data": sent if data is None else [*data, *sent[len(data) :]],
            "fn_index": handler["id"],
            "session_hash": self.session,
            "trigger_id": handler["targets"][0][0],
            "event_data": pressed,
        }
        start = time.perf_counter()
        joined = await self._client.post(f"{API}/queue/join", json=body)
        joined.raise_for_status()
        output = await self._answer(joined.json()["event_id"])
        self.waits.append((f"{element}.{event}", time.perf_counter() - start))
        for component, value in zip(handler["outputs"], output["data"], strict=True):
            if not (isinstance(value, dict) and value.get("__type__") == "update"):
                self.shown[self._console.elements.get(component) or ""] = value
            elif "value" in value:
                self.shown[self._console.elements.get(component) or ""] = value["value"]

    async def _answer(self, event_id: str) -> dict[str, Any]:
        address = f"{API}/queue/data?session_hash={self.session}"
        async with self._client.stream("GET", address, timeout=60) as stream:
            async for line in stream.aiter_lines():
                if not line.startswith("data:"):
                    continue
                message = json.loads(line[5:])
                if message["msg"] == "process_completed" and message["event_id"] == event_id:
                    assert message["success"], message
                    output: dict[str, Any] = message["output"]
                    return output
        raise AssertionError("the stream ended without an answer")
