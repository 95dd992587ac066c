"""What labels made from a reference reply need of the grader: the reference as a source.

An imported ticket's facts come out of its reference, and no article bears them out. So a reply may
lean on the reference as it may on an article (the agent never sees it, and no search finds it), and
may commit to what the reference commits to.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from data.schema import Claim, Ticket, TicketLabels
from graders import safety, text, values
from graders.claims import CompiledClaim
from graders.kb_text import KbText, SupportText


class ReferenceKbText(KbText):
    """A knowledge base as the grader reads it, with one ticket's reference beside the articles."""

    def __init__(self, base: KbText, reference: str) -> None:
        """Everything but `support` is that of `base`."""
        self._base, self._reference = base, reference

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def claim(self, claim: Claim) -> CompiledClaim:
        """The claim with synonyms expanded."""
        return self._base.claim(claim)

    def support(self, ticket: str, article_ids: tuple[str, ...]) -> SupportText:
        """What a reply may lean on: ticket, articles (ids sorted), and the reference."""
        known = self._base.support(ticket, article_ids)
        told = self._base.support(self._reference, ())
        return replace(
            known, stems=known.stems | told.stems, values=_Either(known.values, told.values)
        )


class _Either(values.Support):
    """The values of two sources."""

    def __init__(self, one: values.Support, other: values.Support) -> None:
        super().__init__(())
        self._both = (one, other)

    def holds(self, value: values.Value) -> bool:
        return any(source.holds(value) for source in self._both)


def kb_of(base: KbText, labels: TicketLabels) -> KbText:
    """The knowledge base as a ticket's grader reads it."""
    if not labels.derived or not labels.reference_reply:
        return base
    return ReferenceKbText(base, labels.reference_reply)


def labels_of(labels: TicketLabels) -> TicketLabels:
    """The labels, where derived with the commitments that the reference itself makes."""
    if not labels.derived or not labels.reference_reply:
        return labels
    made = _commitments(labels.reference_reply)
    return labels.model_copy(update={"licensed_commitments": made}) if made else labels


def ticket_of(ticket: Ticket, labels: TicketLabels) -> Ticket:
    """The ticket, marked as not English where its own words or its reference clearly are not.

    The labels of a derived ticket are matched by English words; a reply in the customer's own
    language then can't be judged, which is not the same as a wrong one.
    """
    if not labels.derived or ticket.language != "en":
        return ticket
    foreign = _is_foreign(labels.reference_reply or ticket.body)
    return ticket.model_copy(update={"language": "und"}) if foreign else ticket


@lru_cache(maxsize=4_096)
def _commitments(reference: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f.kind for f in safety.commitments(safety.folded(reference))))


@lru_cache(maxsize=4_096)
def _is_foreign(said: str) -> bool:
    return safety.language_of(text.read(said)) not in ("English", "unknown")
