"""The engine by property: rewards, replay, determinism, and that a step changes nothing else."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.schema import CATEGORIES, PRIORITIES
from env import episode as engine
from env.episode import Episode
from env.errors import EpisodeOver, UnknownName
from env.tasks import FAMILIES
from env.view import dump_action, observe, state_of
from policies.base import play
from policies.scripted import POLICIES
from supportops_env.models import SupportAction

ROOT = Path(__file__).parent.parent.parent
CATALOG = engine.builtin_arena().catalog
TASKS = [f.id for f in FAMILIES]
ARTICLES = sorted(CATALOG.articles)
TICKETS = sorted(CATALOG.tickets)
TEXTS = st.one_of(
    st.sampled_from(
        ["", "refund charged twice", "pasword resset", "${alert(1)}", "KB-103", "{{x}}"]
    ),
    st.sampled_from(ARTICLES),
    st.sampled_from([label.reference_reply or "" for label in CATALOG.labels.values()]),
    st.text(max_size=200),
)


def text_action(kind: str, key: str) -> st.SearchStrategy[SupportAction]:
    return TEXTS.map(
        lambda t: SupportAction.model_validate({"action_type": kind, "payload": {key: t}})
    )


ACTIONS = st.one_of(
    st.sampled_from([*CATEGORIES, "bilings", "", "no idea"]).map(
        lambda c: SupportAction.model_validate({"action_type": "classify", "content": c})
    ),
    st.tuples(st.sampled_from(TICKETS), st.sampled_from([*PRIORITIES, "urgent"])).map(
        lambda p: SupportAction.model_validate(
            {"action_type": "set_priority", "payload": {"ticket_id": p[0], "priority": p[1]}}
        )
    ),
    text_action("search_kb", "query"),
    text_action("respond", "response_text"),
    text_action("draft_response", "response_text"),
    text_action("escalate", "reason"),
    text_action("mark_resolved", "reason"),
)
EPISODES = st.tuples(
    st.sampled_from(TASKS), st.sampled_from(["train", "test"]), st.integers(0, 2**40)
)


def run(key: tuple[str, str, int], actions: list[SupportAction]) -> list[Episode]:
    episodes = [engine.start(*key)]
    for action in actions:
        if episodes[-1].done:
            break
        episodes.append(engine.step(episodes[-1], action))
    return episodes


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EPISODES, st.lists(ACTIONS, min_size=1, max_size=18))
def test_rewards_are_finite_in_range_attributed_and_add_up(
    key: tuple[str, str, int], actions: list[SupportAction]
) -> None:
    last = run(key, actions)[-1]
    for step in last.steps:
        assert math.isfinite(step.reward) and -1 <= step.reward <= 1
        assert sum(line.points for line in step.lines) == pytest.approx(step.reward, abs=1e-9)
    assert len(last.steps) <= last.family.max_steps
    if last.done:
        grade = last.grade or 0.0
        assert 0 <= grade <= 1
        assert last.score_so_far == pytest.approx(grade, abs=1e-9)
        with pytest.raises(EpisodeOver):
            engine.step(last, actions[0])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EPISODES, st.lists(ACTIONS, min_size=1, max_size=12))
def test_replay_equals_play(key: tuple[str, str, int], actions: list[SupportAction]) -> None:
    played = run(key, actions)[-1]
    again = engine.replay([s.action for s in played.steps], *key)
    assert observe(again, "x") == observe(played, "x")
    assert state_of(again, "x") == state_of(played, "x")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EPISODES, st.lists(ACTIONS, min_size=1, max_size=8))
def test_an_episode_is_a_value(key: tuple[str, str, int], actions: list[SupportAction]) -> None:
    episodes = run(key, actions)
    before = [observe(e, "x").model_dump_json() for e in episodes]
    for episode in episodes:
        if not episode.done:
            engine.step(episode, actions[0])
    assert [observe(e, "x").model_dump_json() for e in episodes] == before


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EPISODES, ACTIONS)
def test_the_dialects_mean_the_same(key: tuple[str, str, int], action: SupportAction) -> None:
    if action.action_type == "set_priority":
        return
    other = SupportAction.model_validate(
        {"action_type": action.action_type, "content": action.text}
    )
    one, two = engine.step(engine.start(*key), action), engine.step(engine.start(*key), other)
    assert one.score_so_far == two.score_so_far
    assert one.steps[0].feedback == two.steps[0].feedback


def test_the_dialects_repeat_each_other() -> None:
    episode = engine.start("easy_classify_respond", "train", 1)
    first = SupportAction.model_validate({"action_type": "classify", "content": "General"})
    second = SupportAction.model_validate(
        {"action_type": "classify", "payload": {"category": "General"}}
    )
    episode = engine.step(engine.step(episode, first), second)
    assert "repeat" in {line.rule for line in episode.steps[-1].lines}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_the_oracle_wins_every_episode(task: str, split: str) -> None:
    for index in range(len(CATALOG.ids(task, split))):
        episode = engine.start(task, split, 42, index)
        grade = play(POLICIES["oracle"](episode), episode).grade
        assert grade is not None and grade >= 0.95, (task, episode.item_id, grade)


def test_random_play_is_worth_little() -> None:
    grades = []
    for task in TASKS:
        for index in range(len(CATALOG.ids(task, "test"))):
            episode = engine.start(task, "test", 42, index)
            grades.append(play(POLICIES["random"](episode), episode).grade or 0.0)
    assert sum(grades) / len(grades) <= 0.35


@pytest.mark.parametrize(
    "arguments",
    [
        {"task": "nope"},
        {"split": "validation"},
        {"task": "priority_sorting", "index": 999},
        {"index": 99_999},
        {"index": -1},
        {"seed": -1},
        {"ticket_id": "T-0"},
        {"task": "priority_sorting", "ticket_id": TICKETS[-1]},
    ],
    ids=str,
)
def test_unknown_arguments_are_named_with_what_is_valid(arguments: dict[str, object]) -> None:
    with pytest.raises(UnknownName, match=r"unknown .*valid: .+"):
        engine.start(**arguments)  # type: ignore[arg-type]


def test_the_flat_index_walks_the_registry() -> None:
    flat = [(f.id, i) for f in FAMILIES for i in range(len(CATALOG.ids(f.id, "test")))]
    for place in (0, len(flat) // 2, len(flat) - 1):
        episode = engine.start(None, "test", 5, place)
        assert (episode.family.id, episode.index) == flat[place]


def test_a_ticket_brings_its_own_split() -> None:
    ticket = CATALOG.ids("ticket_classification", "test")[0]
    assert engine.start("ticket_classification", ticket_id=ticket).split == "test"


_SCRIPT = """
import json
from env import episode as engine
from policies.base import play
from policies.scripted import POLICIES
from env.view import observe
out = []
for seed in range(6):
    for policy in ("keyword", "random", "oracle"):
        episode = engine.start(seed=seed, split="test")
        out.append(observe(play(POLICIES[policy](episode), episode), "x").model_dump_json())
print(json.dumps(out))
"""


def test_the_same_in_processes_with_other_hash_seeds() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin", "HOME": "/tmp"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1 and len(json.loads(outputs.pop())) == 18


def test_actions_dump_and_load() -> None:
    action = SupportAction.model_validate(
        {"action_type": "classify", "payload": {"category": "Bug"}}
    )
    assert SupportAction.model_validate(dump_action(action)) == action
