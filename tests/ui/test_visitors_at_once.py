"""Twenty visitors at once are kept apart, and nothing of them stays."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.ui.load_console import serving, visit_at_once
from ui.blocks import build_ui
from ui.service import Service

VISITORS = 20


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_twenty_visitors_are_kept_apart_and_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, gone = Clock(), threading.Semaphore(0)
    service = Service.over(clock=clock)
    visitors, forget = service.play.visitors, service.play.visitors.close

    def close(visitor: str | None) -> None:
        forget(visitor)
        gone.release()

    monkeypatch.setattr(visitors, "close", close)
    with serving(build_ui(service)) as address:
        # Each of them checks that it sees its own ticket and grade.
        there = await visit_at_once(address, VISITORS, rounds=1)
        for _ in there:  # the server notices by and by that a page was closed
            assert await asyncio.to_thread(gone.acquire, timeout=30)
        assert len(visitors) == VISITORS
        assert not any(visitors.run(visitor.session) for visitor in there)
        clock.now = 1e9
        visitors.run(None)
        assert len(visitors) == 0
