"""The audit's checks on the engine pass on the product and fail on an engine that is rigged."""

from __future__ import annotations

import itertools
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from env import episode as engine
from env.environment import SupportOpsEnvironment
from env.episode import Episode
from policies.audit_digest import digests
from policies.audit_subject import run_elsewhere
from supportops_env.models import SupportAction
from tests.policies.rigged import (
    CLASSIFYING,
    EASY,
    MEDIUM,
    ground,
    only,
    product,
    rows,
    statuses,
    stepping,
    with_last,
)

CHECKS = ["seed_control", "episode_determinism", "episode_isolation", "replayability"]


@pytest.mark.parametrize("check", CHECKS)
def test_the_product_passes(check: str) -> None:
    assert statuses(check, ground(EASY, "priority_sorting")) == {"PASS"}


def test_a_seed_that_chooses_nothing_fails() -> None:
    def deaf(task: str, split: Any, seed: int, *rest: Any, **named: Any) -> Episode:
        return replace(engine.start(task, split, 0, *rest, **named), seed=seed)

    assert "1 episodes" in only(rows("seed_control", ground(EASY, start=deaf))).measured
    assert statuses("seed_control", ground(EASY, start=deaf)) == {"FAIL"}


def test_a_seed_that_is_not_kept_to_fails() -> None:
    drawn = itertools.count()

    def moody(task: str, split: Any, seed: int, *rest: Any, **named: Any) -> Episode:
        return engine.start(task, split, next(drawn), *rest, **named)

    assert statuses("seed_control", ground(EASY, start=moody)) == {"FAIL"}


def test_an_observation_that_counts_calls_is_not_deterministic() -> None:
    calls = itertools.count()
    rigged = stepping(lambda e: with_last(e, feedback=f"Call {next(calls)}."))
    assert statuses("episode_determinism", ground(EASY, step=rigged)) == {"FAIL"}


def test_one_global_episode_is_not_isolated() -> None:
    held: list[Episode] = []

    def begin(*arguments: Any, **named: Any) -> Episode:
        held[:] = [engine.start(*arguments, **named)]
        return held[0]

    def step(_: Episode, action: SupportAction) -> Episode:
        held[:] = [engine.step(held[0], action)]
        return held[0]

    assert statuses("episode_isolation", ground(EASY, start=begin, step=step)) == {"FAIL"}


def test_sessions_that_share_an_episode_are_not_isolated() -> None:
    shared = SupportOpsEnvironment()
    row = only(rows("episode_isolation", ground(EASY, make_environment=lambda: shared)))
    assert row.status == "FAIL"


def test_a_start_that_varies_can_not_be_replayed() -> None:
    turn = itertools.cycle((0, 1))

    def varying(task: str, split: str, seed: int, index: int, **named: Any) -> Episode:
        return engine.start(task, split, seed, next(turn), **named)

    assert statuses("replayability", ground(EASY, start=varying)) == {"FAIL"}


def test_other_processes_grade_the_same() -> None:
    assert run_elsewhere((MEDIUM,), 42, 5) == digests(product(), (MEDIUM,), 42)


def test_a_process_that_grades_otherwise_fails() -> None:
    rigged = ground(CLASSIFYING, elsewhere=lambda tasks, *_: {t: "0" * 64 for t in tasks})
    assert "hash seed 1" in only(rows("verifier_determinism", rigged)).worst
    assert statuses("verifier_determinism", rigged) == {"FAIL"}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RuntimeError("exit 1: it crashed"), "FAIL"),
        (OSError("no more processes"), "SKIP"),
        (subprocess.TimeoutExpired("python", 300), "SKIP"),
    ],
)
def test_a_process_that_ends_badly(error: Exception, status: str) -> None:
    def failing(*_: Any) -> dict[str, str]:
        raise error

    row = only(rows("verifier_determinism", ground(CLASSIFYING, elsewhere=failing)))
    assert row.status == status
    assert str(error) in row.reason


def test_data_that_others_do_not_have_is_skipped() -> None:
    own = engine.arena(engine.builtin_arena().catalog)
    row = only(rows("verifier_determinism", ground(CLASSIFYING, arena=own)))
    assert (row.status, bool(row.reason)) == ("SKIP", True)
