"""The audit: the shipped report, and a quick one that visitors may have played, one at a time.

It is played in a process of its own: it computes all the while, and handlers have to go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from data.errors import DataError
from env import episode as engine
from env.settings import Settings
from env.tasks import BY_ID
from graders.version import GRADER_VERSION
from policies.audit_report import SHIPPED, AuditReport, Status, read_report
from policies.audit_subject import ROOT
from ui import texts
from ui.state import Notice
from ui.state_audit import AuditView, Going, Source, Wanted
from ui.texts import audit as words

FRESH_S = 600.0
"""So long a result stands before the same may be measured again."""
_LONGEST_LINE = 1 << 24
_log = logging.getLogger(__name__)

COMMAND = (sys.executable, "-m", "policies.audit", "--quick", "--workers", "1", "--lines")


@dataclass
class _Run:
    visitor: str
    task: str
    began: float
    done: int = 0
    total: int = 0
    what: str = ""
    cancelled: bool = False


@dataclass(frozen=True)
class _Result:
    report: AuditReport
    task: str
    when: str
    at: float


class Audits:
    """What the Audit tab asks. Call it from one event loop."""

    def __init__(
        self,
        settings: Settings,
        *,
        command: Sequence[str] = COMMAND,
        shipped: Path = SHIPPED,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with nothing measured.

        Args:
            settings: How long a quick audit may take.
            command: What plays it and prints JSON lines.
            shipped: The file of the last full audit.
            clock: Seconds, for tests.
        """
        self._limit = settings.audit_seconds
        self._command, self._shipped, self._clock = command, shipped, clock
        self._run: _Run | None = None
        self._task: asyncio.Task[None] | None = None
        self._result: _Result | None = None
        self._ended: Notice | None = None
        self._read: tuple[float, AuditReport] | None = None

    # -- looking -------------------------------------------------------------------------------

    def view(self, visitor: str | None, **sent: object) -> AuditView:
        """What the tab shows to a visitor; what makes no sense in `sent` counts as not said."""
        wanted = _understood(sent)
        result, report, problem = self._result, None, ""
        if wanted.source == "here" and result is None:
            wanted = replace(wanted, source="shipped")
        if wanted.source == "here" and result is not None:
            report = result.report
        else:
            try:
                report = self._report()
            except DataError as error:
                problem = str(error)
        if report is not None and wanted.task not in ("", *report.tasks):
            wanted = replace(wanted, task="")
        return AuditView(
            wanted,
            report,
            (engine.builtin_arena().catalog.version, GRADER_VERSION),
            here=result.when if result else "",
            problem=problem,
            going=self._going(visitor),
            limit=int(self._limit),
        )

    def follow(self, visitor: str | None, **sent: object) -> AuditView:
        """The view for who sees an audit go on; once it is over, how it ended and what it found."""
        if self._run is not None or self._ended is None:
            return self.view(visitor, **sent)
        if self._ended.text == words.MEASURED:
            sent |= {"source": "here"}
        return replace(self.view(visitor, **sent), notice=self._ended)

    def download(self, **sent: object) -> tuple[str, str] | None:
        """The chosen report as JSON, and a name for its file; None where there is none."""
        view = self.view(None, **sent)
        if view.report is None:
            return None
        kind = "quick" if view.report.quick else "full"
        name = f"supportops-audit-{kind}-{view.report.measured}.json"
        return view.report.model_dump_json(indent=1) + "\n", name

    def _report(self) -> AuditReport:
        try:
            changed = self._shipped.stat().st_mtime
        except OSError:
            changed = 0.0
        if self._read is None or self._read[0] != changed:
            self._read = changed, read_report(self._shipped)
        return self._read[1]

    def _going(self, visitor: str | None) -> Going | None:
        run = self._run
        if run is None:
            return None
        spent = int(self._clock() - run.began)
        return Going(run.task, run.visitor == visitor, spent, run.done, run.total, run.what)

    # -- measuring -----------------------------------------------------------------------------

    def start(self, visitor: str | None, task: object, /, **sent: object) -> AuditView:
        """Begin a quick audit of a task ("" for all); the view says why where it can't be."""
        sent["scope"] = task
        problem = self._refusal(visitor, task)
        if problem is not None:
            return replace(self.view(visitor, **sent), notice=problem)
        self._ended = None
        self._run = _Run(str(visitor), str(task), self._clock())
        self._task = asyncio.create_task(self._measure(self._run))
        return self.view(visitor, **sent)

    def _refusal(self, visitor: str | None, task: object) -> Notice | None:
        if not visitor:
            return Notice(texts.NO_SESSION)
        if not isinstance(task, str) or task not in ("", *BY_ID):
            return Notice(texts.BAD_REQUEST)
        if not self._limit:
            return Notice(words.NOT_HERE)
        if self._run is not None:
            own = self._run.visitor == visitor
            return Notice(words.OWN_RUNS if own else words.OTHER_RUNS)
        result = self._result
        if result is not None and result.task == task:
            left = result.at + FRESH_S - self._clock()
            if left > 0:
                return Notice(words.FRESH.format(n=int(left // 60) + 1), error=False)
        return None

    async def cancel(self, visitor: str | None, **sent: object) -> AuditView:
        """End the visitor's own audit; somebody else's goes on."""
        run, task = self._run, self._task
        if run is not None and task is not None and run.visitor == visitor:
            run.cancelled = True
            task.cancel()
            await asyncio.wait({task})
        return self.follow(visitor, **sent)

    def close(self, visitor: str | None) -> None:
        """A visitor left: nobody waits for their audit any more."""
        run, task = self._run, self._task
        if run is not None and task is not None and run.visitor == visitor:
            run.cancelled = True
            task.cancel()

    async def _measure(self, run: _Run) -> None:
        try:
            async with asyncio.timeout(self._limit):
                report = await self._play(run)
            self._result = _Result(report, run.task, _now(), self._clock())
            self._ended = Notice(words.MEASURED, error=False)
        except TimeoutError:
            self._ended = Notice(words.TOO_LONG.format(n=int(self._limit)))
        except asyncio.CancelledError:
            self._ended = Notice(words.CANCELLED, error=False)
            if not run.cancelled:  # the server ends
                raise
        except Exception:
            _log.exception("the quick audit of the console failed")
            self._ended = Notice(words.BROKE)
        finally:
            self._run = None

    async def _play(self, run: _Run) -> AuditReport:
        command = [*self._command, *(("--task", run.task) if run.task else ())]
        nice = shutil.which("nice")
        process = await asyncio.create_subprocess_exec(
            *((nice, "-n", "10") if nice else ()),  # visitors who play come first
            *command,
            cwd=ROOT,
            env={"PATH": os.defpath, "PYTHONUTF8": "1"},  # nothing of this process's keys
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        assert process.stdout is not None
        report = None
        try:
            async for line in process.stdout:
                told: dict[str, Any] = json.loads(line)
                if "report" in told:
                    report = AuditReport.model_validate(told["report"])
                else:
                    run.done, run.total, run.what = told["done"], told["total"], told["what"]
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()  # over already where all went well
            await process.wait()
        if report is None:
            raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}")
        return report


def _understood(sent: dict[str, object]) -> Wanted:
    source, status = sent.get("source"), sent.get("status")
    task, scope = (
        t if isinstance(t, str) and t in BY_ID else ""
        for t in (sent.get("task"), sent.get("scope"))
    )
    return Wanted(
        source="here" if source == get_args(Source)[1] else "shipped",
        task=task,
        status=status if isinstance(status, str) and status in get_args(Status) else "",
        scope=scope,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="minutes")
