"""Whether all that one record says of another is there, and fields hold what their readers expect."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from datetime import datetime, timedelta

from data.catalog import Catalog
from data.check_report import Result, count, without
from data.schema import TIERS, TicketLabels

_ARTICLE = re.compile(r"\bKB-\d+\b")


def references(catalog: Catalog) -> Iterator[Result]:
    """Whatever one record says of another exists."""
    faults = [*_ticket_references(catalog), *_label_references(catalog), *_set_references(catalog)]
    for article in catalog.articles.values():
        faults += _unknown(
            f"article {article.id}", _ARTICLE.findall(article.body), catalog.articles
        )
    yield without(faults, "references", count(faults), "all point to something")


def fields(catalog: Catalog) -> Iterator[Result]:
    """Free-form fields hold what readers of them expect."""
    faults = [
        f"customer {c.customer_id}: tier {c.tier!r} is none of {', '.join(TIERS)}"
        for c in catalog.customers.values()
        if c.tier not in TIERS
    ]
    for ticket in catalog.tickets.values():
        if not _is_utc(ticket.created_at):
            faults.append(f"{ticket.ticket_id}: created_at {ticket.created_at!r} is no UTC time")
        if not ticket.subject.strip() or not ticket.body.strip():
            faults.append(f"{ticket.ticket_id}: subject or body is empty")
    yield without(faults, "fields", count(faults), "tiers known, times in UTC, texts not empty")


def _ticket_references(catalog: Catalog) -> list[str]:
    used = {i for s in catalog.sets.values() for i in s.ticket_ids} | set(catalog.labels)
    faults = []
    for ticket in catalog.tickets.values():
        owner = (ticket.customer_id,)
        faults += _unknown(f"ticket {ticket.ticket_id}", owner, catalog.customers)
        if ticket.ticket_id not in used:
            faults.append(f"ticket {ticket.ticket_id}: neither labelled nor in a set")
    return faults


def _label_references(catalog: Catalog) -> list[str]:
    faults = []
    for label in catalog.labels.values():
        where = f"label {label.ticket_id}"
        faults += _unknown(where, (label.category, *label.near_categories), catalog.categories)
        faults += _unknown(where, label_articles(label), catalog.articles)
        replied = _ARTICLE.findall(label.reference_reply or "")
        faults += _unknown(f"{where}, reference reply", replied, catalog.articles)
        faults += _unknown(where, unknown_concepts(label, catalog), ())
    return faults


def _set_references(catalog: Catalog) -> list[str]:
    faults = []
    members = {i for s in catalog.sets.values() for i in s.ticket_ids}
    for group in catalog.sets.values():
        faults += _unknown(f"set {group.set_id}", group.ticket_ids, catalog.tickets)
    faults += _unknown("priority_labels", sorted(members), catalog.priorities)
    faults += _unknown("priority_sets", catalog.priorities, members)
    return faults


def label_articles(label: TicketLabels) -> tuple[str, ...]:
    """All articles that a label names, each once."""
    own = (label.kb_id,) if label.kb_id else ()
    return tuple(dict.fromkeys((*own, *label.related_kb, *label.draft_articles)))


def unknown_concepts(label: TicketLabels, catalog: Catalog) -> tuple[str, ...]:
    """The "@name" entries of a label's claims that concepts.json does not list."""
    named = (
        entry
        for claim in (*label.facts, *label.forbidden)
        for group in claim.needs
        for entry in group
        if entry.startswith("@") and entry[1:] not in catalog.concepts
    )
    return tuple(dict.fromkeys(named))


def _unknown(where: str, wanted: Iterable[str], known: Container[str]) -> list[str]:
    return [f"{where}: no {name}" for name in dict.fromkeys(wanted) if name not in known]


def _is_utc(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).utcoffset() == timedelta(0)
    except ValueError:
        return False
