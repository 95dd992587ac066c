"""What the Compare tab shows, as plain frozen data. Made by the service, read by the views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from supportops_env.models import CriterionReport, TicketView
from ui.state import Notice, StepView

Mode = Literal["episode", "task"]

PAGE = 8
"""How many runs the list shows at once."""


@dataclass(frozen=True, slots=True)
class EpisodeOption:
    """An episode to choose: `value` names it, `group` is the heading it stands under."""

    value: str
    label: str
    group: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the list. `grade` is None where it has none; then `ending` says what ended it.

    `then` is the grade that a run from a file had there, `grader_then` the grader that gave it.
    `knobs` names what made the episode harder or easier, "" for nothing.
    `link` is what a shareable address carries, "" where no address leads to the run.
    """

    run_id: str
    player: str
    kind: str
    source: str
    seed: int
    grade: float | None
    steps: int
    ending: str
    when: str
    failed: bool
    partial: bool
    data_version: str
    grader_version: str
    knobs: str = ""
    mine: bool = False
    chosen: bool = False
    baseline: bool = False
    then: float | None = None
    grader_then: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the runs that are compared.

    `delta` is its grade minus the baseline's: None for the baseline itself, or where the two do
    not compare. `problem` says why the steps are shown as they were stored, if they are.
    """

    row: RunRow
    steps: tuple[StepView, ...] = ()
    criteria: tuple[CriterionReport, ...] = ()
    delta: float | None = None
    compares: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A player in the table of a task. `mean` is over `items`; `delta` over `shared` of them."""

    key: str
    player: str
    kind: str
    shown: bool
    baseline: bool
    items: int
    mean: float | None
    delta: float | None
    shared: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A player's grade of an episode, the mean of `runs`. `ended`: how many runs have no grade."""

    grade: float | None
    runs: int
    ended: int = 0
    delta: float | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """An episode in the table of a task, with a cell (or None) for each column that is shown."""

    value: str
    item_id: str
    title: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class TaskTable:
    """Episodes against players. `other_versions` counts the runs that do not compare with these."""

    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    versions: tuple[str, str]
    other_versions: int


@dataclass(frozen=True, slots=True)
class CompareView:
    """All that the Compare tab shows. In mode "episode" `table` is None, in mode "task" `sides` is ().

    `divergence` is the first step in which the sides differ, None where there is none. `playing`
    names the episode on the Play tab where that is another one.
    """

    mode: Mode = "episode"
    loading: bool = False
    notice: Notice | None = None
    failed_only: bool = False
    # One episode
    options: tuple[EpisodeOption, ...] = ()
    value: str = ""
    item_id: str = ""
    title: str = ""
    task_name: str = ""
    split: str = ""
    dataset: str = ""
    tickets: tuple[TicketView, ...] = ()
    kind: str = ""
    rows: tuple[RunRow, ...] = ()
    total: int = 0
    offset: int = 0
    sides: tuple[Side, ...] = ()
    divergence: int | None = None
    can_play: bool = False
    playing: str = ""
    # Against whom
    baseline: str = ""
    baseline_note: str = ""
    # By task
    tasks: tuple[tuple[str, str], ...] = ()
    splits: tuple[str, ...] = ()
    task: str = ""
    table: TaskTable | None = None
