"""Plain text for a terminal: columns, numbers, and foreign text made harmless."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from runs.export import csv_cell


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns two spaces apart; numbers stand right, "-" where there is nothing."""
    shown = [[cell(v) for v in row] for row in rows]
    kinds = [list(column) for column in zip(*rows, strict=True)] if shown else []
    widths = [max(map(len, column)) for column in zip(head, *shown, strict=True)]
    right = [
        any(isinstance(v, int | float) for v in kinds[i]) if kinds else False
        for i in range(len(head))
    ]
    lines = []
    for row in [list(head), *shown]:
        cells = [
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def csv_table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The same as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([csv_cell(v) for v in row] for row in rows)
    return out.getvalue().rstrip("\n")


def cell(value: Any) -> str:
    """A value on one line: floats with three digits."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    return " ".join(clean(str(value)).split())


def number(value: float | None, digits: int = 3, sign: bool = False) -> str:
    """Fixed digits and never "-0.000"; "-" for None."""
    if value is None:
        return "-"
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return text if float(text) else f"{'+' if sign else ''}{0:.{digits}f}"


def clean(text: str) -> str:
    """Text without control characters, which could move the cursor or change the screen."""
    return "".join(c if c in "\n\t" or c.isprintable() else "�" for c in text)


def indent(text: str, by: str) -> str:
    """Clean text, with `by` before each line."""
    return "\n".join(by + line for line in clean(text).split("\n"))
