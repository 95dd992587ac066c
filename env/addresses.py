"""Whose request it is, as far as an address tells."""

from __future__ import annotations

from typing import Any


def client_address(request: Any, proxies: frozenset[str]) -> str:
    """The address that a request came from; a forwarded one counts only from a known proxy.

    Args:
        request: Any request with `client` and `headers`, as Starlette and Gradio have it.
        proxies: Addresses whose X-Forwarded-For counts.
    """
    host = request.client.host if request.client else "unknown"
    if host in proxies:
        forwarded = request.headers.get("x-forwarded-for", "")
        return forwarded.split(",")[-1].strip() or host
    return str(host)
