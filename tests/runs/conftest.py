"""Runs to test with: made up where only their fields matter, played where replaying does."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from env import episode as engine
from policies.base import play
from policies.scripted import POLICIES
from runs.record import Run, record
from runs.store import Store

NOBODY = 65_534

# A test that forks does nothing in the child but use a store of its own.
FORKS = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def made_up(run_id: str = "r", grade: float | None = 1.0, **fields: Any) -> Run:
    """A run that nobody played."""
    shape: dict[str, Any] = {
        "run_id": run_id,
        "kind": "policy",
        "policy": "made-up",
        "task_id": "ticket_classification",
        "split": "test",
        "seed": 42,
        "index": 0,
        "item_id": "T-1002",
        "data_version": "1.0.0",
        "grader_version": "1.0.0",
        "actions": ({"action_type": "classify", "payload": {"category": "Bug"}},),
        "rewards": (0.0 if grade is None else grade,),
        "grade": grade,
    }
    return Run.model_validate({**shape, **fields})


def played(policy: str, task: str, index: int = 0, split: str = "test", run_id: str = "") -> Run:
    """A run that a scripted policy played just now."""
    start = engine.start(task, split, 42, index)
    name = run_id or f"{policy}-{task}-{split}-{index}"
    return record(play(POLICIES[policy](start), start), name, "policy", policy)


@pytest.fixture(scope="session")
def sample() -> tuple[Run, ...]:
    """Really played runs: two policies, three tasks, both splits."""
    tasks = ("ticket_classification", "priority_sorting", "draft_response")
    return tuple(
        played(policy, task, 0, split)
        for split in ("test", "train")
        for policy in ("oracle", "keyword")
        for task in tasks
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "home" / "runs.db") as opened:
        yield opened


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user of this machine may reach."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def as_nobody() -> Iterator[Callable[[], None]]:
    """Once called, this process may write nothing that it doesn't own, even where it is root."""
    before = os.geteuid()

    def drop() -> None:
        if before == 0:
            os.seteuid(NOBODY)

    yield drop
    if os.geteuid() != before:
        os.seteuid(before)
