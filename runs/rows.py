"""Runs as rows of the store: which ones match a filter, writing one, reading many."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from policies.log import SUCCESS
from runs.errors import NoSuchRun, StoreError
from runs.record import Run, grader_major
from supportops_env.models import RewardLine

_REST = ("knobs", "prompt_version", "parameters", "refusals", "usage", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which runs: every field that is not None must match.

    `player` is a model's or policy's name or a person's; `owner` the secret that was given when
    the run began; `failed_only` keeps grades below 0.5 and runs that a failure ended. `dataset` is
    what follows the "+" in a data version, "" for the built-in data. `reader` is the secret of who
    asks ("" for none): runs that other people played on data of their own are left out.
    `unrevealing` leaves out what `Run.reveals_labels`.
    """

    run_id: str | None = None
    task: str | None = None
    player: str | None = None
    kind: str | None = None
    split: str | None = None
    item: str | None = None
    seed: int | None = None
    index: int | None = None
    data_version: str | None = None
    grader_major: str | None = None
    finished: bool | None = None
    failed_only: bool = False
    min_grade: float | None = None
    owner: str | None = None
    dataset: str | None = None
    reader: str | None = None
    unrevealing: bool = False


EVERYTHING = Filter()


@dataclass(frozen=True, slots=True)
class Stored:
    """A run as it stands in the store.

    An unfinished run has `finished` False, no grade, stop "cancelled", and the actions so far.
    `lines` holds each step's reward lines (None where they were not kept), and `run.report` the
    report; both come with `get` only.
    """

    run: Run
    finished: bool
    updated_at: str
    lines: tuple[tuple[RewardLine, ...] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """A ticket or set that was played in a task, and how many runs there are."""

    task_id: str
    split: str
    item_id: str
    dataset: str
    runs: int


_Step = tuple[str, float, str | None]

COUNTED = (
    "task_id",
    "player",
    "kind",
    "split",
    "item_id",
    "data_version",
    "grader_major",
    "stop",
)
_COLUMNS = {
    "run_id": "run_id",
    "task": "task_id",
    "player": "player",
    "kind": "kind",
    "split": "split",
    "item": "item_id",
    "seed": "seed",
    "index": "place",
    "data_version": "data_version",
    "grader_major": "grader_major",
    "finished": "finished",
}


_DATASET = "substr(data_version, instr(data_version || '+', '+') + 1)"


def where_clause(where: Filter) -> tuple[str, tuple[Any, ...]]:
    """What stands after WHERE, and its values."""
    parts, values = ["1"], []
    for field in fields(where):
        value = getattr(where, field.name)
        if value is not None and field.name in _COLUMNS:
            parts.append(f"{_COLUMNS[field.name]} = ?")
            values.append(value)
    if where.failed_only:
        parts.append("finished AND (grade < ? OR stop IN ('model_error', 'timeout', 'cancelled'))")
        values.append(SUCCESS)
    if where.min_grade is not None:
        parts.append("grade >= ?")
        values.append(where.min_grade)
    if where.owner is not None:
        parts.append("owner = ?")
        values.append(_hash(where.owner))
    if where.dataset is not None:
        parts.append(f"{_DATASET} = ?")
        values.append(where.dataset)
    if where.reader is not None:
        parts.append(f"(owner IS NULL OR owner = ? OR {_DATASET} = '')")
        values.append(_hash(where.reader))
    if where.unrevealing:
        parts.append("NOT (split = 'test' AND kind = 'policy' AND policy = 'oracle')")
    return " AND ".join(parts), tuple(values)


def put(db: sqlite3.Connection, run: Run, *, finished: bool, owner: str | None = None) -> None:
    """Write a run and its steps; lines, owner and start that are there already stay."""
    if len(run.actions) != len(run.rewards):
        counts = f"{len(run.actions)} actions but {len(run.rewards)} rewards"
        raise StoreError(f"run {run.run_id[:80]!r} has {counts}; each step has one of both")
    rest = run.model_dump(mode="json", include=set(_REST), exclude_defaults=True)
    row: dict[str, Any] = {
        "run_id": run.run_id,
        "kind": run.kind,
        "policy": run.policy,
        "model": run.model,
        "player": run.player,
        "task_id": run.task_id,
        "split": run.split,
        "seed": run.seed,
        "place": run.index,
        "item_id": run.item_id,
        "data_version": run.data_version,
        "grader_version": run.grader_version,
        "grader_major": grader_major(run.grader_version),
        "finished": finished,
        "stop": run.stop,
        "grade": run.grade,
        "partial": run.partial,
        "started_at": run.started_at,
        "updated_at": now(),
        "owner": _hash(owner) if owner else None,
        "rest": plain(rest),
        "report": run.report.model_dump_json() if run.report else None,
    }
    names = ", ".join(row)
    marks = ", ".join("?" for _ in row)
    kept = ("owner", "started_at")
    changes = ", ".join(
        f"{n} = coalesce(excluded.{n}, {n})" if n in kept else f"{n} = excluded.{n}"
        for n in row
        if n != "run_id"
    )
    db.execute(
        f"INSERT INTO runs ({names}) VALUES ({marks}) ON CONFLICT (run_id) DO UPDATE SET {changes}",
        tuple(row.values()),
    )
    db.execute("DELETE FROM steps WHERE run_id = ? AND number > ?", (run.run_id, len(run.actions)))
    db.executemany(
        "INSERT INTO steps VALUES (?, ?, ?, ?, NULL) ON CONFLICT (run_id, number) DO UPDATE SET"
        " lines = CASE WHEN action = excluded.action AND abs(reward - excluded.reward) < 1e-5"
        " THEN lines END, action = excluded.action, reward = excluded.reward",
        [
            (run.run_id, number, plain(action), reward)
            for number, (action, reward) in enumerate(zip(run.actions, run.rewards, strict=True), 1)
        ],
    )


_READ = (
    "seq, run_id, kind, policy, model, task_id, split, seed, place, item_id, data_version,"
    " grader_version, finished, stop, grade, partial, started_at, updated_at, rest"
)


def load(
    db: sqlite3.Connection, tail: str, values: tuple[Any, ...], *, whole: bool = False
) -> list[tuple[int, Stored]]:
    """Runs with their places in the order of arrival; `tail` is what stands after WHERE."""
    more = "report" if whole else "NULL"
    found = db.execute(f"SELECT {_READ}, {more} FROM runs WHERE {tail}", values).fetchall()
    steps: dict[str, list[_Step]] = {row[1]: [] for row in found}
    lines = "lines" if whole else "NULL"
    for run_id, *step in db.execute(
        f"SELECT run_id, action, reward, {lines} FROM steps"
        f" WHERE run_id IN (SELECT run_id FROM runs WHERE {tail}) ORDER BY run_id, number",
        values,
    ):
        steps[run_id].append(tuple(step))
    return [(row[0], _stored(row[1:], steps[row[1]], whole)) for row in found]


def _stored(row: tuple[Any, ...], steps: list[_Step], whole: bool) -> Stored:
    run_id, kind, policy, model, task_id, split, seed, place, item_id, data, grader = row[:11]
    finished, stop, grade, partial, started_at, updated_at, rest, report = row[11:]
    try:
        run = Run.model_validate(
            {
                "run_id": run_id,
                "kind": kind,
                "policy": policy,
                "model": model,
                "task_id": task_id,
                "split": split,
                "seed": seed,
                "index": place,
                "item_id": item_id,
                "data_version": data,
                "grader_version": grader,
                "actions": tuple(json.loads(a) for a, _, _ in steps),
                "rewards": tuple(r for _, r, _ in steps),
                "grade": grade,
                "report": json.loads(report) if report else None,
                "partial": bool(partial),
                "stop": stop,
                "started_at": started_at,
                **json.loads(rest),
            }
        )
        lines = tuple(
            None if text is None else tuple(RewardLine.model_validate(x) for x in json.loads(text))
            for _, _, text in (steps if whole else ())
        )
    except (ValidationError, ValueError, TypeError) as error:
        said = " ".join(str(error).split())[:200]
        raise StoreError(
            f"run {run_id!r} is stored in a form that can't be read: {said}"
        ) from error
    return Stored(run, bool(finished), updated_at, lines)


def played(db: sqlite3.Connection, where: Filter, limit: int) -> list[Played]:
    """What was played, the last first."""
    clause, values = where_clause(where)
    found = db.execute(
        f"SELECT task_id, split, item_id, {_DATASET}, count(*) FROM runs WHERE {clause}"
        " GROUP BY 1, 2, 3, 4 ORDER BY max(seq) DESC LIMIT ?",
        (*values, limit),
    )
    return [Played(*row) for row in found]


def exists(db: sqlite3.Connection, run_id: str) -> bool:
    """Whether there is such a run."""
    return db.execute("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)).fetchone() is not None


def steps_of(db: sqlite3.Connection, run_id: str) -> int | None:
    """How many steps an unfinished run has; None where it is finished, or there is no such run."""
    found = db.execute(
        "SELECT (SELECT count(*) FROM steps WHERE run_id = runs.run_id) FROM runs"
        " WHERE run_id = ? AND NOT finished",
        (run_id,),
    ).fetchone()
    return None if found is None else int(found[0])


def require(db: sqlite3.Connection, run_id: str) -> None:
    """Insist on a run.

    Raises:
        NoSuchRun: there is none.
    """
    if not exists(db, run_id):
        raise NoSuchRun(run_id)


def prune(db: sqlite3.Connection, kind: str, keep: int) -> None:
    """Delete the oldest finished runs of a kind until `keep` are left."""
    db.execute(
        "DELETE FROM runs WHERE kind = ? AND finished AND seq <= (SELECT seq FROM runs"
        " WHERE kind = ? AND finished ORDER BY seq DESC LIMIT 1 OFFSET ?)",
        (kind, kind, keep),
    )


def plain(value: Any) -> str:
    """A value as compact JSON."""
    return json.dumps(value, separators=(",", ":"))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def now() -> str:
    """The time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
