"""What became of a file: the import report, for people and for machines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from data.errors import DataError

SHOWN = 10
KEPT = 1_000
"""How many skipped rows and warnings are kept one by one; beyond that they are only counted."""


@dataclass(frozen=True)
class Question:
    """A field that several columns could hold: the columns, each with a few of its values."""

    field: str
    candidates: Mapping[str, tuple[str, ...]]

    def asked(self) -> str:
        """The question in words, with the values and the option that answers it."""
        shown = "; ".join(
            f"{title!r} ({' / '.join(repr(v) for v in values) or 'empty'})"
            for title, values in self.candidates.items()
        )
        first = next(iter(self.candidates))
        return (
            f"which column holds the {self.field}? {shown}."
            f' Say it with --map {self.field}="{first}"'
        )


@dataclass(frozen=True)
class ImportReport:
    """What became of a file.

    Attributes:
        rows: Tickets taken.
        skipped: Rows left out, as (line, why); the first thousand. `skips` counts all by reason.
        warnings: What was taken but looks odd; the first thousand.
        file_format: "csv", "json", "json lines" or "xlsx".
        encoding: The codec that read it; empty for xlsx.
        delimiter: What parts the cells of a CSV; else empty.
        mapping: Field to column title.
        unused: Columns that nothing was read from.
        also: Field to further columns that could hold it and were not taken.
        questions: Fields that several columns could hold; nothing is imported before they are
            answered.
        repeated: Rows with a text that was there before; collapsed into the first.
        over_limit: Rows past the limit of tickets; read and checked, not kept.
        categories: The file's own category names with how many tickets carry each.
        mapped: The file's category name to ours, where there is one.
        references: Tickets that came with an answer; `gold` of them grade a reply, `unrelated`
            have nothing to do with their ticket, `templated` held placeholders without a value.
        cleaned: What was cleaned, with how many texts: "HTML", "quoted mail", ...
        tasks: Task to how many tickets it can play.
        left_out: Task to why it plays none, or not all.
    """

    rows: int = 0
    skipped: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = ()
    file_format: str = "csv"
    encoding: str = "utf-8"
    delimiter: str = ","
    mapping: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    skips: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0
    over_limit: int = 0
    categories: Mapping[str, int] = field(default_factory=dict)
    mapped: Mapping[str, str] = field(default_factory=dict)
    references: int = 0
    gold: int = 0
    unrelated: int = 0
    templated: int = 0
    cleaned: Mapping[str, int] = field(default_factory=dict)
    tasks: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def skipped_count(self) -> int:
        """How many rows were left out."""
        return sum(self.skips.values())

    def why_nothing(self) -> str:
        """Why no task can be played, and what to do, in one line."""
        reasons = dict.fromkeys(self.left_out.values())
        return f"nothing can be played: {_of(self.rows, 'ticket')}, but {'; '.join(reasons)}"


class Notes:
    """Collects what the report says of single rows while they are read."""

    def __init__(self, file: str) -> None:
        """Begin a report on a file."""
        self.file = file
        self.skipped: list[tuple[int, str]] = []
        self.skips: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.more_warnings = 0
        self.cleaned: Counter[str] = Counter()
        self.repeated = 0
        self.over_limit = 0

    def skip(self, line: int, why: str, kind: str = "") -> None:
        """Leave out the row that begins in this line; `kind` is the reason without its figures."""
        self.skips[kind or why] += 1
        if len(self.skipped) < KEPT:
            self.skipped.append((line, why))

    def warn(self, text: str) -> None:
        """Take it, but say so."""
        if len(self.warnings) < KEPT:
            self.warnings.append(text)
        else:
            self.more_warnings += 1

    def fail(self, line: int, why: str) -> DataError:
        """An error that ends the import, at a line of the file."""
        return DataError(f"{self.file}:{line}", why)

    def all_warnings(self) -> tuple[str, ...]:
        """The warnings, and how many more there were."""
        more = (f"and {self.more_warnings} more warnings",) if self.more_warnings else ()
        return (*self.warnings, *more)


def summary(file: str, report: ImportReport) -> list[str]:
    """The report in a few lines: how many tickets, the first skipped rows, tasks left out."""
    lines = [
        f"{file}: {_of(report.rows, 'ticket')}, {_of(report.skipped_count, 'row')} skipped"
        f" (python -m data.importing says more)"
    ]
    lines += [f"  line {line}: {why}" for line, why in report.skipped[:SHOWN]]
    if report.over_limit:
        lines.append(f"  {_of(report.over_limit, 'row')} over the limit were not kept")
    for task, why in report.left_out.items():
        lines.append(f"  {task}{' is left out' if not report.tasks.get(task) else ''}: {why}")
    return lines


def as_text(file: str, report: ImportReport, whole: bool = False) -> str:
    """The report for people.

    Args:
        file: What to call the file.
        report: The report.
        whole: Every line that was kept, instead of the first ten of each kind.
    """
    read = report.file_format
    if report.encoding:
        read += f", {report.encoding}"
    if report.delimiter:
        read += f", cells parted by {_NAMES.get(report.delimiter, report.delimiter)}"
    lines = [f"{file}: {read}", ""]
    lines += _table("columns", {f: _titled(f, t) for f, t in report.mapping.items()})
    for name, titles in report.also.items():
        lines.append(f"  {name} could also be {', '.join(map(_one_line, titles))} (--map)")
    if report.unused:
        lines.append(f"  not used: {', '.join(map(_one_line, report.unused))}")
    for question in report.questions:
        lines.append(f"  ? {question.asked()}")
    lines += ["", *_counts(report), ""]
    lines += _table("tasks", {t: _playable(report, t) for t in (*report.tasks,)})
    for title, said in (
        ("skipped", [f"line {n}: {why}" for n, why in report.skipped]),
        ("warnings", list(report.warnings)),
    ):
        if said:
            shown = said if whole else said[:SHOWN]
            lines += ["", title, *(f"  {s}" for s in shown)]
            if len(said) > len(shown):
                lines.append(f"  and {len(said) - len(shown)} more (--report lists them)")
    return "\n".join(lines) + "\n"


def as_json(file: str, report: ImportReport) -> str:
    """The report for machines, one JSON object."""
    told = {"file": file, **asdict(report), "skipped_count": report.skipped_count}
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def _counts(report: ImportReport) -> list[str]:
    lines = [f"{_of(report.rows, 'ticket')}, {_of(report.skipped_count, 'row')} skipped"]
    if report.repeated:
        lines.append(
            f"  {_of(report.repeated, 'row')} with a text that was there before, collapsed"
        )
    if report.over_limit:
        lines.append(f"  {_of(report.over_limit, 'row')} over the limit, not kept (--max-tickets)")
    for why, count in sorted(report.skips.items(), key=lambda pair: -pair[1]):
        lines.append(f"  skipped {count}: {why}")
    for what, count in report.cleaned.items():
        lines.append(f"  {what}: {count}")
    if report.references:
        lines.append(
            f"  {_of(report.references, 'answer')}: {report.gold} can grade a reply,"
            f" {report.unrelated} unrelated to the ticket, {report.templated} with placeholders"
        )
    if report.categories:
        known = [f"{_one_line(c)} {n}{_arrow(report, c)}" for c, n in report.categories.items()]
        more = f" and {len(known) - 20} more" if len(known) > 20 else ""
        lines.append(f"  categories: {', '.join(known[:20])}{more}")
    return lines


def _titled(field: str, title: str) -> str:
    return f"{title} (no task uses it)" if field in ("priority", "tags") else title


def _arrow(report: ImportReport, category: str) -> str:
    ours = report.mapped.get(category)
    return "" if ours is None or ours == category else f" → {ours}"


def _playable(report: ImportReport, task: str) -> str:
    reason = report.left_out.get(task, "")
    count = report.tasks[task]
    return f"{count or 'none'}{': ' if reason and not count else '; ' if reason else ''}{reason}"


def _table(title: str, rows: Mapping[str, str]) -> list[str]:
    width = max((len(r) for r in rows), default=0)
    return [title, *(f"  {name:<{width}}  {_one_line(said, 400)}" for name, said in rows.items())]


def _of(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _one_line(text: str, most: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
