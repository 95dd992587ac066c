"""The command line of inference.py, and what of it can't be."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

from data.importing import arguments as importing
from env import episode as engine
from env.settings import Settings
from env.tasks import BY_ID
from policies.prompt import MODES
from policies.scripted import POLICIES
from supportops_env.models import Distractors, KnowledgeMode, Twist


def parser() -> argparse.ArgumentParser:
    """All arguments of inference.py."""
    made = argparse.ArgumentParser(
        prog="inference.py",
        description="Play support tickets with a model or a policy; the strict log goes to stdout,"
        " everything else to stderr. The model: API_BASE_URL, MODEL_NAME, and a key in API_KEY,"
        " HF_TOKEN or OPENAI_API_KEY (for a server that asks for none, any word).",
        epilog="Exit code: 0 all was played, 1 something failed or scored too low, 2 asked for the"
        " impossible, 130 interrupted (143 by SIGTERM). Runs are kept in the store that"
        " `python -m runs` shows.",
    )
    _what(made)
    _model(made)
    _results(made)
    return made


def _what(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("what is played")
    group.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="your own tickets (CSV, TSV, JSON, JSON lines, .xlsx): A's three tasks, and"
        " classification where no answer can grade a reply. What becomes of them:"
        " python -m data.importing FILE",
    )
    importing.add_arguments(group)
    group.add_argument("--limit-per-task", type=_count, metavar="N", help="at most N items a task")
    group.add_argument("--tasks", metavar="A,B", help=f"of {', '.join(BY_ID)}; default: all")
    group.add_argument(
        "--split",
        choices=engine.EVERY_SPLIT,
        default="test",
        help="default: test; endless: tickets made from the seed, --limit-per-task of them",
    )
    group.add_argument(
        "--distractors",
        type=int,
        choices=get_args(Distractors),
        default=0,
        help="articles in the way of a search; default: 0",
    )
    group.add_argument("--twist", choices=get_args(Twist), help="what makes endless tickets harder")
    group.add_argument(
        "--knowledge",
        choices=get_args(KnowledgeMode),
        default="search",
        help="how the articles are reached: search, golden (the labelled ones are given), full (all"
        " are given), none; default: search",
    )
    group.add_argument("--seeds", type=_count, default=1, metavar="N", help="each item N times")
    group.add_argument("--offline", action="store_true", help="no network: the keyword policy")
    group.add_argument("--policy", choices=sorted(POLICIES), help="play a scripted policy")
    group.add_argument("--server", metavar="URL", help="play on a server (or set ENV_BASE_URL)")


def _model(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("how a model plays")
    group.add_argument(
        "--mode",
        choices=MODES,
        default="plan",
        help="plan: a search with the ticket's subject where the task has one, then one call for"
        " all other actions; agent: one call per step. Default: plan",
    )
    group.add_argument(
        "--concurrency", type=_count, default=1, metavar="N", help="episodes at once; default: 1"
    )
    group.add_argument(
        "--timeout",
        type=_amount,
        default=60.0,
        metavar="S",
        help="seconds for a call; an episode has ten times that. Default: 60",
    )
    group.add_argument(
        "--retries",
        type=_whole,
        default=4,
        metavar="N",
        help="times a call is tried again after 429, 5xx or a time-out; default: 4",
    )
    group.add_argument(
        "--max-tokens", type=_count, default=1500, metavar="N", help="an answer's; default: 1500"
    )
    group.add_argument(
        "--max-tokens-total",
        type=_count,
        metavar="N",
        help="stop once N tokens are used, in and out",
    )
    group.add_argument("--price-in", type=_price, metavar="USD", help="per million tokens read")
    group.add_argument("--price-out", type=_price, metavar="USD", help="per million tokens written")
    group.add_argument(
        "--max-cost", type=_amount, metavar="USD", help="stop once that is spent; needs both prices"
    )


def _results(made: argparse.ArgumentParser) -> None:
    group = made.add_argument_group("what comes of it")
    group.add_argument("--out", type=Path, metavar="FILE", help="write the runs as JSON lines")
    group.add_argument(
        "--resume", action="store_true", help="play only what --out FILE does not hold yet"
    )
    group.add_argument(
        "--min-score",
        type=_share,
        metavar="X",
        help="exit 1 if the mean over the tasks' mean scores is below X (0 to 1)",
    )
    group.add_argument("--junit", type=Path, metavar="FILE", help="write results as JUnit XML")


def problem(arguments: argparse.Namespace, server: str | None, settings: Settings) -> str | None:
    """What the arguments and settings ask for that can't be, in one line; None if nothing."""
    modelled = not arguments.offline and not arguments.policy
    return (
        (_model_problem(arguments, settings) if modelled else None)
        or _server_problem(arguments, server)
        or _file_problem(arguments)
        or _task_problem(arguments)
        or _ground_problem(arguments)
    )


