"""HTTP episodes: kept by id, bounded, timed out, the least recently used out first.

What is pushed out keeps its arguments and actions for as long as it would have lived, and is
rebuilt by replay when it is asked for again. All calls run on the event loop and none awaits between reading and writing an episode, so steps on
one episode are serialised.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from env import episode as engine
from env.episode import Episode
from env.errors import EpisodeNotFound
from supportops_env.models import SupportAction

_REMEMBERED = 8
"""How many times the capacity is remembered by its actions alone."""


@dataclass(slots=True)
class _Entry:
    episode: Episode
    used_at: float


@dataclass(slots=True)
class _Remembered:
    """An episode that was pushed out: what rebuilds it."""

    start: Episode
    actions: tuple[SupportAction, ...]
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
        self._remembered: OrderedDict[str, _Remembered] = OrderedDict()
        self._last_of: OrderedDict[str, str] = OrderedDict()

    def __len__(self) -> int:
        """How many episodes are kept."""
        return len(self._entries)

    def put(self, episode_id: str, episode: Episode, client: str | None = None) -> None:
        """Keep an episode (again), and remember it as its client's last one."""
        self.sweep()
        self._remembered.pop(episode_id, None)
        self._entries[episode_id] = _Entry(episode, self._clock())
        self._entries.move_to_end(episode_id)
        while len(self._entries) > self._capacity:
            self._push_out(*self._entries.popitem(last=False))
        if client is not None:
            self._last_of[client] = episode_id
            self._last_of.move_to_end(client)
            while len(self._last_of) > self._capacity:
                self._last_of.popitem(last=False)

    def get(self, episode_id: str) -> Episode:
        """The episode with this id.

        Raises:
            EpisodeNotFound: unknown or expired.
        """
        self.sweep()
        entry = self._entries.get(episode_id)
        if entry is None:
            remembered = self._remembered.get(episode_id)
            if remembered is None:
                raise EpisodeNotFound(episode_id)
            episode = remembered.start
            for action in remembered.actions:
                episode = engine.step(episode, action)
            self.put(episode_id, episode)
            return episode
        entry.used_at = self._clock()
        self._entries.move_to_end(episode_id)
        return entry.episode

    def peek(self, episode_id: str) -> Episode | None:
        """The episode with this id if it is live; not counted as a use."""
        self.sweep()
        if entry := self._entries.get(episode_id):
            return entry.episode
        remembered = self._remembered.get(episode_id)
        return remembered.start if remembered else None

    def update(self, episode_id: str, episode: Episode) -> None:
        """Replace a kept episode by its next state."""
        self._entries[episode_id].episode = episode

    def last_of(self, client: str) -> str | None:
        """The id of the episode that this client address reset last, if any."""
        return self._last_of.get(client)

    def sweep(self) -> None:
        """Drop what was idle for too long. The order of entries is the order of use."""
        limit = self._clock() - self._timeout
        for kept in (self._entries, self._remembered):
            while kept:
                oldest = next(iter(kept))
                if kept[oldest].used_at > limit:
                    break
                del kept[oldest]

    def _push_out(self, episode_id: str, entry: _Entry) -> None:
        actions = tuple(s.action for s in entry.episode.steps)
        start = engine.restart(entry.episode)
        self._remembered[episode_id] = _Remembered(start, actions, entry.used_at)
        while len(self._remembered) > _REMEMBERED * self._capacity:
            self._remembered.popitem(last=False)
