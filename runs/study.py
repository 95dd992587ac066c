"""`python -m runs stats`: tables, intervals and matrices as text, JSON or CSV."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from env import episode as engine
from policies.log import SUCCESS
from runs import baselines, confusion
from runs import stats as figures
from runs.commands import Refused, filter_of, say, write
from runs.files import read_runs
from runs.record import Run, grader_major
from runs.rows import Filter
from runs.stats import Paired, Row
from runs.store import Store
from runs.tables import csv_table, number, table

NOTE = "Scores compare only within one data version and one major grader version."


def stats(store: Store, arguments: argparse.Namespace) -> int:
    """Print what the runs say together."""
    where = filter_of(arguments, finished=True)
    runs = [stored.run for stored in store.each(where)]
    if arguments.baselines:
        own = {run.run_id for run in runs}  # a scripted policy's runs have the same ids there
        shipped = (run for path in baselines.baseline_files() for run in read_runs(path))
        runs += [run for run in shipped if run.run_id not in own and matches(run, where)]
    unfinished = store.count(filter_of(arguments, finished=False))
    if unfinished:
        say(f"{unfinished} unfinished runs are not counted")
    if not runs:
        say("no finished runs" + (" match" if store.count() else " yet"))
    if arguments.compare:
        _compare(runs, arguments)
    elif arguments.confusion:
        _confusion(runs, arguments)
    elif arguments.by_category:
        _rows(figures.by_category(runs, engine.default_arena().catalog), arguments)
    else:
        _rows(figures.table(runs), arguments)
    return 0


def matches(run: Run, where: Filter) -> bool:
    """Whether a run that is not in the store fits the filter that the command line can name."""
    named = {
        "task": run.task_id,
        "player": run.player,
        "kind": run.kind,
        "split": run.split,
        "item": run.item_id,
        "data_version": run.data_version,
        "grader_major": grader_major(run.grader_version),
    }
    fits = all(getattr(where, f) in (None, value) for f, value in named.items())
    bad = run.failed or (run.grade is not None and run.grade < SUCCESS)
    return fits and (bad or not where.failed_only)


def flat(row: Row) -> dict[str, Any]:
    """A row with plain values only; numbers with six digits."""
    score = row.score
    plain = {
        "data_version": row.versions.data,
        "grader_major": row.versions.grader_major,
        "split": row.split,
        "kind": row.player.kind,
        "player": row.player.name,
        "prompt_version": row.player.prompt_version,
        "task_id": row.task_id or "all",
        "category": row.category,
        "tasks": row.tasks,
        "runs": row.runs,
        "scored": row.scored,
        "items": row.items,
        "mean": score and score.mean,
        "low": score and score.low,
        "high": score and score.high,
        **{f"pass^{k}": row.passed.get(k) for k in figures.KS},
        "steps": row.steps,
        "tokens_in": row.cost.tokens_in,
        "tokens_out": row.cost.tokens_out,
        "cost_usd": row.cost.usd,
        "tokens_per_point": row.cost.tokens_per_point,
        "usd_per_point": row.cost.usd_per_point,
        "failures": row.failures,
        "partial": row.partial,
        "unjudged": row.unjudged,
    }
    return {k: round(v, 6) if isinstance(v, float) else v for k, v in plain.items()}


def _rows(rows: Sequence[Row], arguments: argparse.Namespace) -> None:
    plain = [flat(row) for row in rows]
    if arguments.json:
        write(json.dumps({"rows": plain, "note": NOTE}, ensure_ascii=False, indent=2))
        return
    if arguments.csv:
        head = list(plain[0]) if plain else []
        write(csv_table(head, [list(row.values()) for row in plain]))
        return
    hidden = {"data_version", "grader_major", "split", "tasks", "items"}
    hidden |= {name for name in (plain[0] if plain else ()) if all(r[name] is None for r in plain)}
    hidden |= {n for n in ("failures", "partial", "unjudged") if not any(r[n] for r in plain)}
    for (versions, split), own in groupby(rows, key=lambda r: (r.versions, r.split)):
        shown = [{k: v for k, v in flat(r).items() if k not in hidden} for r in own]
        write(f"Data {versions.data}, grader {versions.grader_major}.x, {split} split")
        write(table(list(shown[0]), [list(r.values()) for r in shown]) + "\n")
    if len({row.versions for row in rows}) > 1:
        write(NOTE)


def _compare(runs: Sequence[Run], arguments: argparse.Namespace) -> None:
    first, second = arguments.compare
    players = {r.player for r in runs}
    for name in (first, second):
        if name not in players:
            raise Refused(f"no finished run of {name!r}; players: {', '.join(sorted(players))}")
    ours = [r for r in runs if r.player == first]
    theirs = [r for r in runs if r.player == second]
    found = [*figures.paired_by_task(ours, theirs), *figures.paired(ours, theirs)]
    found.sort(key=lambda pair: pair.versions)
    plain = [_flat_pair(p, first, second) for p in found]
    if not plain:
        say(f"{first} and {second} share no scored episode under the same versions")
    if arguments.json:
        write(json.dumps({"compared": plain, "note": NOTE}, ensure_ascii=False, indent=2))
    elif plain:
        shape = csv_table if arguments.csv else table
        write(shape(list(plain[0]), [list(p.values()) for p in plain]))


def _flat_pair(pair: Paired, first: str, second: str) -> dict[str, Any]:
    plain = {
        "data_version": pair.versions.data,
        "grader_major": pair.versions.grader_major,
        "task_id": pair.task_id or "all",
        "first": first,
        "second": second,
        "episodes": pair.difference.n,
        "first_mean": pair.first,
        "second_mean": pair.second,
        "difference": pair.difference.mean,
        "low": pair.difference.low,
        "high": pair.difference.high,
        "better": pair.better,
        "worse": pair.worse,
        "same": pair.same,
    }
    return {k: round(v, 6) if isinstance(v, float) else v for k, v in plain.items()}


def _confusion(runs: Sequence[Run], arguments: argparse.Namespace) -> None:
    count = confusion.categories if arguments.confusion == "category" else confusion.priorities
    matrix = count(runs, engine.default_arena().catalog)
    rows = [(true, *counts) for true, counts in zip(matrix.true, matrix.counts, strict=True)]
    if arguments.json:
        shown = {
            "true": matrix.true,
            "answered": matrix.answered,
            "counts": matrix.counts,
            "runs": matrix.runs,
            "right": matrix.right,
        }
        write(json.dumps(shown, indent=2))
        return
    shape = csv_table if arguments.csv else table
    write(shape(("true \\ answered", *matrix.answered), rows))
    if not arguments.csv:
        write(f"{matrix.runs} runs, right: {number(matrix.right)}")
