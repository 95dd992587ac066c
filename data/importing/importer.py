"""From a file to tickets: rows are read one by one, drafted, and judged together at the end."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from data import catalog as catalogs
from data.catalog import Catalog
from data.errors import DataError
from data.importing import columns as choosing
from data.importing import labelling, threads
from data.importing.chats import is_internal
from data.importing.columns import Columns, fold
from data.importing.decoding import Progress
from data.importing.draft import Draft, Unusable, draft
from data.importing.options import Options
from data.importing.record import Record, Source
from data.importing.report import ImportReport, Notes
from data.importing.source import open_source
from data.schema import Customer, KbArticle, Ticket, TicketLabels

SAMPLE = 200
_MAX_SUFFIX = 70


@dataclass(frozen=True)
class ColumnView:
    """A column as a preview shows it: title, the field it is read as, a few of its values."""

    title: str
    field: str | None
    examples: tuple[str, ...]


@dataclass(frozen=True)
class TicketView:
    """A ticket as a preview shows it: what the file holds beside what becomes of it."""

    line: int
    ticket_id: str
    subject: str
    raw: str
    clean: str
    answer: str
    category: str
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """A look at a file's first rows. The report counts these rows alone; its `questions` are open."""

    report: ImportReport
    columns: tuple[ColumnView, ...]
    tickets: tuple[TicketView, ...]


@dataclass(frozen=True)
class Read:
    """All that a file gave: drafts in its order, which of them are built-in, and how it was read."""

    drafts: tuple[Draft, ...]
    report: ImportReport
    digest: str


def preview(
    path: Path, options: Options | Mapping[str, str] | None = None, rows: int = SAMPLE
) -> Preview:
    """Look at the first rows of a file, to see the mapping before anything is imported.

    Args:
        path: The file.
        options: How to read it, or only field to column title.
        rows: How many rows to look at.

    Raises:
        DataError: the file can't be read at all. Open questions and a missing message column are
            no error here: they are in the report.
    """
    chosen = options if isinstance(options, Options) else Options(columns=options or {})
    notes = Notes(str(path))
    source = open_source(path, chosen.limits.max_bytes, notes)
    first = list(itertools.islice(source.records, rows))
    found = choosing.choose(source.columns, first, chosen.columns, str(path), chosen.more)
    speaker = threads.speaker_column(source.columns, found, first)
    found = threads.message_columns(found, speaker) if speaker else found
    drafts = []
    if not found.questions and ("body" in found.titles or any(r.turns for r in first)):
        drafts = _drafts(iter(first), source, found, chosen, notes, speaker)
    report = _report(source, found, notes, drafts)
    report = replace(report, categories=dict(_categories(drafts)))
    fields = {title: field for field, title in found.titles.items()}
    views = tuple(ColumnView(c, fields.get(c), choosing.examples(c, first)) for c in source.columns)
    return Preview(report, views, tuple(_view(d) for d in drafts))


def read(path: Path, options: Options, progress: Progress | None = None) -> Read:
    """Read a whole file.

    Raises:
        DataError: it can't be read, no column holds the message, or a question is open; the error
            says what to do.
    """
    notes = Notes(str(path))
    source = open_source(path, options.limits.max_bytes, notes, progress)
    first = list(itertools.islice(source.records, SAMPLE))
    found = choosing.choose(source.columns, first, options.columns, str(path), options.more)
    if found.questions:
        raise DataError(str(path), " ".join(q.asked() for q in found.questions))
    if "body" not in found.titles and not any(r.turns for r in first):
        raise DataError(str(path), choosing.no_message(source.columns))
    speaker = threads.speaker_column(source.columns, found, first)
    found = threads.message_columns(found, speaker) if speaker else found
    records = itertools.chain(first, source.records)
    drafts = _drafts(records, source, found, options, notes, speaker)
    digest = hashlib.sha256(f"{source.digest} {options.digest()}".encode()).hexdigest()
    return Read(tuple(drafts), _report(source, found, notes, drafts), digest)


