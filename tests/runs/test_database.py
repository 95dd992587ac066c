"""Opening the file: old and new versions, damage, and places that can't be written."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from runs.database import APPLICATION_ID, MIGRATIONS
from runs.errors import StoreError
from runs.store import Store
from tests.runs.conftest import made_up

LATER = (*MIGRATIONS, ("ALTER TABLE runs ADD COLUMN stars INTEGER NOT NULL DEFAULT 3",))


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("exists", [False, True])
def test_from_version_0(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "runs.db"
    if exists:
        path.touch()  # an empty file is an empty database, of version 0
    with Store(path) as store:
        store.save(made_up())
    assert version(path) == len(MIGRATIONS)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_from_version_1_runs_come_along(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path, migrations=MIGRATIONS[:1]) as store:
        store.save(made_up())
    assert version(path) == 1
    with Store(path, migrations=LATER) as store:
        found = store.get("r")
        assert found is not None and found.run == made_up()
    assert version(path) == len(LATER)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT stars FROM runs").fetchone() == (3,)


def test_the_first_schema_is_brought_up_to_the_present_one(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path, migrations=MIGRATIONS[:1]) as store:
        store.save(made_up())
    with Store(path) as store:
        assert store.kept == "file" and store.get("r") is not None
    assert version(path) == len(MIGRATIONS) >= 2


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store:
        store.save(made_up())
    broken = (*LATER, ("CREATE TABLE more (x)", "INSERT INTO nowhere VALUES (1)"))
    with Store(path, migrations=broken) as store, pytest.raises(StoreError, match="nowhere"):
        store.get("r")
    assert version(path) == len(MIGRATIONS)
    with Store(path) as store:
        assert store.durable and store.get("r") is not None


def test_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store(path, migrations=LATER) as store:
        store.save(made_up())
    before = path.read_bytes()
    with Store(path) as store:
        store.save(made_up("new"))
        assert not store.durable and "later version" in store.reason
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs (mine TEXT)")
    before = path.read_bytes()
    with Store(path) as store:
        assert store.kept == "memory" and "another program" in store.reason
    assert path.read_bytes() == before


def ruin(path: Path, how: str) -> None:
    if how == "no database":
        path.write_text("these are no runs, but somebody's notes\n" * 50, encoding="utf-8")
        return
    with Store(path) as store:
        store.import_runs(made_up(str(n), error="x" * 500) for n in range(200))
    raw = bytearray(path.read_bytes())
    if how == "cut short":
        path.write_bytes(raw[: len(raw) // 2])
    else:
        raw[4096:40_960] = b"\xff" * (40_960 - 4096)
        path.write_bytes(raw)


@pytest.mark.parametrize("how", ["no database", "cut short", "overwritten"])
def test_a_damaged_file_is_set_aside(
    tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "runs.db"
    ruin(path, how)
    damaged = path.read_bytes()
    with caplog.at_level(logging.WARNING), Store(path) as store:
        store.save(made_up())
        assert store.durable and store.kept == "file"
        warning = store.warning
    (aside,) = tmp_path.glob("runs.damaged-*.db")
    assert aside.read_bytes() == damaged
    assert str(aside) in warning and warning in caplog.text
    with Store(path) as store:
        assert store.count() == 1 and not store.warning


def test_a_second_damaged_file_takes_another_name(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    for _ in range(3):
        ruin(path, "no database")
        with Store(path) as store:
            assert store.durable
    assert len(list(tmp_path.glob("runs.damaged-*.db"))) == 3


def test_a_file_that_was_named_is_not_renamed(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    ruin(path, "no database")
    with Store(path, set_aside=False) as store:
        assert store.kept == "memory" and "no database" in store.reason
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_where_no_folder_can_be_made_runs_stay_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Store(tmp_path / "file" / "runs.db") as store:
        assert not store.durable and "lost when this process ends" in store.reason
        store.save(made_up())
        assert store.count() == 1
    with Store(tmp_path / "file" / "runs.db") as store:
        assert store.count() == 0


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        assert store.kept == "memory" and str(tmp_path) in store.reason


@pytest.mark.parametrize("there", [False, True])
def test_a_place_that_only_can_be_read(
    open_folder: Path, as_nobody: Callable[[], None], there: bool
) -> None:
    path = open_folder / "runs.db"
    if there:
        with Store(path) as store:
            store.save(made_up())
        path.chmod(0o444)
    open_folder.chmod(0o555)
    as_nobody()
    with Store(path) as store:
        assert not store.durable and store.kept == ("copy" if there else "memory")
        assert f"{path} can't be written" in store.reason
        assert store.count() == int(there)  # what is there can be read
        store.save(made_up("new"))
        assert store.count() == 1 + there
    assert path.exists() is there


def test_a_lock_that_stays_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.db"
    with Store(path) as store:
        store.save(made_up())
    monkeypatch.setattr("runs.database.PATIENCE", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with Store(path) as store, pytest.raises(StoreError, match="locked"):
            store.save(made_up("new"))
        other.execute("COMMIT")
