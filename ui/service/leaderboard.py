"""The leaderboard: what runs.stats says of the stored runs and of the shipped baselines.

All is kept until a finished run is added, changed or deleted, so many visitors cost no more than
one. The methods wait for the disk, and may count for a while: call them in threads.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from data.catalog import Catalog
from data.errors import DataError
from env import episode as engine
from env.choice import EVERY_SPLIT
from env.episode import Arena
from env.tasks import BY_ID
from graders.version import GRADER_VERSION
from runs import baselines, confusion
from runs.errors import StoreError
from runs.record import Run, grader_major
from runs.rows import Filter
from runs.stats import Player, Row, Versions, by_category, paired, player_of, table, versions_of
from runs.store import Store
from ui.state_leaderboard import BoardView, Detail, Group, Published, Standing, Wanted

KINDS = ("model", "policy", "human", "client")
ORACLE = "oracle"
_LONGEST = 400
_KEPT = 128


@dataclass(frozen=True, slots=True)
class _Counted:
    """What all runs say, for as long as `key` holds."""

    key: tuple[Any, ...]
    shipped: tuple[Run, ...]
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    reason: str
    problems: tuple[str, ...]


class Leaderboard:
    """Counts runs, once for all visitors."""

    def __init__(
        self, store: Store, arena: Arena | None = None, folder: Path = baselines.FOLDER
    ) -> None:
        """Over a store, the data whose labels say what was right, and a folder of baselines."""
        self._store = store
        self._arena = arena
        self._folder = folder
        self._lock = threading.Lock()
        self._counted: _Counted | None = None
        self._views: OrderedDict[Wanted, BoardView] = OrderedDict()

    @property
    def present(self) -> Versions:
        """The versions under which runs are played now."""
        return Versions(self._catalog.version, grader_major(GRADER_VERSION))

    def view(self, **sent: object) -> BoardView:
        """What a visitor asked for, by the fields of `Wanted`; what does not fit counts as unsaid."""
        with self._lock:
            counted = self._count()
            wanted, standings = self._resolved(_understood(sent), counted)
            view = self._views.get(wanted)
            if view is None:
                view = self._views[wanted] = self._seen(wanted, standings, counted)
                while len(self._views) > _KEPT:
                    self._views.popitem(last=False)
            return view

    def own(self, owner: object) -> int:
        """How many runs were begun with a visitor's secret.

        Raises:
            StoreError: the store can't be read.
        """
        return self._store.count(Filter(owner=owner)) if _is_secret(owner) else 0

    def delete_own(self, owner: object) -> int:
        """Delete every run that was begun with a visitor's secret. Returns how many there were.

        Raises:
            StoreError: the store refused; nothing changed.
        """
        return self._store.delete_all(owner) if _is_secret(owner) else 0

    # -- counting ------------------------------------------------------------------------------

    @property
    def _catalog(self) -> Catalog:
        return (self._arena or engine.default_arena()).catalog

    def _count(self) -> _Counted:
        shipped = baselines.shipped(self._folder)
        problems = self._unreadable()
        stamp: tuple[Any, ...] = ()
        reason = ""
        try:
            stamp, reason = self._store.stamp(), self._store.reason
            problems += [self._store.warning] if self._store.warning else []
        except StoreError as error:
            problems.append(str(error))
        key = (stamp, reason, *problems)
        kept = self._counted
        if kept is not None and kept.key == key and kept.shipped is shipped:
            return kept
        rows = tuple(table(self._runs(shipped, Filter(), broken=not stamp)))
        self._counted = _Counted(key, shipped, rows, self._groups(rows), reason, tuple(problems))
        self._views.clear()
        return self._counted

    def _unreadable(self) -> list[str]:
        """The files of baselines that can't be read, with what is wrong."""
        try:
            return [str(p) for p in baselines.summary(self._folder)["unreadable"]]
        except DataError as error:
            return [str(error)]

    def _runs(
        self, shipped: Iterable[Run], where: Filter, *, broken: bool = False
    ) -> Iterator[Run]:
        """Runs on the data that is served or ships, as it is. A shipped one in the store counts once."""
        there = set()
        for stored in () if broken else self._store.each(replace(where, finished=True)):
            there.add(stored.run.run_id)
            version = stored.run.data_version
            ours = version == self._catalog.version or "+" not in version
            if ours and not stored.run.knobs.changed:
                yield stored.run
        for run in shipped:
            fits = all(
                wanted in (None, value)
                for wanted, value in (
                    (where.player, run.player),
                    (where.kind, run.kind),
                    (where.split, run.split),
                    (where.task, run.task_id),
                )
            )
            if fits and run.run_id not in there:
                yield run

    def _groups(self, rows: Iterable[Row]) -> tuple[Group, ...]:
        runs = Counter({self.present: 0})
        for row in rows:
            if row.task_id is not None:
                runs[row.versions] += row.runs
        ordered = sorted(runs, key=lambda v: (v == self.present, v), reverse=True)
        return tuple(Group("|".join(v), v, runs[v]) for v in ordered)

    # -- looking -------------------------------------------------------------------------------

    def _resolved(self, asked: Wanted, counted: _Counted) -> tuple[Wanted, tuple[Standing, ...]]:
        """What was asked for with the names of what there is, and who played it."""
        groups = {g.key: g for g in counted.groups}
        group = groups.get(asked.versions) or groups["|".join(self.present)]
        found: dict[Player, dict[str | None, Row]] = defaultdict(dict)
        for row in counted.rows:
            if (row.versions, row.split) == (group.versions, asked.split):
                found[row.player][row.task_id] = row
        standings = tuple(
            sorted(
                (
                    Standing(player_key(player), player, rows)
                    for player, rows in found.items()
                    if asked.kind in ("", player.kind) and (not asked.task or asked.task in rows)
                ),
                key=lambda s: _rank(s.row(asked.task)),
            )
        )
        keys = {s.key: s for s in standings}
        player = keys.get(asked.player) or max(
            standings, key=lambda s: _weight(s, asked.task), default=None
        )
        others = [s for s in standings if s is not player]
        against = next((s for s in others if s.key == asked.against), None) or next(
            (s for s in others if s.player.name == self._usual()), next(iter(others), None)
        )
        resolved = replace(
            asked,
            versions=group.key,
            player=player.key if player else "",
            against=against.key if against else "",
        )
        return resolved, standings

    def _usual(self) -> str:
        """Whom runs are compared with by default."""
        try:
            return baselines.default_baseline(self._folder).player
        except DataError:
            return baselines.STAND_IN

    def _seen(
        self, wanted: Wanted, standings: tuple[Standing, ...], counted: _Counted
    ) -> BoardView:
        said = baselines.published()
        shown = next(g.versions for g in counted.groups if g.key == wanted.versions)
        published = [Published(said["model"], r["task_id"], r["score"]) for r in said["rows"]]
        keys = {s.key: s.player for s in standings}
        problems = counted.problems
        detail = None
        if wanted.player:
            try:
                detail = self._detail(wanted, shown, keys, counted)
            except StoreError as error:
                problems += (str(error),)
        return BoardView(
            wanted=wanted,
            present=self.present,
            shown=shown,
            groups=counted.groups,
            standings=standings,
            published=(*published, Published(said["model"], None, said["average"])),
            caveat=said["caveat"],
            command=baselines.COMMAND,
            detail=detail,
            reason=counted.reason,
            problems=problems,
        )

    def _detail(
        self, wanted: Wanted, shown: Versions, keys: dict[str, Player], counted: _Counted
    ) -> Detail:
        own = self._of(keys[wanted.player], wanted, shown, counted)
        other = keys.get(wanted.against)
        others = self._of(other, wanted, shown, counted) if other else []
        return Detail(
            key=wanted.player,
            against=wanted.against,
            versus=next(iter(paired(own, others)), None),
            by_category=tuple(by_category(own, self._catalog)),
            categories=confusion.categories(own, self._catalog),
            priorities=confusion.priorities(own, self._catalog),
        )

    def _of(self, player: Player, wanted: Wanted, shown: Versions, counted: _Counted) -> list[Run]:
        where = Filter(
            player=player.name, kind=player.kind, split=wanted.split, task=wanted.task or None
        )
        runs = self._runs(counted.shipped, where, broken=not counted.key[0])
        return [r for r in runs if player_of(r) == player and versions_of(r) == shown]


