"""Servers that really run, for tests that speak to the product as its users do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from env.settings import Settings

ROOT = Path(__file__).parent.parent
TARGET = "app:app" if find_spec("ui.blocks") else "tests.server.app_without_console:app"
_READY_WITHIN = 120.0
_ADDRESS = re.compile(r"running on http://(?:127\.0\.0\.1|0\.0\.0\.0):(\d+)")

# A shell's background job ignores Ctrl+C, and so would the processes that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

Serve = Callable[..., "Server"]


def clean_environ(**settings: str) -> dict[str, str]:
    """This process's environment without the product's settings, plus the given ones."""
    kept = {k: v for k, v in os.environ.items() if k.lower() not in Settings.model_fields}
    return {**kept, "GRADIO_ANALYTICS_ENABLED": "False", **settings}


@dataclass
class Server:
    """A uvicorn process, on a port that the system or the settings chose."""

    process: subprocess.Popen[bytes]
    log: Path
    _url: str = ""

    @property
    def url(self) -> str:
        """Where it listens, once it is healthy."""
        deadline = time.monotonic() + _READY_WITHIN
        while not self._url:
            assert self.process.poll() is None, f"the server ended:\n{self.written}"
            assert time.monotonic() < deadline, f"the server is not up:\n{self.written}"
            found = _ADDRESS.search(self.written)
            if found is None:
                self._pause()
                continue
            self._url = f"http://127.0.0.1:{found.group(1)}"
            assert httpx.get(f"{self._url}/health", trust_env=False).status_code == 200
        return self._url

    @property
    def written(self) -> str:
        """What the process wrote, stdout and stderr."""
        return self.log.read_text(encoding="utf-8")

    def _pause(self) -> None:
        try:
            self.process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            return

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def launch(
    command: list[str],
    log: Path,
    environ: dict[str, str],
    cwd: Path = ROOT,
    user: int | None = None,
) -> Server:
    """Start a server that announces itself as uvicorn does, as another user if one is named."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    return Server(process, log)


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Start a server with settings; it is ready once its `url` was asked for."""
    started: list[Server] = []

    def start(python: str = sys.executable, **settings: str) -> Server:
        log = tmp_path_factory.mktemp("server") / "log"
        settings.setdefault("SUPPORTOPS_HOME", str(log.parent))
        command = [python, "-m", "uvicorn", TARGET, "--port", "0", "--no-access-log"]
        command += ["--timeout-graceful-shutdown", "2"]
        started.append(launch(command, log, clean_environ(**settings)))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def live_server(serve: Serve) -> str:
    """Address of a running server with the settings it has out of the box."""
    return serve().url
