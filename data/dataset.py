"""`python -m data.dataset` writes data/dataset.csv: the built-in tickets in the shape of dataset A."""

from __future__ import annotations

import csv
import io

from data import catalog as catalogs
from data.catalog import Catalog
from data.schema import TicketLabels

PATH = catalogs.BUILTIN.parent / "dataset.csv"
COLUMNS = (
    "ticket_id",
    "subject",
    "query",
    "difficulty",
    "category",
    "kb_id",
    "requires_escalation",
    "expected_response",
)


def render(catalog: Catalog) -> str:
    """The CSV text. Escalation tickets are hard, the others easy and medium in turn."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    others = 0
    for ticket_id, label in sorted(catalog.labels.items()):
        ticket = catalog.tickets[ticket_id]
        difficulty = _difficulty(label, others)
        others += not label.in_escalation_set
        writer.writerow(
            (
                ticket_id,
                ticket.subject,
                ticket.body,
                difficulty,
                label.category,
                label.kb_id or "",
                str(label.requires_escalation).lower(),
                label.reference_reply or "",
            )
        )
    return out.getvalue()


def _difficulty(label: TicketLabels, place: int) -> str:
    return "hard" if label.in_escalation_set else ("easy", "medium")[place % 2]


if __name__ == "__main__":
    PATH.write_text(render(catalogs.builtin()), encoding="utf-8")
