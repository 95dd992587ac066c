"""Baselines that ship: really played runs under data/baselines/, and published rows, labelled so.

`python -m runs.baselines` plays the scripted ones again and rewrites their files.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tqdm import tqdm

from data.command import exit_code_of
from data.errors import DataError
from env import episode as engine
from env.tasks import FAMILIES
from policies.base import play
from policies.scripted import POLICIES
from runs.files import read_runs as read_runs  # where it once was
from runs.files import write_runs as write_runs
from runs.record import Run, record
from runs.stats import standing

FOLDER = Path(__file__).parent.parent / "data" / "baselines"
SEED = 42
SPLIT = "test"
MEASURED = "gpt-4o-mini.jsonl"
STAND_IN = "keyword"
COMMAND = f"OPENAI_API_KEY=... python inference.py --out data/baselines/{MEASURED}"


@dataclass(frozen=True)
class Baseline:
    """The runs that others are compared with by default; `note` says why these, to people."""

    player: str
    kind: str
    path: Path
    runs: tuple[Run, ...]
    note: str


def baseline_files(folder: Path = FOLDER) -> Iterator[Path]:
    """The JSONL files that ship or were put there."""
    yield from sorted(folder.glob("*.jsonl"))


def default_baseline(folder: Path = FOLDER) -> Baseline:
    """What runs are compared with by default: gpt-4o-mini once measured, else the keyword policy.

    Raises:
        DataError: the keyword policy's file is missing or malformed.
    """
    return _default(folder, _state(folder))


def shipped(folder: Path = FOLDER) -> tuple[Run, ...]:
    """The runs of all baseline files that can be read, file by file."""
    return _shipped(folder, _state(folder))


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """Scores that others published; never measured here."""
    raw: dict[str, Any] = json.loads((FOLDER / "published.json").read_text(encoding="utf-8"))
    return raw


def summary(folder: Path = FOLDER) -> dict[str, Any]:
    """What /baseline answers: a row per policy and task that was played, and the published rows.

    A file that can't be read is named, and the others count.
    """
    state = _state(folder)
    default = _default(folder, state)
    named = {"player": default.player, "kind": default.kind, "note": default.note}
    return {"default": named, **_summary(folder, state)}


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file is put there, so that it is seen without a restart."""
    stats = ((p.name, p.stat()) for p in baseline_files(folder))
    return tuple((name, s.st_mtime_ns, s.st_size) for name, s in stats)


@lru_cache(maxsize=4)
def _default(folder: Path, _: object) -> Baseline:
    path = folder / MEASURED
    why = f"measure gpt-4o-mini yourself: {COMMAND}"
    if path.is_file():
        try:
            runs = read_runs(path)
        except DataError as error:
            why = str(error)
        else:
            if runs and all(r.kind == "model" for r in runs):
                return Baseline(runs[0].player, "model", path, runs, "measured here")
            why = f"{path.name} holds no runs, or some that no model played"
    path = folder / f"{STAND_IN}.jsonl"
    return Baseline(STAND_IN, "policy", path, read_runs(path), f"the {STAND_IN} policy; {why}")


@lru_cache(maxsize=4)
def _shipped(folder: Path, _: object) -> tuple[Run, ...]:
    runs: list[Run] = []
    for path in baseline_files(folder):
        try:
            runs += read_runs(path)
        except DataError:  # `summary` names it
            continue
    return tuple(runs)


@lru_cache(maxsize=4)
def _summary(folder: Path, _: object) -> dict[str, Any]:
    rows, unreadable = [], []
    for path in baseline_files(folder):
        groups: dict[tuple[str, ...], list[Run]] = defaultdict(list)
        try:
            runs = read_runs(path)
        except DataError as error:
            unreadable.append(f"{path.name}: {error.what}")
            continue
        for run in runs:
            key = (
                run.kind,
                run.player,
                run.task_id,
                run.split,
                run.data_version,
                run.grader_version,
            )
            groups[key].append(run)
        rows += [_row(key, own) for key, own in sorted(groups.items())]
    return {
        "measured": rows,
        "published": published(),
        "unreadable": unreadable,
        "note": "Scores compare only within one data version and one major grader version.",
        "measure_gpt_4o_mini": COMMAND,
    }


def _row(key: tuple[str, ...], runs: list[Run]) -> dict[str, Any]:
    kind, player, task_id, split, data_version, grader_version = key
    scored = [r for r in runs if standing(r) == "scored"]
    grades = [r.grade for r in scored if r.grade is not None]
    return {
        "kind": kind,
        "player": player,
        "task_id": task_id,
        "split": split,
        "data_version": data_version,
        "grader_version": grader_version,
        "episodes": len(runs),
        "scored": len(scored),
        "mean_score": round(statistics.fmean(grades), 4) if grades else None,
        "mean_steps": round(statistics.fmean(len(r.actions) for r in runs), 2),
    }


def play_baseline(name: str, progress: bool = True) -> tuple[Run, ...]:
    """Play a scripted policy over every test episode, seed 42, registry order."""
    arena = engine.builtin_arena()
    catalog = arena.catalog
    wanted = [(f.id, i) for f in FAMILIES for i in range(len(catalog.ids(f.id, SPLIT)))]
    runs = []
    for task_id, index in tqdm(wanted, desc=name, unit="episode", disable=not progress):
        start = engine.start(task_id, SPLIT, SEED, index, arena=arena)
        finished = play(POLICIES[name](start), start)
        run_id = f"{name}-{task_id}-{SPLIT}-{SEED}-{index}"
        runs.append(record(finished, run_id, "policy", name))
    return tuple(runs)


def main() -> None:
    """Play the scripted baselines again."""
    parser = argparse.ArgumentParser(description=main.__doc__, prog="python -m runs.baselines")
    parser.add_argument("policies", nargs="*", help=f"of {', '.join(POLICIES)}; default: all")
    chosen = parser.parse_args().policies or list(POLICIES)
    unknown = [p for p in chosen if p not in POLICIES]
    if unknown:
        parser.error(f"unknown policy {unknown[0]!r}; valid: {', '.join(POLICIES)}")
    for name in chosen:
        write_runs(FOLDER / f"{name}.jsonl", play_baseline(name))


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
