"""Runs to look at: the store's, the shipped baselines', and what a visitor opened or had played.

Handlers are public, so nothing here trusts its input. A run that follows the labels of the test
split (the oracle's) is not shown at all: its actions are the answers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from data.errors import DataError
from env import episode as engine
from env.choice import ENDLESS
from env.episode import Arena, Episode
from env.errors import UnknownName
from runs.baselines import STAND_IN, default_baseline, shipped
from runs.export import jsonl_line
from runs.record import Run
from runs.rows import Filter
from runs.shared import read_shared
from runs.store import Store
from ui.service import spot
from ui.service.known import Known, Place, Source, Wanted, dataset_of, place_of
from ui.service.people import People

MAX_PAGE = 50
_MAX_OFFSET = 10_000
_CAPACITY = 512
_MOST_OWN = 200
_MAX_ID = 200


class Runs:
    """All runs that visitors may see. Its methods wait for disk and replays: call it in threads."""

    def __init__(self, store: Store, people: People, arena: Arena | None = None) -> None:
        """Over a store, and the data that runs are played again on."""
        self._store = store
        self._people = people
        self.arena = arena or engine.default_arena()
        self._own: OrderedDict[str, OrderedDict[str, Known]] = OrderedDict()
        self._grounds: OrderedDict[str, Arena] = OrderedDict()

    # -- finding -------------------------------------------------------------------------------

    def find(
        self, visitor: str | None, wanted: Wanted, *, limit: int = 20, offset: int = 0
    ) -> tuple[tuple[Known, ...], int]:
        """A page of runs, and how many there are.

        First what the visitor brought, then the store's, then what policies played on the spot and
        what ships; the newest first in each.

        Raises:
            StoreError: the store can't be read.
        """
        limit, offset = max(0, min(limit, MAX_PAGE)), max(0, min(offset, _MAX_OFFSET))
        mine = [k for k in reversed(self._own_of(visitor).values()) if wanted.fits(k.run)]
        own = [k for k in mine if k.source != "here"]
        rest = [k for k in mine if k.source == "here"]
        there = {k.run.run_id for k in rest}
        rest += [
            self._known(visitor, r, "baseline") for r in _shipped(wanted) if r.run_id not in there
        ]
        where = self._filter(visitor, wanted)
        stored = self._store.count(where)
        page = own[offset : offset + limit]
        if len(page) < limit:
            start = max(0, offset - len(own))
            rows = self._store.find(where, limit=limit - len(page), offset=start)
            page += [self._stored(visitor, s.run, s.updated_at) for s in rows]
        if len(page) < limit:
            start = max(0, offset - len(own) - stored)
            page += rest[start : start + limit - len(page)]
        return tuple(page), len(own) + stored + len(rest)

    def every(self, visitor: str | None, wanted: Wanted, *, most: int = 2_000) -> list[Run]:
        """All runs that match, in the order of `find`, up to a bound.

        Raises:
            StoreError: the store can't be read.
        """
        own = [k.run for k in reversed(self._own_of(visitor).values()) if wanted.fits(k.run)]
        there = {r.run_id for r in own}
        rows = self._store.find(self._filter(visitor, wanted), limit=most)
        rest = [r for r in _shipped(wanted) if r.run_id not in there]
        return (own + [s.run for s in rows] + rest)[:most]

    def places(self, visitor: str | None, wanted: Wanted) -> dict[Place, int]:
        """What was played, and how many runs there are of each; played last comes first.

        Raises:
            StoreError: the store can't be read.
        """
        found: dict[Place, int] = {}
        own = self._own_of(visitor)
        for known in reversed(own.values()):
            if wanted.fits(known.run):
                place = place_of(known.run)
                found[place] = found.get(place, 0) + 1
        for p in self._store.played(self._filter(visitor, wanted)):
            place = Place(p.task_id, p.split, p.item_id, p.dataset)
            found[place] = found.get(place, 0) + p.runs
        for run in _shipped(wanted):
            if run.run_id not in own:
                found[place_of(run)] = found.get(place_of(run), 0) + 1
        return found

    def get(self, visitor: str | None, run_id: object) -> Known | None:
        """A run by its id: one of the visitor's, a stored or shipped one, or a policy's on the spot.

        Raises:
            StoreError: the store can't be read.
        """
        if not isinstance(run_id, str) or not 0 < len(run_id) <= _MAX_ID:
            return None
        own = self._own_of(visitor).get(run_id)
        if own is not None:
            return own
        stored = self._store.get(run_id)
        if stored is not None:
            known = self._stored(visitor, stored.run, stored.updated_at)
            return None if stored.run.reveals_labels else known
        run = next((r for r in _shipped(Wanted()) if r.run_id == run_id), None)
        if run is not None:
            return self._known(visitor, run, "baseline")
        run = spot.named(run_id, self.arena)
        return Known(run, "here", self.arena) if run else None

    def baseline(self) -> tuple[str, str]:
        """Whom runs are compared with by default, and why."""
        try:
            found = default_baseline()
        except DataError as error:
            return STAND_IN, str(error)
        return found.player, found.note

    def start(self, visitor: str | None, place: Place, seed: int = 0) -> Episode:
        """An episode from its start; of an endless one the seed is its own.

        Raises:
            UnknownName: there is no such episode, or its data isn't at hand.
        """
        arena = self._ground(visitor, place)
        if arena is None:
            raise UnknownName("data set", place.dataset[:80], ("the built-in one",))
        item = place.item_id
        if place.split != ENDLESS:
            return engine.start(place.task_id, place.split, seed, ticket_id=item, arena=arena)
        number = item.rpartition("-")[2]
        own = int(number) if number.isascii() and number.isdigit() and len(number) < 20 else -1
        start = engine.start(place.task_id, place.split, own)
        if start.item_id != item:
            raise UnknownName("ticket", item[:80], (start.item_id,))
        return start

    def title(self, visitor: str | None, place: Place) -> str:
        """The subject of a ticket, where it is at hand; sets and endless tickets have none."""
        arena = None if place.split == ENDLESS else self._ground(visitor, place)
        ticket = arena.catalog.tickets.get(place.item_id) if arena else None
        return ticket.subject if ticket else ""

    # -- the visitor's own ---------------------------------------------------------------------

    def plays_on(self, visitor: str | None, arena: Arena) -> None:
        """Keep in mind which data a visitor plays on, to play runs again on it."""
        self._grounds[visitor or ""] = arena
        self._grounds.move_to_end(visitor or "")
        while len(self._grounds) > _CAPACITY:
            self._grounds.popitem(last=False)

    def delete(self, visitor: str | None, run_id: object) -> bool:
        """Delete a run of this visitor's. False: it is not theirs, or not there.

        Raises:
            StoreError: the store refused.
        """
        if not isinstance(run_id, str) or len(run_id) > _MAX_ID:
            return False
        owner = self._people.of(visitor).owner
        stored = owner is not None and self._store.delete(run_id, owner=owner)
        return self._own_of(visitor).pop(run_id, None) is not None or stored

    def open_file(self, visitor: str | None, path: Path) -> tuple[Known, ...]:
        """Take the runs of a file to this visitor's page, graded anew; the store stays as it is.

        Raises:
            RunFileError: the file is refused, and nothing of it was taken.
        """
        found = read_shared(path, lambda run: self._ground(visitor, place_of(run)))
        known = [
            replace(
                self._known(visitor, r.run, "file"), then=r.grade_then, grader_then=r.grader_then
            )
            for r in found
        ]
        return self._keep(visitor, known)

    def play_baselines(self, visitor: str | None, place: Place, seed: int) -> tuple[Known, ...]:
        """Let the scripted policies play an episode, where they did not under these versions.

        Raises:
            StoreError: the store can't be read.
            UnknownName: there is no such episode.
        """
        start = self.start(visitor, place, seed)
        made = []
        for name in spot.names(place.split):
            wanted = Wanted(place=place, player=name, kind="policy")
            found, _ = self.find(visitor, wanted, limit=MAX_PAGE)
            there = (k for k in found if k.source != "file" and spot.alike(k.run, name, start))
            known = next(there, None)
            if known is None:
                known = self._known(visitor, spot.played(name, start), "here")
                self._keep(visitor, [known])
            made.append(known)
        return tuple(made)

    def take(self, visitor: str | None, run: Run, arena: Arena) -> None:
        """Keep at hand what this visitor played and the store did not take; theirs to look at."""
        self._keep(visitor, [Known(run, "page", arena)])

    def close(self, visitor: str | None) -> None:
        """Forget what a visitor who left had opened."""
        self._own.pop(visitor or "", None)
        self._grounds.pop(visitor or "", None)

    # -- taking home ---------------------------------------------------------------------------

    @staticmethod
    def export(runs: Iterable[Run]) -> str:
        """Runs as JSONL, without reports: replaying makes them again."""
        return "".join(jsonl_line(r) + "\n" for r in runs)

    # -- inside --------------------------------------------------------------------------------

    def _ground(self, visitor: str | None, place: Place) -> Arena | None:
        """The data at hand: the visitor's own, or the built-in; endless tickets need none."""
        if place.split == ENDLESS:
            return self.arena
        for arena in (self._grounds.get(visitor or ""), self.arena):
            if arena is not None and dataset_of(arena.catalog.version) == place.dataset:
                return arena
        return None

    def _own_of(self, visitor: str | None) -> OrderedDict[str, Known]:
        return self._own.get(visitor or "", OrderedDict())

    def _keep(self, visitor: str | None, known: Sequence[Known]) -> tuple[Known, ...]:
        own = self._own.setdefault(visitor or "", OrderedDict())
        self._own.move_to_end(visitor or "")
        for k in known:
            own[k.run.run_id] = k
        while len(own) > _MOST_OWN:
            own.popitem(last=False)
        while len(self._own) > _CAPACITY:
            self._own.popitem(last=False)
        return tuple(known)

    def _filter(self, visitor: str | None, wanted: Wanted) -> Filter:
        place = wanted.place
        return Filter(
            task=place.task_id if place else wanted.task,
            split=place.split if place else wanted.split,
            item=place.item_id if place else None,
            dataset=place.dataset if place else None,
            player=wanted.player,
            kind=wanted.kind,
            failed_only=wanted.failed_only,
            finished=True,
            unrevealing=True,
            reader=self._people.of(visitor).owner or "",
        )

    def _known(self, visitor: str | None, run: Run, source: Source) -> Known:
        return Known(run, source, self._ground(visitor, place_of(run)))

    def _stored(self, visitor: str | None, run: Run, updated_at: str) -> Known:
        owner = self._people.of(visitor).owner
        mine = owner is not None and self._store.count(Filter(run_id=run.run_id, owner=owner)) > 0
        return replace(self._known(visitor, run, "store"), mine=mine, updated_at=updated_at)


def _shipped(wanted: Wanted) -> list[Run]:
    return [r for r in shipped() if wanted.fits(r) and not r.reveals_labels]
