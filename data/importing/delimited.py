"""CSV, TSV and their kin. The delimiter is counted in the header, outside quotes; nothing is sniffed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from data.importing.decoding import Progress, Text, lines
from data.importing.record import Record
from data.importing.report import Notes

MAX_CELL = 16_000_000
_DELIMITERS = ",;\t|"
_HEAD = 65_536
_UNNAMED = re.compile(r"unnamed(?:: \d+)?(?:_level_\d+)?|index|_c\d+", re.IGNORECASE)


def delimiter_of(path: Path, encoding: str) -> tuple[str, int]:
    """What parts the cells, and how many lines to skip before the header (a line "sep=;")."""
    with Text(path, encoding) as stream:
        head = stream.read(_HEAD)
    told = re.match(r"\ufeff?sep=(.)\r?\n?", head)
    if told:
        return told.group(1), 1
    outside = re.sub(r'"(?:[^"]|"")*"', "", head.lstrip("\ufeff\r\n"))
    first = re.split(r"[\r\n]", outside, maxsplit=1)[0]
    return max(_DELIMITERS, key=first.count), 0


def read(
    path: Path,
    encoding: str,
    delimiter: str,
    skip: int,
    notes: Notes,
    progress: Progress | None = None,
) -> tuple[tuple[str, ...], Iterator[Record]]:
    """The column titles, and the rows as they are asked for.

    Short rows are padded with a warning, long ones skipped; both name the line a row begins in.

    Raises:
        DataError: while reading: a cell above 16 million characters, as an open quote makes one, or a cell
            that the file ends in.
    """
    rows = _rows(path, encoding, delimiter, skip, notes, progress)
    _, header = next(rows, (1, []))
    titles = titles_of(header)
    return tuple(t for t in titles if t), _records(rows, titles, notes)


def titles_of(header: Sequence[str]) -> list[str]:
    """Column titles, each once; empty for an unnamed column, such as a stray index."""
    titles: list[str] = []
    for cell in header:
        title = " ".join(cell.strip().strip("\ufeff\"'").split())
        if _UNNAMED.fullmatch(title):
            title = ""
        number = 2
        plain = title
        while title and title in titles:
            title = f"{plain} ({number})"
            number += 1
        titles.append(title)
    return titles


def row_record(
    line: int, cells: Sequence[str], titles: Sequence[str], notes: Notes
) -> Record | None:
    """A row with as many cells as there are titles; None where it has more."""
    if len(cells) != len(titles):
        said = f"{len(cells)} fields, the header has {len(titles)}"
        if len(cells) > len(titles):
            notes.skip(line, said, "more fields than the header")
            return None
        notes.warn(f"line {line}: {said}; the rest counts as empty")
    return Record(line, {t: c for t, c in zip(titles, cells, strict=False) if t})


def _records(
    rows: Iterator[tuple[int, list[str]]], titles: Sequence[str], notes: Notes
) -> Iterator[Record]:
    for line, cells in rows:
        record = row_record(line, cells, titles, notes)
        if record is not None:
            yield record


class _Lines:
    """Lines, and whether somebody asked for one after the last."""

    def __init__(self, source: Iterator[str]) -> None:
        self._source = source
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            return next(self._source)
        except StopIteration:
            self.ended = True
            raise


def _rows(
    path: Path,
    encoding: str,
    delimiter: str,
    skip: int,
    notes: Notes,
    progress: Progress | None,
) -> Iterator[tuple[int, list[str]]]:
    before = csv.field_size_limit(MAX_CELL)  # the whole process's: put back afterwards
    try:
        with Text(path, encoding) as stream:
            for _ in range(skip):
                stream.readline()
            physical = _Lines(lines(stream, notes, progress))
            reader = csv.reader(physical, delimiter=delimiter, doublequote=True)
            start = 1 + skip
            while True:
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    why = f"not CSV: {error}"
                    if "limit" in str(error):
                        why = f"a cell longer than {MAX_CELL:,} characters; is a quote left open here?"
                    raise notes.fail(start, why) from error
                if physical.ended:  # within a row the reader asked for more: a cell is still open
                    why = "a quote is opened here and never closed; is the file cut off?"
                    raise notes.fail(start, why)
                if any(c.strip() for c in cells):
                    yield start, cells
                start = reader.line_num + 1 + skip
    finally:
        csv.field_size_limit(before)
