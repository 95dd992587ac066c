"""Excel workbooks (.xlsx), read row by row. What a formula last showed counts, never the formula."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl

from data.errors import DataError
from data.importing.delimited import row_record, titles_of
from data.importing.record import Record
from data.importing.report import Notes

MAX_UNPACKED = 300_000_000
MAX_COLUMNS = 256
MAX_GAP = 10_000
"""A sheet ends where so many empty rows follow each other."""


def read(path: Path, notes: Notes) -> tuple[tuple[str, ...], Iterator[Record]]:
    """The titles of the first sheet that has any, and its rows.

    Raises:
        DataError: not a workbook, damaged, or larger than 300 MB once unpacked.
    """
    _check_size(path)
    rows = _guarded(path, notes)
    _, header = next(rows, (1, []))
    titles = titles_of(header)
    while titles and not titles[-1]:
        titles.pop()
    return tuple(t for t in titles if t), _records(rows, titles, notes)


def _records(
    rows: Iterator[tuple[int, list[str]]], titles: list[str], notes: Notes
) -> Iterator[Record]:
    for line, cells in rows:
        while len(cells) > len(titles) and not cells[-1]:
            cells.pop()
        padded = [*cells, *[""] * (len(titles) - len(cells))]
        record = row_record(line, padded, titles, notes)
        if record is not None:
            yield record


def _check_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as packed:
            names = {entry.filename for entry in packed.infolist()}
            size = sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        raise DataError(str(path), f"a damaged workbook ({error}); save it again") from error
    if "xl/workbook.xml" not in names:
        raise DataError(str(path), "a zip file but no Excel workbook; unpack it first")
    if size > MAX_UNPACKED:
        raise DataError(
            str(path),
            f"{size / 1e6:,.0f} MB once unpacked, more than {MAX_UNPACKED / 1e6:,.0f} MB; save it"
            " as CSV",
        )


def _guarded(path: Path, notes: Notes) -> Iterator[tuple[int, list[str]]]:
    """The rows; whatever the library trips over is an error that says so."""
    line = 0
    rows = _rows(path, notes)
    while True:
        try:
            line, cells = next(rows)
        except StopIteration:
            return
        except DataError:
            raise
        except Exception as error:  # a hostile workbook makes it raise whatever there is
            said = f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
            raise notes.fail(
                line + 1, f"the workbook can't be read from here ({said}); save it as CSV"
            ) from error
        yield line, cells


def _rows(path: Path, notes: Notes) -> Iterator[tuple[int, list[str]]]:
    book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        sheets = [s for s in book.worksheets if s.sheet_state == "visible"] or book.worksheets
        for number, sheet in enumerate(sheets):
            sheet.reset_dimensions()
            empty, any_row = 0, False
            rows = sheet.iter_rows(max_col=MAX_COLUMNS, values_only=True)
            for line, values in enumerate(rows, 1):
                cells = [cell_text(v) for v in values]
                if any(cells):
                    empty, any_row = 0, True
                    yield line, cells
                else:
                    empty += 1
                if empty > MAX_GAP:
                    break
            if any_row:
                left = [s.title for s in sheets[number + 1 :]]
                if left:
                    notes.warn(f"only the sheet {sheet.title!r} was read, not {', '.join(left)}")
                return
    finally:
        book.close()


def cell_text(value: Any) -> str:
    """A cell as text: whole numbers without a point, times in ISO form."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    return str(value)
