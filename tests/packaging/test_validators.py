"""The scripts that check a submission, and OpenEnv's own checks: run for real, and seen to fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

import pre_submission_validate
from tests.conftest import ROOT, clean_environ

SERVER_THAT_FAILS = """
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    status = 200 if scope["path"] == "/health" else 500
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})
"""
DOCKER = """
[ "$1" = build ] && { echo "this build says $1"; exit %d; }
exit %d
"""


def run(folder: Path, *command: str, path: Path | None = None, **variables: str) -> tuple[int, str]:
    """A program's exit code and what it wrote; finds this environment's programs, `path` first."""
    places = [str(p) for p in (path, Path(sys.executable).parent) if p]
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean_environ(PATH=os.pathsep.join([*places, os.environ["PATH"]]), **variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


def put(program: Path, script: str) -> None:
    """Make a program of some lines of shell."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


def checks(output: str) -> dict[str, str]:
    """The status of each check of pre_submission_validate.py."""
    lines = [line for line in output.splitlines() if not line.startswith("      |")]
    return {line[6:].partition(":")[0]: line[:4].strip() for line in lines}


@pytest.fixture
def docker(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with a `docker` that ends with the given exit codes for build and all else."""
    put(tmp_path / "bin" / "docker", DOCKER % request.param)
    return tmp_path / "bin"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A tree without openenv.yaml or settings, with a server that answers 500."""
    tree = tmp_path / "broken"
    # Packages of their own, or an installation of the checkout would lend its ones.
    for package in ("server", "env"):
        (tree / package).mkdir(parents=True)
        (tree / package / "__init__.py").touch()
    (tree / "server" / "app.py").write_text(SERVER_THAT_FAILS, encoding="utf-8")
    (tree / "uv.lock").touch()
    shutil.copy2(ROOT / "pre_submission_validate.py", tree)
    shutil.copy2(ROOT / "validate-submission.sh", tree)
    return tree


def test_openenv_validate_passes_a_running_server(live_server: str, tmp_path: Path) -> None:
    code, output = run(tmp_path, "openenv", "validate", "--url", live_server, "--timeout", "30")
    assert code == 0, output
    report = json.loads(output)
    assert report["passed"] and report["summary"]["failed_criteria"] == []


def test_before_submission_all_checks_of_a_good_tree_pass(checkout: Path) -> None:
    script = "pre_submission_validate.py"
    code, output = run(checkout, sys.executable, script, "--skip-docker", API_KEY="k")
    assert code == 0, output
    assert checks(output) == {
        "environment variables": "WARN",
        "uv.lock": "PASS",
        "structure": "PASS",
        "server": "PASS",
        "docker": "SKIP",
    }
    assert "API_BASE_URL, MODEL_NAME" in output and "without a key" not in output


@pytest.mark.parametrize("docker", [(1, 0)], indirect=True)
def test_before_submission_every_failure_is_found(broken: Path, docker: Path) -> None:
    code, output = run(broken, sys.executable, "pre_submission_validate.py", path=docker)
    assert code == 1
    assert checks(output) == {
        "environment variables": "FAIL",
        "uv.lock": "PASS",
        "structure": "FAIL",
        "server": "FAIL",
        "docker": "FAIL",
    }
    assert "openenv.yaml" in output and "POST /reset answers 500" in output
    assert "      | this build says build" in output and "Traceback" not in output


def test_before_submission_a_server_that_ends_is_found(
    broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (broken / "server" / "app.py").write_text("raise SystemExit('no port')", encoding="utf-8")
    monkeypatch.setattr(pre_submission_validate, "ROOT", broken)
    found = pre_submission_validate.check_reset()
    assert (found.status, found.detail) == ("FAIL", "the server ended with exit code 1")
    assert found.output.splitlines()[-1] == "no port"


def test_a_good_submission_passes(checkout: Path, live_server: str) -> None:
    script = str(ROOT / "validate-submission.sh")
    code, output = run(ROOT, script, live_server, str(checkout), path=None)
    assert code == 0, output
    assert f"PASS  POST {live_server}/reset answers 200" in output
    assert "Ready for multi-mode deployment\nPASS  openenv validate passes" in output
    assert output.splitlines()[-1] == "Ready: no check failed."


@pytest.mark.parametrize("docker", [(0, 0), (0, 1), (1, 0)], indirect=True, ids=str)
@pytest.mark.parametrize("valid", [True, False])
def test_every_failure_of_a_submission_is_found(
    broken: Path,
    docker: Path,
    valid: bool,
    httpserver: HTTPServer,
    request: pytest.FixtureRequest,
) -> None:
    build, engine = request.node.callspec.params["docker"]
    (broken / "openenv.yaml").touch()
    put(broken / ".venv" / "bin" / "openenv", "true" if valid else "false")
    httpserver.expect_request("/reset", method="POST").respond_with_json({})
    code, output = run(broken, "./validate-submission.sh", httpserver.url_for("/"), path=docker)
    expected = "SKIP" if engine else "FAIL" if build else "PASS"
    assert f"{expected}  docker build" in output, output
    assert f"{'PASS' if valid else 'FAIL'}  openenv validate" in output
    failed = expected == "FAIL" or not valid
    assert code == (1 if failed else 0)
    assert output.splitlines()[-1].startswith("Not ready" if failed else "Ready")


def test_a_server_that_answers_500_and_a_tree_that_openenv_refuses(
    broken: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/reset", method="POST").respond_with_json({}, status=500)
    url = httpserver.url_for("").rstrip("/")
    (broken / "openenv.yaml").write_text("name: broken\n", encoding="utf-8")
    code, output = run(broken, "./validate-submission.sh", url + "/")
    assert code == 1
    assert f"FAIL  POST {url}/reset answers 500, not 200" in output
    assert "FAIL  openenv validate does not pass" in output and "Missing pyproject.toml" in output


@pytest.mark.parametrize("newer", [True, False])
def test_the_newer_line_is_not_asked_to_build_the_image(broken: Path, newer: bool) -> None:
    (broken / "openenv.yaml").touch()
    put(broken / ".venv" / "bin" / "openenv", 'echo "asked: $@"')
    put(broken / ".venv" / "bin" / "python", "true" if newer else "false")
    _, output = run(broken, "./validate-submission.sh", "http://127.0.0.1:9")
    assert f"asked: validate .{' --skip-build' if newer else ''}\n" in output


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "usage:"),
        (["--help"], 0, "usage:"),
        (["localhost:8000"], 2, "usage:"),
        (["http://a", "b", "c"], 2, "usage:"),
        (["http://127.0.0.1:9", "/"], 2, "holds no openenv.yaml"),
        (["http://127.0.0.1:9", "/no/such/folder"], 2, "holds no openenv.yaml"),
    ],
)
def test_how_the_script_is_called(arguments: list[str], code: int, says: str) -> None:
    found, output = run(ROOT, "./validate-submission.sh", *arguments)
    assert (found, says in output) == (code, True), output


def test_a_tree_without_openenv_yaml_and_a_server_that_is_not_there(broken: Path) -> None:
    url = "http://127.0.0.1:9"
    code, output = run(broken, "./validate-submission.sh", url)
    assert code == 2 and "holds no openenv.yaml: name the checkout" in output
    (broken / "openenv.yaml").touch()
    (broken / "uv.lock").unlink()
    code, output = run(broken, "./validate-submission.sh", url)
    assert code == 1 and f"FAIL  POST {url}/reset does not answer" in output
    assert "there is no uv.lock, and make lock failed" in output