def names(tasks: str | None) -> list[str]:
    """The tasks of a comma-separated list."""
    return [t.strip() for t in (tasks or "").split(",") if t.strip()]


def _model_problem(arguments: argparse.Namespace, settings: Settings) -> str | None:
    key = (settings.model_key or "").strip()
    if not key:
        return (
            "no model key: set API_KEY, HF_TOKEN or OPENAI_API_KEY,"
            " or play without a model: --offline or --policy NAME"
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        return "the model key holds spaces or signs that no key has; set it anew"
    where = urlsplit(settings.api_base_url)
    if where.scheme not in ("http", "https") or not where.hostname:
        return "API_BASE_URL must be an address such as https://api.openai.com/v1"
    if not settings.model_name.strip():
        return "MODEL_NAME is empty; set it to a model that the server has"
    if len(key) >= 8 and key in settings.model_name:  # every [START] line would show it
        return "MODEL_NAME holds the model key; set it to a model that the server has"
    if arguments.max_cost is not None and None in (arguments.price_in, arguments.price_out):
        return "--max-cost needs prices: add --price-in and --price-out (USD per million tokens)"
    return None


def _server_problem(arguments: argparse.Namespace, server: str | None) -> str | None:
    if server and arguments.csv:
        return "--csv plays in process; a server has its own tickets. Leave out --server"
    if server and arguments.policy == "oracle":
        return "--policy oracle reads labels, which a server never gives. Leave out --server"
    return None


def _file_problem(arguments: argparse.Namespace) -> str | None:
    if not arguments.csv and (arguments.map or arguments.map_category or arguments.kb):
        return "--map, --map-category and --kb say how --csv FILE is read; add --csv FILE"
    if arguments.resume and not arguments.out:
        return "--resume needs --out FILE, which holds what was played"
    for name in ("out", "junit"):
        path = getattr(arguments, name)
        if path and (path.is_dir() or not path.parent.is_dir()):
            return f"--{name} {path} can't be written: name a file in a folder that exists"
    return None


def _task_problem(arguments: argparse.Namespace) -> str | None:
    unknown = [t for t in names(arguments.tasks) if t not in BY_ID]
    return f"unknown task {unknown[0]!r}; valid: {', '.join(BY_ID)}" if unknown else None


def _ground_problem(arguments: argparse.Namespace) -> str | None:
    if arguments.split == engine.ENDLESS and arguments.csv:
        return "--split endless plays the shipped company. Leave out --csv"
    if arguments.split == engine.ENDLESS and not arguments.limit_per_task:
        return "--split endless has no end: add --limit-per-task N"
    if arguments.twist and arguments.split != engine.ENDLESS:
        return "--twist is for endless tickets: add --split endless --limit-per-task N"
    if arguments.twist and "priority_sorting" in names(arguments.tasks):
        return "--twist is for single tickets. Leave priority_sorting out of --tasks"
    if arguments.distractors and arguments.knowledge != "search":
        return "--distractors stand in the way of a search; --knowledge leaves none"
    if arguments.distractors and arguments.csv:
        return "--distractors stand among the shipped articles. Leave out --csv"
    return None


def _count(text: str) -> int:
    if _whole(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number, 1 or more")
    return int(text)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError("must be a whole number")
    return int(text)


def _price(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (math.isfinite(number) and number >= 0):
        raise argparse.ArgumentTypeError("must be a number, 0 or more")
    return number


def _amount(text: str) -> float:
    if _price(text) == 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return float(text)


def _share(text: str) -> float:
    if _price(text) > 1:
        raise argparse.ArgumentTypeError("must be between 0 and 1")
    return float(text)
