"""Target 2: the pure engine, without a server."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

from bench import scripts
from bench.figures import Figure
from env import episode as engine
from env.episode import Episode
from graders import tasks
from supportops_env.models import SupportAction

_GROUP = "2 engine"


def measure(rounds: int, repeats: int, tick: Callable[[], object]) -> list[Figure]:
    """Each figure is the median of `repeats` calls, in each round."""
    makers: list[tuple[str, str, float, Callable[[int], float]]] = [
        ("start", "μs", 100, _starts),
        ("step, no reply graded", "μs", 60, _steps),
        ("last step, 500 characters graded", "ms", 1.5, _replies),
        ("grading 100,000 characters", "ms", 50, _long_replies),
        ("replay of 15 actions", "ms", 5, _replays),
    ]
    measured: dict[str, list[float]] = {name: [] for name, *_ in makers}
    for number in range(rounds):
        for name, unit, _, make in makers:
            scale = 1e6 if unit == "μs" else 1e3
            measured[name].append(
                scale * median(make(number * repeats + n) for n in range(repeats))
            )
        tick()
    return [Figure(_GROUP, n, u, tuple(measured[n]), ("≤", bound)) for n, u, bound, _ in makers]


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _starts(seed: int) -> float:
    task = scripts.TASKS[seed % 2]
    return _timed(lambda: engine.start(task, "train", seed))


def _steps(seed: int) -> float:
    episode, first, _ = _played(seed)
    return _timed(lambda: engine.step(episode, first))


def _replies(seed: int) -> float:
    episode, first, reply = _played(seed)
    episode = engine.step(episode, first)
    text = " ".join(reply.text.split())[:500]
    last = reply.model_copy(update={"content": text})
    return _timed(lambda: engine.step(episode, last))


def _long_replies(seed: int) -> float:
    episode, first, reply = _played(seed)
    episode = engine.step(episode, first)
    text = (reply.text + f" {seed} ") * (100_000 // len(reply.text) + 1)
    trace = replace(engine.trace_of(episode), reply=text[:100_000])
    case = engine.case_of(episode)
    return _timed(lambda: tasks.grade(case, trace, 0.0))


def _replays(seed: int) -> float:
    _, _, reply = _played(seed)
    drafts = [
        SupportAction(action_type="draft_response", content=f"{reply.text} {n} {seed}")
        for n in range(15)
    ]
    return _timed(lambda: engine.replay(drafts, "draft_response", "train", seed))


def _played(seed: int) -> tuple[Episode, SupportAction, SupportAction]:
    ((arguments, actions),) = itertools.islice(scripts.episodes(seed), 1)
    first, reply = (SupportAction.model_validate(a) for a in actions)
    return engine.start(arguments["task_id"], "train", arguments["seed"]), first, reply
