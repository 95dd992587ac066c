"""Sessions over WebSocket: whole episodes, and messages that must not end one."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from env import episode as engine
from env.tasks import FAMILIES
from supportops_env.models import MAX_TEXT
from tests.conftest import Server
from tests.server.wire import (
    BUG,
    Json,
    ask,
    begin,
    oracle,
    plain,
    replayed,
    seen,
    session,
    stands,
    wandering,
)

NESTED = "[" * 900 + "]" * 900
LESS_NESTED = '{"a":' * 180 + "1" + "}" * 180


def where(socket: ClientConnection) -> Json:
    answer = ask(socket, {"type": "state"})
    assert answer["type"] == "state", answer
    found: Json = answer["data"]
    return found


@pytest.mark.parametrize("how", ["oracle", "wandering"])
@pytest.mark.parametrize("task", [f.id for f in FAMILIES])
def test_an_episode_is_played_to_its_end(base_url: str, task: str, how: str) -> None:
    local = engine.start(task, "train", seed=11)
    actions = oracle(local) if how == "oracle" else wandering(local)
    answer: Json = {}
    paid = 0.0
    with session(base_url) as socket:
        first = begin(socket, task_id=task, seed=11)
        name = first["episode_id"]
        assert first == seen(local, name)["observation"]
        for action, after in zip(actions, replayed(local, actions), strict=True):
            answer = ask(socket, {"type": "step", "data": plain(action)})
            assert answer == {"type": "observation", "data": seen(after, name)}
            assert where(socket) == stands(after, name)
            paid += answer["data"]["reward"]
    grade = answer["data"]["observation"]["grade"]["grade"]
    assert answer["data"]["done"] and paid == pytest.approx(grade)
    assert how != "oracle" or grade >= 0.95


def test_a_test_episode_is_played_too(base_url: str) -> None:
    local = engine.start("draft_response", "test", seed=3, index=1)
    with session(base_url) as socket:
        begin(socket, task_name="draft_response", split="test", index=1, seed=3, episode_id="me")
        for action, after in zip(oracle(local), replayed(local, oracle(local)), strict=True):
            answer = ask(socket, {"type": "step", "data": plain(action)})
            assert answer["data"] == seen(after, "me")


def test_two_sessions_do_not_meet(base_url: str) -> None:
    with session(base_url) as one, session(base_url) as two:
        first = begin(one, task_id="easy_classify_respond", seed=1, episode_id="same")
        second = begin(two, task_id="easy_classify_respond", seed=1, episode_id="same")
        assert first == second
        ask(one, {"type": "step", "data": BUG})
        assert (where(one)["step_count"], where(two)["step_count"]) == (1, 0)
        assert ask(two, {"type": "step", "data": BUG})["data"]["observation"]["history"]


MALFORMED: dict[str, tuple[str | bytes, str, str]] = {
    "empty": ("", "INVALID_JSON", ""),
    "spaces": ("   ", "INVALID_JSON", ""),
    "no JSON": ("hello", "INVALID_JSON", ""),
    "broken": ('{"type": "step", "data": {', "INVALID_JSON", ""),
    "array": ("[]", "INVALID_JSON", ""),
    "array of messages": ('[{"type": "state"}]', "INVALID_JSON", ""),
    "text": ('"state"', "INVALID_JSON", ""),
    "number": ("7", "INVALID_JSON", ""),
    "null": ("null", "INVALID_JSON", ""),
    "binary": (b'{"type": "state"}', "INVALID_JSON", ""),
    "binary noise": (b"\x00\xff\xfe", "INVALID_JSON", ""),
    "nested array": (NESTED, "INVALID_JSON", ""),
    "nested type": (f'{{"type": {NESTED}}}', "INVALID_JSON", ""),
    "nested too deep to read": (f'{{"type": {"[" * 100_000}{"]" * 100_000}}}', "INVALID_JSON", ""),
    "nested content": (
        f'{{"type": "step", "data": {{"action_type": "classify", "content": {NESTED}}}}}',
        "INVALID_JSON",
        "",
    ),
    "less nested content": (
        f'{{"type": "step", "data": {{"action_type": "classify", "content": {LESS_NESTED}}}}}',
        "VALIDATION_ERROR",
        "content",
    ),
    "half a pair": (
        '{"type": "step", "data": {"action_type": "classify", "content": "\\ud800"}}',
        "INVALID_JSON",
        "",
    ),
    "half a pair as key": ('{"type": "reset", "data": {"\\ud800": 1}}', "INVALID_JSON", ""),
    "half a pair as type": ('{"type": "\\udfff"}', "INVALID_JSON", ""),
    "long number": (f'{{"type": "reset", "data": {{"seed": {"9" * 5_000}}}}}', "INVALID_JSON", ""),
    "huge": (json.dumps({"type": "step", "data": {"content": "x" * 300_000}}), "INVALID_JSON", ""),
    "no type": ("{}", "UNKNOWN_TYPE", ""),
    "type unknown": ('{"type": "restart"}', "UNKNOWN_TYPE", ""),
    "type null": ('{"type": null}', "UNKNOWN_TYPE", ""),
    "type object": ('{"type": {"a": [1]}}', "UNKNOWN_TYPE", ""),
    "field unknown": ('{"type": "state", "episode_id": "x"}', "VALIDATION_ERROR", "episode_id"),
    "reset array": ('{"type": "reset", "data": []}', "VALIDATION_ERROR", "data"),
    "reset null": ('{"type": "reset", "data": null}', "VALIDATION_ERROR", "data"),
    "reset self": ('{"type": "reset", "data": {"self": 1}}', "VALIDATION_ERROR", "task_name"),
    "reset key": ('{"type": "reset", "data": {"task": "x"}}', "VALIDATION_ERROR", "task_name"),
    "reset task": ('{"type": "reset", "data": {"task_id": "x"}}', "VALIDATION_ERROR", "draft_response"),
    "reset split": ('{"type": "reset", "data": {"split": "all"}}', "VALIDATION_ERROR", "train, test"),
    "reset seed text": ('{"type": "reset", "data": {"seed": "abc"}}', "VALIDATION_ERROR", "seed"),
    "reset seed digits": ('{"type": "reset", "data": {"seed": "42"}}', "VALIDATION_ERROR", "seed"),
    "reset seed NaN": ('{"type": "reset", "data": {"seed": NaN}}', "VALIDATION_ERROR", "seed"),
    "reset seed boolean": ('{"type": "reset", "data": {"seed": true}}', "VALIDATION_ERROR", "seed"),
    "reset index": ('{"type": "reset", "data": {"index": -1}}', "VALIDATION_ERROR", "index"),
    "reset id": ('{"type": "reset", "data": {"episode_id": "a b"}}', "VALIDATION_ERROR", "episode_id"),
    "step without data": ('{"type": "step"}', "VALIDATION_ERROR", "data"),
    "step text": ('{"type": "step", "data": "classify"}', "VALIDATION_ERROR", "data"),
    "step empty": ('{"type": "step", "data": {}}', "VALIDATION_ERROR", "action_type"),
    "step self": ('{"type": "step", "data": {"self": 1}}', "VALIDATION_ERROR", "self"),
    "step unknown": ('{"type": "step", "data": {"action_type": "x"}}', "VALIDATION_ERROR", "action_type"),
    "step NaN": (
        '{"type": "step", "data": {"action_type": "classify", "content": NaN}}',
        "VALIDATION_ERROR",
        "content",
    ),
    "step number": (
        '{"type": "step", "data": {"action_type": "classify", "content": 1e999}}',
        "VALIDATION_ERROR",
        "content",
    ),
    "step two meanings": (
        json.dumps({"type": "step", "data": {**BUG, "payload": {"category": "Billing"}}}),
        "VALIDATION_ERROR",
        "differ",
    ),
    "step too long": (
        json.dumps({"type": "step", "data": {**BUG, "content": "x" * (MAX_TEXT + 1)}}),
        "VALIDATION_ERROR",
        "8000",
    ),
    "step tokens": (
        json.dumps({"type": "step", "data": {**BUG, "tokens": "[1]"}}),
        "VALIDATION_ERROR",
        "tokens",
    ),
}  # fmt: skip


def check_refusal(answer: Json, code: str, hint: str) -> None:
    assert answer["type"] == "error", answer
    assert answer["data"]["code"] == code and answer["data"]["message"]
    if code == "VALIDATION_ERROR":
        errors = answer["data"]["errors"]
        assert errors and all(e["msg"] and isinstance(e["loc"], list) for e in errors)
        assert any(hint in e["msg"] or hint in e["loc"] for e in errors), errors
    assert "Traceback" not in json.dumps(answer)


@pytest.mark.parametrize("name", MALFORMED)
def test_a_session_survives_a_malformed_message(base_url: str, name: str) -> None:
    message, code, hint = MALFORMED[name]
    with session(base_url) as socket:
        begin(socket, task_id="ticket_classification", seed=1)
        before = where(socket)
        check_refusal(ask(socket, message), code, hint)
        assert where(socket) == before
        assert ask(socket, {"type": "step", "data": BUG})["data"]["done"] is True


def test_one_session_survives_them_all_and_more_text_than_brackets(base_url: str) -> None:
    brackets = {"action_type": "respond", "content": "{[" * (MAX_TEXT // 2)}
    with session(base_url) as socket:
        begin(socket, task_id="hard_escalation_safety", seed=1)
        for message, code, hint in MALFORMED.values():
            check_refusal(ask(socket, message), code, hint)
        assert where(socket)["step_count"] == 0
        assert ask(socket, {"type": "step", "data": brackets})["data"]["done"] is True


def test_a_step_before_reset_or_after_the_end_is_an_execution_error(base_url: str) -> None:
    with session(base_url) as socket:
        early = ask(socket, {"type": "step", "data": BUG})
        assert early["data"]["code"] == "EXECUTION_ERROR" and "reset" in early["data"]["message"]
        assert where(socket)["step_count"] == 0
        begin(socket, task_id="ticket_classification", seed=1)
        assert ask(socket, {"type": "step", "data": BUG})["data"]["done"] is True
        before = where(socket)
        late = ask(socket, {"type": "step", "data": BUG})
        assert late["data"]["code"] == "EXECUTION_ERROR" and "over" in late["data"]["message"]
        assert where(socket) == before
        begin(socket, task_id="ticket_classification", seed=1)
        assert where(socket)["step_count"] == 0


def test_json_rpc_is_answered_in_a_session(base_url: str) -> None:
    request = {"jsonrpc": "2.0", "method": "tools/list", "id": 7}
    with session(base_url) as socket:
        answer = ask(socket, {"type": "mcp", "data": request})
        assert answer["type"] == "mcp"
        assert (answer["data"]["jsonrpc"], answer["data"]["id"]) == ("2.0", 7)
        assert where(socket)["step_count"] == 0


def test_sessions_are_bounded_and_idle_ones_make_room(space: Server) -> None:
    def try_in() -> Json:
        with session(space.url) as socket:
            with suppress(ConnectionClosed):  # a full server has said so before it was asked
                socket.send(json.dumps({"type": "reset", "data": {"seed": 1}}))
            answer: Json = json.loads(socket.recv(timeout=30))
            return answer

    with session(space.url) as one, session(space.url) as two:
        begin(one, seed=1)
        begin(two, seed=2)
        refused = try_in()
        assert refused["data"]["code"] == "CAPACITY_REACHED"
        assert refused["data"]["max_sessions"] == 2
        pause = threading.Event()
        deadline = time.monotonic() + 60
        while try_in()["type"] == "error":
            assert time.monotonic() < deadline, "idle sessions are never reaped"
            pause.wait(0.1)
    assert try_in()["type"] == "observation"
