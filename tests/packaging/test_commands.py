"""Every command line ends quietly when its reader leaves: `command | head -1`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from runs.files import read_runs
from tests.conftest import ROOT, clean_environ
from tests.inference.model_server import Model

COMMANDS = {
    "inference.py": ["inference.py", "--policy", "keyword", "--limit-per-task", "3"],
    "runs": ["-m", "runs", "list"],
    "graders.calibrate": ["-m", "graders.calibrate", "--json"],
    "data.check": ["-m", "data.check"],
    "data.importing": ["-m", "data.importing", "data/dataset.csv"],
}


def left(arguments: list[str], home: Path, **variables: str) -> tuple[int, str]:
    """Run with a standard output that nobody reads; its exit code and what it said."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=clean_environ(SUPPORTOPS_HOME=str(home), **variables),
            stdout=writing,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=120,
        )
    finally:
        os.close(writing)
    return ran.returncode, ran.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_reader_that_left_is_no_error(command: str, tmp_path: Path) -> None:
    code, said = left(COMMANDS[command], tmp_path)
    assert code == 141 and "Traceback" not in said and "BrokenPipe" not in said, said


@pytest.mark.parametrize("concurrency", ["1", "3"])
def test_a_model_plays_no_further_for_a_reader_that_left(
    httpserver: HTTPServer, tmp_path: Path, concurrency: str
) -> None:
    model = Model(httpserver)
    kept = tmp_path / "runs.jsonl"
    more = ["--limit-per-task", "5", "--concurrency", concurrency, "--out", str(kept)]
    code, said = left(["inference.py", *more], tmp_path, **model.settings)
    assert code == 141 and "Traceback" not in said, said
    assert len(model.asked) <= 6
    assert {run.stop for run in read_runs(kept)} <= {"done", "cancelled"}


def test_every_command_line_is_of_that_kind() -> None:
    """`server.app` and what checks the checkout print nothing that one would page through."""
    not_here = {
        "server/app.py",
        "pre_submission_validate.py",
        "policies/small_model.py",
        "bench/clients.py",
    }
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith((".", "tests/", "build/")) or name in not_here:
            continue
        text = path.read_text(encoding="utf-8")
        if re.search(r"^if __name__ == .__main__.:\n.*main\(", text, re.M):
            raise AssertionError(f"{name}: sys.exit(exit_code_of(main)), see data/command.py")
