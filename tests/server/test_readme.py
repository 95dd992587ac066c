"""What README shows runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import httpx

from tests.conftest import ROOT, clean_environ, launch

BLOCK = re.compile(r"```python\n(# Train on endless tickets.*?)```", re.DOTALL)


def test_the_training_loop_runs(live_server: str) -> None:
    (code,) = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "http://localhost:8000" in code
    ended = subprocess.run(
        [sys.executable, "-c", code.replace("http://localhost:8000", live_server)],
        cwd=ROOT,
        env=clean_environ(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    lines = ended.stdout.splitlines()
    assert len(lines) == 4 and lines[0].startswith("0 "), ended.stderr[-500:]


def test_the_app_serves_when_it_is_run(tmp_path: Path) -> None:
    environ = clean_environ(PORT="0", SUPPORTOPS_HOME=str(tmp_path))
    server = launch([sys.executable, "app.py"], tmp_path / "log", environ)
    try:
        assert httpx.get(f"{server.url}/tasks", trust_env=False).status_code == 200
    finally:
        server.stop()
