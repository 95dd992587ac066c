"""The endless split and the knobs: what reset takes, what the agent sees, what can be replayed."""

from typing import Any

import pytest
from pydantic import ValidationError

from env import episode as engine
from env.arguments import ResetArguments, begin
from env.environment import SupportOpsEnvironment
from env.errors import UnknownName
from env.sessions import EpisodeStore
from env.tasks import BY_ID
from env.view import observe, state_of
from policies.base import action, play
from policies.scripted import POLICIES
from runs.record import Run, record, replay
from runs.regrade import rebuild
from supportops_env.models import Knobs, SupportObservation

MEDIUM = "medium_kb_grounded_response"


def started(task: str | None = MEDIUM, seed: int = 5, **knobs: Any) -> engine.Episode:
    return engine.start(task, engine.ENDLESS, seed, knobs=Knobs.model_validate(knobs))


def seen(episode: engine.Episode) -> SupportObservation:
    return observe(episode, "")


@pytest.mark.parametrize("task", BY_ID)
def test_the_seed_names_the_episode(task: str) -> None:
    assert seen(started(task)) == seen(engine.start(task, engine.ENDLESS, 5, 0))
    assert seen(started(task)).query != seen(started(task, 6)).query or task == "priority_sorting"
    assert started(task).item_id == "E-5" and started(task).index == 0


def test_without_a_task_the_seed_chooses_one() -> None:
    chosen = {started(None, seed).family.id for seed in range(60)}
    assert chosen == set(BY_ID)
    twisted = {started(None, seed, twist="injection").family.id for seed in range(60)}
    assert twisted == set(BY_ID) - {"priority_sorting"}


