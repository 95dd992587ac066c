"""Episodes that clients of the server finish, kept as runs without holding the server up.

The server hands over each episode and goes on; a thread writes what came in, all of it in one
transaction. A process that is killed loses what came in during the last moments.
"""

from __future__ import annotations

import logging
import queue
import threading
import uuid
from typing import Literal

from env.episode import Episode
from runs.errors import StoreError
from runs.record import Run, record
from runs.store import Store

Via = Literal["http", "websocket"]
_MOST = 10_000
_BATCH = 500
_END_WITHIN = 10.0

_log = logging.getLogger(__name__)


class Recorder:
    """Keeps episodes as runs of kind "client", the newest `keep` of them.

    Where it can't keep up, or the store refuses, it drops runs and logs that it did.
    """

    def __init__(self, store: Store, keep: int) -> None:
        """Record to a store; it is opened with the first episode."""
        self._store, self._keep = store, keep
        self._queue: queue.Queue[tuple[Episode, Via] | None] = queue.Queue(_MOST)
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._start = threading.Lock()
        self._dropped = 0

    def __call__(self, episode: Episode, via: Via) -> None:
        """Take an episode over. From any thread; returns at once."""
        try:
            self._queue.put_nowait((episode, via))
        except queue.Full:
            self._dropped += 1
            return
        if not self._thread.ident:
            with self._start:
                if not self._thread.ident:
                    self._thread.start()

    def close(self) -> None:
        """Write what came in, and end."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join(_END_WITHIN)

    def _work(self) -> None:
        going = True
        while going:
            coming = [self._queue.get()]
            while len(coming) < _BATCH and not self._queue.empty():
                coming.append(self._queue.get_nowait())
            going = None not in coming
            self._write([item for item in coming if item is not None])

    def _write(self, played: list[tuple[Episode, Via]]) -> None:
        dropped, self._dropped = self._dropped, 0
        runs = [_run(episode, via) for episode, via in played]
        try:
            self._store.save_some(runs, kind="client", keep=self._keep)
        except StoreError as error:
            _log.warning("%d runs could not be kept: %s", len(runs) + dropped, error)
        else:
            if dropped:
                _log.warning("%d runs could not be kept: too many at once", dropped)


def _run(episode: Episode, via: Via) -> Run:
    e = episode
    name = f"{via}-{e.family.id}-{e.split}-{e.seed}-{e.index}-{uuid.uuid4().hex[:8]}"
    return record(episode, name, "client", via)
