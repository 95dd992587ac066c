"""The strict log: [START], [STEP] and [END] lines, and nothing else, on one stream."""

from __future__ import annotations

import json
from typing import Any, TextIO


class ReaderLeft(Exception):
    """Raised when nobody reads the log any more."""


ENVIRONMENT = "supportops"
SUCCESS = 0.5


class StrictLog:
    """Writes one episode's lines as they happen. Every value fits on its line."""

    def __init__(self, out: TextIO) -> None:
        """Write to `out`, flushed after each line."""
        self._out = out
        self._rewards: list[float] = []

    def start(self, task: str, model: str) -> None:
        """An episode begins."""
        self._rewards = []
        self._line(f"[START] task={_word(task)} env={ENVIRONMENT} model={_word(model)}")

    def step(
        self, number: int, action: dict[str, Any], reward: float, done: bool, error: str | None
    ) -> None:
        """A step was taken; `number` counts from 1."""
        self._rewards.append(reward)
        compact = json.dumps(action, separators=(",", ":"), sort_keys=True)
        self._line(
            f"[STEP] step={number} action={compact} reward={_plain(reward, 2)}"
            f" done={str(done).lower()} error={_one_line(error)}"
        )

    def end(self, score: float) -> None:
        """The episode is over, for whatever reason."""
        rewards = ",".join(_plain(r, 2) for r in self._rewards)
        self._line(
            f"[END] success={str(score >= SUCCESS).lower()} steps={len(self._rewards)}"
            f" score={_plain(score, 3)} rewards={rewards}"
        )

    def _line(self, text: str) -> None:
        write(self._out, text + "\n")


def write(out: TextIO, text: str) -> None:
    """Write at once.

    Raises:
        ReaderLeft: the other end of the pipe is closed. A connection's end has the same exception
            in Python, and must not be taken for it.
    """
    try:
        out.write(text)
        out.flush()
    except BrokenPipeError as error:
        raise ReaderLeft("nobody reads the log") from error


def _plain(number: float, digits: int) -> str:
    """Fixed digits, and never "-0.00"."""
    text = f"{number:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _word(text: str) -> str:
    return "_".join(text.split()) or "unknown"


def _one_line(text: str | None) -> str:
    return " ".join(text.split())[:500] if text else "null"
