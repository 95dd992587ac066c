"""Many HTTP episodes at once, each checked step by step against a replay in this process.

`python -m tests.server.load_http --url http://127.0.0.1:8000 --episodes 500` prints a summary and
exits 1 on any wrong answer. Meant for a server on this machine.
"""

import argparse
import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import httpx

from env import episode as engine
from env.episode import Episode
from env.tasks import FAMILIES
from env.view import dump_action, observe
from policies.scripted import RandomPolicy


@dataclass
class Summary:
    """What came of a load: requests answered, and what was wrong."""

    episodes: int = 0
    requests: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


async def load(url: str, episodes: int, seed: int = 42, connections: int = 64) -> Summary:
    """Play `episodes` random episodes at the same time; all are open before the first is stepped."""
    summary = Summary()
    # Shorter than the server keeps idle connections, so that none is used as it closes.
    limits = httpx.Limits(max_connections=connections, keepalive_expiry=1.0)
    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
        opened = await asyncio.gather(*(_open(client, seed + n, summary) for n in range(episodes)))
        order = list(opened)
        random.Random(seed).shuffle(order)
        await asyncio.gather(*(_play(client, *one, summary) for one in order))
    summary.seconds = time.perf_counter() - began
    return summary


async def _open(client: httpx.AsyncClient, seed: int, summary: Summary) -> tuple[Episode, str]:
    family = FAMILIES[seed % len(FAMILIES)].id
    episode = engine.start(family, "train", seed)
    answer = await client.post("/reset", json={"task_id": family, "seed": seed})
    client.cookies.clear()
    summary.episodes += 1
    episode_id = answer.headers.get("X-Session-ID", "")
    _compare(answer, episode, episode_id, summary)
    return episode, episode_id


async def _play(
    client: httpx.AsyncClient, episode: Episode, episode_id: str, summary: Summary
) -> None:
    policy = RandomPolicy()
    policy.begin(observe(episode, episode_id))
    while not episode.done:
        action = policy.act(observe(episode, episode_id))
        episode = engine.step(episode, action)
        answer = await client.post(
            "/step", json={"action": dump_action(action)}, headers={"X-Session-ID": episode_id}
        )
        client.cookies.clear()
        _compare(answer, episode, episode_id, summary)


def _compare(answer: httpx.Response, episode: Episode, episode_id: str, summary: Summary) -> None:
    summary.requests += 1
    if answer.status_code != 200:
        summary.wrong.append(f"{answer.status_code} {answer.text[:200]}")
        return
    expected = observe(episode, episode_id).model_dump(mode="json")
    got: dict[str, Any] = answer.json()
    shown = {k: v for k, v in expected.items() if k not in ("reward", "done", "metadata")}
    if got["observation"] != shown or got["done"] != episode.done:
        summary.wrong.append(f"episode {episode_id}: another observation than the replay's")


def main() -> int:
    parser = argparse.ArgumentParser(description="load a local server with checked HTTP episodes")
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--episodes", type=int, default=500)
    arguments = parser.parse_args()
    done = asyncio.run(load(arguments.url, arguments.episodes))
    sys.stdout.write(
        f"{done.episodes} episodes, {done.requests} requests, {len(done.wrong)} wrong answers,"
        f" {done.seconds:.1f} s\n"
    )
    for line in done.wrong[:10]:
        sys.stdout.write(line + "\n")
    return 1 if done.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
