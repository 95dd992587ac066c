"""Target 3: many sessions at once in one process; what each costs, and whether it is given back."""

from __future__ import annotations

import asyncio
import json
import resource
from contextlib import AsyncExitStack
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from bench import scripts
from bench.figures import Figure
from bench.processes import FAST, OURS, rss, serving, threads
from tests.conftest import Server

_AT_ONCE = 100


def measure(sessions: int = 2_000) -> list[Figure]:
    """Open sessions, play a step in each, ask for one too many, close them, and again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * sessions)), hard))
    with serving(OURS, *FAST, MAX_SESSIONS=str(sessions)) as server:
        return asyncio.run(_measure(server, sessions))


async def _measure(server: Server, sessions: int) -> list[Figure]:
    pid, group = server.process.pid, f"3 {sessions:,} sessions"
    url = server.url.replace("http://", "ws://") + "/ws"
    await _fill(url, 50)  # what the first sessions load stays, and is no session's
    before, threads_before = rss(pid), threads(pid)
    async with AsyncExitStack() as stack:
        plays = scripts.episodes()
        for first in range(0, sessions, _AT_ONCE):
            some = [next(plays) for _ in range(first, min(sessions, first + _AT_ONCE))]
            opened = await asyncio.gather(*(_open(url, *play) for play in some))
            for socket in opened:
                stack.push_async_callback(socket.close)
        full, threads_full = rss(pid), threads(pid)
        refused = await _one_more(url)
    await asyncio.sleep(2)
    first_after = rss(pid)
    await _fill(url, sessions)
    await asyncio.sleep(2)
    return [
        Figure(group, "memory a session", "KB", (1024 * (full - before) / sessions,), ("≤", 50)),
        Figure(group, "more threads", "", (threads_full - threads_before,), ("≤", 2)),
        Figure(group, "one too many is told so", "", (float(refused),), ("≥", 1)),
        Figure(group, "memory kept after closing", "MB", (first_after - before,)),
        Figure(
            group,
            "memory after twice as many / after once",
            "×",
            (rss(pid) / first_after,),
            ("≤", 1.1),
        ),
    ]


async def _open(url: str, arguments: scripts.Json, actions: Any) -> ClientConnection:
    # Without a compressor of its own: 2,000 of them would be this process's memory, not the server's.
    socket = await connect(url, proxy=None, compression=None, open_timeout=60, ping_interval=None)
    for message in ({"type": "reset", "data": arguments}, {"type": "step", "data": actions[0]}):
        await socket.send(json.dumps(message))
        answer = json.loads(await socket.recv())
        if answer["type"] != "observation":
            raise AssertionError(answer)
    return socket


async def _one_more(url: str) -> bool:
    async with connect(url, proxy=None, open_timeout=60) as socket:
        answer = json.loads(await socket.recv())
    return bool(answer["data"]["code"] == "CAPACITY_REACHED")


async def _fill(url: str, sessions: int) -> None:
    plays = scripts.episodes(1)
    for _ in range(0, sessions, _AT_ONCE):
        some = [next(plays) for _ in range(min(_AT_ONCE, sessions))]
        opened = await asyncio.gather(*(_open(url, *play) for play in some))
        await asyncio.gather(*(socket.close() for socket in opened))
