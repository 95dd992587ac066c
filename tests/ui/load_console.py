"""`python -m tests.ui.load_console`: twenty visitors at once, with a pause between actions or none.

Prints how long each handler takes inside the server (median, 95th percentile, longest), what the
visitors waited, memory before and after, and how long the server and its page take to be ready.
The visitors are another process, so that they do not take the server's time. It measures and judges
nothing; tests/ui/test_visitors_at_once.py tests that visitors are kept apart.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import gc
import inspect
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import expect, sync_playwright

from env import episode as engine
from env.settings import Settings
from env.tasks import FAMILIES
from policies.base import play
from policies.scripted import OraclePolicy
from runs.store import open_store
from tests.conftest import ROOT, TARGET, clean_environ, launch
from tests.ui.conftest import ARGS
from tests.ui.visitor import Console, Visitor
from ui.blocks import LAUNCH, build_ui
from ui.service import Service

Times = dict[str, list[float]]


def timed(console: gr.Blocks) -> Times:
    """Make every handler note how many seconds it takes."""
    times: Times = defaultdict(list)
    for handler in console.fns.values():
        if handler.fn is not None:
            handler.fn = _timed(handler.fn, times[handler.fn.__qualname__].append)
    return times


def _timed(handler: Callable[..., Any], note: Callable[[float], None]) -> Callable[..., Any]:
    @functools.wraps(handler)
    async def wait(*arguments: Any, **more: Any) -> Any:
        start = time.perf_counter()
        try:
            return await handler(*arguments, **more)
        finally:
            note(time.perf_counter() - start)

    @functools.wraps(handler)
    def call(*arguments: Any, **more: Any) -> Any:
        start = time.perf_counter()
        try:
            return handler(*arguments, **more)
        finally:
            note(time.perf_counter() - start)

    return wait if inspect.iscoroutinefunction(handler) else call


@contextmanager
def serving(console: gr.Blocks) -> Iterator[str]:
    """The console on a port of its own, in a thread; its address."""
    app = gr.mount_gradio_app(FastAPI(), console, path="/web", **LAUNCH)
    config = uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


async def visit(
    client: httpx.AsyncClient, console: Console, number: int, rounds: int, pause: float = 0.0
) -> Visitor:
    """One visitor, who plays episodes to their end and checks that they are the own ones.

    Before each step `pause` seconds go by, and one twentieth of it more for each visitor at first.

    Raises:
        AssertionError: another grade or another ticket than these actions bring.
    """
    await asyncio.sleep(number * pause / 20)
    async with Visitor(client, console) as visitor:
        for n in range(rounds):
            family, seed = FAMILIES[(number + n) % len(FAMILIES)], 100 * number + n
            episode = engine.start(family.id, "train", seed)
            done = play(OraclePolicy(episode), episode)
            await visitor.open(f"?task={family.id}&split=train&seed={seed}")
            await visitor.snippets()
            for step in done.steps:
                await asyncio.sleep(pause)
                await visitor.act(step.action)
                if step.action.action_type == "search_kb":
                    await visitor.read(step.action.text)
            shown = visitor.text("head", ".crumbs code"), visitor.text("score", "output")
            wanted = done.item_id, f"{done.grade:.3f}"
            assert shown == wanted, f"visitor {number}, {family.id}: {shown}, not {wanted}"
    return visitor


async def visit_at_once(
    address: str, visitors: int, rounds: int, pause: float = 0.0
) -> list[Visitor]:
    """Many visitors at once."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=address, trust_env=False, limits=limits, timeout=60
    ) as client:
        console = await Console.at(client)
        return await asyncio.gather(
            *(visit(client, console, n, rounds, pause) for n in range(visitors))
        )


