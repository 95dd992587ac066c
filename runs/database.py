"""The SQLite file under the store: opening it, bringing it up to date, and what to do if it can't.

A place that can't be written never stops the product: runs are then kept in memory, with a reason
to show. A damaged file is set aside under another name, never deleted.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

from runs.errors import StoreError

APPLICATION_ID = 0x534F5052
"""Marks a file as ours in its header, so that no other program's database is ever changed."""

PATIENCE = 10.0
"""Seconds to wait for another process that is writing."""

Migration = tuple[str, ...]

MIGRATIONS: tuple[Migration, ...] = (
    (  # 0 to 1: the first version
        """
        CREATE TABLE runs (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            run_id TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            policy TEXT NOT NULL,
            model TEXT,
            player TEXT NOT NULL,
            task_id TEXT NOT NULL,
            split TEXT NOT NULL,
            seed INTEGER NOT NULL,
            place INTEGER NOT NULL,
            item_id TEXT NOT NULL,
            data_version TEXT NOT NULL,
            grader_version TEXT NOT NULL,
            grader_major TEXT NOT NULL,
            finished INTEGER NOT NULL,
            stop TEXT NOT NULL,
            grade REAL,
            partial INTEGER NOT NULL,
            started_at TEXT,
            updated_at TEXT NOT NULL,
            owner TEXT,
            rest TEXT NOT NULL,
            report TEXT
        )
        """,
        """
        CREATE TABLE steps (
            run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            action TEXT NOT NULL,
            reward REAL NOT NULL,
            lines TEXT,
            PRIMARY KEY (run_id, number)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX runs_by_episode ON runs (task_id, split, item_id)",
        "CREATE INDEX runs_by_player ON runs (player, task_id)",
    ),
    ("CREATE INDEX runs_by_kind ON runs (kind)",),  # 1 to 2: finds the oldest of a kind
)
"""Statements that lead from version n to n + 1. Only ever add to the end."""

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Opened:
    """An open database. `kept` says where: in its file, in a copy in memory, in memory only.

    `problem` says what is wrong with the file, `reason` also what becomes of the runs.
    """

    connection: sqlite3.Connection
    kept: Literal["file", "copy", "memory"]
    reason: str = ""
    problem: str = ""
    warning: str = ""


class _Unusable(Exception):
    """The file is none of ours, or of a later version; it stays as it is."""


class _Damaged(Exception):
    """The file can't be read as a database."""


def open_database(
    path: Path | None,
    *,
    set_aside: bool = True,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> Opened:
    """Open a database, bring it up to date, or fall back to memory and say why.

    Args:
        path: The file; made where it is missing. None keeps everything in memory.
        set_aside: Rename a damaged file and begin a new one. Otherwise it stays, and memory serves.
        migrations: What leads from each version to the next.

    Raises:
        StoreError: another process kept the file locked for too long, or a migration failed.
    """
    if path is None:
        return _in_memory("no file was asked for", migrations)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Opened(_open_file(path, migrations), "file")
    except OSError as error:
        return _in_memory(f"{path} can't be written ({error.strerror})", migrations)
    except _Unusable as error:
        return _in_memory(f"{path} {error}", migrations)
    except _Damaged as error:
        if not set_aside:
            return _in_memory(f"{path} is damaged or no database ({error})", migrations)
        return _begin_anew(path, str(error), migrations)
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_BUSY:
            raise StoreError(f"{path} is locked by another process; try again") from error
        if _code(error) == sqlite3.SQLITE_ERROR:
            raise StoreError(f"{path} can't be brought up to date: {error}") from error
        return _without_writing(path, str(error), migrations)


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS
) -> tuple[int, int]:
    """Bring a database up to date in one transaction; the version before and after."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = _version(connection)
        for statements in migrations[before:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return before, len(migrations)


def _open_file(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    connection = _connect(str(path))
    try:
        _check(connection, len(migrations))
        _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone())
        # FULL: a step that was answered outlives a power cut, not only the end of the process.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        _patiently(lambda: migrate(connection, migrations))
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(name: str, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=uri
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _check(connection: sqlite3.Connection, latest: int) -> None:
    try:
        sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        mark = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise _Damaged(str(error)) from error
        raise
    if sound != "ok":
        raise _Damaged(" ".join(str(sound).split())[:200])
    if tables and mark != APPLICATION_ID:
        raise _Unusable("is a database of another program; name another file")
    if _version(connection) > latest:
        raise _Unusable("was made by a later version of SupportOps-Env; update it to read this")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _patiently(call: Callable[[], _T]) -> _T:
    """Try again while another process holds the lock: switching to WAL does not wait by itself."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return call()
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _in_memory(problem: str, migrations: Sequence[Migration]) -> Opened:
    connection = _connect(":memory:")
    migrate(connection, migrations)
    kept = "runs are kept in memory and are lost when this process ends"
    return Opened(connection, "memory", f"{problem}; {kept}", problem)


def _without_writing(path: Path, problem: str, migrations: Sequence[Migration]) -> Opened:
    """Work on a copy in memory of a file that can be read but not written."""
    reason = f"{path} can't be written ({problem})"
    memory = _connect(":memory:")
    # A file in WAL mode wants to write beside itself even to be read, unless it is immutable.
    for how in ("mode=ro", "immutable=1"):
        try:
            with closing(_connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as source:
                _check(source, len(migrations))
                source.backup(memory)
            migrate(memory, migrations)
        except (sqlite3.Error, _Damaged, _Unusable):
            continue
        lost = "new runs are lost when this process ends"
        return Opened(memory, "copy", f"{reason}; {lost}", reason)
    memory.close()
    return _in_memory(reason, migrations)


def _begin_anew(path: Path, problem: str, migrations: Sequence[Migration]) -> Opened:
    try:  # another process may have been faster
        return Opened(_open_file(path, migrations), "file")
    except (sqlite3.Error, _Damaged, _Unusable):
        pass
    try:
        aside = _set_aside(path)
        connection = _open_file(path, migrations)
    except (OSError, sqlite3.Error, _Damaged, _Unusable) as error:
        return _in_memory(
            f"{path} is damaged ({problem}) and can't be replaced ({error})", migrations
        )
    warning = f"{path} was damaged ({problem}); it is now {aside}, and a new one was begun"
    _log.warning("%s", warning)
    return Opened(connection, "file", warning=warning)


def _set_aside(path: Path) -> Path:
    """Rename a file with what belongs to it, to a name that is free."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    stem = f"{path.stem}.damaged-{stamp}"
    number, aside = 1, path.with_name(f"{stem}{path.suffix}")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stem}-{number}{path.suffix}")
    path.rename(aside)
    for beside in ("-wal", "-shm"):
        own = path.with_name(path.name + beside)
        if own.exists():
            own.rename(aside.with_name(aside.name + beside))
    return aside
