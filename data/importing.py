"""Bringing your own tickets: a CSV in the shape of dataset A, by header aliases, to a catalog.

Rows whose id and text are built-in use the built-in labels; other rows get labels derived from
their own columns. Everything is text first: ids keep their zeros.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from data import catalog as catalogs
from data.catalog import Catalog
from data.derive import derive_facts
from data.errors import DataError
from data.schema import CATEGORIES, Customer, Ticket, TicketLabels

MAX_BYTES = 50_000_000
MAX_ROWS = 100_000
MAX_FIELD = 1_000_000
_ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
_DELIMITERS = ",;\t|"
_MISSING = frozenset({"", "none", "null", "nan", "n/a", "na", "-"})
_TRUE = frozenset({"true", "yes", "y", "1", "t"})
_FALSE = frozenset({"false", "no", "n", "0", "f"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

ALIASES: Mapping[str, tuple[str, ...]] = {
    "ticket_id": ("ticket_id", "id", "ticket", "ticket_number", "case_id", "number"),
    "subject": ("subject", "title", "summary", "ticket_subject"),
    "body": ("body", "query", "description", "ticket_description", "text", "message", "content",
             "instruction", "issue", "question", "customer_message"),
    "reference": ("expected_response", "reference", "answer", "response", "reply", "resolution"),
    "category": ("category", "label", "intent", "queue", "ticket_type", "type", "product_area"),
    "kb_id": ("kb_id", "article_id", "kb_article"),
    "requires_escalation": ("requires_escalation", "escalate", "escalation", "needs_escalation"),
    "difficulty": ("difficulty", "level"),
    "customer_name": ("customer_name", "customer", "requester", "name"),
    "tier": ("customer_tier", "tier", "plan"),
}  # fmt: skip
_TASK_OF = {
    "easy": "easy_classify_respond",
    "medium": "medium_kb_grounded_response",
    "hard": "hard_escalation_safety",
}
CSV_TASKS = tuple(_TASK_OF.values())


@dataclass(frozen=True)
class ImportReport:
    """What became of a file: rows taken, rows skipped (line, why), warnings, how it was read."""

    rows: int = 0
    skipped: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = ()
    encoding: str = "utf-8"
    delimiter: str = ","
    mapping: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()


def import_csv(
    path: Path, base: Catalog, columns: Mapping[str, str] | None = None
) -> tuple[Catalog, ImportReport]:
    """Read a CSV into a catalog that plays A's three tasks, in split `test`.

    Args:
        path: The file.
        base: The catalog whose articles are searched and whose labels its own rows keep.
        columns: Field to column title, where the header does not say it; an empty title leaves the
            field out.

    Returns:
        The catalog and a report. Tasks for which no row has the label they need have no items.

    Raises:
        DataError: no such file, too large, no header that can be the customer's message, or no
            row that can be played; says what to do.
    """
    text, encoding = _decode(path)
    delimiter = _delimiter(text)
    rows = _rows(path, text, delimiter)
    _, header = next(rows, (1, []))
    mapping = _map_header(path, header, columns or {})
    unused = tuple(h for h in header if h and h not in mapping.values())
    report = ImportReport(encoding=encoding, delimiter=delimiter, mapping=mapping, unused=unused)
    return _build(path, rows, header, mapping, base, report)


def read_header(path: Path) -> tuple[str, ...]:
    """The column titles of a CSV.

    Raises:
        DataError: the file can't be read.
    """
    text, _ = _decode(path)
    _, header = next(_rows(path, text, _delimiter(text)), (1, []))
    return tuple(h for h in header if h)


def _build(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    header: list[str],
    mapping: Mapping[str, str],
    base: Catalog,
    report: ImportReport,
) -> tuple[Catalog, ImportReport]:
    columns = {name: header.index(title) for name, title in mapping.items()}
    tickets: dict[str, Ticket] = {}
    labels: dict[str, TicketLabels] = {}
    customers: dict[str, Customer] = {}
    tasks: dict[str, list[str]] = {t: [] for t in CSV_TASKS}
    skipped: list[tuple[int, str]] = []
    warnings: list[str] = []
    for line, cells in rows:
        said = f"{len(cells)} fields, the header has {len(header)}"
        if len(cells) > len(header):
            skipped.append((line, said))
            continue
        if len(cells) < len(header):
            warnings.append(f"line {line}: {said}; the rest counts as empty")
        row = {n: _cell(n, cells[i]) if i < len(cells) else "" for n, i in columns.items()}
        if not row["body"]:
            skipped.append((line, "no message text"))
            continue
        ticket_id = _free_id(row.get("ticket_id") or f"row-{line}", tickets, warnings, line)
        known = base.tickets.get(ticket_id)
        if known is not None and ticket_id in base.labels and _same_text(known, row):
            same = known.model_copy(update={"split": "test"})  # imported tickets play in `test`
            made = same, base.labels.get(ticket_id), base.customers[known.customer_id]
        else:
            made = _derive(ticket_id, row, base)
        ticket, label, customer = made
        if label is None:
            skipped.append((line, "neither a known category nor an answer to compare with"))
            continue
        tickets[ticket_id], labels[ticket_id] = ticket, label
        customers[customer.customer_id] = customer
        playable = _tasks_for(row, label, base)
        for task in playable:
            tasks[task].append(ticket_id)
        if not playable:
            warnings.append(f"line {line}: not played, lacks the label its difficulty needs")
    if not any(tasks.values()):
        raise DataError(
            str(path),
            f"no row can be played (skipped: {len(skipped)}); next to its message a row needs"
            f" category ({', '.join(CATEGORIES)}) for the easy task, kb_id (an article here) for the"
            " medium one or requires_escalation (yes or no) for the hard one",
        )
    catalog = replace(
        base,
        name=path.name,
        version=f"{base.version}+{path.name}",
        tickets=tickets,
        labels=labels,
        customers=customers,
        sets={},
        items={(t, "test"): tuple(ids) for t, ids in tasks.items()},
    )
    done = replace(
        report, rows=len(tickets), skipped=tuple(skipped[:1_000]), warnings=tuple(warnings[:1_000])
    )
    return catalog, done


def _decode(path: Path) -> tuple[str, str]:
    try:
        if not path.is_file():
            raise DataError(str(path), "no such file")
        if path.stat().st_size > MAX_BYTES:
            raise DataError(str(path), f"larger than {MAX_BYTES // 1_000_000} MB")
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(str(path), f"cannot be read ({error.strerror})") from error
    if not raw.strip():
        raise DataError(str(path), "the file is empty; it needs a header line and rows")
    for encoding in _ENCODINGS:
        if encoding == "utf-16" and raw[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            continue
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return _CONTROL.sub("", text), encoding
    return _CONTROL.sub("", raw.decode("latin-1")), "latin-1"


def _delimiter(text: str) -> str:
    outside = re.sub(r'"[^"]*"', "", text.lstrip("\r\n")[:MAX_FIELD])
    return max(_DELIMITERS, key=re.split(r"[\r\n]", outside, maxsplit=1)[0].count)


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, doublequote=True)
    start = 1
    for count in range(MAX_ROWS + 1):
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{path}:{reader.line_num}", f"not CSV: {error}") from error
        if any(c.strip() for c in cells):
            yield start, cells
        start = reader.line_num + 1
        if count == MAX_ROWS:
            raise DataError(str(path), f"more than {MAX_ROWS} rows")


def map_columns(header: Sequence[str], said: Mapping[str, str]) -> dict[str, str]:
    """Which column holds which field: as said, else by the aliases. Fields without one are left out.

    Args:
        header: The column titles.
        said: Field to title; an empty title leaves the field out. What is unknown is passed over.
    """
    folded = {re.sub(r"[^a-z0-9]+", "_", h.casefold()).strip("_"): h for h in reversed(header)}
    mapping = {}
    for name, aliases in ALIASES.items():
        title = said.get(name, next((folded[a] for a in aliases if a in folded), ""))
        if title and title in header:
            mapping[name] = title
    return mapping


def _map_header(path: Path, header: list[str], said: Mapping[str, str]) -> dict[str, str]:
    mapping = map_columns(header, said)
    if "body" not in mapping:
        shown = ", ".join(" ".join(h[:40].split()) for h in header[:20])
        raise DataError(
            str(path),
            f"no column holds the customer's message; name one of {', '.join(ALIASES['body'][:6])}"
            f" (found: {shown})",
        )
    return mapping


def _cell(name: str, raw: str) -> str:
    """The cell without spaces around it; empty where an optional one says "none", "N/A" or so."""
    text = raw.strip()
    return "" if name != "body" and text.casefold() in _MISSING else text


def _free_id(wanted: str, taken: Mapping[str, Ticket], warnings: list[str], line: int) -> str:
    wanted = wanted[:80]
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted[:70]}-{number}" in taken:
        number += 1
    warnings.append(f"line {line}: id {wanted} is there twice; kept as {wanted[:70]}-{number}")
    return f"{wanted[:70]}-{number}"


def _same_text(known: Ticket, row: Mapping[str, str]) -> bool:
    return " ".join(known.body.split()) == " ".join(row["body"].split())


def _derive(
    ticket_id: str, row: Mapping[str, str], base: Catalog
) -> tuple[Ticket, TicketLabels | None, Customer]:
    customer = Customer(
        customer_id=f"own-{ticket_id}",
        name=(row.get("customer_name") or "Customer")[:120],
        company="",
        tier=row.get("tier") or "Team",
        since="",
    )
    ticket = Ticket(
        ticket_id=ticket_id,
        subject=(row.get("subject") or row["body"].split("\n")[0])[:200],
        body=row["body"],
        customer_id=customer.customer_id,
        created_at="2026-01-01T00:00:00Z",
        sentiment_score=0.0,
        sla_hours=24,
        channel="import",
        split="test",
    )
    category = _category(row.get("category", ""))
    reference = row.get("reference", "")
    if category is None and not reference:
        return ticket, None, customer
    kb_id = row.get("kb_id", "")
    escalation = row.get("requires_escalation", "").casefold()
    label = TicketLabels(
        ticket_id=ticket_id,
        category=category or "",
        category_reason="as the file says",
        kb_id=kb_id if kb_id in base.articles else None,
        requires_escalation=escalation in _TRUE,
        escalation_reason="as the file says",
        in_escalation_set=escalation in _TRUE | _FALSE,
        facts=derive_facts(reference),
        reference_reply=reference or None,
        derived=True,
    )
    return ticket, label, customer


def _category(raw: str) -> str | None:
    key = re.sub(r"[^a-z]", "", raw.casefold())
    return next((c for c in CATEGORIES if re.sub(r"[^a-z]", "", c.casefold()) == key), None)


def _tasks_for(row: Mapping[str, str], label: TicketLabels, base: Catalog) -> list[str]:
    possible = {
        "easy": bool(label.category),
        "medium": label.kb_id is not None and label.kb_id in base.articles,
        "hard": label.in_escalation_set or ("requires_escalation" in row and not label.derived),
    }
    wanted = row.get("difficulty", "").casefold()
    chosen = (wanted,) if wanted in _TASK_OF else tuple(_TASK_OF)
    return [_TASK_OF[d] for d in chosen if possible[d]]


def builtin_or(path: Path) -> tuple[Path, str | None]:
    """The file to read, and a notice where the literal name `dataset.csv` means the built-in one."""
    shipped = catalogs.BUILTIN.parent / "dataset.csv"
    if not path.exists() and str(path) == "dataset.csv":
        return shipped, "dataset.csv is not here; playing the built-in data/dataset.csv"
    return path, None
