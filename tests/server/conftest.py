"""The servers that the tests here share; both are started at once."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.conftest import Serve, Server
from tests.server.wire import http


@pytest.fixture(scope="session")
def space(serve: Serve) -> Server:
    """A server on a public Space, with room for two short sessions."""
    return serve(SPACE_ID="someone/space", MAX_SESSIONS="2", SESSION_TIMEOUT="0.5")


@pytest.fixture(scope="session")
def base_url(space: Server, live_server: str) -> str:
    """Address of the server out of the box, with the other one on its way."""
    return live_server


@pytest.fixture(scope="session")
def client(base_url: str) -> Iterator[httpx.Client]:
    """A client of the server out of the box."""
    with http(base_url) as opened:
        yield opened
