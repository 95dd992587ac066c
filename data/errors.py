"""What can be wrong with data files. Errors carry fields, nothing else."""

from __future__ import annotations


class DataError(Exception):
    """Raised when a data file is missing, unreadable or says something impossible.

    `where` names the file and, where known, the line; `what` says what is wrong and what to do.
    """

    def __init__(self, where: str, what: str) -> None:
        """Keep both parts apart, so that a caller can show them as it likes."""
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what
