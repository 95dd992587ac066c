"""A forwarded address counts only from a proxy that is known."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from env.addresses import client_address

PROXY = frozenset({"10.0.0.1"})


@pytest.mark.parametrize(
    ("host", "forwarded", "address"),
    [
        ("192.0.2.7", "", "192.0.2.7"),
        ("192.0.2.7", "203.0.113.1", "192.0.2.7"),
        ("10.0.0.1", "203.0.113.9, 203.0.113.1", "203.0.113.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        (None, "203.0.113.1", "unknown"),
    ],
)
def test_whose_request_it_is(host: str | None, forwarded: str, address: str) -> None:
    scope = {
        "type": "http",
        "client": (host, 1) if host else None,
        "headers": [(b"x-forwarded-for", forwarded.encode())] if forwarded else [],
    }
    assert client_address(Request(scope), PROXY) == address
