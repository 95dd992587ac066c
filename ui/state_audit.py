"""What the Audit tab shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from policies.audit_report import AuditReport
from ui.state import Notice

Source = Literal["shipped", "here"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a visitor chose to see, and which task to play; "" is every task, every result."""

    source: Source = "shipped"
    task: str = ""
    status: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Going:
    """The quick audit that is being played on this server.

    `task` is "" for all of them; `own` says that the visitor who looks began it.
    """

    task: str
    own: bool
    seconds: int
    done: int = 0
    total: int = 0
    what: str = ""


@dataclass(frozen=True, slots=True)
class AuditView:
    """All that the tab shows.

    `report` is what was chosen, None where it can't be read: then `problem` says why. `here` is
    when a report was measured on this server, "" before that; `limit` is how many seconds that may
    take, 0 where this server doesn't do it.
    """

    wanted: Wanted
    report: AuditReport | None
    present: tuple[str, str]
    here: str = ""
    problem: str = ""
    going: Going | None = None
    limit: int = 0
    notice: Notice | None = None
