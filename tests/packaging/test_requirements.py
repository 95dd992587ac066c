"""The lists of packages agree with each other and with what is installed."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib import metadata
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.conftest import ROOT
from tests.packaging import tree


def listed(name: str) -> dict[str, Requirement]:
    """The requirements in a file, by name, without those of files that it includes."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    kept = [re.sub(r"(^|\s)#.*", "", line).strip() for line in lines]
    found = [Requirement(line) for line in kept if line and not line.startswith("-")]
    return {str(canonicalize_name(r.name)): r for r in found}


def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins() -> dict[str, set[str]]:
    """The versions that constraints.txt allows of each package: more than one where markers differ."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pin = Requirement(line)
            (version,) = pin.specifier
            assert version.operator == "=="
            found.setdefault(canonicalize_name(pin.name), set()).add(version.version)
    return found


@pytest.mark.parametrize(
    ("file", "ranges"),
    [("requirements.txt", "server"), ("requirements-dev.txt", "dev")],
)
def test_what_is_pinned_is_what_the_project_asks_for(file: str, ranges: str) -> None:
    about = project()
    if ranges == "server":
        texts = about["project"]["dependencies"] + about["project"]["optional-dependencies"][ranges]
    else:
        texts = about["dependency-groups"][ranges]
    asked = {str(canonicalize_name(r.name)): r for r in map(Requirement, texts)}
    pinned = listed(file)
    assert set(pinned) == set(asked)
    for name, pin in pinned.items():
        (exact,) = pin.specifier
        assert exact.operator == "==" and asked[name].specifier.contains(exact.version), name
        assert pin.extras == asked[name].extras
        assert exact.version in pins()[name]


def test_the_newer_line_gets_the_same_packages() -> None:
    ours, theirs = listed("requirements.txt"), listed("requirements-openenv010.txt")
    assert theirs.pop("openenv").specifier == SpecifierSet("==0.10.0")
    assert ours.pop("openenv-core").specifier == SpecifierSet("==0.3.0")
    assert {n: r.extras for n, r in theirs.items()} == {n: r.extras for n, r in ours.items()}
    assert "0.10.0" in pins()["openenv"]


def test_everything_installed_is_constrained_to_its_version() -> None:
    waiting = [*listed("requirements.txt").values(), *listed("requirements-dev.txt").values()]
    known, seen = pins(), set()
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if (name, tuple(sorted(need.extras))) in seen:
            continue
        seen.add((name, tuple(sorted(need.extras))))
        found = metadata.distribution(name)
        assert found.version in known.get(name, ()), f"{name} {found.version}: make constraints"
        for text in found.requires or ():
            further = Requirement(text)
            extras = need.extras or {""}
            if not further.marker or any(further.marker.evaluate({"extra": e}) for e in extras):
                waiting.append(further)
    assert len({name for name, _ in seen}) > 100


def test_fastmcp_stays_below_4() -> None:
    """With 4, upstream's /mcp answers `input_schema` (tests/compat/test_mcp.py)."""
    assert all(version.startswith("3.") for version in pins()["fastmcp"])
    ranges = {
        r.name: r for r in map(Requirement, project()["project"]["optional-dependencies"]["server"])
    }
    assert not ranges["fastmcp"].specifier.contains("4.0")


def test_no_list_names_where_packages_come_from() -> None:
    for name in tree.files():
        if name.startswith(("requirements", "constraints", "Dockerfile", "Makefile", ".ci/")):
            text = (ROOT / name).read_text(encoding="utf-8")
            found = re.search(r"https?://(?!localhost|127\.)|--hash|--(extra-)?index-url[ =]", text)
            assert not found, f"{name}: {found}"


def test_git_takes_the_env_package_and_leaves_out_what_is_made() -> None:
    made = ["uv.lock", ".venv/x", ".env", "runs.db", "outputs/x", "build/x"]
    command = ["git", "check-ignore", "--no-index", "env/episode.py", "data/schema.py", *made]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.splitlines() == made
