"""Running inference.py: in process where that will do, as the documented command where it won't."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

import inference
from env.settings import Settings, get_settings
from tests.conftest import ROOT, clean_environ


@dataclass(frozen=True)
class Ran:
    """What came of a run."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Run]:
    """Run inference.py in this process, with arguments and settings; runs go to a place of its own."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("SUPPORTOPS_HOME", str(tmp_path_factory.mktemp("home")))

    def start(*argv: str, **variables: str) -> Ran:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        get_settings.cache_clear()
        capsys.readouterr()
        try:
            code = inference.main(argv)
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    yield start
    get_settings.cache_clear()


COMMANDS: dict[str, tuple[str, dict[str, str]]] = {
    "model": ("inference.py --csv dataset.csv --limit-per-task 5", {}),
    "offline": (
        "inference.py --csv dataset.csv --limit-per-task 3 --offline",
        {"PYTHONHASHSEED": "1"},
    ),
    "random": ("inference.py --policy random --limit-per-task 4", {"PYTHONHASHSEED": "2"}),
}
"""Literal command lines, and what is set for them."""

Commands = Callable[[str], Ran]


@pytest.fixture(scope="session", autouse=True)
def command(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """What a literal command did in a process of its own; all start at once, before any is asked for."""
    home = str(tmp_path_factory.mktemp("home"))
    started = {
        name: subprocess.Popen(
            [sys.executable, *line.split()],
            cwd=ROOT,
            env=clean_environ(SUPPORTOPS_HOME=home, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for name, (line, variables) in COMMANDS.items()
    }

    def finished(name: str) -> Ran:
        out, err = started[name].communicate(timeout=240)
        return Ran(started[name].returncode, out, err)

    yield finished
    for process in started.values():
        process.kill()
        process.communicate()
