"""What can go wrong with stored runs. Messages say what, where, what to do."""

from __future__ import annotations

from env.errors import SupportOpsError


class StoreError(SupportOpsError):
    """Raised when the store can't do what it was asked to; nothing changed."""


class NoSuchRun(StoreError):
    """Raised when a run id is not in the store."""

    def __init__(self, run_id: str) -> None:
        """Keep the id, cut to a printable length."""
        self.run_id = run_id[:80]
        super().__init__(f"no such run: {self.run_id!r}; `python -m runs list` shows the runs")


class RunExists(StoreError):
    """Raised when a run is begun, or a step written, under an id or number that is taken."""


class CannotReplay(SupportOpsError):
    """Raised when a run can't be played again here; the message says why."""
