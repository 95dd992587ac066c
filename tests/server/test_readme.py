"""What README shows runs as it stands there."""

import re
import subprocess
import sys

from tests.conftest import ROOT, clean_environ

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
