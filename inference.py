"""Plays the tasks with a policy and prints the strict log. `python inference.py --help`."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from data import catalog as catalogs
from data.errors import DataError
from data.importing import CSV_TASKS, builtin_or, import_csv
from env import episode as engine
from env.episode import Arena
from env.settings import Settings, get_settings
from env.tasks import BY_ID, FAMILIES
from policies.base import Policy
from policies.bench import Assignment, Bench, Played
from policies.game import Game, LocalGame, RemoteGame
from policies.log import StrictLog
from policies.scripted import POLICIES
from runs.baselines import write_runs
from runs.record import record

SEED = 42


def main(argv: Sequence[str] | None = None) -> int:
    """Play, and return the exit code: 0 played, 1 something failed, 2 asked for the impossible."""
    arguments = _parser().parse_args(argv)
    try:
        settings = get_settings()
    except ValidationError as error:
        first = error.errors()[0]
        return _refuse(f"setting {str(first['loc'][0]).upper()}: {first['msg']}")
    server = arguments.server or settings.env_base_url
    problem = _problem(arguments, server, settings)
    if problem:
        return _refuse(problem)
    try:
        arena = _arena(arguments.csv)
        assignments = _assignments(arguments, arena)
    except DataError as error:
        return _refuse(str(error))
    if not assignments:
        return _refuse("nothing to play: no ticket has what these tasks need")
    try:
        game: Game = RemoteGame(server) if server else LocalGame(arena)
    except (ConnectionError, ValueError) as error:
        return _refuse(f"{error}; is the server up? start one with: uvicorn app:app")
    name = arguments.policy or "keyword"
    bench = Bench(game, lambda g: _policy(name, g), name, StrictLog(sys.stdout))
    try:
        results = bench.play(assignments)
    except KeyboardInterrupt:
        results = bench.results
        _say("stopped")
    finally:
        game.close()
    return _close(results, name, arguments.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="inference.py",
        description="Play support tickets with a policy; the strict log goes to stdout,"
        " everything else to stderr.",
    )
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="play your own tickets (A's three tasks)"
    )
    parser.add_argument(
        "--limit-per-task", type=_positive, metavar="N", help="at most N items a task"
    )
    parser.add_argument("--tasks", metavar="A,B", help=f"of {', '.join(BY_ID)}; default: all")
    parser.add_argument("--split", choices=engine.SPLITS, default="test", help="default: test")
    parser.add_argument(
        "--seeds", type=_positive, default=1, metavar="N", help="play each item N times"
    )
    parser.add_argument("--offline", action="store_true", help="no network: the keyword policy")
    parser.add_argument("--policy", choices=sorted(POLICIES), help="play a scripted policy")
    parser.add_argument("--server", metavar="URL", help="play on a server (or set ENV_BASE_URL)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the runs as JSON lines")
    return parser


def _problem(arguments: argparse.Namespace, server: str | None, settings: Settings) -> str | None:
    if not arguments.offline and not arguments.policy:
        if settings.model_key is None:
            return (
                "no model key: set API_KEY, HF_TOKEN or OPENAI_API_KEY,"
                " or play without a model: --offline or --policy NAME"
            )
        return "playing a model is not possible in this version; use --offline or --policy NAME"
    if server and arguments.csv:
        return "--csv plays in process; a server has its own tickets. Leave out --server"
    if server and arguments.policy == "oracle":
        return "--policy oracle reads labels, which a server never gives. Leave out --server"
    if server and arguments.out:
        return "--out keeps runs played in process. Leave out --server"
    if arguments.out and (arguments.out.is_dir() or not arguments.out.parent.is_dir()):
        return f"--out {arguments.out} can't be written: name a file in a folder that exists"
    unknown = [t for t in _names(arguments.tasks) if t not in BY_ID]
    if unknown:
        return f"unknown task {unknown[0]!r}; valid: {', '.join(BY_ID)}"
    return None


def _arena(csv: Path | None) -> Arena:
    if csv is None:
        return engine.builtin_arena()
    path, notice = builtin_or(csv)
    if notice:
        _say(notice)
    catalog, report = import_csv(path, catalogs.builtin())
    _say(f"{path}: {report.rows} tickets, {len(report.skipped)} rows skipped")
    for line, why in report.skipped[:10]:
        _say(f"  line {line}: {why}")
    for task in CSV_TASKS:
        if not catalog.ids(task, "test"):
            _say(f"  {task} is left out: no row has the labels it needs")
    return engine.arena(catalog)


def _assignments(arguments: argparse.Namespace, arena: Arena) -> list[Assignment]:
    wanted = _names(arguments.tasks) or [f.id for f in FAMILIES]
    split = "test" if arguments.csv else arguments.split
    return [
        Assignment(task, split, SEED + repeat, index)
        for task in (f.id for f in FAMILIES if f.id in wanted)
        for index in range(len(arena.catalog.ids(task, split)))[: arguments.limit_per_task]
        for repeat in range(arguments.seeds)
    ]


def _policy(name: str, game: Game) -> Policy:
    episode = game.episode if isinstance(game, LocalGame) else None
    if episode is None:
        episode = engine.start(seed=SEED)  # scripted policies other than the oracle ignore it
    return POLICIES[name](episode)


def _close(results: Sequence[Played], name: str, out: Path | None) -> int:
    by_task: dict[str, list[float]] = {}
    for played in results:
        if played.error:
            _say(f"{played.assignment.task_id} {played.assignment.index}: {played.error}")
        by_task.setdefault(played.assignment.task_id, []).append(played.score)
    for task, scores in by_task.items():
        _say(f"{task}: mean {statistics.fmean(scores):.3f} over {len(scores)} episodes")
    if out is not None:
        kept = [p.episode for p in results if p.episode is not None and not p.error]
        ids = (f"{name}-{e.family.id}-{e.split}-{e.seed}-{e.index}" for e in kept)
        write_runs(out, [record(e, i, "policy", name) for e, i in zip(kept, ids, strict=True)])
    return 1 if any(p.error for p in results) else 0


def _names(tasks: str | None) -> list[str]:
    return [t.strip() for t in (tasks or "").split(",") if t.strip()]


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more")
    return int(text)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _refuse(text: str) -> int:
    _say(f"inference.py: {text}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
