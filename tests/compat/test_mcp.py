"""/mcp: ours answers as upstream's stock server does, and upstream's as MCP wants, with what is pinned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fastmcp import FastMCP
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.types import Action, Observation, State

from tests.server.wire import http


class Plain(Environment[Action, Observation, State]):
    """An environment without tools, as ours is."""

    def reset(self, *_: Any, **__: Any) -> Observation:
        return Observation()

    def step(self, *_: Any, **__: Any) -> Observation:
        return Observation()

    @property
    def state(self) -> State:
        return State()


class Tooled(MCPEnvironment):
    """An environment with one tool."""

    def __init__(self) -> None:
        server: FastMCP[Any] = FastMCP("tools")

        @server.tool
        def order_status(order_id: str) -> str:
            """Say where an order is."""
            return f"{order_id} is on its way"

        super().__init__(server)

    def reset(self, *_: Any, **__: Any) -> Observation:
        return Observation()

    def _step_impl(self, *_: Any, **__: Any) -> Observation:
        return Observation()

    @property
    def state(self) -> State:
        return State()


@pytest.fixture
def stock() -> Iterator[TestClient]:
    """Upstream's server for an environment without tools."""
    with TestClient(create_fastapi_app(Plain, Action, Observation)) as client:
        yield client


@pytest.fixture
def tooled() -> Iterator[TestClient]:
    """Upstream's server for an environment with a tool."""
    with TestClient(create_fastapi_app(Tooled, Action, Observation)) as client:
        yield client


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "[]",
        "no JSON",
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        '{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "reset"}}',
        '{"jsonrpc": "2.0", "id": 2, "method": "initialize"}',
        '{"jsonrpc": "1.0", "id": 3, "method": "tools/list"}',
        '{"jsonrpc": "2.0", "id": 4, "method": "openenv/session/close"}',
    ],
)
def test_ours_answers_as_upstream(live_server: str, stock: TestClient, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    with http(live_server) as client:
        ours = client.post("/mcp", content=body, headers=headers)
    theirs = stock.post("/mcp", content=body, headers=headers)
    assert (ours.status_code, ours.json()) == (theirs.status_code, theirs.json())
    assert ours.json()["jsonrpc"] == "2.0"


def test_upstream_lists_tools_as_mcp_wants(tooled: TestClient) -> None:
    """It answers `input_schema` with fastmcp 4, which openenv-core allows; hence our own cap."""
    (tool,) = asked(tooled, "tools/list")["tools"]
    assert tool["inputSchema"]["properties"] == {"order_id": {"type": "string"}}
    assert "input_schema" not in tool


def test_upstream_calls_a_tool(tooled: TestClient) -> None:
    result = asked(tooled, "tools/call", name="order_status", arguments={"order_id": "O-1"})
    assert "O-1 is on its way" in str(result)


def asked(client: TestClient, method: str, **params: Any) -> dict[str, Any]:
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    result: dict[str, Any] = client.post("/mcp", json=call).json()["result"]
    return result
