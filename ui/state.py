"""What the console shows, as plain frozen data. Made by the service, read by the views."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from supportops_env.models import RewardLine, SupportObservation

Phase = Literal["loading", "empty", "running", "done", "expired"]


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """A task family as the header lists it, with its size per split."""

    id: str
    name: str
    difficulty: str
    sizes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Card:
    """One entry of the queue: a ticket, or (for sorting) a set of tickets. Never a label.

    `grade` is what this visitor got for it last, in [0, 1]; None before that.
    """

    item_id: str
    subject: str
    customer: str
    tier: str
    sla_hours: int
    channel: str
    created_at: str
    preview: tuple[str, ...] = ()
    grade: float | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the visitor: an error (nothing happened) or news."""

    text: str
    error: bool = True


@dataclass(frozen=True, slots=True)
class StepView:
    """One step that was taken. `text` is whole; `total` is the sum of rewards up to here."""

    number: int
    action_type: str
    text: str
    ticket_id: str
    priority: str
    reward: float
    total: float
    feedback: str
    lines: tuple[RewardLine, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong before a step (from 1): what, why, and the words that caused it, or ""."""

    step: int
    title: str
    why: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class PlayView:
    """All that the Play tab shows. `obs` is None in the phases that have no episode.

    `cards` are those from `cards_from` on, of `cards_total`. `dataset` names the visitor's own
    file, where one is played; `tasks` are name and id of those that it can play.
    `name` is the visitor's display name where it was just accepted, for the browser to remember.
    `player` is who plays where that is not the visitor; then there are no buttons to play with.
    `troubles` are such a player's, in order.
    """

    phase: Phase
    obs: SupportObservation | None = None
    steps: tuple[StepView, ...] = ()
    max_steps: int = 0
    formula: str = ""
    item_id: str = ""
    next_id: str | None = None
    cards: tuple[Card, ...] = ()
    priorities: tuple[str, ...] = ()
    notice: Notice | None = None
    run_id: str = ""
    draft: str = ""
    export: str = ""
    chosen: dict[str, str] = field(default_factory=dict)
    cards_from: int = 0
    cards_total: int = 0
    dataset: str = ""
    tasks: tuple[tuple[str, str], ...] = ()
    name: str | None = None
    player: str = ""
    troubles: tuple[Trouble, ...] = ()

    @property
    def scope(self) -> str:
        """Keeps the ids of a watched episode apart from those of the visitor's own."""
        return "watched-" if self.player else ""

    @property
    def reply(self) -> str:
        """The reply that is or will be graded: the last one written, or nothing."""
        written = [s.text for s in self.steps if s.action_type in ("respond", "draft_response")]
        return written[-1] if written else ""
