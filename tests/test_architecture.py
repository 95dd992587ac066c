"""The house keeps its arrows: imports run one way, and some names stay in one place."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# A place may import the places before it; entry points compose everything.
ORDER = ["supportops_env", "data", "graders", "env", "policies", "runs", "ui"]
MAY_NOT: dict[str, set[str]] = {
    "supportops_env": {"data", "graders", "env", "policies", "runs", "ui", "server", "app"},
    "data": {"supportops_env", "graders", "env", "policies", "runs", "ui", "server", "app"},
    "graders": {"env", "policies", "runs", "ui", "server", "app"},
    "env": {"policies", "runs", "ui", "server", "app"},
    "policies": {"runs", "ui", "server", "app"},
    "runs": {"ui", "server", "app"},
    "ui": {"server", "app", "inference"},
    "server": {"inference", "ui", "runs", "policies", "data", "graders"},
    "inference": {"app", "server", "ui"},
    "app": {"server", "inference"},
}
IMPURE = {
    "random": {"random", "randint", "choice", "choices", "shuffle", "sample", "uniform", "seed"},
    "time": {"time", "time_ns"},
    "datetime": {"now", "utcnow", "today"},
}


def sources(place: str) -> list[Path]:
    path = ROOT / place
    return sorted(path.rglob("*.py")) if path.is_dir() else [ROOT / f"{place}.py"]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{a.name}" for a in node.names)


@pytest.mark.parametrize("place", sorted(MAY_NOT))
def test_imports_run_one_way(place: str) -> None:
    for path in sources(place):
        wrong = {i for i in imports(path) if i.split(".")[0] in MAY_NOT[place]}
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_ui_reaches_the_engine_through_its_service_only() -> None:
    for path in sources("ui"):
        if path.parent.name == "service":
            continue
        wrong = {i for i in imports(path) if i.startswith(("env.episode", "graders", "data."))}
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


@pytest.mark.parametrize(
    ("library", "homes"),
    [("gradio", {"ui", "app.py"}), ("openai", {"policies"}), ("plotly", {"ui"})],
)
def test_libraries_stay_home(library: str, homes: set[str]) -> None:
    for place in MAY_NOT:
        for path in sources(place):
            home = path.relative_to(ROOT).parts[0]
            if home not in homes:
                wrong = {i for i in imports(path) if i.split(".")[0] == library}
                assert not wrong, f"{path.relative_to(ROOT)} imports {library}"


def test_the_environment_is_read_in_settings_only() -> None:
    for place in MAY_NOT:
        for path in sources(place):
            if path == ROOT / "env" / "settings.py":
                continue
            text = path.read_text(encoding="utf-8")
            assert "os.environ" not in text and "getenv" not in text, path.relative_to(ROOT)


@pytest.mark.parametrize("place", ["data", "graders", "env"])
def test_no_hidden_randomness_or_clock(place: str) -> None:
    for path in sources(place):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            if isinstance(owner, ast.Name) and node.func.attr in IMPURE.get(owner.id, set()):
                pytest.fail(f"{path.relative_to(ROOT)}:{node.lineno} {owner.id}.{node.func.attr}()")


def test_git_does_not_hide_the_env_package() -> None:
    for name in (".gitignore", ".dockerignore"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert not {"env", "env/", "/env", "/env/", "ENV", "env*"} & {s.strip() for s in lines}, (
            name
        )
