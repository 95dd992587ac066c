"""Runs as JSON lines: reading and writing whole files, and one that grows while its runs are played."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from data.errors import DataError
from policies.bench import Assignment
from runs.export import jsonl_line
from runs.record import Run

_BOM = b"\xef\xbb\xbf"
_RUN = b'{"run_id":'


def read_runs(path: Path) -> tuple[Run, ...]:
    """Read runs from a JSONL file.

    Raises:
        DataError: the file can't be read, or a line is no run; names file, line and field.
    """
    return tuple(run for run, _, _ in _lines(path))


def write_runs(path: Path, runs: Iterable[Run]) -> None:
    """Write runs as JSONL, without the report (it is made again from the actions)."""
    path.write_text("".join(jsonl_line(r) + "\n" for r in runs), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a run stands in the file, which assignment it is, whether a new one takes its place."""

    assignment: Assignment
    begin: int
    size: int
    old: bool


@dataclass
class GrowingFile:
    """A JSONL file that runs are added to as they end. Only their places are held in memory.

    Whatever ends the process, each run that was added is there; at most the last line is torn, and
    `resume` takes that one out.
    """

    path: Path
    torn: bool = False
    _index: list[_Line] = field(default_factory=list)
    _added: list[Assignment] = field(default_factory=list)

    def begin(self) -> None:
        """Begin the file, empty.

        Raises:
            OSError: it can't be written.
        """
        self.path.write_bytes(b"")

    def resume(self, replaced: Callable[[Run], bool]) -> Iterator[Run]:
        """Keep what is there and yield its runs. To be used up.

        Args:
            replaced: Whether a run goes once another one of its assignment is added.

        Raises:
            DataError: it holds something else than runs.
            OSError: it can't be written.
        """
        with self.path.open("ab"):
            pass
        end = 0
        try:
            for run, begin, size in _lines(self.path):
                self._index.append(_Line(_assignment(run), begin, size, old=replaced(run)))
                end = begin + size
                yield run
        except DataError:
            if not _cut_torn(self.path, end):
                raise
            self.torn = True
        _end_line(self.path)

    def add(self, run: Run) -> None:
        """Append a run.

        Raises:
            OSError: it can't be written.
        """
        line = jsonl_line(run).encode() + b"\n"
        with self.path.open("ab") as file:
            begin = file.tell()
            file.write(line)
        self._index.append(_Line(_assignment(run), begin, len(line), old=False))
        self._added.append(_assignment(run))

    def arrange(self, order: Sequence[Assignment]) -> None:
        """Put the runs in order of play, without those that were replaced.

        Raises:
            OSError: it can't be written; then the file stays as it is.
        """
        rank = {assignment: place for place, assignment in enumerate(order)}
        added = set(self._added)
        kept = [line for line in self._index if not (line.old and line.assignment in added)]
        kept.sort(key=lambda line: rank.get(line.assignment, -1))
        if kept == self._index:
            return
        whole = self.path.with_name(self.path.name + ".new")
        with self.path.open("rb") as source, whole.open("wb") as out:
            for line in kept:
                source.seek(line.begin)
                out.write(source.read(line.size).rstrip(b"\n") + b"\n")
        whole.replace(self.path)


def _assignment(run: Run) -> Assignment:
    return Assignment(run.task_id, run.split, run.seed, run.index, run.knobs)


def _lines(path: Path) -> Iterator[tuple[Run, int, int]]:
    """Each run of a file with the place and size of its line, in bytes."""
    place = 0
    try:
        # In bytes: only "\n" ends a line. A JSON string may hold U+2028 and other marks.
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                begin, place = place, place + len(line)
                if number == 1 and line.startswith(_BOM):
                    begin, line = begin + len(_BOM), line.removeprefix(_BOM)
                if line.strip():
                    yield _run(f"{path}:{number}", line), begin, len(line)
    except OSError as error:
        raise DataError(str(path), f"can't be read ({error.strerror})") from error


def _run(place: str, line: bytes) -> Run:
    try:
        run = Run.model_validate_json(line.decode())
    except UnicodeDecodeError as error:
        raise DataError(place, "can't be read (not UTF-8)") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"]) or "the line"
        raise DataError(place, f"{where}: {first['msg']}") from error
    if len(run.actions) != len(run.rewards):
        counts = f"{len(run.rewards)}, but there are {len(run.actions)} actions"
        raise DataError(place, f"rewards: {counts}")
    return run


def _cut_torn(path: Path, end: int) -> bool:
    """Take out what stands after `end`, if that is a run that was being written; whether it was."""
    with path.open("r+b") as file:
        file.seek(end)
        rest = file.read()
        torn = rest.startswith(_RUN) and b"\n" not in rest
        if torn:
            file.truncate(end)
    return torn


def _end_line(path: Path) -> None:
    """See to it that what is added begins on a line of its own."""
    with path.open("r+b") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
