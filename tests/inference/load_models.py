"""How fast inference.py plays when the model is slow: throughput with many episodes in flight.

`python -m tests.inference.load_models` serves a model on loopback that takes 200 ms for an answer,
plays with one episode at a time and then with 32, and prints what share of 32 times the single
stream's rate was reached, with CPU time and memory of the process that played. Exits 1 below
`--floor`. A script, not a test: on a busy machine the figure is the machine's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.conftest import ROOT, clean_environ
from tests.inference.model_server import completion, good

_RSS = re.compile(r"VmRSS:\s+(\d+) kB")
_REPLY = "Dear customer, thank you for writing to us about this. " * 9
EPISODES = 103
"""In the test split, all tasks."""


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
        app = Starlette(routes=[Route("/v1/chat/completions", self._answer, methods=["POST"])])
        config = uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.server.run, daemon=True)
        self._thread.start()
        while not self.server.started:
            time.sleep(0.01)

    @property
    def url(self) -> str:
        port = self.server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/v1"

    def begin(self) -> None:
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
                begun = begun or _cpu(process.pid)
                rss.append(_rss(process.pid))
            time.sleep(0.1)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        drain.join()
        process.stderr.close()
    assert process.returncode == 0, process.returncode
    cpu = used.ru_utime + used.ru_stime - begun
    rate = model.answered / (model.last - model.first)
    return Measured(
        model.answered, rate, 1000 * cpu / model.answered, model.most, tuple(filter(None, rss))
    )


def _rss(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            found = _RSS.search(status.read())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _cpu(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m tests.inference.load_models"
    )
    parser.add_argument("--latency", type=float, default=0.2, help="seconds an answer takes")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--seeds", type=int, default=20, help=f"{EPISODES} episodes each")
    parser.add_argument("--floor", type=float, default=0.9, help="share of the ideal rate")
    asked = parser.parse_args()
    model = Slow(asked.latency)
    alone = play(model, 1, "--limit-per-task", "8")
    many = play(model, asked.concurrency, "--seeds", str(asked.seeds))
    share = many.rate / (asked.concurrency * alone.rate)
    for name, m in (("one at a time", alone), (f"{asked.concurrency} at a time", many)):
        sys.stdout.write(
            f"{name}: {m.calls} calls, {m.rate:.2f} a second, {m.most} in flight at most,"
            f" {m.cpu_ms:.1f} ms CPU a call\n"
        )
    at = [many.rss[int(q * (len(many.rss) - 1))] for q in (0.1, 0.25, 0.5, 0.75, 1)]
    sys.stdout.write(f"memory at 10, 25, 50, 75, 100 %: {', '.join(f'{m:.0f}' for m in at)} MB\n")
    sys.stdout.write(f"{share:.3f} of {asked.concurrency} times the single stream\n")
    return int(share < asked.floor)


if __name__ == "__main__":
    sys.exit(main())
