"""What the Leaderboard tab shows, as plain frozen data over the rows of runs.stats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runs.confusion import Confusion
from runs.stats import Paired, Player, Row, Versions


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a visitor chose: "" is all tasks, every kind, the present versions, no player yet."""

    task: str = ""
    split: str = "test"
    kind: str = ""
    versions: str = ""
    player: str = ""
    against: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Versions within which scores compare, and how many runs there are under them."""

    key: str
    versions: Versions
    runs: int


@dataclass(frozen=True, slots=True)
class Published:
    """A score that others published; `task_id` None is their average over their own tasks."""

    model: str
    task_id: str | None
    score: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A player under a key, with a row per task (None: over all tasks)."""

    key: str
    player: Player
    rows: Mapping[str | None, Row]

    def row(self, task: str) -> Row | None:
        """The row of a task; of all tasks where `task` is "", or the only one that was played."""
        if task:
            return self.rows.get(task)
        return self.rows.get(None) or next(iter(self.rows.values()))


@dataclass(frozen=True, slots=True)
class Detail:
    """One player closely. `versus` is None where there is no other, or they share no episode."""

    key: str
    against: str
    versus: Paired | None
    by_category: tuple[Row, ...]
    categories: Confusion
    priorities: Confusion


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """All that the tab shows, the visitor's own runs aside.

    `standings` has who played what was chosen, the best first; who left tasks out comes after
    those who played all. `reason` says why runs do not outlive a restart, `problems` what could
    not be read.
    """

    wanted: Wanted
    present: Versions
    shown: Versions
    groups: tuple[Group, ...]
    standings: tuple[Standing, ...]
    published: tuple[Published, ...]
    caveat: str
    command: str
    detail: Detail | None
    reason: str
    problems: tuple[str, ...]
