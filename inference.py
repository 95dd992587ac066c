"""Plays the tasks with a model or a policy, and prints the strict log. `python inference.py --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from pydantic import ValidationError

from data.command import READER_LEFT, exit_code_of
from data.errors import DataError
from data.importing import Limits, builtin_or, default_tasks
from data.importing.arguments import import_with
from data.importing.report import summary as summary_of_import
from env import episode as engine
from env.episode import Arena
from env.settings import Settings, get_settings
from env.tasks import FAMILIES
from policies import options, summary
from policies.base import Policy
from policies.bench import Assignment, Bench, Played
from policies.budget import Budget
from policies.chat_model import ChatModel
from policies.game import Game, LocalGame, RemoteGame
from policies.junit import write_junit
from policies.llm import LlmPlayers
from policies.log import ReaderLeft, StrictLog
from policies.model_errors import redact
from policies.prompt import load
from policies.runner import Runner
from policies.scripted import POLICIES
from policies.stopping import Stop, stoppable
from runs.errors import StoreError
from runs.files import GrowingFile
from runs.played import Keeper, Who
from runs.store import Store, open_store
from supportops_env.client import ServerError
from supportops_env.models import Knobs

SEED = 42


def main(argv: Sequence[str] | None = None) -> int:
    """Play, and return the exit code; `--help` lists them."""
    arguments = options.parser().parse_args(argv)
    try:
        settings = get_settings()
    except ValidationError as error:
        first = error.errors()[0]
        return _refuse(f"setting {str(first['loc'][0]).upper()}: {first['msg']}")
    problem = options.problem(arguments, arguments.server or settings.env_base_url, settings)
    return _refuse(problem) if problem else _bench(arguments, settings)


def _bench(arguments: argparse.Namespace, settings: Settings) -> int:
    server = arguments.server or settings.env_base_url
    try:
        arena = _arena(arguments, settings)
        wanted = _assignments(arguments, arena)
        if not wanted:
            return _refuse("nothing to play: no ticket has what these tasks need")
        game: Game = RemoteGame(server) if server else LocalGame(arena)
    except DataError as error:
        return _refuse(str(error))
    except (ConnectionError, ValueError) as error:
        return _refuse(f"{redact(str(error))}; is the server up? start one with: uvicorn app:app")
    with closing(game), open_store(settings) as store, stoppable() as stop:
        file = GrowingFile(arguments.out) if arguments.out else None
        keeper = Keeper(_who(arguments, settings), file, _usable(store), _say)
        try:
            known = _known(arguments, keeper, game, wanted, None if server else arena)
        except (DataError, OSError, ServerError) as error:
            return _refuse(str(error))
        before = {p.assignment for p in known}
        waiting = [a for a in wanted if a not in before]
        if keeper.who.model:
            runner = _runner(arguments, settings, server, arena, keeper)
            results, stopped, interrupted = runner.play(waiting), runner.stopped, runner.interrupted
            stop.code = READER_LEFT if runner.reader_left else stop.code
        else:
            results, interrupted = _play_scripted(keeper, game, waiting, stop)
            stopped = "stopped" if interrupted else ""
        keeper.close(wanted)
    rank = {assignment: place for place, assignment in enumerate(wanted)}
    results = sorted([*known, *results], key=lambda p: rank[p.assignment])
    for line in summary.lines(results, len(wanted), stopped):
        _say(line)
    code = summary.exit_code(results, len(wanted), arguments.min_score)
    if arguments.junit:
        code = max(code, _junit(arguments.junit, keeper.who, results))
    return stop.code if interrupted else code


def _usable(store: Store) -> Store | None:
    """The store, where it keeps what it is given."""
    try:
        if store.kept == "file":
            return store
        _say(f"runs could not be kept: {store.problem}")
    except StoreError as error:
        _say(f"runs could not be kept: {error}")
    return None


def _known(
    arguments: argparse.Namespace,
    keeper: Keeper,
    game: Game,
    wanted: Sequence[Assignment],
    arena: Arena | None,
) -> list[Played]:
    """What was played already, where that is asked for."""
    if keeper.file is None:
        return []
    if not (arguments.resume and keeper.file.path.exists()):
        keeper.file.begin()
        return []
    a = wanted[0]
    game.reset(a.task_id, a.split, a.seed, a.index, a.knobs)
    state = game.state()
    return keeper.resume(wanted, (state.data_version, state.grader_version), arena)


def _junit(path: Path, who: Who, results: Sequence[Played]) -> int:
    try:
        write_junit(path, who.model or who.policy, results)
    except OSError as error:
        _say(f"--junit {path} can't be written ({error.strerror})")
        return summary.FAILED
    return summary.OK


def _who(arguments: argparse.Namespace, settings: Settings) -> Who:
    if arguments.offline or arguments.policy:
        return Who(arguments.policy or "keyword")
    return Who("llm", settings.model_name.strip(), load(arguments.mode).version)


def _play_scripted(
    keeper: Keeper, game: Game, waiting: Sequence[Assignment], stop: Stop
) -> tuple[list[Played], bool]:
    name = keeper.who.policy
    bench = Bench(game, lambda g: _policy(name, g), name, StrictLog(sys.stdout), keeper)
    try:
        return bench.play(waiting), False
    except ReaderLeft:
        stop.code = READER_LEFT
    except KeyboardInterrupt:
        pass
    return bench.results, True


def _runner(
    arguments: argparse.Namespace,
    settings: Settings,
    server: str | None,
    arena: Arena,
    keeper: Keeper,
) -> Runner:
    model = ChatModel(
        settings.api_base_url,
        (settings.model_key or "").strip(),
        settings.model_name.strip(),
        timeout_s=arguments.timeout,
        retries=arguments.retries,
        max_tokens=arguments.max_tokens,
        notice=_say,
    )
    budget = Budget(
        arguments.max_tokens_total, arguments.max_cost, arguments.price_in, arguments.price_out
    )
    return Runner(
        lambda: RemoteGame(server) if server else LocalGame(arena),
        LlmPlayers(model, load(arguments.mode), budget),
        model.name,
        sys.stdout,
        concurrency=arguments.concurrency,
        episode_s=10 * arguments.timeout,
        listener=keeper,
    )


def _arena(arguments: argparse.Namespace, settings: Settings) -> Arena:
    if arguments.csv is None:
        return engine.default_arena()
    path, notice = builtin_or(arguments.csv)
    if notice:
        _say(notice)
    limits = Limits(settings.import_max_bytes, settings.import_max_tickets)
    catalog, report = import_with(path, arguments, limits)
    for line in summary_of_import(str(path), report):
        _say(line)
    if not any(report.tasks.values()):
        raise DataError(str(path), report.why_nothing())
    return engine.arena(catalog)


def _assignments(arguments: argparse.Namespace, arena: Arena) -> list[Assignment]:
    every = default_tasks(arena.catalog) if arguments.csv else tuple(f.id for f in FAMILIES)
    wanted = options.names(arguments.tasks) or [
        task for task in every if not arguments.twist or task != "priority_sorting"
    ]
    split = "test" if arguments.csv else arguments.split
    tasks = [f.id for f in FAMILIES if f.id in wanted]
    knobs = Knobs(
        distractors=arguments.distractors, twist=arguments.twist, knowledge=arguments.knowledge
    )
    if split == engine.ENDLESS:
        seeds = range(SEED, SEED + arguments.limit_per_task * arguments.seeds)
        return [Assignment(task, split, seed, 0, knobs) for task in tasks for seed in seeds]
    return [
        Assignment(task, split, SEED + repeat, index, knobs)
        for task in tasks
        for index in range(len(arena.catalog.ids(task, split)))[: arguments.limit_per_task]
        for repeat in range(arguments.seeds)
    ]


def _policy(name: str, game: Game) -> Policy:
    episode = game.episode if isinstance(game, LocalGame) else None
    if episode is None:
        episode = engine.start(seed=SEED)  # scripted policies other than the oracle ignore it
    return POLICIES[name](episode)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _refuse(text: str) -> int:
    _say(f"inference.py: {text}")
    return 2


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
