"""Check a checkout before it is submitted: `python pre_submission_validate.py [--skip-docker]`.

Prints one line a check, each PASS, WARN, SKIP or FAIL, and exits 1 if any check failed.
"""

from __future__ import annotations

import argparse
import http.client
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent
START_TIMEOUT = 120.0
"""Seconds a server may take until it is healthy."""

Status = Literal["PASS", "WARN", "SKIP", "FAIL"]


@dataclass(frozen=True, slots=True)
class Result:
    """What one check found. `detail` is one line; `output` is what a failed program said."""

    status: Status
    detail: str
    output: str = ""


def check_variables() -> Result:
    """The variables that `inference.py` plays with. What is missing is named, and no failure."""
    from env.settings import get_settings  # here, so that a broken checkout is a failed check

    given = get_settings().model_fields_set
    missing = [name for name in ("API_BASE_URL", "MODEL_NAME") if name.lower() not in given]
    keys = ("API_KEY", "HF_TOKEN", "OPENAI_API_KEY")
    if not any(key.lower() in given for key in keys):
        missing.append("one of " + "/".join(keys))
        return Result("WARN", f"not set: {', '.join(missing)}; without a key only --offline plays")
    if missing:
        return Result("WARN", f"not set: {', '.join(missing)}; the defaults count")
    return Result("PASS", "model, server and key are named")


def check_lock() -> Result:
    """uv.lock, made with `uv lock` where there is none."""
    lock = ROOT / "uv.lock"
    if lock.is_file():
        return Result("PASS", "uv.lock is there")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            uv = _find_uv(Path(scratch))
        except OSError as error:
            return Result("FAIL", "uv could not be installed; try `make lock`", str(error))
        done = _run([uv, "lock", "--quiet"])
    if done.returncode or not lock.is_file():
        return Result("FAIL", "uv lock failed", done.stdout)
    return Result("PASS", "uv.lock was made")


def check_structure() -> Result:
    """`openenv validate .`, with whichever openenv is installed."""
    command = [sys.executable, "-m", "openenv.cli", "validate", "."]
    # From 0.10 on it can build the image too; that is the docker check's part.
    if any(metadata.distributions(name="openenv")):
        command.append("--skip-build")
    done = _run(command)
    if done.returncode:
        return Result("FAIL", "openenv validate . does not pass", done.stdout)
    return Result("PASS", "openenv validate . passes")


def check_reset() -> Result:
    """A server of this checkout on a free port, and its answer to POST /reset."""
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", "server.app:app"]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            problem = _await_health(server, port) or _post_reset(port)
        finally:
            _stop(server)
        if problem:
            log.seek(0)
            return Result("FAIL", problem, log.read())
    return Result("PASS", "POST /reset answers 200")


def check_docker() -> Result:
    """`docker build`, where there is an engine."""
    docker = shutil.which("docker")
    if docker is None:
        return Result("SKIP", "docker is not installed")
    if _run([docker, "info"]).returncode:
        return Result("SKIP", "docker has no engine to talk to")
    done = _run([docker, "build", "--tag", "supportops-env:pre-submission", "."])
    if done.returncode:
        return Result("FAIL", "docker build failed", done.stdout)
    return Result("PASS", "docker build works")


def main(arguments: list[str] | None = None) -> int:
    """Run the checks in order. Returns the exit code."""
    parser = argparse.ArgumentParser(description="Check this checkout before it is submitted.")
    parser.add_argument("--skip-docker", action="store_true", help="leave out the docker build")
    options = parser.parse_args(arguments)

    def skip_docker() -> Result:
        return Result("SKIP", "--skip-docker")

    checks: list[tuple[str, Callable[[], Result]]] = [
        ("environment variables", check_variables),
        ("uv.lock", check_lock),
        ("structure", check_structure),
        ("server", check_reset),
        ("docker", skip_docker if options.skip_docker else check_docker),
    ]
    failed = 0
    for name, check in checks:
        try:
            result = check()
        except Exception as error:  # a check that breaks is a failed check; the others still run
            result = Result("FAIL", f"{type(error).__name__}: {error}")
        _report(name, result)
        failed += result.status == "FAIL"
    return 1 if failed else 0


def _report(name: str, result: Result) -> None:
    detail = " ".join(result.detail.split())
    sys.stdout.write(f"{result.status:4}  {name}: {detail}\n")
    for line in result.output.strip().splitlines()[-20:]:
        sys.stdout.write(f"      | {line}\n")
    sys.stdout.flush()


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program in the checkout; stdout holds what it said on either stream."""
    return subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _find_uv(scratch: Path) -> str:
    """The path of uv: beside this Python, on PATH, or else installed into `scratch`.

    Raises:
        OSError: pip could not install it.
    """
    beside = shutil.which("uv", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("uv")
    if found:
        return found
    done = _run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(scratch), "uv"])
    if done.returncode:
        raise OSError(done.stdout)
    return str(scratch / "bin" / "uv")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_health(server: subprocess.Popen[bytes], port: int) -> str:
    """Wait until the server is healthy. Returns "", or what is wrong."""
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline:
        if server.poll() is not None:
            return f"the server ended with exit code {server.returncode}"
        try:
            if _ask(port, "GET", "/health") == 200:
                return ""
        except (OSError, http.client.HTTPException):
            pass  # not listening yet
        time.sleep(0.3)
    return f"the server was not healthy after {START_TIMEOUT:.0f} s"


def _post_reset(port: int) -> str:
    """Reset once. Returns "", or what is wrong."""
    try:
        status = _ask(port, "POST", "/reset", "{}")
    except (OSError, http.client.HTTPException) as error:
        return f"POST /reset does not answer: {error}"
    return "" if status == 200 else f"POST /reset answers {status}"


def _ask(port: int, method: str, path: str, body: str | None = None) -> int:
    """The status that the server on this port answers with; no proxy comes between."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(timeout=15)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
