"""The data that episodes are made of: frozen records, checked when they are read.

Tickets are what an agent may see; `TicketLabels` and the priorities of a `PrioritySet` are what it
may not. They live in different files and meet only in the grader.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Split = Literal["train", "test"]
Polarity = Literal["affirm", "deny", "any"]
Priority = Literal["critical", "high", "medium", "low", "minimal"]

CATEGORIES: tuple[str, ...] = ("Bug", "Feature Request", "Billing", "Account", "General")
PRIORITIES: tuple[Priority, ...] = ("critical", "high", "medium", "low", "minimal")
TIERS: tuple[str, ...] = ("Starter", "Team", "Business", "Enterprise")

Groups = tuple[tuple[str, ...], ...]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Customer(_Record):
    """Who wrote, with earlier contacts as short lines, oldest first."""

    customer_id: str
    name: str
    company: str
    tier: str
    since: str
    history: tuple[str, ...] = ()


class Ticket(_Record):
    """One customer message as it came in."""

    ticket_id: str
    subject: str
    body: str
    customer_id: str
    created_at: str
    sentiment_score: float = Field(ge=-1, le=1)
    sla_hours: int = Field(gt=0)
    channel: str
    language: str = "en"
    split: Split = "train"
    raw_body: str | None = Field(
        default=None, description="the message as imported, where cleaning changed it"
    )

    @property
    def text(self) -> str:
        """Subject, body and the day it came in: what a reply may take up."""
        return f"{self.subject}\n{self.body}\n{self.created_at[:10]}"


class KbArticle(_Record):
    """A help-centre article in Markdown."""

    id: str
    title: str
    tags: tuple[str, ...] = ()
    body: str


class Claim(_Record):
    """Something a reply may state, found by matching every group inside one sentence.

    `needs` holds groups of alternatives; an alternative is a phrase, a value ("14 days") or
    "@name" for a list in concepts.json. `polarity` says whether the sentence must affirm it, must
    carry a negation or limit ("deny"), or either ("any").
    """

    say: str
    needs: Groups
    polarity: Polarity = "affirm"
    weight: Annotated[float, Field(gt=0, le=5)] = 1.0


class TicketLabels(_Record):
    """What is true of a ticket. Never shown while its episode runs."""

    ticket_id: str
    category: str
    category_reason: str
    near_categories: tuple[str, ...] = ()
    kb_id: str | None = None
    related_kb: tuple[str, ...] = ()
    requires_escalation: bool
    escalation_reason: str = ""
    in_escalation_set: bool = False
    draft_articles: tuple[str, ...] = Field(
        default=(), description="articles a full draft needs; empty: no draft ticket"
    )
    draft_steps: int = Field(default=0, ge=0, description="steps the oracle takes on the draft")
    customer_upset: bool = False
    facts: tuple[Claim, ...] = ()
    forbidden: tuple[Claim, ...] = ()
    licensed_commitments: tuple[str, ...] = ()
    reference_reply: str | None = None
    label_language: str = "en"
    derived: bool = False


class PrioritySet(_Record):
    """Five tickets to be ranked against each other."""

    set_id: str
    title: str
    ticket_ids: tuple[str, ...]
    split: Split


class PriorityLabel(_Record):
    """The true priority of one ticket of a set, and why."""

    ticket_id: str
    priority: Priority
    reason: str
