"""What the API tab shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ApiView:
    """An episode as a program would play it.

    `base` is the server's address without a slash at its end; `reset` and `action` are the bodies
    of the first two requests; `own_data` says that Play shows a ticket which the API doesn't have.
    """

    base: str
    task_name: str
    reset: dict[str, Any]
    action: dict[str, Any]
    own_data: bool = False
