"""Who plays what: runs under unguessable ids, bounded in number and in idle time.

A visitor is a browser tab (Gradio's session hash). What it plays is a `Run` with an id of its own,
so that a reload of the page, which is a new visitor, finds the run again.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

Key = tuple[str, str, str]
_MAX_DRAFTS = 20
_MAX_DRAFT = 32_000


def _token() -> str:
    return secrets.token_urlsafe(18)


@dataclass
class Record:
    """One attempt at an episode as the store has it: its id, and how many steps are there."""

    run_id: str = field(default_factory=_token)
    begun: bool = False
    written: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)


@dataclass
class Run:
    """What one visitor plays: the episode, and unsent texts and grades by (task, split, item).

    `ground` is the data it is played on; `home` what was played before the visitor's own data.
    `owner` is the secret that the visitor's browser keeps, `told` whether it was said already that
    steps can't be stored. One step is taken at a time, under `lock`.
    """

    episode: Any
    ground: Any = None
    home: Run | None = None
    owner: str | None = None
    record: Record = field(default_factory=Record)
    seat: str = field(default_factory=_token)
    touched: float = 0.0
    drafts: OrderedDict[Key, str] = field(default_factory=OrderedDict)
    grades: dict[Key, float | None] = field(default_factory=dict)
    told: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    @property
    def run_id(self) -> str:
        """The id of this attempt at the episode."""
        return self.record.run_id

    def begin(self, episode: Any) -> None:
        """Begin another attempt, under an id of its own."""
        self.episode, self.record = episode, Record()

    @property
    def key(self) -> Key:
        """Task, split and item that are being played."""
        return self.episode.family.id, self.episode.split, self.episode.item_id

    def keep_draft(self, text: object) -> None:
        """Keep an unsent text until its ticket is played again; the oldest goes first."""
        if isinstance(text, str) and text.strip() and not self.episode.done:
            self.drafts[self.key] = text[:_MAX_DRAFT]
            while len(self.drafts) > _MAX_DRAFTS:
                self.drafts.popitem(last=False)


class Visitors:
    """The runs of all visitors, in order of their last use. Not thread-safe."""

    def __init__(
        self, ttl: float, capacity: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with nobody.

        Args:
            ttl: Seconds after which an idle run is dropped.
            capacity: How many runs are kept; the longest idle one goes first.
            clock: Seconds, for tests.
        """
        self._ttl, self._capacity, self._clock = ttl, capacity, clock
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._playing: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def run(self, visitor: str | None) -> Run | None:
        """What a visitor plays, or None: nothing yet, or expired."""
        self._sweep()
        found = self._runs.get(self._playing.get(visitor or "", ""))
        if found is not None:
            self._touch(found)
        return found

    def admit(self, visitor: str, run: Run) -> Run:
        """Let a visitor play a run."""
        self._playing[visitor] = run.seat
        self._runs[run.seat] = run
        self._touch(run)
        while len(self._runs) > self._capacity:
            self._runs.popitem(last=False)
        return run

    def resume(self, visitor: str, run_id: object, owner: str | None = None) -> Run | None:
        """Let a visitor go on with a run of theirs, or None where it is unknown or has expired.

        Where another page plays it still, this one gets a copy.
        """
        self._sweep()
        own = (r for r in reversed(self._runs.values()) if (r.run_id, r.owner) == (run_id, owner))
        found = next(own, None)
        if found is None:
            return None
        if found.seat in self._playing.values():
            found = replace(
                found,
                seat=_token(),
                drafts=OrderedDict(found.drafts),
                grades=dict(found.grades),
            )
        return self.admit(visitor, found)

    def latest(self) -> list[Run]:
        """All runs, those used last first."""
        return list(reversed(self._runs.values()))

    def drop(self, run: Run) -> None:
        """Forget a run; who played it finds it expired."""
        self._runs.pop(run.seat, None)

    def close(self, visitor: str | None) -> None:
        """Forget a visitor who left. The run stays until it expires, for a reload."""
        self._playing.pop(visitor or "", None)

    def _touch(self, run: Run) -> None:
        run.touched = self._clock()
        self._runs.move_to_end(run.seat)

    def _sweep(self) -> None:
        now, before = self._clock(), len(self._runs)
        while self._runs and now - next(iter(self._runs.values())).touched > self._ttl:
            self._runs.popitem(last=False)
        if len(self._runs) < before or len(self._playing) > 2 * self._capacity:
            self._playing = {v: r for v, r in self._playing.items() if r in self._runs}
