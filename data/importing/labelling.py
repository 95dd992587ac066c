"""Labels for imported tickets: from their columns, and facts from the answers they came with."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.categories import key
from data.importing.draft import Draft
from data.importing.options import Options
from data.importing.references import Answered, Verdict
from data.importing.references import judge as judge_answers
from data.importing.report import ImportReport
from data.schema import Customer, KbArticle, Split, Ticket, TicketLabels

_TASK_OF = {
    "easy": "easy_classify_respond",
    "medium": "medium_kb_grounded_response",
    "hard": "hard_escalation_safety",
}
CSV_TASKS = tuple(_TASK_OF.values())
CLASSIFICATION = "ticket_classification"
NO_DATE = "2026-01-01T00:00:00Z"
_EASY, _MEDIUM, _HARD = CSV_TASKS
_LANGUAGES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "spanish": "es",
    "portuguese": "pt", "italian": "it", "dutch": "nl", "polish": "pl", "swedish": "sv",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """A ticket with its labels and its customer."""

    ticket: Ticket
    labels: TicketLabels
    customer: Customer
    line: int


@dataclass(frozen=True)
class Judged:
    """All tickets of a file, and what the report says of their labels."""

    tickets: tuple[Made, ...]
    counts: Mapping[str, Any]
    unknown_articles: int


def judge(
    drafts: Sequence[Draft],
    options: Options,
    articles: Mapping[str, KbArticle],
    split: Split = "test",
) -> Judged:
    """Make tickets and labels of drafts.

    Args:
        drafts: What was read.
        options: Which categories there are, and what the file's own names mean.
        articles: The knowledge base that a kb_id must be of.
        split: The split that all of them go to.
    """
    names = _Names(options)
    with_answer = [d for d in drafts if d.answer or d.said]
    verdicts: dict[str, Verdict] = dict(
        zip(
            (d.ticket_id for d in with_answer),
            judge_answers([_answered(d) for d in with_answer]),
            strict=True,
        )
    )
    made = tuple(_made(d, verdicts.get(d.ticket_id), names, articles, split) for d in drafts)
    gold = sum(1 for m in made if m.labels.facts)
    mapped = {c: names.ours(c) for c in dict.fromkeys(d.fields.get("category", "") for d in drafts)}
    counts = {
        "gold": gold,
        "unrelated": len(with_answer) - gold,
        "mapped": {theirs: ours for theirs, ours in mapped.items() if ours},
    }
    missing = sum(1 for d in drafts if d.fields.get("kb_id") and d.fields["kb_id"] not in articles)
    return Judged(made, counts, missing)


def items(
    order: Sequence[str],
    labels: Mapping[str, TicketLabels],
    levels: Mapping[str, str],
    judged: Judged,
    categories: Sequence[str],
    report: ImportReport,
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Which tickets each task plays, in the order of the file; why a task plays none or not all.

    A ticket's `difficulty` (easy, medium, hard) leaves it to one of A's three tasks.
    """
    chosen: dict[str, list[str]] = {t: [] for t in (*CSV_TASKS, CLASSIFICATION)}
    for ticket_id in order:
        label = labels[ticket_id]
        possible = list(_possible(label))
        wanted = _TASK_OF.get(levels.get(ticket_id, "").casefold())
        for task in possible:
            if wanted in (None, task) or task == CLASSIFICATION:
                chosen[task].append(ticket_id)
    plays = {task: tuple(ids) for task, ids in chosen.items()}
    return plays, dict(_left_out(plays, labels, judged, categories, report))


def _possible(label: TicketLabels) -> Iterator[str]:
    if label.category:
        yield CLASSIFICATION
        if label.facts:
            yield _EASY
    if label.kb_id is not None:
        yield _MEDIUM
    if label.in_escalation_set or not label.derived:
        yield _HARD


