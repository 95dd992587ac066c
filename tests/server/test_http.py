"""Plain HTTP keeps episodes: by id or by address, each caller its own, and nothing upsets them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from env import episode as engine
from env.server import create_server
from env.settings import Settings
from env.tasks import FAMILIES
from supportops_env.models import MAX_TEXT
from tests.conftest import Server
from tests.server.wire import (
    BUG,
    Json,
    http,
    plain,
    replayed,
    reset,
    seen,
    stands,
    state,
    step,
    wandering,
)

SECRET = "hunter2-only-the-customer-knows"
DEMOS = [
    (
        {"task_name": "easy_classify_respond", "seed": 42},
        {"action_type": "classify", "content": "Billing"},
    ),
    (
        {"task_name": "ticket_classification", "seed": 42},
        {"action_type": "classify", "payload": {"category": "Bug"}},
    ),
]
WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "header": lambda i: {"headers": {"X-Session-ID": i}},
    "query": lambda i: {"params": {"episode_id": i}},
    "cookie": lambda i: {"headers": {"Cookie": f"supportops_episode={i}"}},
    "body": lambda i: {"json": {"action": BUG, "episode_id": i}},
}


@pytest.mark.parametrize(("arguments", "action"), DEMOS, ids=["content", "payload"])
def test_the_two_line_demo_needs_no_id(client: httpx.Client, arguments: Json, action: Json) -> None:
    first = reset(client, **arguments)
    assert (first["task_id"], first["seed"]) == (arguments["task_name"], 42)
    answer = step(client, action)
    assert answer.status_code == 200, answer.text
    assert answer.json()["observation"]["episode_id"] == first["episode_id"]
    assert len(answer.json()["observation"]["history"]) == 1
    assert client.get("/state").json()["step_count"] == 1


def test_a_reset_without_a_body_draws_task_and_seed(client: httpx.Client) -> None:
    answers = [client.post("/reset") for _ in range(8)]
    assert {a.status_code for a in answers} == {200}
    drawn = {(o["task_id"], o["seed"]) for o in (a.json()["observation"] for a in answers)}
    assert len(drawn) > 1
    task, seed = drawn.pop()
    again = reset(client, seed=seed)
    assert again["task_id"] == task


def test_an_unnamed_step_continues_the_last_episode_of_its_address(base_url: str) -> None:
    with http(base_url, "127.0.0.2") as ann, http(base_url, "127.0.0.3") as bob:
        hers, his = (reset(c, task_id="easy_classify_respond", seed=1) for c in (ann, bob))
        assert step(ann, BUG).json()["observation"]["episode_id"] == hers["episode_id"]
        assert state(bob, his["episode_id"])["step_count"] == 0
        assert step(bob, BUG).json()["observation"]["episode_id"] == his["episode_id"]
    with http(base_url, "127.0.0.4") as stranger:
        refused = step(stranger, BUG)
        assert refused.status_code == 422 and "X-Session-ID" in refused.json()["detail"]
        assert stranger.get("/state").status_code == 422


@pytest.mark.parametrize("way", WAYS)
def test_a_step_names_its_episode(client: httpx.Client, way: str) -> None:
    wanted = reset(client, task_id="ticket_classification", seed=3)["episode_id"]
    last = reset(client, task_id="ticket_classification", seed=4)["episode_id"]
    answer = client.post("/step", **{"json": {"action": BUG}, **WAYS[way](wanted)})
    assert answer.status_code == 200, answer.text
    assert answer.json()["observation"]["episode_id"] == wanted
    assert answer.headers["X-Session-ID"] == wanted
    assert (state(client, wanted)["done"], state(client, last)["done"]) == (True, False)


@pytest.mark.parametrize("way", ["header", "query", "cookie"])
def test_a_state_names_its_episode(client: httpx.Client, way: str) -> None:
    wanted = reset(client, task_id="ticket_classification", seed=3)["episode_id"]
    reset(client, task_id="priority_sorting", seed=4)
    found = client.get("/state", **WAYS[way](wanted)).json()
    assert (found["episode_id"], found["task_id"]) == (wanted, "ticket_classification")


def test_the_cookie_of_reset_is_enough_for_a_browser(base_url: str) -> None:
    with httpx.Client(base_url=base_url, trust_env=False) as browser, http(base_url) as other:
        first = browser.post("/reset", json={"task_id": "ticket_classification", "seed": 1})
        assert "httponly" in first.headers["set-cookie"].lower()
        reset(other, task_id="priority_sorting", seed=1)
        answer = browser.post("/step", json={"action": BUG})
        assert answer.json()["observation"]["episode_id"] == first.headers["X-Session-ID"]


def test_ids_can_not_be_guessed(client: httpx.Client) -> None:
    ids = {reset(client, seed=1)["episode_id"] for _ in range(20)}
    assert len(ids) == 20 and all(len(i) >= 20 for i in ids)


def test_forty_interleaved_episodes_are_each_their_own(client: httpx.Client) -> None:
    rng = random.Random(7)
    running: list[tuple[str, Iterator[engine.Episode], Iterator[Json]]] = []
    for number in range(40):
        family = FAMILIES[number % len(FAMILIES)]
        local = engine.start(family.id, "train", seed=number)
        first = reset(client, task_id=family.id, seed=number)
        assert first == seen(local, first["episode_id"])["observation"]
        actions = wandering(local, seed=number)
        steps = iter([plain(a) for a in actions])
        running.append((first["episode_id"], replayed(local, actions), steps))
    played = 0
    while running:
        place = rng.randrange(len(running))
        episode_id, episodes, steps = running[place]
        action = next(steps, None)
        if action is None:
            running.pop(place)
            continue
        local = next(episodes)
        assert step(client, action, episode_id).json() == seen(local, episode_id)
        assert state(client, episode_id) == stands(local, episode_id)
        played += 1
    assert played > 80


async def test_steps_on_one_episode_are_taken_one_after_the_other(base_url: str) -> None:
    limits = httpx.Limits(max_connections=10)
    async with httpx.AsyncClient(base_url=base_url, trust_env=False, limits=limits) as many:
        first = (await many.post("/reset", json={"task_id": "draft_response", "seed": 1})).json()
        name = {"X-Session-ID": first["observation"]["episode_id"]}
        actions = [{"action_type": "draft_response", "content": f"Draft {n}"} for n in range(20)]
        answers = await asyncio.gather(
            *(many.post("/step", json={"action": a}, headers=name) for a in actions)
        )
        last = (await many.get("/state", headers=name)).json()
    taken = [a.json()["observation"] for a in answers if a.status_code == 200]
    assert sorted(len(o["history"]) for o in taken) == list(range(1, 16))
    assert [a.status_code for a in answers if a.status_code != 200] == [409] * 5
    assert (last["step_count"], last["done"]) == (15, True)


def test_a_live_id_restarts_its_episode(client: httpx.Client) -> None:
    first = reset(client, task_id="easy_classify_respond", seed=5)
    step(client, BUG, first["episode_id"])
    again = reset(client, task_id="easy_classify_respond", seed=5, episode_id=first["episode_id"])
    assert again == first
    assert state(client, first["episode_id"])["step_count"] == 0
    by_header = client.post(
        "/reset",
        json={"task_id": "priority_sorting", "seed": 5},
        headers={"X-Session-ID": first["episode_id"]},
    )
    assert by_header.json()["observation"]["episode_id"] == first["episode_id"]
    assert state(client, first["episode_id"])["task_id"] == "priority_sorting"


@pytest.mark.parametrize("verb", ["POST", "GET"])
def test_an_unknown_id_is_404_and_says_to_reset(client: httpx.Client, verb: str) -> None:
    path = "/step" if verb == "POST" else "/state"
    body = {"json": {"action": BUG}} if verb == "POST" else {}
    answer = client.request(verb, path, headers={"X-Session-ID": "no-such-episode"}, **body)  # type: ignore[arg-type]
    assert answer.status_code == 404 and "/reset" in answer.json()["detail"]


async def test_surplus_episodes_come_back_and_idle_ones_are_404(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = create_server(Settings(max_episodes=2, episode_timeout=60))
    now = [0.0]
    monkeypatch.setattr(app.state.episodes, "_clock", lambda: now[0])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as near:

        async def begin() -> dict[str, str]:
            answer = await near.post("/reset", json={"task_id": "draft_response", "seed": 1})
            near.cookies.clear()
            return {"X-Session-ID": answer.headers["X-Session-ID"]}

        async def status(name: dict[str, str]) -> int:
            return (await near.get("/state", headers=name)).status_code

        first, second = await begin(), await begin()
        assert await status(first) == 200
        third = await begin()
        assert [await status(n) for n in (first, second, third)] == [200, 200, 200]
        assert len(app.state.episodes) == 2
        now[0] = 50
        assert await status(first) == 200
        now[0] = 70
        assert [await status(n) for n in (first, second, third)] == [200, 404, 404]
        step_after = await near.post("/step", json={"action": BUG}, headers=third)
        assert step_after.status_code == 404 and "/reset" in step_after.json()["detail"]


async def test_forwarded_addresses_count_from_configured_proxies_only() -> None:
    app = create_server(Settings(trusted_proxies="10.0.0.1"))

    async def unnamed(peer: str, forwarded: str, verb: str) -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(peer, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as near:
            headers = {"X-Forwarded-For": forwarded}
            if verb == "reset":
                return await near.post("/reset", json={"seed": 1}, headers=headers)
            return await near.get("/state", headers=headers)

    for peer, forwarded in (("10.0.0.1", "1.1.1.1"), ("10.0.0.1", "2.2.2.2"), ("9.9.9.9", "")):
        await unnamed(peer, forwarded, "reset")
    ids = [
        (await unnamed(peer, forwarded, "state")).json().get("episode_id")
        for peer, forwarded in (
            ("10.0.0.1", "1.1.1.1"),
            ("10.0.0.1", "6.6.6.6, 2.2.2.2"),
            ("9.9.9.9", "1.1.1.1"),
        )
    ]
    assert None not in ids and len(set(ids)) == 3
    assert (await unnamed("8.8.8.8", "1.1.1.1", "state")).status_code == 422


def test_a_public_space_wants_every_step_to_name_its_episode(space: Server) -> None:
    with http(space.url) as client:
        first = reset(client, task_id="ticket_classification", seed=1)
        for refused in (step(client, BUG), client.get("/state")):
            assert refused.status_code == 422
            assert "X-Session-ID" in refused.json()["detail"]
        assert state(client, first["episode_id"])["step_count"] == 0
        assert step(client, BUG, first["episode_id"]).json()["done"] is True


@pytest.mark.parametrize(
    ("variables", "status"),
    [
        ({}, 200),
        ({"ANONYMOUS_STEP": "false"}, 422),
        ({"ANONYMOUS_STEP": "true"}, 200),
        ({"SPACE_ID": "someone/space"}, 422),
        ({"SPACE_ID": "someone/space", "ANONYMOUS_STEP": "true"}, 200),
    ],
    ids=lambda v: "+".join(v) if isinstance(v, dict) else None,
)
async def test_unnamed_steps_are_a_setting(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], status: int
) -> None:
    for name in ("ANONYMOUS_STEP", "SPACE_ID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    transport = httpx.ASGITransport(create_server(Settings()))
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as near:
        assert (await near.post("/reset", json={"seed": 1})).status_code == 200
        near.cookies.clear()
        answer = await near.get("/state")
    assert answer.status_code == status
    assert status == 200 or "X-Session-ID" in answer.json()["detail"]


def test_a_step_after_the_end_is_409_and_changes_nothing(client: httpx.Client) -> None:
    episode_id = reset(client, task_id="ticket_classification", seed=1)["episode_id"]
    assert step(client, BUG, episode_id).json()["done"] is True
    before = state(client, episode_id)
    for action in (BUG, {"action_type": "respond", "content": "Hello"}):
        refused = step(client, action, episode_id)
        assert refused.status_code == 409 and "reset" in refused.json()["detail"]
    assert state(client, episode_id) == before


TEXTS = {
    "classify": "category",
    "search_kb": "query",
    "respond": "response_text",
    "draft_response": "response_text",
    "escalate": "reason",
    "mark_resolved": "reason",
}


@pytest.mark.parametrize("key", [None, "payload"])
@pytest.mark.parametrize("kind", TEXTS)
def test_eight_thousand_characters_are_taken_and_one_more_refused(
    client: httpx.Client, kind: str, key: str | None
) -> None:
    def action(text: str) -> Json:
        said = {"payload": {TEXTS[kind]: text}} if key else {"content": text}
        return {"action_type": kind, **said}

    episode_id = reset(client, task_id="draft_response", seed=1)["episode_id"]
    refused = step(client, action("é" * (MAX_TEXT + 1)), episode_id)
    assert refused.status_code == 422 and "8000" in refused.text and "éé" not in refused.text
    assert state(client, episode_id)["step_count"] == 0
    whole = "😀" * MAX_TEXT
    assert step(client, action(whole), episode_id).status_code == 200
    assert state(client, episode_id)["actions"] == [action(whole)]


def test_both_dialects_may_say_the_same(client: httpx.Client) -> None:
    episode_id = reset(client, task_id="ticket_classification", seed=1)["episode_id"]
    both = {**BUG, "payload": {"category": "Bug"}}
    assert step(client, both, episode_id).status_code == 200


def acting(**action: Any) -> Json:
    return {"action": action}


NESTED = "[" * 900 + "]" * 900
STEPS: dict[str, tuple[Json | str | bytes, str]] = {
    "no action": ({}, "action"),
    "bare action": (BUG, "action"),
    "action null": ({"action": None}, "action"),
    "action text": ({"action": "classify"}, "action"),
    "action array": ({"action": ["classify"]}, "action"),
    "no type": (acting(content=SECRET), "action_type"),
    "type null": (acting(action_type=None), "action_type"),
    "type number": (acting(action_type=7), "action_type"),
    "type unknown": (acting(action_type="refund", content=SECRET), "set_priority"),
    "type in capitals": (acting(action_type="CLASSIFY", content=SECRET), "classify"),
    "content number": (acting(action_type="respond", content=12345678), "content"),
    "content boolean": (acting(action_type="respond", content=True), "content"),
    "content array": (acting(action_type="respond", content=[SECRET]), "content"),
    "content object": (acting(action_type="respond", content={"a": SECRET}), "content"),
    "payload text": (acting(action_type="respond", payload=SECRET), "payload"),
    "payload array": (acting(action_type="respond", payload=[SECRET]), "payload"),
    "payload null": (acting(action_type="classify", payload=None), "payload"),
    "payload value number": (acting(action_type="classify", payload={"category": 7}), "category"),
    "payload value null": (acting(action_type="classify", payload={"category": None}), "category"),
    "payload key unknown": (acting(action_type="classify", payload={"label": SECRET}), "category"),
    "payload of another": (acting(action_type="classify", payload={"query": SECRET}), "category"),
    "payload many keys": (
        acting(action_type="classify", payload={f"k{n}": SECRET for n in range(40)}),
        "payload",
    ),
    "field unknown": (acting(action_type="classify", content="Bug", reward=1.0), "reward"),
    "two meanings": (
        acting(action_type="classify", content=SECRET, payload={"category": "Bug"}),
        "differ",
    ),
    "two replies": (
        acting(action_type="respond", content=SECRET, payload={"response_text": "Hello"}),
        "differ",
    ),
    "text missing": (acting(action_type="respond"), "response_text"),
    "query missing": (acting(action_type="search_kb", payload={}), "query"),
    "priority by content": (acting(action_type="set_priority", content=SECRET), "payload."),
    "priority alone": (acting(action_type="set_priority", payload={"priority": "low"}), "payload.ticket_id"),
    "priority number": (
        acting(action_type="set_priority", payload={"ticket_id": "P-1", "priority": 1}),
        "priority",
    ),
    "priority with content": (
        acting(
            action_type="set_priority",
            content=SECRET,
            payload={"ticket_id": "P-1", "priority": "low"},
        ),
        "content",
    ),
    "metadata text": (acting(action_type="classify", content="Bug", metadata=SECRET), "metadata"),
    "timeout negative": ({"action": BUG, "timeout_s": -1}, "timeout_s"),
    "timeout text": ({"action": BUG, "timeout_s": SECRET}, "timeout_s"),
    "id number": ({"action": BUG, "episode_id": 7}, "episode_id"),
    "id with spaces": ({"action": BUG, "episode_id": f"{SECRET} x"}, "episode_id"),
    "NaN": ('{"action": {"action_type": "classify", "content": NaN}}', "content"),
    "Infinity": ('{"action": {"action_type": "classify", "content": -Infinity}}', "content"),
    "NaN beside": (f'{{"action": {{"action_type": "{SECRET}"}}, "timeout_s": NaN}}', "action_type"),
    "broken": ('{"action": {"action_type": "classify"', ""),
    "single quotes": ("{'action': {'action_type': 'classify'}}", ""),
    "empty": ("", ""),
    "spaces": ("   ", ""),
    "null": ("null", ""),
    "number": ("7", ""),
    "text": (f'"{SECRET}"', ""),
    "array": (f'[{{"action": "{SECRET}"}}]', ""),
    "not UTF-8": (b'{"action": "\xff\xfe"}', ""),
    "half a pair": ('{"action": {"action_type": "classify", "content": "\\ud800"}}', "surrogate"),
    "half a pair as key": ('{"action": {"action_type": "classify", "payload": {"\\udfff": "a"}}}', "surrogate"),
    "half a pair in bytes": (b'{"action": {"action_type": "classify", "\xed\xa0\x80": 1}}', "surrogate"),
    "nested": (f'{{"action": {NESTED}}}', "nested"),
    "nested content": (f'{{"action": {{"action_type": "classify", "content": {NESTED}}}}}', "nested"),
    "nested too deep to read": ("[" * 100_000 + "]" * 100_000, "nested"),
    "nested and broken": ('{"a":' * 40_000, ""),
    "long number": (f'{{"action": {{"action_type": {"9" * 5_000}}}}}', "number"),
    "huge": (acting(action_type="respond", content=SECRET * 10_000), "too large"),
}  # fmt: skip
RESETS: dict[str, tuple[Json | str | bytes, str]] = {
    "key unknown": ({"task": "easy_classify_respond"}, "task_name, task_id, seed"),
    "keys unknown": ({"seed": 1, "difficulty": SECRET, "options": {}}, "task_name, task_id, seed"),
    "half a pair as key": ('{"\\ud83d": 1}', "surrogate"),
    "task unknown": ({"task_name": "refunds"}, ", ".join(f.id for f in FAMILIES)),
    "task id unknown": ({"task_id": "Ticket_Classification"}, ", ".join(f.id for f in FAMILIES)),
    "task number": ({"task_id": 1}, "task_id"),
    "task long": ({"task_id": SECRET * 9}, "80"),
    "tasks differ": (
        {"task_id": "priority_sorting", "task_name": "draft_response"},
        "task_name and task_id differ",
    ),
    "split unknown": ({"split": "validation"}, "train, test"),
    "split null task": ({"task_id": "priority_sorting", "split": ""}, "train, test"),
    "split number": ({"split": 1}, "split"),
    "seed text": ({"seed": "abc"}, "seed"),
    "seed digits": ({"seed": "42"}, "seed"),
    "seed float": ({"seed": 1.5}, "seed"),
    "seed whole float": ({"seed": 1.0}, "seed"),
    "seed boolean": ({"seed": True}, "seed"),
    "seed negative": ({"seed": -1}, "greater than or equal to 0"),
    "seed too large": ({"seed": 2**63}, str(2**63 - 1)),
    "seed far too large": (f'{{"seed": {"9" * 5_000}}}', "number"),
    "seed NaN": ('{"seed": NaN}', "seed"),
    "seed Infinity": ('{"seed": Infinity}', "seed"),
    "seed array": ({"seed": [1]}, "seed"),
    "index negative": ({"task_id": "priority_sorting", "index": -1}, "index"),
    "index too large": ({"task_id": "priority_sorting", "index": 10_000}, "0 to "),
    "index over all": ({"index": 10_000}, "over all tasks"),
    "index text": ({"task_id": "priority_sorting", "index": "first"}, "index"),
    "ticket unknown": ({"ticket_id": "T-0"}, "T-"),
    "ticket of another task": ({"task_id": "priority_sorting", "ticket_id": "T-1001"}, "SET-"),
    "id of spaces": ({"episode_id": "a b"}, "episode_id"),
    "id empty": ({"episode_id": ""}, "episode_id"),
    "id long": ({"episode_id": "x" * 300}, "episode_id"),
    "array": ("[]", ""),
    "text": (f'"{SECRET}"', ""),
    "broken": ('{"seed": ', ""),
    "not UTF-8": (b"\xff\xfe\x00", ""),
    "nested": (NESTED, "nested"),
    "huge": ({"task_id": "x" * 300_000}, "too large"),
}  # fmt: skip
TABLE = [
    pytest.param(path, body, hint, id=f"{path[1:]}: {name}")
    for path, table in (("/step", STEPS), ("/reset", RESETS))
    for name, (body, hint) in table.items()
]


@pytest.mark.parametrize(("path", "body", "hint"), TABLE)
def test_a_malformed_body_is_refused_and_changes_nothing(
    client: httpx.Client, path: str, body: Json | str | bytes, hint: str
) -> None:
    episode_id = reset(client, task_id="ticket_classification", seed=1)["episode_id"]
    before = state(client, episode_id)
    answer = client.post(
        path,
        content=json.dumps(body) if isinstance(body, dict) else body,
        headers={"Content-Type": "application/json", "X-Session-ID": episode_id},
    )
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    detail = answer.json()["detail"]
    assert detail and hint in json.dumps(detail, ensure_ascii=False)
    assert SECRET not in answer.text and "Traceback" not in answer.text
    assert len(answer.text) < 8_000
    if isinstance(detail, list):
        assert all(set(e) == {"loc", "msg", "type"} and e["msg"] for e in detail)
    assert state(client, episode_id) == before
    assert step(client, BUG, episode_id).status_code == 200


@pytest.mark.parametrize("name", ["X-Session-ID", "Cookie", "query"])
@pytest.mark.parametrize("given", ["a b", "x" * 300, "../../etc/passwd", "<script>"])
def test_a_malformed_id_is_refused(client: httpx.Client, name: str, given: str) -> None:
    wrong: dict[str, Any] = {"headers": {name: given}}
    if name == "Cookie":
        wrong = {"headers": {name: f'supportops_episode="{given}"'}}
    elif name == "query":
        wrong = {"params": {"episode_id": given}}
    answer = client.post("/step", json={"action": BUG}, **wrong)
    assert answer.status_code == 422 and given not in answer.text


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_a_huge_body_that_does_not_tell_its_size_is_413(client: httpx.Client, size: int) -> None:
    chunks = (b"x" * 10_000 for _ in range(size // 10_000))
    answer = client.post("/step", content=chunks, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413 and "too large" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [("GET", "/step", 405), ("DELETE", "/state", 405), ("GET", "/no/such/page", 404)],
)
def test_other_requests_are_refused_as_json(
    client: httpx.Client, verb: str, path: str, status: int
) -> None:
    answer = client.request(verb, path)
    assert answer.status_code == status and answer.json()["detail"]


def test_a_form_is_no_action(client: httpx.Client) -> None:
    answer = client.post("/step", data={"action_type": "classify", "content": SECRET})
    assert answer.status_code == 422 and SECRET not in answer.text
