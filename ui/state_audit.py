"""What the Audit tab shows, as plain frozen data over an audit's report."""

from __future__ import annotations

from dataclasses import dataclass

from policies.audit_report import AuditReport
from ui.state import Notice

SHIPPED, HERE = "shipped", "here"


@dataclass(frozen=True, slots=True)
class AuditWish:
    """What a visitor chose: which audit, of which task ("" is all), rows of which status ("" is all)."""

    source: str = SHIPPED
    task: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class AuditRun:
    """A quick audit that is on: jobs done and in all (0: not known yet), and who started it."""

    task: str
    done: int
    total: int
    mine: bool


@dataclass(frozen=True, slots=True)
class AuditView:
    """An audit as far as it is shown. `report` is None where there is none.

    `old` says that the report is about another data or grader version than the present ones.
    """

    wish: AuditWish
    report: AuditReport | None
    sources: tuple[str, ...] = ()
    old: bool = False
    run: AuditRun | None = None
    notice: Notice | None = None
