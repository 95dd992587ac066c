"""Servers in processes of their own, and what the system says of a process (Linux)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, Server, clean_environ, launch

OURS = "app:app"
# As `pip install openenv-core` runs it: uvicorn without the extras that make it fast.
STOCK = ("--loop", "asyncio", "--http", "h11")
# As server/app.py runs ours.
FAST = ("--loop", "uvloop", "--http", "httptools", "--ws-per-message-deflate", "false")

_STATUS = re.compile(r"^(VmRSS|Threads):\s+(\d+)", re.MULTILINE)


@contextmanager
def serving(app: str, *flags: str, **settings: str) -> Iterator[Server]:
    """Serve an app on a port that the system chose; ready when it is handed out."""
    with tempfile.TemporaryDirectory() as folder:
        settings.setdefault("SUPPORTOPS_HOME", folder)
        command = [sys.executable, "-m", "uvicorn", app, "--port", "0", "--no-access-log", *flags]
        server = launch(command, Path(folder) / "log", clean_environ(**settings))
        try:
            if not server.url:
                raise AssertionError("no address")
            yield server
        finally:
            server.stop()


def in_another(module: str, *arguments: str) -> Any:
    """What a module of ours prints as JSON, run in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=clean_environ(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(ended.stdout)


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used, all its threads."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss(pid: int) -> float:
    """Resident memory in MB; 0 for a process that is gone."""
    return _status(pid).get("VmRSS", 0) / 1024


def threads(pid: int) -> int:
    """How many threads a process has."""
    return _status(pid).get("Threads", 0)


def _status(pid: int) -> dict[str, int]:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            return {name: int(value) for name, value in _STATUS.findall(status.read())}
    except OSError:
        return {}
