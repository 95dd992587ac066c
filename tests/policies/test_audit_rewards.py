"""The audit's checks on rewards, declarations, shipped files and leaks fail where something is rigged."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env import episode as engine
from env import view
from env.environment import SupportOpsEnvironment
from env.episode import Episode
from env.rubric import SupportRubric
from policies.audit_leaks import relabelled
from policies.audit_subject import ROOT
from supportops_env.models import SupportObservation, SupportState
from tests.policies.rigged import (
    CLASSIFYING,
    EASY,
    MEDIUM,
    Step,
    ending,
    generous,
    ground,
    rows,
    statuses,
    with_last,
)


def test_the_product_passes() -> None:
    on = ground(EASY, played=True)
    for check in ("reward_well_formed", "reward_attribution", "rubric_introspectable"):
        assert statuses(check, on) == {"PASS"}, check
    assert statuses("no_solution_leakage", on) == {"PASS"}


@pytest.mark.parametrize(
    "step",
    [
        ending(generous),
        ending(lambda e: with_last(e, reward=math.nan)),
        ending(lambda e: with_last(e, reward=1.5)),
        ending(lambda e: replace(e, report=None)),
    ],
)
def test_rewards_that_are_no_proper_numbers_fail(step: Step) -> None:
    on = ground(CLASSIFYING, played=True, step=step)
    assert statuses("reward_well_formed", on) == {"FAIL"}


def first_line(episode: Episode, **fields: Any) -> Episode:
    lines = episode.steps[-1].lines
    if not lines:
        return episode
    return with_last(episode, lines=(lines[0].model_copy(update=fields), *lines[1:]))


@pytest.mark.parametrize(
    "step",
    [
        ending(lambda e: with_last(e, lines=())),
        ending(lambda e: first_line(e, reason="")),
        ending(lambda e: first_line(e, kind="advance")),
    ],
)
def test_points_without_a_line_fail(step: Step) -> None:
    on = ground(CLASSIFYING, played=True, step=step)
    assert statuses("reward_attribution", on) == {"FAIL"}


class Opaque(SupportOpsEnvironment):
    """Its rubric was never asked."""

    @property
    def rubric(self) -> SupportRubric:
        return SupportRubric()

    @rubric.setter
    def rubric(self, _: Any) -> None:
        pass


def test_a_rubric_that_shows_no_scores_fails() -> None:
    on = ground("priority_sorting", make_environment=Opaque)
    assert statuses("rubric_introspectable", on) == {"FAIL"}


def test_the_manifest_says_what_is_there() -> None:
    every = ground(*(f.id for f in engine_families()))
    assert statuses("task_declaration_accuracy", every) == {"PASS"}


def engine_families() -> Any:
    from env.tasks import FAMILIES

    return FAMILIES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_steps: 6", "max_steps: 7"),
        ("- id: easy_classify_respond", "- id: easier"),
        ("difficulty: easy", "difficulty: hard"),
        ("tasks:", "chores:"),
        ("declared_task_count", "declared_tasks"),
    ],
)
def test_a_manifest_that_says_otherwise_fails(tmp_path: Path, old: str, new: str) -> None:
    text = (ROOT / "openenv.yaml").read_text(encoding="utf-8")
    changed = tmp_path / "openenv.yaml"
    changed.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert statuses("task_declaration_accuracy", ground(EASY, manifest=changed)) == {"FAIL"}


def test_a_wrong_number_of_tasks_fails(tmp_path: Path) -> None:
    text = (ROOT / "openenv.yaml").read_text(encoding="utf-8")
    changed = tmp_path / "openenv.yaml"
    changed.write_text(text.replace("      test: ", "      test: 1", 1), encoding="utf-8")
    every = ground(*(f.id for f in engine_families()), manifest=changed)
    failed = [r for r in rows("task_declaration_accuracy", every) if r.status == "FAIL"]
    assert [r.task for r in failed] == ["all"]
    assert "test:" in failed[0].worst


def test_canaries_that_get_too_much_fail() -> None:
    assert statuses("canary_floor", ground(MEDIUM)) == {"PASS"}
    assert statuses("canary_floor", ground(MEDIUM, step=ending(generous))) == {"FAIL"}


def test_missing_and_broken_files_are_skipped(tmp_path: Path) -> None:
    assert statuses("canary_floor", ground(MEDIUM, validation=tmp_path)) == {"SKIP"}
    (tmp_path / "canaries.jsonl").write_text('{"task_id": "x"}\n', encoding="utf-8")
    (row,) = rows("canary_floor", ground(MEDIUM, validation=tmp_path))
    assert (row.status, "split" in row.reason) == ("SKIP", True)


def peeking(**told: Any) -> Any:
    """An observation that tells something of the labels while the episode runs."""

    def observe(episode: Episode, episode_id: str) -> SupportObservation:
        seen = view.observe(episode, episode_id)
        if episode.done:
            return seen
        labels = engine.case_of(episode).labels
        assert labels is not None
        return seen.model_copy(update={k: f(labels) for k, f in told.items()})

    return observe


@pytest.mark.parametrize(
    "told",
    [
        {"feedback": lambda x: x.category_reason},
        {"feedback": lambda x: x.reference_reply},
        {"requires_escalation": lambda x: x.requires_escalation},
        {"kb_id": lambda x: x.kb_id},
        {"steps_remaining": lambda x: 5 + len(x.facts)},
        {"metadata": lambda _: {"near_categories": []}},
    ],
)
def test_an_observation_that_tells_labels_fails(told: dict[str, Any]) -> None:
    assert statuses("no_solution_leakage", ground(EASY, observe=peeking(**told))) == {"FAIL"}


def test_a_state_that_tells_labels_fails() -> None:
    def state(episode: Episode, episode_id: str) -> SupportState:
        labels = engine.case_of(episode).labels
        assert labels is not None
        own = view.state_of(episode, episode_id)
        return own.model_copy(update={"split": labels.category})

    assert statuses("no_solution_leakage", ground(EASY, state_of=state)) == {"FAIL"}


def test_an_article_that_holds_a_reference_sentence_fails() -> None:
    catalog = engine.builtin_arena().catalog
    label = catalog.labels[catalog.ids(EASY, "train")[0]]
    article_id, article = next(iter(catalog.articles.items()))
    body = f"{article.body}\n\n{label.reference_reply}"
    told = {**catalog.articles, article_id: article.model_copy(update={"body": body})}
    arena = engine.arena(replace(catalog, articles=told))
    assert statuses("no_solution_leakage", ground(EASY, arena=arena)) == {"FAIL"}


def test_other_labels_are_other_in_every_respect() -> None:
    own = engine.builtin_arena()
    other = relabelled(own).catalog
    for ticket_id, label in own.catalog.labels.items():
        changed = other.labels[ticket_id]
        for field in ("category", "requires_escalation", "facts", "reference_reply", "kb_id"):
            assert getattr(label, field) != getattr(changed, field) or not getattr(label, field)
    assert own.catalog.items == other.items
