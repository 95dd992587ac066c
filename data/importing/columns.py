"""Which column holds what: by the header's words, by what was said, or a question with a preview."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.errors import DataError
from data.importing.record import Record
from data.importing.report import Question

ALIASES: Mapping[str, tuple[str, ...]] = {
    "ticket_id": ("ticket_id", "id", "ticket", "ticket_number", "ticket_no", "case_id",
                  "case_number", "number", "convo_id", "conversation_id", "issue_id", "issue_key"),
    "subject": ("subject", "title", "summary", "ticket_subject", "headline"),
    "body": ("body", "query", "description", "ticket_description", "text", "message", "content",
             "instruction", "issue", "question", "customer_message", "ticket_text", "inquiry",
             "complaint", "request", "details", "email_body"),
    "reference": ("expected_response", "reference", "answer", "response", "reply", "resolution",
                  "reference_reply", "agent_response", "resolution_notes"),
    "category": ("category", "label", "intent", "queue", "ticket_type", "type", "product_area",
                 "ticket_category", "issue_type", "flow"),
    "kb_id": ("kb_id", "article_id", "kb_article"),
    "requires_escalation": ("requires_escalation", "escalate", "escalation", "needs_escalation",
                            "escalated"),
    "difficulty": ("difficulty", "level"),
    "priority": ("priority", "ticket_priority", "urgency", "severity"),
    "language": ("language", "lang", "locale", "ticket_language"),
    "tags": ("tags", "ticket_tags", "labels", "keywords"),
    "customer_name": ("customer_name", "customer", "requester", "name", "requester_name",
                      "contact_name", "from_name", "from"),
    "tier": ("customer_tier", "tier", "plan", "member_level"),
    "company": ("company", "company_name", "organization", "organisation", "account_name"),
    "channel": ("channel", "ticket_channel", "via"),
    "created_at": ("created_at", "created", "created_time", "date_created", "creation_date"),
}  # fmt: skip
FIELDS = tuple(ALIASES)
_NESTED: Mapping[str, tuple[str, ...]] = {
    "subject": ("subject",),
    "body": ("body", "description"),
    "category": ("category", "flow", "intent"),
    "customer_name": ("customer_name",),
    "tier": ("member_level", "tier", "plan"),
    "channel": ("channel",),
}
_ASKED = ("body", "reference", "category")
_PREVIEW = 3
_DECISIONS = frozenset({"escalated", "not escalated", "replied", "answered", "resolved", "solved"})


@dataclass(frozen=True)
class Columns:
    """Field to column title; further columns that would do; fields to ask about; columns unused."""

    titles: Mapping[str, str]
    also: Mapping[str, tuple[str, ...]]
    questions: tuple[Question, ...]
    unused: tuple[str, ...]


def fold(title: str) -> str:
    """A title without case, spaces and signs: what two spellings of it have in common."""
    return re.sub(r"[^a-z0-9]+", "_", title.casefold()).strip("_")


def choose(
    columns: Sequence[str],
    sample: Sequence[Record],
    said: Mapping[str, str],
    file: str,
    more: Mapping[str, tuple[str, ...]] | None = None,
) -> Columns:
    """Find the columns.

    A field goes to the column that bears its name; else to the only one that bears another name
    for it. Where several do, the body, the reference and the category are asked about and the
    other fields take the first in the order of ALIASES.

    Args:
        columns: All titles.
        sample: Some of the first rows, for previews and for what only values tell.
        said: Field to title, as the user named them; these are taken as they are. An empty title
            leaves the field out.
        file: What to call the file in an error.
        more: Further fields, with the titles that name them.

    Raises:
        DataError: `said` names a column that is not there.
    """
    titles: dict[str, str] = {}
    also: dict[str, tuple[str, ...]] = {}
    questions = []
    fields = {**ALIASES, **(more or {})}
    for field, title in said.items():
        if title:
            titles[field] = _named(title, columns, file)
    for field, aliases in fields.items():
        if field in said:
            continue
        found = [t for t in _candidates(field, aliases, columns) if t not in said.values()]
        if not found:
            continue
        exact = [t for t in found if fold(t) in (field, aliases[0])]
        taken = exact[0] if len(exact) == 1 else found[0]
        rest = tuple(t for t in found if t != taken)
        if rest and len(exact) != 1 and field in _ASKED:
            questions.append(Question(field, {t: examples(t, sample) for t in found}))
            continue
        titles[field] = taken
        if rest:
            also[field] = rest
    if "requires_escalation" not in {**titles, **said}:
        titles |= _decision(columns, sample)
    used = set(titles.values())
    asked = {t for q in questions for t in q.candidates}
    return Columns(
        {f: titles[f] for f in fields if f in titles},
        also,
        tuple(questions),
        tuple(c for c in columns if c not in used | asked),
    )


def no_message(columns: Sequence[str]) -> str:
    """What to say of a file in which nothing can be the customer's message."""
    shown = ", ".join(" ".join(c.split())[:40] for c in columns[:20]) or "none"
    return (
        "no column holds the customer's message: this is a list of tickets without their texts."
        " Export the tickets with their messages (description, first message or whole thread), or"
        f' name the column with --map body="COLUMN" (found: {shown})'
    )


def _candidates(field: str, aliases: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The columns that bear one of a field's names, in the order of the names."""
    top = [c for alias in aliases for c in columns if fold(c) == alias]
    if top:
        return list(dict.fromkeys(top))
    leaves = [
        c
        for alias in _NESTED.get(field, ())
        for c in columns
        if "." in c and fold(c.rpartition(".")[2]) == alias
    ]
    return list(dict.fromkeys(leaves))


def _named(title: str, columns: Sequence[str], file: str) -> str:
    if title in columns:
        return title
    like = [c for c in columns if fold(c) == fold(title)]
    if len(like) != 1:
        shown = ", ".join(" ".join(c.split())[:40] for c in columns[:20])
        raise DataError(file, f"no column {title[:80]!r}; columns: {shown}")
    return like[0]


def examples(title: str, sample: Sequence[Record]) -> tuple[str, ...]:
    """A few different values of a column, cut short."""
    values = dict.fromkeys(" ".join(r.cells.get(title, "").split())[:40] for r in sample)
    return tuple(v for v in values if v)[:_PREVIEW]


def _decision(columns: Sequence[str], sample: Sequence[Record]) -> dict[str, str]:
    """A column `status` tells the decision where it says "escalated" and nothing but outcomes."""
    title = next((c for c in columns if fold(c) in ("status", "ticket_status")), None)
    if title is None:
        return {}
    values = {r.cells.get(title, "").strip().casefold() for r in sample} - {""}
    tells = "escalated" in values and values <= _DECISIONS
    return {"requires_escalation": title} if tells else {}
