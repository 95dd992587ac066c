"""Clients' episodes as runs: handed over at once, written in a thread, bounded in number."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from env import episode as engine
from env.episode import Episode
from policies.base import play
from policies.scripted import POLICIES
from runs.recorder import Recorder
from runs.regrade import replay
from runs.rows import Filter
from runs.store import Store
from tests.runs.conftest import made_up


def finished(seed: int) -> Episode:
    start = engine.start("ticket_classification", "train", seed)
    return play(POLICIES["keyword"](start), start)


def test_the_newest_are_kept_and_other_runs_left_alone(store: Store) -> None:
    store.save(made_up("mine"))
    recorder = Recorder(store, keep=3)
    for seed in range(5):
        recorder(finished(seed), "websocket" if seed % 2 else "http")
    recorder.close()
    kept = store.find(Filter(kind="client"))
    assert [s.run.seed for s in kept] == [4, 3, 2] and store.count() == 4
    assert [s.run.player for s in kept] == ["http", "websocket", "http"]
    assert all(s.finished and replay(s.run).differences == () for s in kept)


def test_what_the_store_refuses_is_logged_and_does_not_stop_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.database.PATIENCE", 0.05)
    path = tmp_path / "runs.db"
    with Store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        assert store.durable
        other.execute("BEGIN EXCLUSIVE")
        blocked = Recorder(store, keep=3)
        with caplog.at_level(logging.WARNING):
            blocked(finished(1), "http")  # returns though nothing can be written
            blocked.close()
        assert "1 runs could not be kept" in caplog.text and "locked" in caplog.text
        other.execute("COMMIT")
        free = Recorder(store, keep=3)
        free(finished(2), "http")
        free.close()
        assert store.count() == 1


def test_closing_what_never_began_is_nothing(store: Store) -> None:
    Recorder(store, keep=3).close()
    assert store.path is not None and not store.path.exists()