@pytest.mark.parametrize(
    ("arguments", "where", "hint"),
    [
        ({"split": "endless", "index": 1}, ("index",), "the seed is the index"),
        ({"split": "endless", "ticket_id": "T-1001"}, ("ticket_id",), "the seed names one"),
        ({"split": "endles"}, ("split",), "train, test, endless"),
        ({"knobs": {"twist": "injection"}}, ("knobs", "twist"), "split=endless"),
        (
            {"split": "endless", "task_id": "priority_sorting", "knobs": {"twist": "injection"}},
            ("knobs", "twist"),
            "sets of tickets",
        ),
        (
            {"knobs": {"distractors": 24, "knowledge": "full"}},
            ("knobs", "distractors"),
            "there is none",
        ),
        ({"knobs": {"distractors": 25}}, ("knobs", "distractors"), "24"),
        ({"knobs": {"twist": "angry"}}, ("knobs", "twist"), "two_problems"),
        ({"knobs": {"noise": 3}}, ("knobs", "noise"), "not permitted"),
        ({"knobs": "hard"}, ("knobs",), "dictionary"),
        ({"knob": {}}, (), "knobs"),
    ],
)
def test_what_does_not_exist_is_refused(
    arguments: dict[str, Any], where: tuple[str, ...], hint: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        begin(ResetArguments.model_validate(arguments))
    (error,) = refused.value.errors()
    assert error["loc"] == where and hint in error["msg"]


def test_distractors_are_for_the_shipped_articles() -> None:
    own = engine.arena(engine.builtin_arena().catalog)
    with pytest.raises(UnknownName, match="data of your own"):
        engine.start(MEDIUM, "train", arena=own, knobs=Knobs(distractors=24))


@pytest.mark.parametrize("split", ["train", engine.ENDLESS])
def test_distractors_stand_among_the_hits_and_can_be_opened(split: str) -> None:
    found: set[str] = set()
    for seed in range(6):
        episode = engine.start(MEDIUM, split, seed, knobs=Knobs(distractors=2_000))
        plain = engine.start(MEDIUM, split, seed)
        assert seen(episode).query == seen(plain).query, "the same ticket"
        episode = engine.step(episode, action("search_kb", query=seen(episode).query))
        found |= {a.id for a in seen(episode).kb_articles}
    strange = sorted(found - set(engine.builtin_arena().catalog.articles))
    assert strange
    episode = engine.step(episode, action("search_kb", query=strange[0]))
    assert next(a.body for a in seen(episode).kb_articles if a.id == strange[0])


@pytest.mark.parametrize("split", ["train", engine.ENDLESS])
@pytest.mark.parametrize("mode", ["golden", "full", "none"])
def test_knowledge_is_given_or_withheld(split: str, mode: str) -> None:
    knobs = Knobs.model_validate({"knowledge": mode})
    for task in ("easy_classify_respond", MEDIUM, "draft_response"):
        episode = engine.start(task, split, 5, knobs=knobs)
        shown = seen(episode)
        label = episode.arena.catalog.labels[episode.item_id]
        given = [a.id for a in shown.kb_articles]
        wanted = {
            "golden": {label.kb_id, *label.draft_articles, *label.related_kb},
            "full": set(engine.builtin_arena().catalog.articles),
            "none": set(),
        }[mode]
        assert set(given) == wanted and len(given) == len(set(given))
        assert all(a.body for a in shown.kb_articles)
        assert "search_kb" not in shown.available_actions and "no search" in shown.task_description
        searched = engine.step(episode, action("search_kb", query="refund"))
        assert searched.steps[-1].lines[-1].rule == "invalid"
    for task in ("ticket_classification", "priority_sorting"):
        assert not seen(engine.start(task, split, 5, knobs=knobs)).kb_articles


def test_state_observation_and_run_carry_the_knobs() -> None:
    knobs = Knobs(distractors=24, twist="exception")
    start = started("draft_response", 9, distractors=24, twist="exception")
    assert seen(start).knobs == state_of(start, "x").knobs == knobs
    ended = play(POLICIES["retrieval"](start), start)
    run = record(ended, "r", "policy", "retrieval")
    again = Run.model_validate_json(run.model_dump_json())
    assert again.knobs == knobs and "~distractors=24,twist=exception" in again.data_version
    for back in (replay(again), rebuild(again)):
        assert back.grade == ended.grade and seen(back) == seen(ended)
    assert seen(engine.restart(ended)) == seen(start)


def test_runs_from_before_the_knobs_still_load() -> None:
    start = engine.start("ticket_classification", "train", 1)
    ended = play(POLICIES["keyword"](start), start)
    old = record(ended, "r", "policy", "keyword").model_dump(mode="json", exclude={"knobs"})
    assert replay(Run.model_validate(old)).grade == ended.grade


def test_turned_knobs_and_endless_tickets_compare_with_no_other_data() -> None:
    versions = {
        engine.start(MEDIUM, "train", 1).arena.catalog.version,
        engine.start(MEDIUM, "train", 1, knobs=Knobs(knowledge="none")).arena.catalog.version,
        started().arena.catalog.version,
        started(twist="injection").arena.catalog.version,
        started(distractors=24).arena.catalog.version,
    }
    assert len(versions) == 5


def test_labels_show_at_the_end_and_not_before() -> None:
    start = started("hard_escalation_safety", 11)
    label = start.arena.catalog.labels[start.item_id]
    assert seen(start).requires_escalation is None and seen(start).grade is None
    ended = play(POLICIES["oracle"](start), start)
    assert seen(ended).requires_escalation is label.requires_escalation
    assert ended.report is not None and ended.report.expected
    assert ended.report.reference_reply == label.reference_reply


def test_the_environment_and_the_store_play_them_too() -> None:
    session = SupportOpsEnvironment()
    knobs = {"distractors": 24, "twist": "legal_threat"}
    first = session.reset(seed=3, task_id=MEDIUM, split="endless", knobs=knobs)
    assert first.split == "endless" and session.state.knobs.twist == "legal_threat"
    store = EpisodeStore(1, 60.0)
    one, two = started(seed=1, twist="injection"), started(seed=2)
    store.put("one", engine.step(one, action("search_kb", query="refund")))
    store.put("two", two)  # pushes the first one out
    assert seen(store.get("one")).knobs.twist == "injection"
    assert len(store.get("one").steps) == 1