def _left_out(
    plays: Mapping[str, tuple[str, ...]],
    labels: Mapping[str, TicketLabels],
    judged: Judged,
    categories: Sequence[str],
    report: ImportReport,
) -> Iterator[tuple[str, str]]:
    unlabelled = _why_no_category(report, categories)
    if not plays[CLASSIFICATION]:
        yield CLASSIFICATION, unlabelled
    if not plays[_EASY]:
        no_gold = "no ticket has an answer that could grade a reply" + (
            f" ({report.references} answers, unrelated to their tickets or saying nothing)"
            if report.references
            else '; name its column with --map reference="COLUMN"'
        )
        yield _EASY, no_gold if plays[CLASSIFICATION] else unlabelled
    if not plays[_MEDIUM]:
        why = "no ticket names the article that answers it (kb_id)"
        if judged.unknown_articles:
            why = (
                f"{judged.unknown_articles} tickets name articles that are not here; bring yours"
                " with --kb PATH, or search the ones that ship with --kb builtin"
            )
        yield _MEDIUM, why
    if not plays[_HARD]:
        yield _HARD, "no ticket says whether it was to be escalated (requires_escalation: yes, no)"
    for task in (_MEDIUM, _HARD):
        blind = sum(1 for i in plays[task] if not labels[i].facts)
        if blind:
            what = "the article found" if task == _MEDIUM else "the decision"
            of_them = "1 of them is" if blind == 1 else f"{blind} of them are"
            yield task, f"{of_them} graded on {what} alone, as no answer grades the reply"


def _why_no_category(report: ImportReport, categories: Sequence[str]) -> str:
    if not report.categories:
        return 'no ticket has a category; name its column with --map category="COLUMN"'
    names = list(report.categories)
    return (
        f"no category of the file ({len(names)}) is one of {', '.join(categories)}; say which"
        f' is which with --map-category "{names[0]}=…", once for each, or play them as they are in a'
        " data set of your own (python -m data.template)"
    )


def _answered(one: Draft) -> Answered:
    said = one.answer if one.said is None else one.said
    return Answered(
        f"{one.subject}\n{one.body}", one.fields.get("category", ""), said, one.answer, one.chat
    )


def _made(
    one: Draft,
    verdict: Verdict | None,
    names: _Names,
    articles: Mapping[str, KbArticle],
    split: Split,
) -> Made:
    fields = one.fields
    customer = Customer(
        customer_id=f"own-{one.ticket_id}",
        name=_name(fields.get("customer_name", "")),
        company=fields.get("company", ""),
        tier=fields.get("tier") or "Team",
        since="",
    )
    ticket = Ticket(
        ticket_id=one.ticket_id,
        subject=one.subject,
        body=one.body,
        raw_body=one.raw_body,
        customer_id=customer.customer_id,
        created_at=_time(fields.get("created_at", "")),
        sentiment_score=0.0,
        sla_hours=24,
        channel=fields.get("channel") or "import",
        language=_language(fields.get("language", "")),
        split=split,
    )
    kb_id = fields.get("kb_id", "")
    facts = verdict.facts if verdict else ()
    labels = TicketLabels(
        ticket_id=one.ticket_id,
        category=names.ours(fields.get("category", "")) or "",
        category_reason="as the file says",
        kb_id=kb_id if kb_id in articles else None,
        requires_escalation=bool(one.escalation),
        escalation_reason="as the file says",
        in_escalation_set=one.escalation is not None,
        facts=facts,
        reference_reply=one.answer if facts else None,
        derived=True,
    )
    return Made(ticket, labels, customer, one.line)


class _Names:
    """The categories there are, by every name that each goes by."""

    def __init__(self, options: Options) -> None:
        self._ours: dict[str, str] = {}
        for name, aliases in options.known.items():
            for known in (name, *aliases):
                self._ours[key(known)] = name
        for theirs, ours in options.categories.items():
            self._ours[key(theirs)] = ours

    def ours(self, theirs: str) -> str | None:
        return self._ours.get(key(theirs)) if theirs else None


def _name(raw: str) -> str:
    name = raw.partition("<")[0].strip(" \"'") if "<" in raw else raw
    return name if name and "@" not in name else "Customer"


def _language(raw: str) -> str:
    word = raw.casefold()
    if word in _LANGUAGES:
        return _LANGUAGES[word]
    code = re.split(r"[-_]", word)[0]
    return code if re.fullmatch(r"[a-z]{2}", code) else "en"


def _time(raw: str) -> str:
    try:
        when = dt.datetime.fromisoformat(raw)
    except ValueError:
        return NO_DATE
    if when.tzinfo is None:
        when = when.replace(tzinfo=dt.UTC)
    try:
        return when.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:
        return NO_DATE