def resident() -> float | None:
    """Megabytes that this process holds, where the system says so."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * 4096 / 1e6


def table(times: Mapping[str, Sequence[float]]) -> str:
    """Milliseconds by name."""
    rows = [f"{'':34}{'calls':>7}{'median':>9}{'p95':>9}{'longest':>9}  ms"]
    for name, found in sorted(times.items()):
        if found:
            ms = sorted(1000 * s for s in found)
            late = ms[min(len(ms) - 1, round(0.95 * len(ms)))]
            rows.append(
                f"{name[:33]:34}{len(ms):7}{statistics.median(ms):9.1f}{late:9.1f}{ms[-1]:9.1f}"
            )
    return "\n".join(rows)


def measure_load(visitors: int, rounds: int, pause: float) -> None:
    """Twenty visitors on a server in this process."""
    now = 0.0
    with tempfile.TemporaryDirectory(prefix="supportops-") as home:
        store = open_store(Settings(supportops_home=home))
        service = Service.over(store=store, clock=lambda: now)
        console = build_ui(service)
        times = timed(console)
        with serving(console) as address:
            drive = [sys.executable, "-m", "tests.ui.load_console", "--drive", address]
            _say("warming up")
            subprocess.run([*drive, "--visitors", "1", "--rounds", "6"], cwd=ROOT, check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            for found in times.values():
                found.clear()
            before = resident()
            _say(f"{visitors} visitors at once, {rounds} episodes each")
            start, used = time.perf_counter(), time.process_time()
            done = subprocess.run(
                [*drive, f"--visitors={visitors}", f"--rounds={rounds}", f"--pause={pause}"],
                cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            took, used = time.perf_counter() - start, time.process_time() - used
            full, held = resident(), len(service.play.visitors)
            now += 1e9
            service.play.visitors.run(None)
            after, left = resident(), len(service.play.visitors)
        store.close()
    _write(
        f"In the server, {visitors} visitors at once, {visitors * rounds} episodes in {took:.1f} s:"
    )
    _write(table(times))
    calls = sum(len(found) for found in times.values())
    _write(f"Processor time of the whole server: {1000 * used / calls:.1f} ms a call")
    _write("\nWhat the visitors waited (queue, network and JSON included):")
    _write(table(json.loads(done.stdout)))
    if before and full and after:
        _write(
            f"\nMemory: {before:.0f} MB before, {full:.0f} MB with {held} runs,"
            f" {after:.0f} MB after they expired ({left} left)"
        )


def measure_start() -> None:
    """A server from nothing, and its page."""
    with tempfile.TemporaryDirectory(prefix="supportops-") as home:
        command = [sys.executable, "-m", "uvicorn", TARGET, "--port", "0", "--no-access-log"]
        start = time.perf_counter()
        server = launch(command, Path(home) / "log", clean_environ(SUPPORTOPS_HOME=home))
        try:
            address = server.url
            _write(f"Cold start to /health: {time.perf_counter() - start:.1f} s")
            chromium = shutil.which("chromium") or shutil.which("chromium-browser")
            if chromium is None:
                _write("Page ready: not measured, there is no chromium here")
                return
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
                page = browser.new_page()
                for visit in ("first", "second"):
                    start = time.perf_counter()
                    page.goto(f"{address}/web/", wait_until="domcontentloaded")
                    expect(page.locator("#thread .scroll")).to_have_attribute(
                        "data-phase", "running", timeout=60_000
                    )
                    _write(f"Page ready, {visit} visit: {time.perf_counter() - start:.1f} s")
                browser.close()
        finally:
            server.stop()


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main() -> int:
    """Measure, or be the visitors; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.ui.load_console")
    parser.add_argument("--visitors", type=int, default=20, help="at once; default: 20")
    parser.add_argument("--rounds", type=int, default=6, help="episodes of each; default: 6")
    parser.add_argument(
        "--pause", type=float, default=0.0, help="seconds before each step; default: none"
    )
    parser.add_argument("--drive", metavar="URL", help="only visit a server that is running")
    asked = parser.parse_args()
    if asked.drive:
        times: Times = defaultdict(list)
        for visitor in asyncio.run(
            visit_at_once(asked.drive, asked.visitors, asked.rounds, asked.pause)
        ):
            for name, seconds in visitor.waits:
                times[name].append(seconds)
        _write(json.dumps(times))
        return 0
    measure_load(asked.visitors, asked.rounds, asked.pause)
    _say("cold start")
    measure_start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
