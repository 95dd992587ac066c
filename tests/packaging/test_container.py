"""The Dockerfile, carried out without an engine: what is in the image, and that it runs."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest
import yaml

from tests.conftest import ROOT
from tests.packaging import tree
from tests.packaging.dockerfile import Image, ignored_by, parse
from tests.server.wire import http, reset, step

PLACES = ("data", "env", "graders", "policies", "runs", "server", "supportops_env", "ui")


def test_the_image_holds_all_that_runs_and_nothing_else(image: Image) -> None:
    inside = {p.relative_to(image.workdir).as_posix() for p in image.workdir.rglob("*")}
    for name in tree.files():
        place = name.split("/")[0]
        if place in PLACES or name in {"app.py", "inference.py", "openenv.yaml", "README.md"}:
            assert name in inside, f".dockerignore hides {name}"
    tops = {name.split("/")[0] for name in inside}
    assert not tops & {"tests", "uv.lock", "Makefile", "requirements-dev.txt"}
    assert not [n for n in tops if n.startswith(".")]
    assert not [n for n in inside if n.endswith((".pyc", ".db", ".log"))]


def test_it_runs_unprivileged_on_a_source_tree_that_nobody_can_write(
    image: Image, port: int, tmp_path: Path
) -> None:
    before = listing(image.workdir)
    server = image.start(tmp_path / "log", PORT=str(port))
    try:
        assert server.url.endswith(f":{port}")
        assert image.check(PORT=str(port)) == 0
        with http(server.url) as client:
            assert client.get("/web/").status_code == 200
            sorting = reset(client, task_id="priority_sorting", seed=42)
            for ticket in sorting["tickets"]:
                payload = {"ticket_id": ticket["ticket_id"], "priority": "high"}
                action = {"action_type": "set_priority", "payload": payload}
                answer = step(client, action, sorting["episode_id"]).json()
            assert answer["done"]
            rewards = sum(entry["reward"] for entry in answer["observation"]["history"])
            assert rewards == pytest.approx(answer["observation"]["grade"]["grade"])
        if image.user is not None:
            status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
            facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
            assert set(facts["Uid"].split()) == {str(image.user)}
            assert int(facts["VmHWM"].split()[0]) < declared("memory_mb") * 1024
    finally:
        server.stop()
    assert "Traceback" not in server.written
    assert listing(image.workdir) == before
    home = Path(image.environ["HOME"])
    written = sum(p.stat().st_size for p in home.rglob("*") if p.is_file())
    assert written < declared("disk_mb") * 2**20


def test_the_health_check_fails_where_nothing_answers(image: Image, port: int) -> None:
    assert image.check(PORT=str(port)) != 0


def test_all_that_names_the_port_agrees(image: Image) -> None:
    manifest = yaml.safe_load((ROOT / "openenv.yaml").read_text(encoding="utf-8"))
    assert image.ports == [manifest["port"]] == [int(image.environ["PORT"])] == [8000]


@pytest.mark.parametrize(
    ("rules", "path", "out"),
    [
        ("tests", "tests/env/test_episode.py", True),
        ("tests", "data/tests", False),
        (".venv", ".venv/lib/x.py", True),
        ("**/*.py[cod]", "env/__pycache__/episode.pyc", True),
        ("**/*.py[cod]", "env/episode.py", False),
        ("**/__pycache__", "env/__pycache__/x", True),
        ("*.egg-info", "supportops_env.egg-info/PKG-INFO", True),
        (".env\n.env.*", "env/episode.py", False),
        ("# tests\n\ndocs/images", "docs/images/a.png", True),
        ("", "app.py", False),
    ],
)
def test_dockerignore_rules_mean_what_docker_takes_them_for(
    rules: str, path: str, out: bool
) -> None:
    assert bool(ignored_by(rules).fullmatch(path)) is out


def test_continued_lines_and_comments_are_read_as_docker_does() -> None:
    text = '# a\nENV A=1 \\\n    # b\n    B=2\n\nCMD ["x"]\n'
    assert [(i.name, i.value.split()) for i in parse(text)] == [
        ("ENV", ["A=1", "B=2"]),
        ("CMD", ['["x"]']),
    ]


def declared(resource: str) -> int:
    manifest = yaml.safe_load((ROOT / "openenv.yaml").read_text(encoding="utf-8"))
    return int(manifest["validation"]["resources"][resource])


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    stats = {p: os.stat(p) for p in folder.rglob("*")}
    return {
        PurePosixPath(p.relative_to(folder)).as_posix(): (s.st_size, s.st_mtime_ns)
        for p, s in stats.items()
    }
