"""HTTP episodes: kept by id, bounded, timed out, the least recently used out first.

All calls run on the event loop and none awaits between reading and writing an episode, so steps on
one episode are serialised.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from env.episode import Episode
from env.errors import EpisodeNotFound


@dataclass(slots=True)
class _Entry:
    episode: Episode
    used_at: float


class EpisodeStore:
    """Episodes by id, and the last one reset from each client address."""

    def __init__(
        self,
        capacity: int,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep at most `capacity` episodes, each for `timeout` idle seconds."""
        self._capacity = capacity
        self._timeout = timeout
        self._clock = clock
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._last_of: OrderedDict[str, str] = OrderedDict()

    def __len__(self) -> int:
        """How many episodes are kept."""
        return len(self._entries)

    def put(self, episode_id: str, episode: Episode, client: str | None = None) -> None:
        """Keep an episode (again), and remember it as its client's last one."""
        self.sweep()
        self._entries[episode_id] = _Entry(episode, self._clock())
        self._entries.move_to_end(episode_id)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)
        if client is not None:
            self._last_of[client] = episode_id
            self._last_of.move_to_end(client)
            while len(self._last_of) > self._capacity:
                self._last_of.popitem(last=False)

    def get(self, episode_id: str) -> Episode:
        """The episode with this id.

        Raises:
            EpisodeNotFound: unknown, expired, or pushed out.
        """
        self.sweep()
        entry = self._entries.get(episode_id)
        if entry is None:
            raise EpisodeNotFound(episode_id)
        entry.used_at = self._clock()
        self._entries.move_to_end(episode_id)
        return entry.episode

    def peek(self, episode_id: str) -> Episode | None:
        """The episode with this id if it is live; not counted as a use."""
        self.sweep()
        entry = self._entries.get(episode_id)
        return entry.episode if entry else None

    def update(self, episode_id: str, episode: Episode) -> None:
        """Replace a kept episode by its next state."""
        self._entries[episode_id].episode = episode

    def last_of(self, client: str) -> str | None:
        """The id of the episode that this client address reset last, if any."""
        return self._last_of.get(client)

    def sweep(self) -> None:
        """Drop what was idle for too long. The order of entries is the order of use."""
        limit = self._clock() - self._timeout
        while self._entries:
            oldest = next(iter(self._entries))
            if self._entries[oldest].used_at > limit:
                break
            del self._entries[oldest]
