"""Plays two episodes with each kind of client and prints as JSON what it saw: player.py URL...

The list that it prints has one report for each server.

Runs under either OpenEnv line, with nothing but it and the `supportops_env` package installed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import metadata
from typing import Any

import openenv.core.generic_client

import supportops_env
from supportops_env import SupportAction, SupportObservation, SupportOpsEnv

Seen = dict[str, dict[str, Any]]

RESETS: list[dict[str, Any]] = [
    {"task_name": "medium_kb_grounded_response", "seed": 42, "index": 0},
    {"task_id": "priority_sorting", "seed": 42, "split": "test", "episode_id": "cross-play"},
]


def actions(first: dict[str, Any]) -> list[dict[str, Any]]:
    """What to do in an episode that begins with this observation."""
    if first["tickets"]:
        return [
            {
                "action_type": "set_priority",
                "payload": {"ticket_id": ticket["ticket_id"], "priority": "high"},
            }
            for ticket in first["tickets"]
        ]
    return [
        {"action_type": "search_kb", "content": first["ticket"]["subject"]},
        {"action_type": "respond", "payload": {"response_text": "Hello, we look into it."}},
    ]


def seen(result: Any, state: Any) -> dict[str, Any]:
    """The end of an episode, without what is drawn anew each time or kept by one line only."""
    given = result.observation
    whole = given.model_dump(mode="json") if isinstance(given, SupportObservation) else dict(given)
    for name in ("reward", "done", "metadata", "episode_id"):
        whole.pop(name, None)
    steps = state["step_count"] if isinstance(state, dict) else state.step_count
    return {"observation": whole, "reward": result.reward, "done": result.done, "steps": steps}


def synchronous(url: str) -> Seen:
    """Our client in a plain `with`."""
    ends = {}
    with SupportOpsEnv(base_url=url) as env:
        for arguments in RESETS:
            result = env.reset(**arguments)
            for action in actions(result.observation.model_dump(mode="json")):
                result = env.step(SupportAction.model_validate(action))
            ends[result.observation.task_id] = seen(result, env.state())
    return ends


async def asynchronous(url: str) -> Seen:
    """Our client in `async with`."""
    ends = {}
    async with SupportOpsEnv(base_url=url) as env:
        for arguments in RESETS:
            result = await env.reset(**arguments)
            for action in actions(result.observation.model_dump(mode="json")):
                result = await env.step(SupportAction.model_validate(action))
            ends[result.observation.task_id] = seen(result, await env.state())
    return ends


def generic(url: str) -> Seen:
    """OpenEnv's client that knows nothing of us."""
    ends = {}
    with openenv.core.generic_client.GenericEnvClient(base_url=url).sync() as env:
        for arguments in RESETS:
            result = env.reset(**arguments)
            for action in actions(result.observation):
                result = env.step(action)
            ends[result.observation["task_id"]] = seen(result, env.state())
    return ends


def lines() -> list[str]:
    """The OpenEnv distributions that are installed, with their versions."""
    names = ("openenv", "openenv-core")
    found = {str(d.metadata["Name"]): d.version for d in metadata.distributions()}
    return [f"{name} {found[name]}" for name in names if name in found]


def report(url: str) -> dict[str, Any]:
    """What the clients saw on one server, and which they are."""
    return {
        "line": ", ".join(lines()),
        "package": supportops_env.__file__,
        "synchronous": synchronous(url),
        "asynchronous": asyncio.run(asynchronous(url)),
        "generic": generic(url),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps([report(url) for url in sys.argv[1:]]))
