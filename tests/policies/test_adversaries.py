"""Adversaries and the retrieval policy see observations only; what they do is fixed."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import policies
from data.schema import CATEGORIES, PRIORITIES
from env import episode as engine
from env.tasks import BY_ID, FAMILIES
from env.view import dump_action
from policies.adversaries import REPLY_TASKS, SORTERS, adversaries
from policies.audit_leaks import relabelled
from policies.audit_play import make_policy
from policies.base import play
from policies.scripted import POLICIES

TASKS = [f.id for f in FAMILIES]
BLIND = ("adversaries.py", "retrieval.py", "rewording.py")
NAMED = {
    "silent", "polite-empty", "shot-gun", "keyword-stuffer", "kb-paster", "always-escalate",
    "never-escalate", "injection", "loop",
}  # fmt: skip


@pytest.mark.parametrize("name", BLIND)
def test_nothing_that_holds_labels_is_imported(name: str) -> None:
    tree = ast.parse((Path(policies.__file__).parent / name).read_text(encoding="utf-8"))
    modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
    modules |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    ours = {m for m in modules if m.split(".")[0] in ("data", "env", "graders", "policies", "runs")}
    assert ours <= {"data.schema", "env.tasks", "policies.base", "policies.rewording"}


@pytest.mark.parametrize("task", TASKS)
def test_other_labels_change_nothing_that_is_done(task: str) -> None:
    own = engine.builtin_arena()
    for split in engine.SPLITS:
        starts = [engine.start(task, split, 3, 1, arena=a) for a in (own, relabelled(own))]
        for name in (*adversaries(task), "retrieval", "keyword"):
            one, two = (play(make_policy(name, s, 3), s) for s in starts)
            assert [s.action for s in one.steps] == [s.action for s in two.steps], name


@pytest.mark.parametrize("task", TASKS)
def test_every_adversary_ends_every_episode_with_actions_of_the_task(task: str) -> None:
    for name, make in adversaries(task).items():
        start = engine.start(task, "train", 0, 0)
        ended = play(make(), start)
        assert ended.done, name
        kinds = {s.action.action_type for s in ended.steps}
        assert kinds <= set(BY_ID[task].actions), name


def test_all_named_adversaries_are_there() -> None:
    for task in REPLY_TASKS:
        assert set(adversaries(task)) >= NAMED
    assert set(adversaries("ticket_classification")) >= {f"constant:{c}" for c in CATEGORIES}
    sorting = set(adversaries("priority_sorting"))
    assert sorting >= {f"constant:{p}" for p in PRIORITIES} | {"first-shown-order", *SORTERS}
    assert set(SORTERS) == {"sort-by-sla", "sort-by-tier", "sort-by-sentiment"}


def test_sorters_sort_by_what_they_are_called() -> None:
    start = engine.start("priority_sorting", "train", 5, 0)
    tickets = {i: start.arena.catalog.tickets[i] for i in start.world.ticket_ids}
    order = [
        s.action.payload["ticket_id"]
        for s in play(adversaries("priority_sorting")["sort-by-sla"](), start).steps
    ]
    hours = [tickets[i].sla_hours for i in order]
    assert hours == sorted(hours)


def test_a_tier_that_is_not_known_sorts_last() -> None:
    own = engine.builtin_arena()
    catalog = own.catalog
    odd = {i: c.model_copy(update={"tier": "Platinum"}) for i, c in catalog.customers.items()}
    arena = replace(own, catalog=replace(catalog, customers=odd))
    start = engine.start("priority_sorting", "train", 5, 0, arena=arena)
    assert play(adversaries("priority_sorting")["sort-by-tier"](), start).done


def test_retrieval_beats_keyword_in_every_family_and_by_far_in_all() -> None:
    catalog = engine.builtin_arena().catalog
    means: dict[str, dict[str, float]] = {}
    for task in TASKS:
        starts = [
            engine.start(task, s, 42, i)
            for s in engine.SPLITS
            for i in range(len(catalog.ids(task, s)))
        ]
        for name in ("keyword", "retrieval"):
            grades = [play(POLICIES[name](s), s).grade or 0.0 for s in starts]
            means.setdefault(name, {})[task] = sum(grades) / len(grades)
    assert all(means["retrieval"][t] > means["keyword"][t] for t in TASKS), means
    assert sum(means["retrieval"].values()) > 1.3 * sum(means["keyword"].values()), means


def test_retrieval_says_the_same_twice() -> None:
    start = engine.start("draft_response", "test", 1, 0)
    plays = [[dump_action(s.action) for s in play(POLICIES["retrieval"](start), start).steps]] * 2
    assert plays[0] == plays[1]
