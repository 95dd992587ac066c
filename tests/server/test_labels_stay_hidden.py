"""No label reaches the agent while an episode runs: not in words, and not by what changes with it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import catalog as catalogs
from data.catalog import Catalog
from data.schema import CATEGORIES, PRIORITIES, Claim, PriorityLabel, TicketLabels
from env import episode as engine
from env.episode import Arena, Episode
from env.tasks import BY_ID, FAMILIES
from env.view import dump_action, observe, state_of
from policies.log import StrictLog
from supportops_env.models import (
    TEXT_KEY,
    SupportAction,
    SupportObservation,
    SupportState,
)
from tests.server.wire import Json, oracle, replayed

TASKS = [f.id for f in FAMILIES]
Move = tuple[str, int, str]


def turned(values: tuple[str, ...], value: str) -> str:
    """Another one of the values."""
    return values[(values.index(value) + 1) % len(values)]


def relabelled(catalog: Catalog) -> Catalog:
    """The same tickets, customers and articles; every label that a ticket can have is another."""
    articles = tuple(sorted(catalog.articles))
    elephants = Claim(say="Elephants are welcome here.", needs=(("elephant",), ("welcome",)))

    def other(label: TicketLabels) -> TicketLabels:
        changed: dict[str, Any] = {
            "category": turned(CATEGORIES, label.category),
            "category_reason": "Because of the elephants.",
            "near_categories": (),
            "kb_id": label.kb_id and turned(articles, label.kb_id),
            "related_kb": articles[:2],
            "requires_escalation": not label.requires_escalation,
            "escalation_reason": "Elephants go to the elephant team.",
            "draft_articles": tuple(turned(articles, a) for a in label.draft_articles),
            "draft_steps": label.draft_steps + 3,
            "customer_upset": not label.customer_upset,
            "facts": (elephants,),
            "forbidden": (elephants,),
            "licensed_commitments": ("refund",),
            "reference_reply": "Hello, elephants are welcome here. Let us know how many come.",
            "derived": not label.derived,
        }
        return label.model_copy(update=changed)

    def lowered(label: PriorityLabel) -> PriorityLabel:
        return label.model_copy(
            update={"priority": turned(PRIORITIES, label.priority), "reason": "Elephants."}
        )

    return catalogs.build(
        catalog.name,
        catalog.version,
        tickets=catalog.tickets,
        customers=catalog.customers,
        labels={i: other(x) for i, x in catalog.labels.items()},
        articles=catalog.articles,
        sets=catalog.sets,
        priorities={i: lowered(x) for i, x in catalog.priorities.items()},
        concepts=catalog.concepts,
    )


@lru_cache(maxsize=1)
def arenas() -> tuple[Arena, Arena]:
    """The built-in data, and the same with other labels (articles and their index are shared)."""
    own = engine.builtin_arena()
    return own, replace(own, catalog=relabelled(own.catalog))


def act(episode: Episode, move: Move) -> SupportAction:
    """A move as an action that fits the episode, or does not."""
    kind, number, text = move
    if kind != "set_priority":
        return SupportAction.model_validate(
            {"action_type": kind, "payload": {TEXT_KEY[kind]: text}}
        )
    tickets = (*episode.world.ticket_ids, "P-0")
    priorities = (*PRIORITIES, text)
    return SupportAction.model_validate(
        {
            "action_type": kind,
            "payload": {
                "ticket_id": tickets[number % len(tickets)],
                "priority": priorities[number // 7 % len(priorities)],
            },
        }
    )


def moves(task: str) -> st.SearchStrategy[list[Move]]:
    """What an agent might do in a task: mostly sensible, now and then not."""
    catalog = engine.builtin_arena().catalog
    family = BY_ID[task]
    longest = [a for a in family.actions if a != family.ends_on] or list(family.actions)
    kinds = st.sampled_from([*longest * 6, *family.actions, *TEXT_KEY])
    words = sorted({w for t in catalog.tickets.values() for w in re.findall(r"\w{4,}", t.body)})
    texts = (
        st.sampled_from([*CATEGORIES, "bugs", "payment", "Bilng", "none"])
        | st.sampled_from(sorted(catalog.articles))
        | st.lists(st.sampled_from(words), min_size=1, max_size=6).map(" ".join)
        | st.sampled_from([a.title for a in catalog.articles.values()])
        | st.sampled_from([x.reference_reply or "" for x in catalog.labels.values()])
        | st.text(max_size=30)
    )
    return st.lists(st.tuples(kinds, st.integers(0, 50), texts), min_size=1, max_size=16)


def seen_without_rewards(episode: Episode) -> Json:
    """Everything that the agent sees or can ask for, but for rewards and the lines that fired."""
    observation = observe(episode, "x").model_dump(mode="json")
    for name in ("reward", "score_so_far", "reward_breakdown"):
        observation.pop(name)
    for entry in observation["history"]:
        entry.pop("reward")
    state = state_of(episode, "x").model_dump(mode="json")
    state.pop("cumulative_reward")
    return {"observation": observation, "state": state, "log": logged(episode)}


def logged(episode: Episode) -> str:
    """The strict log so far, without the rewards in [STEP]."""
    out = io.StringIO()
    log = StrictLog(out)
    log.start(episode.family.id, "somebody")
    for number, step in enumerate(episode.steps, 1):
        invalid = any(line.rule == "invalid" for line in step.lines)
        feedback = step.feedback if invalid else None
        log.step(number, dump_action(step.action), step.reward, episode.done, feedback)
    return re.sub(r" reward=-?\d\.\d\d ", " ", out.getvalue())


@pytest.mark.parametrize("task", TASKS)
def test_what_the_agent_sees_does_not_depend_on_labels(task: str) -> None:
    @settings(max_examples=40, deadline=None, derandomize=True, database=None)
    @given(moves(task), st.integers(0, 10_000), st.sampled_from(engine.SPLITS))
    def play_both(plan: list[Move], seed: int, split: str) -> None:
        one, two = (engine.start(task, split, seed, arena=a) for a in arenas())
        assert seen_without_rewards(one) == seen_without_rewards(two)
        for move in plan:
            action = act(one, move)
            one, two = engine.step(one, action), engine.step(two, action)
            assert one.done == two.done
            if one.done:
                break
            assert seen_without_rewards(one) == seen_without_rewards(two)

    play_both()


def test_which_episode_is_played_does_not_depend_on_labels() -> None:
    for split in engine.SPLITS:
        for seed in range(60):
            one, two = (engine.start(None, split, seed, arena=a) for a in arenas())
            assert seen_without_rewards(one) == seen_without_rewards(two)


@pytest.mark.parametrize("task", TASKS)
def test_labels_do_decide_the_grade(task: str) -> None:
    one, two = (engine.start(task, "test", 5, arena=a) for a in arenas())
    actions = oracle(one)
    *_, won = replayed(one, actions)
    *_, lost = replayed(two, actions)
    assert won.grade is not None and lost.grade is not None
    assert won.grade >= 0.95 and lost.grade <= 0.6


def every_episode() -> Iterator[Episode]:
    catalog = engine.builtin_arena().catalog
    for family in FAMILIES:
        for split in engine.SPLITS:
            for index in range(len(catalog.ids(family.id, split))):
                yield engine.start(family.id, split, 1, index)


def clues(episode: Episode) -> set[str]:
    """Texts that only who labelled a ticket knows: reasons, facts, sentences of the reference."""
    catalog = episode.arena.catalog
    if episode.family.id == "priority_sorting":
        return {catalog.priorities[i].reason for i in episode.world.ticket_ids}
    label = catalog.labels[episode.item_id]
    sentences = re.split(r"(?<=[.!?])\s+", label.reference_reply or "")
    texts = {label.category_reason, label.escalation_reason, *sentences}
    texts |= {c.say for c in (*label.facts, *label.forbidden)}
    return {t for t in texts if len(t) > 25}


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {k for v in value.values() for k in keys_of(v)}
    return {k for v in value for k in keys_of(v)} if isinstance(value, list) else set()


LABEL_FIELDS = (set(TicketLabels.model_fields) | {"priorities"}) - {
    "ticket_id",  # of the ticket
    "category",  # of a classify, in the history
    "kb_id",  # the article opened last or found first
    "requires_escalation",  # null
}


def probing(episode: Episode) -> list[Json]:
    """Everything that can be tried without ending the episode."""
    subject = observe(episode, "").query.split("\n")[0] or "help"
    tickets = episode.world.ticket_ids
    tries: list[Json] = [
        {"action_type": "search_kb", "content": subject},
        {"action_type": "search_kb", "content": sorted(episode.arena.catalog.articles)[0]},
        {"action_type": "escalate", "content": "unsure"},
        {"action_type": "draft_response", "content": "Hello, thank you for writing to us."},
        {
            "action_type": "set_priority",
            "payload": {"ticket_id": tickets[0], "priority": "medium"},
        },
    ]
    if episode.family.ends_on != "classify":
        tries.insert(0, {"action_type": "classify", "content": "Nonsense"})
    return [t for t in tries if t["action_type"] in episode.family.actions]


def test_no_label_shows_in_a_running_episode() -> None:
    for episode in every_episode():
        expected = engine.case_of(episode).expected_articles
        first = observe(episode, "x")
        assert first.kb_id is None and not any(a in first.model_dump_json() for a in expected)
        hidden = clues(episode)
        for action in [None, *map(SupportAction.model_validate, probing(episode))]:
            episode = engine.step(episode, action) if action else episode
            observation = observe(episode, "x")
            assert (observation.requires_escalation, observation.grade) == (None, None)
            assert all(line.hint is None for line in observation.reward_breakdown)
            shown = observation.model_dump(mode="json")
            for article in shown["kb_articles"]:  # articles are there to be read
                article.pop("snippet"), article.pop("body")
            shown.pop("kb_results")
            shown["state"] = state_of(episode, "x").model_dump(mode="json")
            assert not keys_of(shown) & LABEL_FIELDS
            text = json.dumps(shown, ensure_ascii=False)
            assert not [c for c in hidden if c in text], (episode.item_id, action)


def finish(episode: Episode) -> Episode:
    """End an episode with nothing said that helps."""
    said = SupportAction(action_type="respond", content="Hello, we will look. Please wait.")
    drafts = [
        {"action_type": "draft_response", "content": said.content},
        {"action_type": "mark_resolved"},
    ]
    ends: dict[str, list[Any]] = {
        "respond": [said],
        "classify": [{"action_type": "classify", "content": "Nonsense"}],
        "mark_resolved": drafts,
        "set_priority": [
            {"action_type": "set_priority", "payload": {"ticket_id": t, "priority": "medium"}}
            for t in episode.world.ticket_ids
        ],
    }
    for action in ends[episode.family.ends_on]:
        episode = engine.step(episode, SupportAction.model_validate(action))
    assert episode.done
    return episode


def test_a_finished_train_episode_shows_its_labels_and_a_test_episode_does_not() -> None:
    for episode in map(finish, every_episode()):
        observation = observe(episode, "x")
        assert observation.grade is not None
        labels = episode.arena.catalog.labels.get(episode.item_id)
        if episode.split == "train":
            assert observation.grade.expected
            assert observation.grade.reference_reply == (labels and labels.reference_reply)
            assert observation.requires_escalation == (labels and labels.requires_escalation)
            continue
        assert (observation.grade.expected, observation.grade.reference_reply) == (None, None)
        assert observation.requires_escalation is None
        assert all(line.hint is None for line in observation.reward_breakdown)
        text = observation.model_dump_json()
        assert not [c for c in clues(episode) if c in text], episode.item_id


def test_a_test_episode_gives_no_hint_when_it_is_over() -> None:
    for episode in every_episode():
        labels = episode.arena.catalog.labels.get(episode.item_id)
        if labels is None or episode.split == "train" or "respond" not in episode.family.actions:
            continue
        middle = re.split(r"(?<=[.!?])\s+", labels.reference_reply or "")[1:-2]
        said = SupportAction(action_type="respond", content=" ".join(middle))
        lines = engine.step(episode, said).steps[-1].lines
        assert not [line.hint for line in lines if line.hint], episode.item_id


@pytest.mark.parametrize("model", [SupportAction, SupportObservation, SupportState])
def test_no_label_field_is_in_a_schema(model: type[SupportAction]) -> None:
    open_when_done = {"reference_reply", "derived"}  # of the grade
    assert not keys_of(model.model_json_schema()) & (LABEL_FIELDS - open_when_done)
