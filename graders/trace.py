"""What the graders look at: the case (what is true) and the trace (what the agent did)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from data.schema import CATEGORIES, PriorityLabel, Ticket, TicketLabels
from graders.kb_text import KbText


@dataclass(frozen=True)
class Case:
    """What is true of an episode: its ticket and labels, or its set's priorities."""

    task_id: str
    split: str
    data_version: str
    kb: KbText
    ticket: Ticket | None = None
    labels: TicketLabels | None = None
    priorities: Mapping[str, PriorityLabel] = field(default_factory=dict)
    categories: tuple[str, ...] = CATEGORIES

    @property
    def expected_articles(self) -> tuple[str, ...]:
        """The articles that count as found: the draft's, or the one that answers the ticket."""
        if self.labels is None:
            return ()
        if self.task_id == "draft_response":
            return self.labels.draft_articles
        return (self.labels.kb_id,) if self.labels.kb_id else ()


@dataclass(frozen=True, slots=True)
class Trace:
    """What the agent did, as far as grades depend on it.

    `found` are articles in the top three of a search, or opened after they appeared in one;
    `leaned_on` are all articles whose text the agent has seen in part or whole.
    """

    steps: int
    category: str | None = None
    priorities: Mapping[str, str] = field(default_factory=dict)
    found: tuple[str, ...] = ()
    leaned_on: tuple[str, ...] = ()
    escalated: bool = False
    reply: str | None = None

    @property
    def replied(self) -> bool:
        """Whether there is a reply; a blank one is none."""
        return bool(self.reply and self.reply.strip())


@dataclass(frozen=True, slots=True)
class Event:
    """What one step did, as far as shaping depends on it."""

    kind: str
    first: bool = False
    repeated: bool = False
    category: str | None = None
    hits: tuple[str, ...] = ()
    newly_found: tuple[str, ...] = ()
    has_draft: bool = True
    ends: bool = False
