"""The store: every run that was played here, step by step, in one SQLite file.

A step is on disk once `add_step` returns, so whatever ends the process, each finished step is
there and the run can be taken up again. One store serves all threads of a process, and several
processes may share its file.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import platformdirs

from env.settings import Settings
from env.view import dump_action
from runs import rows
from runs.database import MIGRATIONS, Migration, Opened, open_database
from runs.errors import RunExists, StoreError
from runs.record import Identity, Kind, Run
from runs.rows import EVERYTHING, Filter, Played, Stored
from supportops_env.models import RewardLine, SupportAction

NAME = "runs.db"
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: how many runs were new, were there already, or differ from what is there."""

    added: int
    known: int
    conflicts: tuple[str, ...]


class Store:
    """Runs in one SQLite file, or in memory where that can't be. Opens at the first use.

    Raises:
        StoreError: from any method, where the database refuses; nothing changed then.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        set_aside: bool = True,
        fleeting: str = "",
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        """Name the place.

        Args:
            path: The file; None keeps everything in memory.
            set_aside: Whether a damaged file is renamed and a new one begun.
            fleeting: Why this place is cleared on a restart, where that is known.
            migrations: For tests.
        """
        self.path = path
        self._set_aside = set_aside
        self._fleeting = fleeting
        self._migrations = migrations
        self._opened: Opened | None = None
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def durable(self) -> bool:
        """Whether runs outlive a restart; `reason` says why not."""
        return not self.reason

    @property
    def reason(self) -> str:
        """Why runs will not outlive a restart, in a person's words; "" where they will."""
        return self._open().reason or self._fleeting

    @property
    def problem(self) -> str:
        """What is wrong with the file, where runs are not kept in it, else ""."""
        return self._open().problem

    @property
    def warning(self) -> str:
        """What happened to a damaged file, where there was one, else ""."""
        return self._open().warning

    @property
    def kept(self) -> str:
        """Where runs are: "file", "copy" (in memory, of a file that can't be written), "memory"."""
        return self._open().kept

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._opened is not None:
                self._opened.connection.close()
                self._opened = None

    # -- writing -------------------------------------------------------------------------------

    def begin(
        self,
        run_id: str,
        episode: Identity,
        *,
        kind: Kind,
        policy: str,
        model: str | None = None,
        prompt_version: str | None = None,
        parameters: dict[str, Any] | None = None,
        owner: str | None = None,
    ) -> None:
        """Begin a run of an episode, as `runs.record.identity(episode)` names it.

        `owner` is a secret that finds and deletes the run later; only its hash is kept.

        Raises:
            RunExists: the id is taken.
        """
        run = Run(
            run_id=run_id,
            **episode,
            kind=kind,
            policy=policy,
            model=model,
            prompt_version=prompt_version,
            parameters=parameters or {},
            actions=(),
            rewards=(),
            grade=None,
            stop="cancelled",
            started_at=rows.now(),
        )
        with self._write() as db:
            if rows.exists(db, run_id):
                raise RunExists(f"run {run_id[:80]!r} is there already; take another id")
            rows.put(db, run, finished=False, owner=owner)

    def add_step(
        self,
        run_id: str,
        action: SupportAction | dict[str, Any],
        reward: float,
        lines: Iterable[RewardLine] = (),
        *,
        number: int | None = None,
    ) -> int:
        """Keep one finished step of an unfinished run; on disk when this returns.

        Args:
            run_id: Which run.
            action: What was done.
            reward: What it gave.
            lines: The step's reward lines.
            number: Which step this must be, counted from 1, where two writers could meet.

        Returns:
            The step's number.

        Raises:
            NoSuchRun: no run has this id.
            RunExists: the run is finished, or its next step has another number.
        """
        plain = dump_action(action) if isinstance(action, SupportAction) else action
        with self._write() as db:
            there = rows.steps_of(db, run_id)
            if there is None:
                rows.require(db, run_id)
                raise RunExists(f"run {run_id[:80]!r} is finished; begin another one")
            following = there + 1
            if number is not None and number != following:
                raise RunExists(f"run {run_id[:80]!r} goes on with step {following}, not {number}")
            shown = json.dumps([line.model_dump(mode="json") for line in lines])
            db.execute(
                "INSERT INTO steps VALUES (?, ?, ?, ?, ?)",
                (run_id, following, rows.plain(plain), reward, shown),
            )
            db.execute("UPDATE runs SET updated_at = ? WHERE run_id = ?", (rows.now(), run_id))
        return following

    def finish(self, run: Run) -> None:
        """End a run that was begun; what it says counts. Its start and its lines stay.

        Raises:
            NoSuchRun: it was never begun; `save` keeps whole runs.
        """
        with self._write() as db:
            rows.require(db, run.run_id)
            rows.put(db, run, finished=True)

    def save(self, run: Run, *, owner: str | None = None) -> None:
        """Keep a whole run; one with the same id is replaced."""
        with self._write() as db:
            rows.put(db, run, finished=True, owner=owner)

    def save_some(self, runs: Iterable[Run], *, kind: Kind, keep: int) -> None:
        """Keep whole runs together, and of all runs of a kind only the `keep` newest."""
        with self._write() as db:
            for run in runs:
                rows.put(db, run, finished=True)
            rows.prune(db, kind, keep)

    def import_runs(self, runs: Iterable[Run]) -> Imported:
        """Add runs, all or (after an error) none; a run that is there already stays as it is."""
        known, conflicts, added = 0, [], 0
        coming = list(runs)
        with self._write() as db:
            for run in coming:
                here = [s for _, s in rows.load(db, "run_id = ?", (run.run_id,))]
                if not here:
                    rows.put(db, run, finished=True)
                    added += 1
                elif here[0].run == run.model_copy(update={"report": None}):
                    known += 1
                else:
                    conflicts.append(run.run_id)
        return Imported(added, known, tuple(conflicts))

    def delete(self, run_id: str, *, owner: str | None = None) -> bool:
        """Delete a run, where `owner` is given only if it is theirs. False: there was none."""
        clause, values = rows.where_clause(Filter(run_id=run_id, owner=owner))
        with self._write() as db:
            return db.execute(f"DELETE FROM runs WHERE {clause}", values).rowcount > 0

    def delete_all(self, owner: str) -> int:
        """Delete every run that was begun with this secret. Returns how many there were."""
        clause, values = rows.where_clause(Filter(owner=owner))
        with self._write() as db:
            return db.execute(f"DELETE FROM runs WHERE {clause}", values).rowcount

    # -- reading -------------------------------------------------------------------------------

    def get(self, run_id: str) -> Stored | None:
        """One run with its report and each step's lines, or None."""
        with self._read() as db:
            found = rows.load(db, "run_id = ?", (run_id,), whole=True)
        return found[0][1] if found else None

    def find(
        self, where: Filter = EVERYTHING, *, limit: int = 100, offset: int = 0
    ) -> list[Stored]:
        """Runs, the newest first, without reports and lines."""
        clause, values = rows.where_clause(where)
        tail = f"{clause} ORDER BY seq DESC LIMIT ? OFFSET ?"
        with self._read() as db:
            return [s for _, s in rows.load(db, tail, (*values, max(0, limit), max(0, offset)))]

    def each(self, where: Filter = EVERYTHING) -> Iterator[Stored]:
        """All runs that match, the oldest first, a page at a time: memory stays flat."""
        clause, values = rows.where_clause(where)
        tail = f"{clause} AND seq > ? ORDER BY seq LIMIT ?"
        last = 0
        while True:
            with self._read() as db:
                page = rows.load(db, tail, (*values, last, _PAGE))
            yield from (stored for _, stored in page)
            if len(page) < _PAGE:
                return
            last = page[-1][0]

    def count(self, where: Filter = EVERYTHING) -> int:
        """How many runs match."""
        clause, values = rows.where_clause(where)
        with self._read() as db:
            return int(
                db.execute(f"SELECT count(*) FROM runs WHERE {clause}", values).fetchone()[0]
            )

    def counts(self, field: str, where: Filter = EVERYTHING) -> dict[str, int]:
        """How many runs there are per value of a field, most first.

        Args:
            field: task_id, player, kind, split, item_id, data_version, grader_major or stop.
            where: Among which runs.
        """
        if field not in rows.COUNTED:
            raise ValueError(f"unknown field {field!r}; valid: {', '.join(rows.COUNTED)}")
        clause, values = rows.where_clause(where)
        with self._read() as db:
            found = db.execute(
                f"SELECT {field}, count(*) FROM runs WHERE {clause} GROUP BY 1 ORDER BY 2 DESC, 1",
                values,
            )
            return {str(value): int(n) for value, n in found}

    def played(self, where: Filter = EVERYTHING, *, limit: int = 500) -> list[Played]:
        """Which tickets and sets were played, in which task: the one played last comes first."""
        with self._read() as db:
            return rows.played(db, where, max(0, limit))

    def stamp(self) -> tuple[Any, ...]:
        """A value that differs whenever finished runs were added, changed or deleted; cheap."""
        with self._read() as db:
            found: tuple[Any, ...] = db.execute(
                "SELECT count(*), max(seq), sum(seq), max(updated_at), count(grade), sum(grade)"
                " FROM runs WHERE finished"
            ).fetchone()
        return found

    # -- the connection ------------------------------------------------------------------------

    def _open(self) -> Opened:
        with self._lock:
            if self._opened is None:
                self._opened = open_database(
                    self.path, set_aside=self._set_aside, migrations=self._migrations
                )
            return self._opened

    def _read(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._transaction("BEGIN")

    def _write(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            db = self._open().connection
            try:
                db.execute(begin)
                yield db
                db.execute("COMMIT")
            except (sqlite3.Error, OverflowError, UnicodeError) as error:
                raise StoreError(f"{self.path or 'the store'}: {error}") from error
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")


def open_store(settings: Settings) -> Store:
    """The store at the place that the settings name, or the user's data folder."""
    if settings.supportops_home:
        return Store(Path(settings.supportops_home).expanduser() / NAME)
    folder = Path(platformdirs.user_data_dir("supportops-env", appauthor=False))
    if not folder.is_absolute():  # no home folder is known: never write below the working directory
        return Store(None)
    fleeting = (
        "a Space clears its disk on a restart; set SUPPORTOPS_HOME to its persistent storage"
        if settings.space_id
        else ""
    )
    return Store(folder / NAME, fleeting=fleeting)
