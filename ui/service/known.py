"""Runs as the console knows them: what was played, where a run is from, which ones are wanted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from env.choice import EVERY_SPLIT
from env.episode import Arena
from env.tasks import BY_ID
from policies.log import SUCCESS
from runs.record import Run

Source = Literal["store", "baseline", "here", "file", "page"]


@dataclass(frozen=True, slots=True)
class Known:
    """A run and where it is from.

    `mine`: the visitor may delete it. `arena` is the data that it can be played again on, None
    where that isn't at hand. A run from a file is graded anew; `then` is the grade that the file
    had and `grader_then` who gave it.
    """

    run: Run
    source: Source
    arena: Arena | None
    mine: bool = False
    updated_at: str = ""
    then: float | None = None
    grader_then: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """What was played: a ticket or set of a task, of the built-in data ("") or a data set's."""

    task_id: str
    split: str
    item_id: str
    dataset: str = ""

    @property
    def value(self) -> str:
        """The place as a text for the browser, which `read_place` reads."""
        return json.dumps([self.task_id, self.split, self.item_id, self.dataset])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs: every field that is not None must match."""

    place: Place | None = None
    task: str | None = None
    split: str | None = None
    player: str | None = None
    kind: str | None = None
    failed_only: bool = False

    def fits(self, run: Run) -> bool:
        """Whether a run is wanted."""
        if self.place is not None and place_of(run) != self.place:
            return False
        for value, is_now in (
            (self.task, run.task_id),
            (self.split, run.split),
            (self.player, run.player),
            (self.kind, run.kind),
        ):
            if value is not None and value != is_now:
                return False
        return not self.failed_only or failed(run)


def is_own(place: Place) -> bool:
    """Whether it was somebody's own ticket."""
    return bool(place.dataset)


def dataset_of(version: str) -> str:
    """The data set that a data version names; "" for the built-in one."""
    return version.partition("+")[2]


def place_of(run: Run) -> Place:
    """What a run played."""
    return Place(run.task_id, run.split, run.item_id, dataset_of(run.data_version))


def read_place(value: object) -> Place | None:
    """The place that a text from the browser names; None for what is none."""
    if not isinstance(value, str) or len(value) > 1_000:
        return None
    try:
        parts = json.loads(value)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(parts, list) and len(parts) == 4 and all(isinstance(p, str) for p in parts)
    return Place(*parts) if fits and parts[0] in BY_ID and parts[1] in EVERY_SPLIT else None


def failed(run: Run) -> bool:
    """Whether a run is below the bar for success, or was ended by a failure."""
    return run.failed or (run.grade is not None and run.grade < SUCCESS)
