"""The command line over the stored runs: `python -m runs --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from data.errors import DataError
from data.importing.arguments import add_arguments
from env.choice import EVERY_SPLIT
from env.errors import SupportOpsError
from env.settings import get_settings
from env.tasks import BY_ID
from runs import commands, study
from runs.commands import Refused
from runs.record import Kind
from runs.store import Store, open_store

_EPILOG = """\
Runs are kept in one file, runs.db, in the folder that SUPPORTOPS_HOME names (by default the user's
data folder). Exit code: 0 done, 1 a replay differs, 2 asked for what can't be done.
An id that begins with "-" goes after "--": python -m runs show -- -id"""

_WRITES = {"import", "delete"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    arguments = parser().parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with _store(arguments) as store:
            code: int = arguments.run(store, arguments)
            return code
    except BrokenPipeError:
        raise  # no refusal: the reader has what it wants
    except KeyboardInterrupt:
        return 130
    except (SupportOpsError, DataError, Refused, OSError) as error:
        return _refuse(str(error))
    except ValidationError as error:
        first = error.errors()[0]
        return _refuse(f"setting {str(first['loc'][0]).upper()}: {first['msg']}")


def parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    top = argparse.ArgumentParser(
        prog="python -m runs",
        description="Look at, replay, re-grade, compare and export the runs that were played.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    filters = _filters()
    some = argparse.ArgumentParser(add_help=False)
    some.add_argument("run_id", nargs="*", metavar="RUN_ID", help="these runs; default: all")
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--csv-data", type=Path, metavar="FILE", help="the tickets it was played on")
    add_arguments(own)

    command = _command(add, "list", commands.list_runs, "list runs, the newest first", filters)
    command.add_argument("--unfinished", action="store_true", help="only runs left unfinished")
    command.add_argument("--limit", type=_count, default=50, metavar="N", help="default: 50")
    command.add_argument("--offset", type=_count, default=0, metavar="N", help="skip the first N")
    _formats(command)

    command = _command(add, "show", commands.show, "print a run step by step, with reasons", own)
    command.add_argument("run_id", metavar="RUN_ID")

    _command(
        add, "replay", commands.replay_runs, "play again and compare with what was stored",
        some, filters, own,
    )  # fmt: skip

    command = _command(
        add, "regrade", commands.regrade_runs, "the present grader's grades against the old",
        some, filters, own,
    )  # fmt: skip
    command.add_argument("--save", action="store_true", help="store the new grades under the ids")

    command = _command(add, "export", commands.export_runs, "write runs to a file", filters, own)
    command.add_argument(
        "--format",
        choices=("jsonl", "sft", "grpo", "csv"),
        default="jsonl",
        help="jsonl: whole, to import again; sft: conversations; grpo: prompts with resets and"
        " rewards; csv: a row a run (default: jsonl)",
    )
    command.add_argument("--min-grade", type=_grade, metavar="G", help="grades of G or more")
    command.add_argument("--out", type=Path, metavar="FILE", help="default: stdout")

    command = _command(add, "stats", study.stats, "means, intervals, pass^k, costs", filters)
    command.add_argument("--baselines", action="store_true", help="with the runs that ship")
    what = command.add_mutually_exclusive_group()
    what.add_argument("--by-category", action="store_true", help="by the ticket's true category")
    what.add_argument(
        "--confusion", choices=("category", "priority"), help="what was true, what was answered"
    )
    what.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="two players on the same episodes"
    )
    _formats(command)

    command = _command(add, "import", commands.import_files, "add runs from JSONL files")
    command.add_argument("files", nargs="+", type=Path, metavar="FILE")

    command = _command(add, "delete", commands.delete_runs, "delete runs")
    command.add_argument("run_id", nargs="+", metavar="RUN_ID")

    command = _command(
        add, "appeal", commands.appeal_run, "write all that is needed to argue about a grade", own
    )
    command.add_argument("run_id", metavar="RUN_ID")
    command.add_argument("--out", type=Path, required=True, metavar="FILE")
    return top


def _command(
    add: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[Store, argparse.Namespace], int],
    about: str,
    *parents: argparse.ArgumentParser,
) -> argparse.ArgumentParser:
    command = add.add_parser(
        name, help=about, description=f"{about[0].upper()}{about[1:]}.", parents=list(parents)
    )
    command.add_argument("--db", type=Path, metavar="FILE", help="another database of runs")
    command.set_defaults(run=run)
    return command


def _filters() -> argparse.ArgumentParser:
    filters = argparse.ArgumentParser(add_help=False)
    group = filters.add_argument_group("filters")
    group.add_argument("--task", choices=tuple(BY_ID), metavar="TASK", help=", ".join(BY_ID))
    group.add_argument("--player", metavar="NAME", help="a model, policy or person")
    group.add_argument("--kind", choices=get_args(Kind))
    group.add_argument("--split", choices=EVERY_SPLIT)
    group.add_argument("--item", metavar="ID", help="a ticket or a ticket set")
    group.add_argument("--data-version", metavar="V")
    group.add_argument("--grader-major", metavar="N", help="major version of the grader")
    group.add_argument("--failed", action="store_true", help="grade below 0.5, or ended by failure")
    return filters


def _formats(command: argparse.ArgumentParser) -> None:
    formats = command.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="as JSON")
    formats.add_argument("--csv", action="store_true", help="as CSV")


def _store(arguments: argparse.Namespace) -> Store:
    """The store that is meant. A file that was named is never set aside or made by reading."""
    path: Path | None = arguments.db
    if path is not None and not path.is_file() and (arguments.command != "import" or path.exists()):
        raise Refused(f"--db {path}: no such file")
    store = open_store(get_settings()) if path is None else Store(path, set_aside=False)
    needs_file = arguments.command in _WRITES or getattr(arguments, "save", False)
    if store.kept == "memory" or (needs_file and store.kept != "file"):
        problem = store.problem
        store.close()
        raise Refused(problem)
    if store.kept == "copy":
        commands.say(store.reason)
    return store


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def _grade(text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = -1.0
    if not 0 <= grade <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return grade


def _refuse(text: str) -> int:
    commands.say(f"python -m runs: {' '.join(text.split())}")
    return 2
