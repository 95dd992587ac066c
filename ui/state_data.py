"""What the Data tab shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ui.state import TaskChoice


@dataclass(frozen=True, slots=True)
class DataCard:
    """A data set: its size by task and split, and what its scores compare with."""

    name: str
    version: str
    grader: str
    tickets: int
    articles: int
    tasks: tuple[TaskChoice, ...]
    csv: str = ""
    csv_name: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One imported ticket as it will be played."""

    ticket_id: str
    subject: str
    body: str
    customer: str


@dataclass(frozen=True, slots=True)
class ImportView:
    """What became of a file.

    `columns` are its column titles, `mapping` says which of them each field was read from. `tasks`
    are name, number of tickets, and why there are none or not all. `error` says why nothing of it
    can be played. `playing` says that the visitor plays it now.
    """

    name: str
    fields: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    read_as: tuple[str, ...] = ()
    rows: int = 0
    skipped: tuple[tuple[int, str], ...] = ()
    skipped_count: int = 0
    warnings: tuple[str, ...] = ()
    tasks: tuple[tuple[str, int, str], ...] = ()
    samples: tuple[Sample, ...] = ()
    playing: bool = False

    @property
    def playable(self) -> bool:
        """Whether there is anything to play."""
        return not self.error and any(count for _, count, _ in self.tasks)


@dataclass(frozen=True, slots=True)
class DataView:
    """The tab: the built-in data's card, the visitor's file, and a message (an error or news)."""

    card: DataCard
    found: ImportView | None = None
    error: str = ""
    most_bytes: int = 0
    most_tickets: int = 0
    playing: str = ""
