"""What each command of `python -m runs` does, but for `stats`, which has a file of its own."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from data.importing.arguments import import_with
from env import episode as engine
from env.episode import Arena
from graders.version import GRADER_VERSION
from runs import export, regrade
from runs.appeal import appeal
from runs.errors import CannotReplay, NoSuchRun
from runs.files import read_runs
from runs.record import Run
from runs.rows import Filter, Stored
from runs.store import Store
from runs.story import story
from runs.tables import csv_table, number, table


class Refused(Exception):
    """Raised when a command asks for what can't be done; the message is one line."""


def list_runs(store: Store, arguments: argparse.Namespace) -> int:
    """List runs, the newest first."""
    where = filter_of(arguments, finished=False if arguments.unfinished else None)
    found = store.find(where, limit=arguments.limit, offset=arguments.offset)
    if arguments.json:
        rows = [
            {
                "finished": s.finished,
                "updated_at": s.updated_at,
                **json.loads(export.jsonl_line(s.run)),
            }
            for s in found
        ]
        write(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    shape = csv_table if arguments.csv else table
    write(shape(_HEAD, [_listed(s) for s in found]))
    total = store.count(where)
    if arguments.offset + len(found) < total:
        say(f"{len(found)} of {total} runs; more with --limit and --offset")
    elif not found:
        say("no runs" + (" match" if store.count() else " yet"))
    return 0


def show(store: Store, arguments: argparse.Namespace) -> int:
    """Print one run step by step."""
    write(story(wanted(store, arguments.run_id), _arena(arguments)))
    return 0


def replay_runs(store: Store, arguments: argparse.Namespace) -> int:
    """Play runs again; 1 if something differs from what was stored."""
    arena, same, differ, impossible = _arena(arguments), 0, 0, 0
    for run in _chosen(store, arguments, "replay"):
        try:
            found = regrade.replay(run, arena).differences
        except CannotReplay as error:
            impossible += 1
            write(f"{run.run_id}: can't be replayed: {error}")
            continue
        same, differ = same + (not found), differ + bool(found)
        for difference in found:
            write(f"{run.run_id}: {difference}")
    write(f"{same} the same, {differ} different, {impossible} can't be replayed")
    return 1 if differ or impossible else 0


def regrade_runs(store: Store, arguments: argparse.Namespace) -> int:
    """Print the present grader's grades against the stored ones."""
    arena = _arena(arguments)
    every = [regrade.regrade(run, arena) for run in _chosen(store, arguments, "regrade")]
    write(
        table(
            ("run_id", "player", "task", "grader", "old", "new", "change", "note"),
            [
                (
                    r.run.run_id,
                    r.run.player,
                    r.run.task_id,
                    r.run.grader_version,
                    r.run.grade,
                    r.new and r.new.grade,
                    number(r.change, sign=True),
                    r.problem,
                )
                for r in every
            ],
        )
    )
    groups: dict[tuple[str, str], list[regrade.Regraded]] = defaultdict(list)
    for r in every:
        groups[r.run.player, r.run.task_id].append(r)
    means = [(*key, regrade.summary(own)) for key, own in sorted(groups.items())]
    means.append(("all", "all", regrade.summary(every)))
    write(f"\nMeans, then and under grader {GRADER_VERSION}:")
    head = ("player", "task", "runs", "changed", "old", "new", "left out")
    write(
        table(head, [(p, t, s.compared, s.changed, s.old, s.new, s.left_out) for p, t, s in means])
    )
    if arguments.save:
        fresh = [r.new for r in every if r.new is not None]
        for run in fresh:
            store.save(run)
        say(f"{len(fresh)} runs saved with their new grades")
    return 0


def export_runs(store: Store, arguments: argparse.Namespace) -> int:
    """Write runs to a file or to stdout."""
    training = arguments.format in export.TRAINING
    if training and arguments.split is None:
        arguments.split = "train"
        say("only runs on the train split; --split test exports the others")
    where = filter_of(arguments, finished=True, min_grade=arguments.min_grade)
    left_out: list[str] = []
    lines = _lines(store, where, arguments, left_out)
    out: Path | None = arguments.out
    count = _write_file(out, lines) if out else _write_lines(sys.stdout, lines)
    for why in left_out[:10]:
        say(why)
    if len(left_out) > 10:
        say(f"... and {len(left_out) - 10} more")
    say(f"{count - (arguments.format == 'csv')} runs exported, {len(left_out)} left out")
    return 0


def import_files(store: Store, arguments: argparse.Namespace) -> int:
    """Add runs from JSONL files: all of them, or after a bad line none."""
    for path in arguments.files:
        if not path.is_file():
            raise Refused(f"{path}: no such file")
    runs = [run for path in arguments.files for run in read_runs(path)]
    done = store.import_runs(tqdm(runs, desc="import", unit="run", disable=None))
    write(f"{done.added} runs added, {done.known} were there already")
    for run_id in done.conflicts:
        say(f"{run_id}: another run is stored under this id; it stays, this one was left out")
    return 1 if done.conflicts else 0


def delete_runs(store: Store, arguments: argparse.Namespace) -> int:
    """Delete runs by id; none where one of the ids is unknown."""
    for run_id in arguments.run_id:
        wanted(store, run_id)
    for run_id in dict.fromkeys(arguments.run_id):
        store.delete(run_id)
    write(f"{len(set(arguments.run_id))} runs deleted")
    return 0


def appeal_run(store: Store, arguments: argparse.Namespace) -> int:
    """Write an appeal file."""
    stored = wanted(store, arguments.run_id)
    if not stored.finished:
        raise Refused(f"run {arguments.run_id!r} is unfinished: it has no grade yet")
    case = appeal(stored.run, _arena(arguments))
    _write_file(arguments.out, [json.dumps(case, ensure_ascii=False, indent=2)])
    say(f'written to {arguments.out}; say what is wrong under "claim"')
    return 0


def filter_of(arguments: argparse.Namespace, **more: Any) -> Filter:
    """The filter that the common arguments name."""
    return Filter(
        task=arguments.task,
        player=arguments.player,
        kind=arguments.kind,
        split=arguments.split,
        item=arguments.item,
        data_version=arguments.data_version,
        grader_major=arguments.grader_major,
        failed_only=arguments.failed,
        **more,
    )


def wanted(store: Store, run_id: str) -> Stored:
    """The run with this id.

    Raises:
        NoSuchRun: there is none.
    """
    found = store.get(run_id)
    if found is None:
        raise NoSuchRun(run_id)
    return found


def write(text: str) -> None:
    """A line or more to stdout."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """A line to stderr."""
    sys.stderr.write(text + "\n")


_HEAD = ("run_id", "state", "kind", "player", "task", "split", "seed", "item", "steps", "grade",
         "stop", "data", "grader", "updated")  # fmt: skip


def _listed(stored: Stored) -> tuple[Any, ...]:
    run = stored.run
    return (
        run.run_id,
        "finished" if stored.finished else "unfinished",
        run.kind,
        run.player,
        run.task_id,
        run.split,
        run.seed,
        run.item_id,
        len(run.actions),
        run.grade,
        (run.stop + (" (partial)" if run.partial else "")) if stored.finished else None,
        run.data_version,
        run.grader_version,
        stored.updated_at,
    )


def _chosen(store: Store, arguments: argparse.Namespace, doing: str) -> Iterator[Run]:
    """The runs with the given ids, or all finished ones that match."""
    if arguments.run_id:
        yield from [wanted(store, run_id).run for run_id in arguments.run_id]
        return
    where = filter_of(arguments, finished=True)
    every = (stored.run for stored in store.each(where))
    yield from tqdm(every, desc=doing, unit="run", total=store.count(where), disable=None)


def _arena(arguments: argparse.Namespace) -> Arena:
    path: Path | None = arguments.csv_data
    if path is None:
        return engine.default_arena()
    catalog, _ = import_with(path, arguments)
    return engine.arena(catalog)


def _lines(
    store: Store, where: Filter, arguments: argparse.Namespace, left_out: list[str]
) -> Iterator[str]:
    arena = _arena(arguments)
    runs = tqdm(
        (stored.run for stored in store.each(where)),
        desc="export",
        unit="run",
        total=store.count(where),
        disable=None,
    )
    if arguments.format == "csv":
        yield from export.csv_lines(runs)
        return
    for run in runs:
        if arguments.format == "jsonl":
            yield export.jsonl_line(run)
        elif run.grade is None or run.partial:
            left_out.append(f"{run.run_id}: it has no whole grade")
        else:
            try:
                yield export.training_line(arguments.format, run, arena)
            except CannotReplay as error:
                left_out.append(f"{run.run_id}: {error}")


def _write_file(path: Path, lines: Iterable[str]) -> int:
    """Write a file whole, or leave what was there."""
    if path.is_dir() or not path.parent.is_dir():
        raise Refused(f"--out {path} can't be written: name a file in a folder that exists")
    growing = path.with_name(f"{path.name}.part")
    try:
        with growing.open("w", encoding="utf-8", newline="\n") as out:
            count = _write_lines(out, lines)
        os.replace(growing, path)
    finally:
        growing.unlink(missing_ok=True)
    return count


def _write_lines(out: Any, lines: Iterable[str]) -> int:
    count = 0
    for line in lines:
        out.write(line + "\n")
        count += 1
    return count
