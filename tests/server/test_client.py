"""The client that trainers import, by the names that they import."""

from __future__ import annotations

from contextlib import suppress

import pytest

import client as by_that_name
from client import SupportOpsEnv
from models import SupportAction
from supportops_env import SupportObservation, SupportState
from supportops_env.client import ServerError
from tests.conftest import Server


def test_the_documented_snippet(base_url: str) -> None:
    with SupportOpsEnv(base_url=base_url) as env:
        r = env.reset(task_name="ticket_classification", seed=42)
        assert r.observation.ticket.subject and r.observation.ticket.body
        assert (r.done, r.observation.seed) == (False, 42)
        result = env.step(SupportAction(action_type="classify", payload={"category": "Bug"}))
        assert result.done and isinstance(result.observation, SupportObservation)
        assert result.observation.grade and result.reward == result.observation.grade.grade
        assert sum(line.points for line in result.observation.reward_breakdown) == result.reward
    assert by_that_name.__all__ == ["SupportOpsEnv"]


async def test_async_with(base_url: str) -> None:
    async with SupportOpsEnv(base_url=base_url) as env:
        first = await env.reset(task_id="priority_sorting", seed=1)
        ticket = first.observation.tickets[2].ticket_id
        action = SupportAction(
            action_type="set_priority", payload={"ticket_id": ticket, "priority": "high"}
        )
        result = await env.step(action)
        assert not result.done and result.observation.history[0].action == {
            "action_type": "set_priority",
            "payload": {"ticket_id": ticket, "priority": "high"},
        }
        assert (await env.state()).step_count == 1


def test_sync(base_url: str) -> None:
    env = SupportOpsEnv(base_url=base_url).sync()
    with env:
        assert env.reset(task_id="draft_response", seed=1).observation.steps_remaining == 15
    env.connect()
    try:
        assert env.state().task_id is None
    finally:
        env.close()


def test_a_client_can_be_entered_again(base_url: str) -> None:
    env = SupportOpsEnv(base_url=base_url)
    for seed in (1, 2):
        with env as session:
            assert session.reset(seed=seed).observation.seed == seed


def test_state_follows_the_episode(base_url: str) -> None:
    with SupportOpsEnv(base_url=base_url) as env:
        assert env.state() == SupportState()
        env.reset(task_id="easy_classify_respond", seed=4, episode_id="mine")
        env.step(SupportAction(action_type="classify", content="Bug"))
        found = env.state()
        assert (found.episode_id, found.task_id, found.seed) == ("mine", "easy_classify_respond", 4)
        assert (found.step_count, found.done) == (1, False)
        assert found.actions == ({"action_type": "classify", "content": "Bug"},)


@pytest.mark.parametrize(
    "arguments",
    [
        {"task_name": "priority_sorting", "seed": 3},
        {"task_id": "draft_response", "split": "test", "index": 2, "seed": 0},
        {"index": 5, "seed": 9},
        {"ticket_id": "T-1001", "task_id": "easy_classify_respond", "seed": 1},
        {"seed": 2**63 - 1},
    ],
    ids=lambda a: "+".join(a),
)
def test_the_same_arguments_give_the_same_episode(
    base_url: str, arguments: dict[str, str | int]
) -> None:
    seen = []
    for _ in range(2):
        with SupportOpsEnv(base_url=base_url) as env:
            observation = env.reset(**arguments, episode_id="x").observation
            seen.append(observation)
    assert seen[0] == seen[1]
    if "task_id" not in arguments:
        arguments.pop("index", None)  # it counts over all tasks then
    arguments["task_id"] = arguments.pop("task_name", seen[0].task_id)
    assert {name: getattr(seen[0], name) for name in arguments} == arguments


@pytest.mark.parametrize(
    ("arguments", "field", "hint"),
    [
        ({"task_name": "refunds"}, "task_id", "ticket_classification"),
        ({"split": "all"}, "split", "train, test"),
        ({"task_id": "priority_sorting", "index": 999}, "index", "0 to "),
        ({"seed": "abc"}, "seed", "integer"),
        ({"difficulty": "hard"}, None, "task_name, task_id"),
    ],
    ids=["task", "split", "index", "seed", "key"],
)
def test_a_refused_reset_says_which_field_and_why(
    base_url: str, arguments: dict[str, object], field: str | None, hint: str
) -> None:
    with SupportOpsEnv(base_url=base_url) as env:
        env.reset(task_id="ticket_classification", seed=1)
        with pytest.raises(ServerError) as caught:
            env.reset(**arguments)
        assert caught.value.code == "VALIDATION_ERROR" and hint in str(caught.value)
        assert [e["loc"] for e in caught.value.errors] == [[field] if field else []]
        assert env.state().task_id == "ticket_classification"


def test_a_refused_step_shows_its_fields(base_url: str) -> None:
    unchecked = SupportAction.model_construct(action_type="classify", payload={"label": "Bug"})
    with SupportOpsEnv(base_url=base_url) as env:
        env.reset(task_id="ticket_classification", seed=1)
        with pytest.raises(ServerError, match="takes category"):
            env.step(unchecked)
        assert env.step(SupportAction(action_type="classify", content="Bug")).done
        with pytest.raises(ServerError, match=r"over.*EXECUTION_ERROR") as caught:
            env.step(SupportAction(action_type="classify", content="Bug"))
        assert (caught.value.code, caught.value.errors) == ("EXECUTION_ERROR", [])


def test_a_server_that_is_not_there_is_a_connection_error() -> None:
    env = SupportOpsEnv(base_url="http://127.0.0.1:9", connect_timeout_s=5).sync()
    with pytest.raises(ConnectionError, match="127"):
        env.connect()
    with suppress(ConnectionError):
        env.close()


def test_a_full_server_says_so(space: Server) -> None:
    with SupportOpsEnv(base_url=space.url) as one, SupportOpsEnv(base_url=space.url) as two:
        one.reset(seed=1)
        two.reset(seed=1)
        with SupportOpsEnv(base_url=space.url) as three:
            with pytest.raises(ServerError) as caught:
                three.reset(seed=1)
            assert caught.value.code == "CAPACITY_REACHED"