def player_key(player: Player) -> str:
    """What names a player in a form."""
    return f"{player.kind}|{player.prompt_version or ''}|{player.name}"


def _rank(row: Row | None) -> tuple[Any, ...]:
    """Sorts: who played more tasks first, then the higher mean; who has none last."""
    if row is None or row.score is None:
        return (1, 0, 0.0)
    return (0, -row.tasks, -row.score.mean)


def _weight(standing: Standing, task: str) -> tuple[bool, int]:
    """Picks whom to look at first: most runs that count, but the oracle last."""
    row = standing.row(task)
    return standing.player.name != ORACLE, row.scored if row else 0


def _understood(sent: dict[str, object]) -> Wanted:
    said = {k: v for k, v in sent.items() if isinstance(v, str) and len(v) <= _LONGEST}
    task, split, kind = said.get("task", ""), said.get("split", ""), said.get("kind", "")
    return Wanted(
        task=task if task in BY_ID else "",
        split=split if split in EVERY_SPLIT else baselines.SPLIT,
        kind=kind if kind in KINDS else "",
        versions=said.get("versions", ""),
        player=said.get("player", ""),
        against=said.get("against", ""),
    )


def _is_secret(owner: object) -> bool:
    return isinstance(owner, str) and 16 <= len(owner) <= 128
