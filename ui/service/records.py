"""People's runs in the store: written step by step, named, and found again after a restart.

The store never stops play: what it refuses is told once, and written with the next step if it can.
"""

from __future__ import annotations

import logging

from env.episode import Arena, Episode
from runs.errors import CannotReplay, StoreError
from runs.record import Run, identity, record
from runs.regrade import rebuild
from runs.rows import Filter
from runs.store import Store
from ui.service.people import Person
from ui.visitors import Record

_log = logging.getLogger(__name__)


class Records:
    """Writes visitors' episodes to a store. Call it from threads: each call waits for the disk."""

    def __init__(self, store: Store) -> None:
        """`store` is where the runs go."""
        self._store = store

    def keep(self, own: Record, episode: Episode, person: Person) -> Record:
        """Write what is not written yet of an episode with at least one step.

        Returns:
            The record that it stands under: another one where two pages played on from the same
            step, and this one came second.

        Raises:
            StoreError: the store refused; what is missing is written by the next call.
        """
        with own.lock:
            if own.written < len(episode.steps):
                self._write(own, episode, person)
                return own
        other = Record()
        self._write(other, episode, person)
        return other

    def name(self, own: Record, episode: Episode, person: Person) -> None:
        """Store a finished run under the person's name.

        Raises:
            StoreError: the store refused.
        """
        with own.lock:
            if own.begun and own.written == len(episode.steps):
                self._store.finish(run_of(own, episode, person))
            else:
                self._write(own, episode, person)

    def find(self, run_id: str, person: Person, arena: Arena) -> tuple[Record, Episode] | None:
        """A run of this person, played again to where it was left; None where there is none."""
        if person.owner is None:
            return None
        try:
            mine = Filter(run_id=run_id, owner=person.owner, kind="human")
            found = self._store.find(mine, limit=1)
            if not found:
                return None
            episode = rebuild(found[0].run, arena)
        except (StoreError, CannotReplay) as error:
            _log.warning("a run can't be taken up again: %s", error)
            return None
        return Record(run_id, begun=True, written=len(episode.steps)), episode

    def _write(self, own: Record, episode: Episode, person: Person) -> None:
        if not own.begun:
            self._store.begin(
                own.run_id,
                identity(episode),
                kind="human",
                policy=person.shown,
                owner=person.owner,
            )
            own.begun = True
        for number, step in enumerate(episode.steps[own.written :], own.written + 1):
            reward = round(step.reward, 6)
            self._store.add_step(own.run_id, step.action, reward, step.lines, number=number)
            own.written = number
        if episode.done:
            self._store.finish(run_of(own, episode, person))


def run_of(own: Record, episode: Episode, person: Person) -> Run:
    """A visitor's episode as a run."""
    return record(episode, own.run_id, "human", person.shown)
