"""Trajectories that ship for validation: an episode's arguments and its actions, as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import DataError
from env.view import dump_action
from supportops_env.models import SupportAction

CANARIES, ORACLE = "canaries.jsonl", "oracle.jsonl"


class Trajectory(BaseModel):
    """One played episode. The first fields are what POST /grader takes.

    `max_grade` is the most that a canary may get; the oracle's have none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str
    split: str
    seed: int = Field(ge=0)
    index: int = Field(ge=0)
    actions: tuple[SupportAction, ...] = Field(min_length=1)
    name: str
    max_grade: float | None = Field(default=None, ge=0, le=1)

    @property
    def most(self) -> float:
        """The most it may get, in [0, 1]."""
        return 1.0 if self.max_grade is None else self.max_grade


def read_trajectories(path: Path) -> tuple[Trajectory, ...]:
    """Read trajectories from a JSONL file.

    Raises:
        DataError: the file is missing, or a line is no trajectory; names file, line and field.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise DataError(str(path), f"cannot be read ({error.strerror})") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(Trajectory.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(p) for p in first["loc"])
            raise DataError(f"{path}:{number}", f"{place}: {first['msg']}") from error
    return tuple(found)


def write_trajectories(path: Path, trajectories: Iterable[Trajectory]) -> None:
    """Write trajectories as JSONL, each action without its empty fields."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for t in trajectories:
            plain = t.model_dump(mode="json", exclude={"actions"}, exclude_none=True)
            plain["actions"] = [dump_action(a) for a in t.actions]
            out.write(json.dumps(plain, ensure_ascii=False) + "\n")
