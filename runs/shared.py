"""Run files from elsewhere: what they say happened is played again, and graded here and now.

Such a file is hostile until shown otherwise. Only its episode, its actions and (cleaned) who played
are taken over; rewards and grade are those of the replay. A file is taken whole or not at all.
"""

from __future__ import annotations

import json
import secrets
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from env.episode import Arena, Episode
from env.errors import SupportOpsError
from env.tasks import FAMILIES
from runs.errors import CannotReplay
from runs.record import Run, record
from runs.regrade import rebuild

MAX_BYTES = 2_000_000
MAX_RUNS = 120
_MAX_ACTIONS = max(f.max_steps for f in FAMILIES)
_MAX_NAME = 60
EPISODE_FORMAT = "supportops-episode"
"""What the console's own file of one episode calls itself."""


class RunFileError(SupportOpsError):
    """Raised when a file is refused; nothing of it was taken. The message says where and why."""


@dataclass(frozen=True, slots=True)
class Regraded:
    """A run of a file, as graded here; and the grade and grader version that the file had."""

    run: Run
    grade_then: float | None
    grader_then: str


def read_shared(path: Path, arena_of: Callable[[Run], Arena | None]) -> tuple[Regraded, ...]:
    """Read a JSONL file of runs, a JSON file of one, or the console's file of an episode.

    Args:
        path: The file, at most `MAX_BYTES` long.
        arena_of: The data that a run was played on, or None where it isn't at hand.

    Raises:
        RunFileError: the file is refused; names the line.
    """
    runs = list(_runs(_text(path)))
    if not runs:
        raise RunFileError("The file holds no run.")
    return tuple(_again(run, line, arena_of) for line, run in runs)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RunFileError("The file can't be read.") from error
    if len(raw) > MAX_BYTES:
        raise RunFileError(f"The file is larger than {MAX_BYTES // 1_000_000} MB.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RunFileError("The file is no text in UTF-8.") from error


def _runs(text: str) -> Iterator[tuple[int, Run]]:
    """Runs with the lines they begin on."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        pass  # several lines, or none of ours: told line by line
    else:
        yield 1, _run(whole, 1)
        return
    count = 0
    # Not splitlines(): a JSON string may hold U+2028 and other marks that it takes for line ends.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        count += 1
        if count > MAX_RUNS:
            raise RunFileError(f"The file holds more than {MAX_RUNS} runs.")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RunFileError(f"Line {number} is no JSON.") from error
        yield number, _run(value, number)


def _run(value: Any, line: int) -> Run:
    if not isinstance(value, dict):
        raise RunFileError(f"Line {line} is no run: a run is a JSON object.")
    try:
        run = Run.model_validate(_of_episode(value) if "format" in value else value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(_short(str(p)) for p in first["loc"]) or "the whole"
        raise RunFileError(
            f"Line {line} is no run: {place}: {_short(first['msg'], 160)}"
        ) from error
    if len(run.actions) > _MAX_ACTIONS:
        raise RunFileError(f"Line {line} has {len(run.actions)} actions; no task takes so many.")
    return run


def _of_episode(value: dict[str, Any]) -> dict[str, Any]:
    """The console's file of an episode as the fields of a run; what is missing, validation finds."""
    report = value.get("grade_report")
    report = report if isinstance(report, dict) else {}
    known = value.get("format") == EPISODE_FORMAT and value.get("version") == 1
    return {
        "run_id": "file",
        "kind": "human" if known else None,
        "policy": "anonymous",
        **{name: value.get(name) for name in ("task_id", "split", "seed", "index")},
        "item_id": value.get("ticket_id"),
        "data_version": report.get("data_version"),
        "grader_version": report.get("grader_version"),
        "actions": value.get("actions"),
        "rewards": value.get("rewards"),
        "grade": report.get("grade"),
    }


def _again(run: Run, line: int, arena_of: Callable[[Run], Arena | None]) -> Regraded:
    arena = arena_of(run)
    try:
        if arena is None:
            raise CannotReplay("it was played on data that isn't at hand")
        episode = rebuild(run, arena)
    except CannotReplay as error:
        said = _short(str(error), 200)
        raise RunFileError(f"Line {line} can't be played again here: {said}") from error
    then = run.grade if run.grade is not None and isfinite(run.grade) else None
    return Regraded(_made(run, episode), then, _short(run.grader_version))


def _made(run: Run, episode: Episode) -> Run:
    name = _short(run.policy, _MAX_NAME) or "unnamed"
    model = _short(run.model, _MAX_NAME) if run.model else None
    fresh = record(episode, f"file-{secrets.token_urlsafe(12)}", run.kind, name, model or None)
    if episode.done:
        return fresh
    if run.stop == "refusals":
        return fresh.model_copy(update={"stop": "refusals", "grade": 0.0})
    return fresh.model_copy(update={"stop": run.stop if run.failed else "cancelled"})


def _short(text: str, most: int = 80) -> str:
    """A foreign text on one line, without control characters, not longer than that."""
    plain = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text[: 4 * most])
    plain = " ".join(plain.split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
