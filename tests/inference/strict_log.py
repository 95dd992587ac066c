"""Reading the strict log back: every line has to be one of three, and they have to agree."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

NUMBER = r"(?!-0\.00\b)-?[01]\.\d\d"
START = re.compile(r"\[START\] task=(\S+) env=supportops model=(\S+)")
STEP = re.compile(
    rf"\[STEP\] step=(\d+) action=(\{{.*\}}) reward=({NUMBER}) done=(true|false) error=(\S.*)"
)
END = re.compile(
    rf"\[END\] success=(true|false) steps=(\d+) score=([01]\.\d\d\d)"
    rf" rewards=((?:{NUMBER}(?:,{NUMBER})*)?)"
)


@dataclass
class Logged:
    """One episode as it was logged."""

    task: str
    model: str
    actions: list[dict[str, Any]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    errors: list[str | None] = field(default_factory=list)
    done: bool = False
    score: float = 0.0
    success: bool = False


def read(stdout: str, finished: bool = True) -> list[Logged]:
    """Parse a log; anything that does not fit is an assertion error.

    Args:
        stdout: All that was printed.
        finished: Whether each episode has to have ended by itself.
    """
    assert not stdout or stdout.endswith("\n")
    assert stdout.isascii()
    episodes: list[Logged] = []
    running: Logged | None = None
    for line in stdout.split("\n")[:-1]:
        if running is None:
            start = START.fullmatch(line)
            assert start, f"expected [START]: {line!r}"
            running = Logged(start[1], start[2])
        elif line.startswith("[STEP]"):
            _read_step(line, running)
        else:
            _read_end(line, running, finished)
            episodes.append(running)
            running = None
    assert running is None, "the last episode has no [END]"
    return episodes


def _read_step(line: str, running: Logged) -> None:
    step = STEP.fullmatch(line)
    assert step, f"no [STEP] line: {line!r}"
    assert int(step[1]) == len(running.actions) + 1
    assert not running.done, "a step after the end"
    action = json.loads(step[2])
    assert json.dumps(action, separators=(",", ":"), sort_keys=True) == step[2]
    running.actions.append(action)
    running.rewards.append(float(step[3]))
    running.done = step[4] == "true"
    running.errors.append(None if step[5] == "null" else step[5])


def _read_end(line: str, running: Logged, finished: bool) -> None:
    end = END.fullmatch(line)
    assert end, f"no [END] line: {line!r}"
    running.success, running.score = end[1] == "true", float(end[3])
    assert int(end[2]) == len(running.actions)
    assert [float(r) for r in end[4].split(",") if r] == running.rewards
    if running.score != 0.5:  # rounded, it may stand for either
        assert running.success == (running.score > 0.5)
    if finished:
        assert running.done, "the episode did not end"
        room = 0.005 * len(running.rewards) + 0.0006
        assert sum(running.rewards) == pytest.approx(running.score, abs=room)
