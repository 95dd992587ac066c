"""The wheel: what a trainer installs. It holds the models and the client, and plays with that alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.compat import player
from tests.conftest import ROOT, clean_environ
from tests.packaging import tree
from tests.packaging.dockerfile import uv_install


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `pip wheel . --no-deps` builds."""
    source = tree.copy(tmp_path_factory.mktemp("wheel") / "source")
    pip = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--quiet", "--wheel-dir", "out"]
    subprocess.run(pip, cwd=source, check=True, stdin=subprocess.DEVNULL)
    (built,) = (source / "out").iterdir()
    return built


@pytest.fixture(scope="module")
def trainer(wheel: Path) -> Path:
    """A Python with the wheel and what it asks for, and nothing else."""
    venv = wheel.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    uv_install(str(python), str(wheel), "-c", "constraints.txt", cwd=ROOT)
    return python


def test_it_holds_the_models_and_the_client_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (n for n in names if n.endswith(".dist-info/METADATA"))
        about = HeaderParser().parsestr(archive.read(metadata).decode())
    assert {n for n in names if ".dist-info/" not in n} == {
        name for name in tree.files() if name.startswith("supportops_env/")
    }
    assert "supportops_env/py.typed" in names
    assert any(n.endswith("/LICENSE") for n in names)
    assert (about["Name"], about["License-Expression"]) == ("supportops-env", "BSD-3-Clause")
    needs = [n for n in about.get_all("Requires-Dist", []) if "extra ==" not in n]
    assert {Requirement(need).name for need in needs} == {"openenv-core", "pydantic"}


def test_it_plays_with_nothing_of_ours_around(
    trainer: Path, live_server: str, tmp_path: Path
) -> None:
    absent = "rapidfuzz", "tantivy", "snowballstemmer", "env", "graders", "data", "ui"
    code = "import importlib.util as u, sys; print([n for n in sys.argv[1:] if u.find_spec(n)])"
    found = run(trainer, tmp_path, "-c", code, *absent)
    assert found.strip() == "[]"
    script = shutil.copy2(player.__file__, tmp_path)
    (report,) = json.loads(run(trainer, tmp_path, str(script), live_server))
    assert report["line"].startswith("openenv-core 0.3.")
    assert report["package"].startswith(str(trainer.parent.parent))
    assert report["synchronous"] == report["asynchronous"] == report["generic"]
    assert report["synchronous"]["priority_sorting"]["done"]


def run(python: Path, folder: Path, *arguments: str) -> str:
    """What a program prints that runs with this Python, in a folder that is not the source tree."""
    return subprocess.run(
        [str(python), *arguments],
        cwd=folder,
        env=clean_environ(),
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout
