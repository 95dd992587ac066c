"""A ticket in the making: one record, or one thread of messages, read by the chosen columns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from data.importing import chats, cleaning, placeholders
from data.importing.columns import Columns, fold
from data.importing.record import Record, Turn
from data.importing.references import GAP, MAX_REFERENCE, without_gaps

MAX_BODY = 50_000
MAX_RAW = 200_000
MAX_ID = 80
_MISSING = frozenset({"", "none", "null", "nan", "n/a", "na", "-"})
_TRUE = frozenset({"true", "yes", "y", "1", "t", "escalated"})
_FALSE = frozenset({"false", "no", "n", "0", "f", "not escalated", "replied", "answered",
                    "resolved", "solved"})  # fmt: skip


@dataclass(slots=True)
class Draft:
    """What a record says of a ticket; labels are judged once all are read.

    `raw_body` is the message as the file holds it, where cleaning changed it. `answer` is the clean
    reference without the sentences that hold unfilled placeholders, `said` the reference with them,
    where there are any. `chat` marks an answer out of the ticket's own conversation.
    """

    line: int
    ticket_id: str
    body: str
    raw_body: str | None
    subject: str
    answer: str
    said: str | None
    chat: bool
    fields: Mapping[str, str]
    marks: tuple[str, ...]
    named: bool = True

    @property
    def escalation(self) -> bool | None:
        """The decision that the file tells, if it does."""
        said = self.fields.get("requires_escalation", "").casefold()
        return True if said in _TRUE else False if said in _FALSE else None

    @property
    def text_key(self) -> bytes:
        """The same for two tickets that say the same."""
        return key_of(self.subject, self.body)


class Unusable(Exception):
    """Raised when a record makes no ticket; `kind` is the reason without figures."""

    def __init__(self, why: str, kind: str = "") -> None:
        """Say why."""
        super().__init__(why)
        self.why, self.kind = why, kind or why


def draft(record: Record, columns: Columns, repair: bool) -> Draft:
    """Read one record.

    Raises:
        Unusable: it has no message text, or one longer than 50,000 characters.
    """
    cells = record.cells
    titles = columns.titles
    fields = {f: _optional(cells.get(t, "")) for f, t in titles.items() if f != "body"}
    body = cells.get(titles.get("body", ""), "").strip()
    answer = fields.pop("reference", "")
    chat = False
    turns = chats.turns_in_cell(body)
    if turns:
        body = ""
    if record.turns and body and record.turns[0].text.strip() != body:
        turns = (Turn("customer", body), *record.turns)
    turns = turns or record.turns
    raw = body
    turn_marks: list[str] = []
    if turns:
        cleaned = [cleaning.clean(t.text[:MAX_RAW], repair) for t in turns]
        plain = [Turn(t.speaker, c.text) for t, c in zip(turns, cleaned, strict=True)]
        turn_marks = [mark for c in cleaned for mark in c.marks]
        asked, told = chats.split(plain)
        body = "\n".join(plain[p].text for p in asked)
        raw = "\n".join(turns[p].text for p in asked)
        chat = not answer
        answer = answer or "\n".join(plain[p].text for p in told)
    if len(body) > MAX_RAW:
        raise _too_long(len(body))
    own = {titles.get("body"), titles.get("reference")}
    values = {fold(t): cleaning.one_line(c, 81) for t, c in cells.items()
              if t not in own and len(c) <= 200 and _optional(c)}  # fmt: skip
    clean, marks = _message(body, values, repair)
    if not clean:
        raise Unusable("no message text")
    if len(clean) > MAX_BODY:
        raise _too_long(len(clean))
    reference, said = _reference(answer, values, repair)
    subject = cleaning.one_line(placeholders.fill(fields.pop("subject", ""), values)[0], 200)
    given = cleaning.one_line(fields.pop("ticket_id", ""), MAX_ID)
    return Draft(
        line=record.line,
        ticket_id=given or f"t-{key_of(subject, clean).hex()[:12]}",
        body=clean,
        raw_body=raw if raw != clean else None,
        subject=subject or cleaning.subject_of(clean),
        answer=reference,
        said=said,
        chat=chat,
        fields={f: cleaning.one_line(v, 120) for f, v in fields.items()},
        marks=tuple(dict.fromkeys((*turn_marks, *marks))),
        named=bool(given),
    )


def key_of(subject: str, body: str) -> bytes:
    """A short hash of what a ticket says, spaces and case aside."""
    said = " ".join(f"{subject}\n{body}".casefold().split())
    return hashlib.sha256(said.encode("utf-8", "backslashreplace")).digest()[:12]


def _optional(cell: str) -> str:
    """The cell, empty where it says "none", "N/A" or so."""
    text = cell.strip()
    return "" if len(text) < 5 and text.casefold() in _MISSING else text


def _message(raw: str, values: Mapping[str, str], repair: bool) -> tuple[str, tuple[str, ...]]:
    filled, known, unknown = placeholders.fill(raw, values)
    cleaned = cleaning.clean(filled, repair)
    marks = list(cleaned.marks)
    if known:
        marks.append("placeholders filled from other columns")
    if unknown:
        marks.append("placeholders without a value, put in plain words")
    return cleaned.text, tuple(marks)


def _reference(raw: str, values: Mapping[str, str], repair: bool) -> tuple[str, str | None]:
    if not raw or len(raw) > MAX_RAW:
        return "", None
    marked, _, gaps = placeholders.fill(raw.replace(GAP, ""), values, gap=GAP)
    clean = cleaning.clean(marked, repair).text
    kept = without_gaps(clean)
    usable = kept if len(kept) <= MAX_REFERENCE else ""
    return usable, clean.replace(GAP, "") if gaps else None


def _too_long(length: int) -> Unusable:
    return Unusable(
        f"a message of {length:,} characters, more than {MAX_BODY:,}",
        f"a message longer than {MAX_BODY:,} characters",
    )
