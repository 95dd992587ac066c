"""Baselines that ship: really played runs under data/baselines/, and published rows, labelled so.

`python -m runs.baselines` plays the scripted ones again and rewrites their files.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from tqdm import tqdm

from data.errors import DataError
from env import episode as engine
from env.tasks import FAMILIES
from policies.base import play
from policies.scripted import POLICIES
from runs.record import Run, record

FOLDER = Path(__file__).parent.parent / "data" / "baselines"
SEED = 42
SPLIT = "test"


def read_runs(path: Path) -> tuple[Run, ...]:
    """Read runs from a JSONL file.

    Raises:
        DataError: a line is no run; names file, line and field.
    """
    runs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            runs.append(Run.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(p) for p in first["loc"])
            raise DataError(f"{path}:{number}", f"{place}: {first['msg']}") from error
    return tuple(runs)


def write_runs(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as JSONL, without the report (it is made again from the actions)."""
    lines = [r.model_dump_json(exclude={"report"}, exclude_none=True) for r in runs]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def baseline_files() -> Iterator[Path]:
    """The JSONL files that ship or were put there."""
    yield from sorted(FOLDER.glob("*.jsonl"))


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """Scores that others published; never measured here."""
    raw: dict[str, Any] = json.loads((FOLDER / "published.json").read_text(encoding="utf-8"))
    return raw


@lru_cache(maxsize=1)
def summary() -> dict[str, Any]:
    """What /baseline answers: a row per policy and task that was played, and the published rows."""
    rows = []
    for path in baseline_files():
        groups: dict[tuple[str, ...], list[Run]] = defaultdict(list)
        for run in read_runs(path):
            player = run.model or run.policy
            key = (run.kind, player, run.task_id, run.split, run.data_version, run.grader_version)
            groups[key].append(run)
        rows += [_row(key, runs) for key, runs in sorted(groups.items())]
    return {
        "measured": rows,
        "published": published(),
        "note": "Scores compare only within one data version and one major grader version.",
        "measure_gpt_4o_mini": "OPENAI_API_KEY=... python inference.py"
        " --out data/baselines/gpt-4o-mini.jsonl",
    }


def _row(key: tuple[str, ...], runs: list[Run]) -> dict[str, Any]:
    kind, player, task_id, split, data_version, grader_version = key
    grades = [r.grade for r in runs if r.grade is not None]
    return {
        "kind": kind,
        "player": player,
        "task_id": task_id,
        "split": split,
        "data_version": data_version,
        "grader_version": grader_version,
        "episodes": len(runs),
        "mean_score": round(statistics.fmean(grades), 4) if grades else None,
        "mean_steps": round(statistics.fmean(len(r.actions) for r in runs), 2),
    }


def play_baseline(name: str, progress: bool = True) -> tuple[Run, ...]:
    """Play a scripted policy over every test episode, seed 42, registry order."""
    catalog = engine.builtin_arena().catalog
    wanted = [(f.id, i) for f in FAMILIES for i in range(len(catalog.ids(f.id, SPLIT)))]
    runs = []
    for task_id, index in tqdm(wanted, desc=name, unit="episode", disable=not progress):
        start = engine.start(task_id, SPLIT, SEED, index)
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
    main()
