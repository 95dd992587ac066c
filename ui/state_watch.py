"""What the Watch tab shows, as plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ui.state import Notice, PlayView


@dataclass(frozen=True, slots=True)
class ServerModel:
    """This server's own model, where it offers one: its name, and runs an hour."""

    name: str
    per_visitor: int
    per_hour: int


@dataclass(frozen=True, slots=True)
class WatchView:
    """A watched run as it stands, or the episode that would be watched ("idle").

    `change` grows with all but the seconds, so that a view that differs in `thinking_s` alone is
    told apart. `stop` is why a run ended, "" before that; `tokens` is None for a scripted policy.
    `kept` is False for a visitor's own data, of which nothing is stored; `stored` whether the store
    took the run.
    """

    phase: Literal["idle", "waiting", "running", "ended"]
    play: PlayView
    player: str = ""
    change: int = 0
    thinking_s: int | None = None
    tokens: int | None = None
    calls: int = 0
    stop: str = ""
    stored: bool = True
    run_id: str = ""
    kept: bool = True
    notice: Notice | None = None
