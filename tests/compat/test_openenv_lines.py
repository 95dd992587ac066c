"""Both OpenEnv lines: openenv-core 0.3, which this environment has, and openenv 0.10 in its own.

Each serves, each validates, and each one's clients play on the other one's server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compat import player
from tests.conftest import ROOT, Serve, clean_environ
from tests.packaging import tree

pytestmark = pytest.mark.openenv010

CORE, OPENENV = "openenv-core 0.3", "openenv 0.10"
LINES = [CORE, OPENENV]


@pytest.fixture(scope="session")
def pythons() -> dict[str, str]:
    """The Python of each line's environment."""
    other = Path(sys.prefix) / "openenv010" / "bin" / "python"
    if not other.is_file():
        assert not os.environ.get("CI"), "make openenv010 was not run"
        pytest.skip("no environment with openenv 0.10; make openenv010 creates it")
    return {CORE: sys.executable, OPENENV: str(other)}


@pytest.fixture(scope="session")
def servers(pythons: dict[str, str], serve: Serve, live_server: str) -> dict[str, str]:
    """The address of a server on each line."""
    return {CORE: live_server, OPENENV: serve(pythons[OPENENV]).url}


@pytest.fixture(scope="session")
def reports(pythons: dict[str, str], servers: dict[str, str]) -> dict[tuple[str, str], Any]:
    """What each line's clients saw on each line's server, by client and server."""
    return {
        (client, server): report
        for client, python in pythons.items()
        for server, report in zip(
            servers, json.loads(run(python, player.__file__, *servers.values())), strict=True
        )
    }


def test_a_server_on_the_newer_line_is_valid(
    pythons: dict[str, str], servers: dict[str, str]
) -> None:
    """openenv-core's check of a server is in tests/packaging/test_validators.py."""
    arguments = ["validate", "--url", servers[OPENENV], "--json", "--timeout", "30"]
    report = json.loads(run(pythons[OPENENV], "-m", "openenv.cli", *arguments))
    assert report["passed"] and report["mode"] == "simulation"
    assert report["summary"]["failed_criteria"] == []


def test_the_tree_is_valid_on_the_newer_line(pythons: dict[str, str], tmp_path: Path) -> None:
    """openenv-core's check of the tree is in tests/packaging/test_validators.py."""
    source = tree.copy(tmp_path / "source")
    arguments = ["validate", str(source), "--json", "--skip-build"]
    report = json.loads(run(pythons[OPENENV], "-m", "openenv.cli", *arguments))
    results = {check["check_id"]: check["status"] for check in report["results"]}
    assert results.pop("static.manifest") == "pass"
    assert set(results.values()) == {"skip"} and report["verdict"] == "warn"


@pytest.mark.parametrize("server", LINES)
@pytest.mark.parametrize("client", LINES)
def test_each_client_plays_on_each_server(
    reports: dict[tuple[str, str], Any], client: str, server: str
) -> None:
    report = reports[client, server]
    assert report["line"].startswith(client + "."), "each environment holds one line alone"
    assert "," not in report["line"]
    assert report["synchronous"] == report["asynchronous"] == report["generic"]
    assert set(report["synchronous"]) == {"medium_kb_grounded_response", "priority_sorting"}
    for end in report["synchronous"].values():
        assert end["done"] and end["steps"] == len(end["observation"]["history"])
        total = sum(entry["reward"] for entry in end["observation"]["history"])
        assert total == pytest.approx(end["observation"]["grade"]["grade"])


def test_all_see_the_same(reports: dict[tuple[str, str], Any]) -> None:
    seen = [report["synchronous"] for report in reports.values()]
    assert len(seen) == 4 and all(other == seen[0] for other in seen)


def run(python: str, *arguments: str) -> str:
    """What a program prints that runs with this Python on this tree."""
    done = subprocess.run(
        [python, *arguments],
        cwd=ROOT,
        env=clean_environ(PYTHONPATH=str(ROOT)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
