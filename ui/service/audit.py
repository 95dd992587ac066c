"""The Audit tab's part of the service: the audit that ships, and a quick one, run on this server.

The quick audit plays in a process of its own, so that nobody waits for it, one at a time for all
visitors; whoever asks meanwhile sees how far it is. Its result depends on nothing but data and
grader, so a public server runs each only once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from data import catalog as catalogs
from env.settings import Settings
from env.tasks import BY_ID
from graders.version import GRADER_VERSION
from policies.audit import SHIPPED as SHIPPED_FILE
from policies.audit_report import AuditReport, Status
from ui.service.choice import one_of
from ui.state import Notice
from ui.state_audit import HERE, SHIPPED, AuditRun, AuditView, AuditWish
from ui.texts import audit as texts

ROOT = Path(__file__).parent.parent.parent
COMMAND: tuple[str, ...] = (sys.executable, "-m", "policies.audit", "--quick", "--workers", "1")
LOOKS_S = 0.5
"""How often a run that is on is looked at."""
_NICE = 10
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
_JOBS = re.compile(rb"(\d+)/(\d+) \[")
_STATUSES = get_args(Status)


@dataclass
class _Run:
    """A quick audit in its process."""

    owner: str
    task: str
    done: int = 0
    total: int = 0
    problem: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    job: asyncio.Task[None] | None = None


class Audit:
    """The audits that can be shown. Call it from one event loop."""

    def __init__(
        self,
        settings: Settings,
        shipped: Path = SHIPPED_FILE,
        command: Sequence[str] = COMMAND,
    ) -> None:
        """Show the file `shipped`; `command` runs a quick audit and takes --task and --out."""
        self._settings = settings
        self._path = shipped
        self._command = tuple(command)
        self._shipped: AuditReport | None = None
        self._here: dict[str, AuditReport] = {}
        self._run: _Run | None = None

    def view(self, visitor: str | None, sent: Any = None, notice: Notice | None = None) -> AuditView:
        """What a visitor's choice shows; what is not known in it is left out."""
        wish = _wish(sent)
        report = self._report(wish)
        if report is None and wish.source == HERE:
            wish = AuditWish(SHIPPED, wish.task, wish.status)
            report = self._report(wish)
        present = (catalogs.builtin().version, GRADER_VERSION)
        return AuditView(
            wish,
            report,
            (SHIPPED, HERE) if self._here else (SHIPPED,),
            old=report is not None and (report.data_version, report.grader_version) != present,
            run=self._running(visitor),
            notice=notice,
        )

    async def run(self, visitor: str | None, sent: Any) -> AsyncIterator[AuditView]:
        """Audit the chosen task, or all; how it goes until it is over, then its result.

        Where one is on already, that one is shown.
        """
        wish = AuditWish(HERE, _wish(sent).task)
        if self._run is None:
            if self._settings.space_id and wish.task in self._here:
                yield self.view(visitor, vars_of(wish), Notice(texts.ONCE, error=False))
                return
            self._run = _Run(visitor or "", wish.task)
            self._run.job = asyncio.create_task(self._work(self._run))
        run = self._run
        while not run.over.is_set():
            yield self.view(visitor, sent)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(run.over.wait(), LOOKS_S)
        if run.problem:
            yield self.view(visitor, sent, Notice(run.problem))
        else:
            yield self.view(visitor, vars_of(AuditWish(HERE, run.task)))

    async def cancel(self, visitor: str | None, sent: Any) -> AuditView:
        """Break off the run that this visitor started; others' go on."""
        self.close(visitor)
        if self._run is not None and self._run.owner == (visitor or ""):
            await self._run.over.wait()
            return self.view(visitor, sent, Notice(texts.STOPPED, error=False))
        return self.view(visitor, sent)

    def close(self, visitor: str | None) -> None:
        """Break off the run of a visitor who left."""
        run = self._run
        if run is not None and run.job is not None and run.owner == (visitor or ""):
            run.job.cancel()

    def _report(self, wish: AuditWish) -> AuditReport | None:
        if wish.source == HERE:
            return self._here.get(wish.task) or self._here.get("")
        if self._shipped is None:
            with contextlib.suppress(OSError, ValidationError):
                self._shipped = AuditReport.model_validate_json(self._path.read_bytes())
        return self._shipped

    def _running(self, visitor: str | None) -> AuditRun | None:
        run = self._run
        if run is None or run.over.is_set():
            return None
        return AuditRun(run.task, run.done, run.total, run.owner == (visitor or ""))

    async def _work(self, run: _Run) -> None:
        process: Process | None = None
        try:
            with tempfile.TemporaryDirectory(prefix="audit-") as folder:
                out = Path(folder) / "audit.json"
                command = [*self._command, "--out", str(out)]
                command += ["--task", run.task] if run.task else []
                async with asyncio.timeout(self._settings.audit_seconds):
                    process = await asyncio.create_subprocess_exec(
                        *command,
                        cwd=ROOT,
                        env={k: os.environ[k] for k in _KEPT if k in os.environ},
                        stdin=asyncio.subprocess.DEVNULL,
                        stdout=asyncio.subprocess.DEVNULL,
                        stderr=PIPE,
                        start_new_session=True,
                    )
                    with contextlib.suppress(OSError):
                        os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
                    await _follow(run, process)
                    code = await process.wait()
                if code in (0, 1):  # 1: it ran, and something failed
                    self._here[run.task] = AuditReport.model_validate_json(out.read_bytes())
                else:
                    run.problem = texts.FAILED.format(code=code)
        except TimeoutError:
            run.problem = texts.TOO_LONG.format(seconds=f"{self._settings.audit_seconds:.0f}")
        except asyncio.CancelledError:
            run.problem = texts.STOPPED
        except (OSError, ValidationError) as error:
            run.problem = texts.BROKEN.format(why=type(error).__name__)
        finally:
            if process is not None and process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            self._run = None
            run.over.set()


async def _follow(run: _Run, process: Process) -> None:
    """Read the progress bar that the command draws on stderr."""
    assert process.stderr is not None  # asked for with PIPE
    while chunk := await process.stderr.read(4_096):
        seen = _JOBS.findall(chunk)
        if seen:
            run.done, run.total = int(seen[-1][0]), int(seen[-1][1])


def vars_of(wish: AuditWish) -> dict[str, str]:
    """A choice as the page sends it."""
    return {"source": wish.source, "task": wish.task, "status": wish.status}


def _wish(sent: Any) -> AuditWish:
    found = sent if isinstance(sent, dict) else {}
    return AuditWish(
        one_of(found.get("source"), (SHIPPED, HERE)) or SHIPPED,
        one_of(found.get("task"), BY_ID) or "",
        one_of(found.get("status"), _STATUSES) or "",
    )