def import_tickets(
    path: Path,
    options: Options | None = None,
    base: Catalog | None = None,
    progress: Progress | None = None,
) -> tuple[Catalog, ImportReport]:
    """Read a file into a catalog that plays A's three tasks and classification, in split `test`.

    Rows whose id and text are built-in use the built-in labels; other rows get labels derived from
    their own columns.

    Args:
        path: The file.
        options: How to read it.
        base: The catalog whose labels its own rows keep; the built-in one by default.
        progress: Told how many bytes have been read.

    Returns:
        The catalog and the report. Where nothing can be played the catalog has no items, and
        `report.why_nothing()` says why.

    Raises:
        DataError: the file can't be read, no column holds the message, or a question is open.
    """
    chosen = options or Options()
    ground = base or catalogs.builtin()
    got = read(path, chosen, progress)
    tickets: dict[str, Ticket] = {}
    labels: dict[str, TicketLabels] = {}
    customers: dict[str, Customer] = {}
    foreign = []
    for one in got.drafts:
        known = _known(one, ground)
        if known is None:
            foreign.append(one)
            continue
        tickets[one.ticket_id] = known.model_copy(update={"split": "test"})
        labels[one.ticket_id] = ground.labels[one.ticket_id]
        customers[known.customer_id] = ground.customers[known.customer_id]
    articles = _articles(chosen, ground, bool(tickets))
    judged = labelling.judge(foreign, chosen, articles)
    for made in judged.tickets:
        tickets[made.ticket.ticket_id] = made.ticket
        labels[made.ticket.ticket_id] = made.labels
        customers[made.customer.customer_id] = made.customer
    levels = {d.ticket_id: d.fields.get("difficulty", "") for d in got.drafts}
    order = [d.ticket_id for d in got.drafts]
    items, left_out = labelling.items(
        order, labels, levels, judged, tuple(chosen.known), got.report
    )
    catalog = replace(
        ground,
        name=path.name,
        version=f"{ground.version}-{got.digest[:8]}+{path.name}",
        tickets=tickets,
        labels=labels,
        customers=customers,
        articles=articles,
        sets={},
        priorities={},
        concepts=ground.concepts if articles else {},
        letterhead=ground.letterhead if articles is ground.articles else "",
        categories=tuple(chosen.known),
        items={(task, "test"): ids for task, ids in items.items()},
    )
    report = replace(
        got.report,
        **judged.counts,
        tasks={task: len(ids) for task, ids in items.items()},
        left_out=left_out,
    )
    return catalog, report


def _articles(options: Options, ground: Catalog, any_known: bool) -> Mapping[str, KbArticle]:
    if options.articles is not None:
        return options.articles
    return ground.articles if any_known else {}


def _known(one: Draft, ground: Catalog) -> Ticket | None:
    """The built-in ticket that this one is, by id and text."""
    known = ground.tickets.get(one.ticket_id)
    if known is None or one.ticket_id not in ground.labels:
        return None
    raw = one.raw_body if one.raw_body is not None else one.body
    return known if " ".join(known.body.split()) == " ".join(raw.split()) else None


def _drafts(
    records: Iterator[Record],
    source: Source,
    found: Columns,
    options: Options,
    notes: Notes,
    speaker: str | None,
) -> list[Draft]:
    most = options.limits.max_tickets
    if speaker is not None:
        records = threads.joined(records, found, speaker, most, notes)
    internal = [
        c for c in source.columns if fold(c) in ("internal", "private", "is_private", "public")
    ]
    drafts: dict[str, Draft] = {}
    texts: dict[bytes, str] = {}
    for record in records:
        if internal and is_internal({fold(c): record.cells.get(c, "") for c in internal}):
            notes.skip(record.line, "an internal note")
            continue
        if len(drafts) >= most:
            notes.over_limit += 1
            continue
        try:
            one = draft(record, found, options.repair)
        except Unusable as reason:
            notes.skip(record.line, reason.why, reason.kind)
            continue
        if texts.setdefault(one.text_key, one.ticket_id) != one.ticket_id or (
            one.ticket_id in drafts and drafts[one.ticket_id].text_key == one.text_key
        ):
            notes.repeated += 1
            continue
        wanted = one.ticket_id
        one.ticket_id = _free(wanted, drafts)
        if one.ticket_id != wanted:
            notes.warn(f"line {one.line}: id {wanted} is there twice; kept as {one.ticket_id}")
            texts[one.text_key] = one.ticket_id
        for mark in one.marks:
            notes.cleaned[mark] += 1
        drafts[one.ticket_id] = one
    return list(drafts.values())


def _free(wanted: str, taken: Mapping[str, Draft]) -> str:
    if wanted not in taken:
        return wanted
    stem = wanted[:_MAX_SUFFIX]
    return next(f"{stem}-{n}" for n in itertools.count(2) if f"{stem}-{n}" not in taken)


def _report(source: Source, found: Columns, notes: Notes, drafts: list[Draft]) -> ImportReport:
    return ImportReport(
        rows=len(drafts),
        skipped=tuple(notes.skipped),
        warnings=notes.all_warnings(),
        file_format=source.file_format,
        encoding=source.encoding,
        delimiter=source.delimiter,
        mapping=dict(found.titles),
        unused=found.unused,
        also=found.also,
        questions=found.questions,
        skips=dict(notes.skips),
        repeated=notes.repeated,
        over_limit=notes.over_limit,
        categories=dict(_categories(drafts)),
        references=sum(1 for d in drafts if d.answer or d.said),
        templated=sum(1 for d in drafts if d.said is not None),
        cleaned=dict(notes.cleaned),
    )


def _categories(drafts: list[Draft]) -> list[tuple[str, int]]:
    counted = Counter(d.fields.get("category", "") for d in drafts)
    return [(name, count) for name, count in counted.most_common() if name]


def _view(one: Draft) -> TicketView:
    raw = one.raw_body if one.raw_body is not None else one.body
    category = one.fields.get("category", "")
    return TicketView(
        one.line, one.ticket_id, one.subject, raw, one.body, one.answer, category, one.marks
    )
