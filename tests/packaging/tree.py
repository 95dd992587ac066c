"""Copies of the source tree, as somebody gets them who clones it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.conftest import ROOT


def files() -> list[str]:
    """The files of the tree: what git has or would take, relative to its root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    names = {name for name in done.stdout.split("\0") if name}
    return sorted(name for name in names if (ROOT / name).is_file())


def copy(folder: Path) -> Path:
    """Copy the tree into a folder that does not exist yet."""
    for name in files():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder
