"""What the packaging tests share: a copy of the tree with a lock, and an image without an engine."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, clean_environ
from tests.packaging import tree
from tests.packaging.dockerfile import Image


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree in which `make lock` was run."""
    folder = tree.copy(tmp_path_factory.mktemp("checkout") / "supportops_env")
    make = ["make", "--silent", "lock", f"VENV={sys.prefix}"]
    subprocess.run(make, cwd=folder, env=clean_environ(), check=True, stdin=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def images() -> Iterator[Path]:
    """A folder for images that any user may look into; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="supportops-image-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="session")
def image(images: Path) -> Iterator[Image]:
    """The image of the tree as it lies there, whatever else may lie there too."""
    built = Image(images / "container").build(ROOT)
    yield built
    built.remove()


@pytest.fixture
def port() -> int:
    """A port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
