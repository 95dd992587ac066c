"""Target 5: inference.py with a model that takes 200 ms, alone and with many episodes in flight.

The model is served on loopback. What is told is the share of `concurrency` times the single
stream's rate that was reached, with CPU and memory of the process that played.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bench.figures import Figure
from bench.processes import cpu
from bench.processes import rss as resident
from tests.conftest import ROOT, clean_environ
from tests.inference.model_server import completion, good

LATENCY = 0.2
IN_FLIGHT = (8, 32)
_REPLY = "Dear customer, thank you for writing to us about this. " * 9


@dataclass
class Slow:
    """A model that takes its time, on a port that the system chose, in a thread of its own."""

    latency_s: float
    answered: int = 0
    in_flight: int = 0
    most: int = 0
    first: float = 0.0
    last: float = 0.0
    server: uvicorn.Server = field(init=False)

    def __post_init__(self) -> None:
        """Serve."""
        app = Starlette(routes=[Route("/v1/chat/completions", self._answer, methods=["POST"])])
        config = uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.server.run, daemon=True)
        self._thread.start()
        while not self.server.started:
            time.sleep(0.01)

    @property
    def url(self) -> str:
        """Where it is."""
        port = self.server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/v1"

    def begin(self) -> None:
        """Count anew."""
        self.answered = self.most = 0
        self.first = self.last = 0.0

    async def _answer(self, request: Request) -> JSONResponse:
        self.first = self.first or time.perf_counter()
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        asked: dict[str, Any] = await request.json()
        actions = [
            {**a, "response_text": _REPLY} if "response_text" in a else a for a in good(asked)
        ]
        plain = json.loads(completion(json.dumps({"actions": actions})).get_data())
        await asyncio.sleep(self.latency_s)
        self.in_flight -= 1
        self.answered += 1
        self.last = time.perf_counter()
        return JSONResponse(plain)


@dataclass(frozen=True)
class Measured:
    """One run of inference.py: calls a second while it played, CPU ms a call, RSS (MB) over time."""

    calls: int
    rate: float
    cpu_ms: float
    most: int
    rss: tuple[float, ...]


def play(model: Slow, concurrency: int, *arguments: str) -> Measured:
    """Play in a process of its own."""
    model.begin()
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [sys.executable, "inference.py", "--concurrency", str(concurrency), *arguments],
            cwd=ROOT,
            env=clean_environ(
                API_BASE_URL=model.url, MODEL_NAME="slow", API_KEY="none", SUPPORTOPS_HOME=home
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        begun, rss = 0.0, []
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if model.first:
                begun = begun or cpu(process.pid)
                rss.append(resident(process.pid))
            time.sleep(0.1)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        drain.join()
        process.stderr.close()
    assert process.returncode == 0, process.returncode
    spent = used.ru_utime + used.ru_stime - begun
    rate = model.answered / (model.last - model.first)
    return Measured(
        model.answered, rate, 1000 * spent / model.answered, model.most, tuple(filter(None, rss))
    )


def measure(rounds: int, seeds: int, tick: Callable[[], object]) -> list[Figure]:
    """Play with one episode in flight, and in turn with more; `seeds` times 103 episodes at 32."""
    model = Slow(LATENCY)
    shares: dict[int, list[float]] = {n: [] for n in IN_FLIGHT}
    alone_rate, cpu_ms, growth = [], [], []
    for _ in range(rounds):
        alone = play(model, 1, "--limit-per-task", "8")
        alone_rate.append(alone.rate)
        tick()
        for n in IN_FLIGHT:
            many = play(model, n, "--seeds", str(max(1, seeds * n // IN_FLIGHT[-1])))
            shares[n].append(many.rate / (n * alone.rate))
            tick()
        cpu_ms.append(many.cpu_ms)
        growth.append(many.rss[-1] / many.rss[len(many.rss) // 4])
    group = f"5 model of {1000 * LATENCY:.0f} ms"
    return [
        Figure(group, "one in flight: calls", "/s", tuple(alone_rate)),
        *(
            Figure(group, f"{n} in flight / {n} times one", "×", tuple(share), ("≥", 0.9))
            for n, share in shares.items()
        ),
        Figure(group, "CPU a call", "ms", tuple(cpu_ms)),
        Figure(group, "memory at the end / after a quarter", "×", tuple(growth), ("≤", 1.1)),
    ]
