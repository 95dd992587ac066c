"""Talking to a server: HTTP without a cookie jar, frames over WebSocket, and what to say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from env import episode as engine
from env.episode import Episode
from env.view import dump_action, observe, state_of
from policies.base import Policy, play
from policies.scripted import OraclePolicy, RandomPolicy
from supportops_env.models import SupportAction

Json = dict[str, Any]

BUG: Json = {"action_type": "classify", "content": "Bug"}
"""An action that most tests need: it ends a `ticket_classification` episode."""


def http(url: str, address: str | None = None) -> httpx.Client:
    """A client that keeps no cookies, so that it says only what a test says."""
    return httpx.Client(
        base_url=url,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        transport=httpx.HTTPTransport(local_address=address),
        trust_env=False,
        timeout=30,
    )


def reset(client: httpx.Client, **arguments: Any) -> Json:
    """Start an episode and return its first observation."""
    answer = client.post("/reset", json=arguments)
    assert answer.status_code == 200, answer.text
    observation: Json = answer.json()["observation"]
    assert answer.headers["X-Session-ID"] == observation["episode_id"]
    return observation


def step(client: httpx.Client, action: Json, episode_id: str | None = None) -> httpx.Response:
    """Take a step, in an episode named by header or in none."""
    headers = {"X-Session-ID": episode_id} if episode_id else {}
    return client.post("/step", json={"action": action}, headers=headers)


def state(client: httpx.Client, episode_id: str) -> Json:
    """Where an episode stands."""
    answer = client.get("/state", headers={"X-Session-ID": episode_id})
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


@contextmanager
def session(url: str) -> Iterator[ClientConnection]:
    """A WebSocket session."""
    address = url.replace("http://", "ws://") + "/ws"
    with connect(address, proxy=None, open_timeout=30) as socket:
        yield socket


def ask(socket: ClientConnection, message: Json | str | bytes) -> Json:
    """Send a message, whatever it is, and return the answer."""
    socket.send(json.dumps(message) if isinstance(message, dict) else message)
    answer: Json = json.loads(socket.recv(timeout=30))
    return answer


def begin(socket: ClientConnection, **arguments: Any) -> Json:
    """Start an episode over WebSocket and return its first observation."""
    answer = ask(socket, {"type": "reset", "data": arguments})
    assert answer["type"] == "observation", answer
    observation: Json = answer["data"]["observation"]
    return observation


def seen(episode: Episode, episode_id: str) -> Json:
    """What a server has to answer for an episode as it stands, in OpenEnv's envelope."""
    whole = observe(episode, episode_id).model_dump(mode="json")
    envelope = {name: whole.pop(name) for name in ("reward", "done")}
    whole.pop("metadata")
    return {"observation": whole, **envelope}


def stands(episode: Episode, episode_id: str) -> Json:
    """What /state has to answer for an episode as it stands."""
    return state_of(episode, episode_id).model_dump(mode="json")


def played(policy: Policy, episode: Episode) -> tuple[SupportAction, ...]:
    """The actions by which a policy plays an episode to its end."""
    return tuple(s.action for s in play(policy, episode).steps)


def oracle(episode: Episode) -> tuple[SupportAction, ...]:
    """The actions that win an episode."""
    return played(OraclePolicy(episode), episode)


def wandering(episode: Episode, seed: int = 42) -> tuple[SupportAction, ...]:
    """Random actions that end an episode."""
    return played(RandomPolicy(seed), episode)


def replayed(episode: Episode, actions: tuple[SupportAction, ...]) -> Iterator[Episode]:
    """The episode after each of the actions."""
    for action in actions:
        episode = engine.step(episode, action)
        yield episode


def action(kind: str, **payload: str) -> SupportAction:
    """An action with its payload."""
    return SupportAction.model_validate({"action_type": kind, "payload": payload})


def plain(action: SupportAction) -> Json:
    """An action as it is sent."""
    return dump_action(action)
