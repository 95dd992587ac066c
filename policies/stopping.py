"""SIGTERM, which batch systems and containers send, ends a bench as Ctrl+C does."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143


@dataclass
class Stop:
    """What the process should exit with, if a signal ends it: 128 and the signal's number."""

    code: int = INTERRUPTED


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Within the block SIGTERM does what SIGINT does there. For the main thread."""
    stop = Stop()

    def terminate(_: int, frame: FrameType | None) -> None:
        stop.code = TERMINATED
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):  # asyncio's, where a loop runs: it cancels the main task
            interrupt(signal.SIGINT, frame)
        else:  # ignored, as shells have it for jobs in the background
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate) or signal.SIG_DFL
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)
