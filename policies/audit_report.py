"""What an audit found: rows of one table, and the scores and replies behind them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import DataError

SHIPPED = Path(__file__).parent.parent / "validation" / "audit.json"
"""The last full audit; the console shows it."""
RENEW = 'make audit ARGS="--out validation/audit.json"'
"""The command that plays it again and writes that file."""

Status = Literal["PASS", "FAIL", "WARN", "SKIP"]
ALL_TASKS = "all"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AuditRow(_Frozen):
    """One line of the table: what was checked where, what was measured, what is allowed."""

    check: str
    task: str = Field(default=ALL_TASKS, description="a task's id, or 'all'")
    status: Status
    measured: str = ""
    bound: str = ""
    worst: str = Field(default="", description="the ticket or set that did worst, or who did")
    reason: str = Field(default="", description="why it failed or was skipped")


class PolicyScore(_Frozen):
    """How a policy fared on a task. Episodes that could not be judged whole are not in the mean."""

    policy: str
    task: str
    mean: float
    highest: float
    lowest: float
    highest_item: str
    lowest_item: str
    episodes: int = Field(ge=1)


class BestReply(_Frozen):
    """The best reply that the hill-climber found for a ticket, word for word."""

    task: str
    split: str
    index: int
    item: str
    edits: int = Field(ge=0, description="edits tried")
    accepted: int = Field(ge=0, description="edits that raised R")
    value: float | None = Field(description="R in [0, 1]; None where it can't be judged")
    grade: float | None
    reply: str


class AuditReport(_Frozen):
    """A whole audit. It holds only for the versions it names, and says nothing of the machine."""

    measured: date = Field(description="the day, in UTC")
    quick: bool = Field(description="fewer items, and fewer and shorter climbs")
    tasks: tuple[str, ...]
    seed: int
    data_version: str
    grader_version: str
    rows: tuple[AuditRow, ...]
    scores: tuple[PolicyScore, ...]
    climbs: tuple[BestReply, ...]

    @property
    def passed(self) -> bool:
        """Whether no row failed. A skipped row is no pass of that row, but fails nothing."""
        return all(row.status != "FAIL" for row in self.rows)


def read_report(path: Path = SHIPPED) -> AuditReport:
    """A report from its file.

    Raises:
        DataError: there is none, or it is none of this version; names the file.
    """
    try:
        return AuditReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(path.name, error.strerror or str(error)) from error
    except ValidationError as error:
        raise DataError(path.name, "no report of this version's audit") from error


def table(rows: Sequence[AuditRow]) -> str:
    """The rows as a plain-text table, a line each, columns padded, no line break at the end."""
    head = ("check", "task", "status", "measured", "bound", "worst", "reason")
    cells = [head, *(tuple(" ".join(getattr(r, name).split()) for name in head) for r in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(s.rstrip() for s in (lines[0], "-" * len(lines[0].rstrip()), *lines[1:]))
