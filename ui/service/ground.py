"""What a visitor plays on: the built-in data, or a file of the visitor's own."""

from __future__ import annotations

from dataclasses import dataclass

from data.catalog import Catalog
from env import episode as engine
from env.choice import ENDLESS, SPLITS
from env.episode import Arena, Episode
from env.tasks import FAMILIES
from env.view import observe
from ui import snapshot
from ui.state import Card, TaskChoice

MOST_CARDS = 120
"""How many cards of a long queue are shown at once, around the one that is played."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Cards of a queue, and what comes next.

    `cards` are those from place `first` on (0 is the first of all), of `total`; `next_id` is the id
    of the item after the one that is played, None where the next seed brings it.
    """

    first: int
    cards: tuple[Card, ...]
    total: int
    next_id: str | None


class Ground:
    """An arena with the cards of its queues. They are made when they are first shown."""

    def __init__(self, arena: Arena | None = None, name: str = "") -> None:
        """`name` is what to call a visitor's own file; the built-in data has none."""
        self.arena = arena or engine.default_arena()
        self.name = name
        self._cards: dict[tuple[str, str], dict[int, Card]] = {}

    @property
    def catalog(self) -> Catalog:
        """The data."""
        return self.arena.catalog

    @property
    def tasks(self) -> tuple[TaskChoice, ...]:
        """The task families in registry order, with how many items each split has."""
        ids = self.catalog.ids
        return tuple(
            TaskChoice(f.id, f.name, f.difficulty, tuple((s, len(ids(f.id, s))) for s in SPLITS))
            for f in FAMILIES
        )

    @property
    def size(self) -> int:
        """How many tickets there are."""
        return len(self.catalog.tickets)

    def queue(self, episode: Episode) -> Queue:
        """The queue around an episode. Where the seed makes the ticket, there is only that one."""
        if episode.split == ENDLESS:
            return Queue(0, (_card(episode),), 1, None)
        task, split, place = episode.family.id, episode.split, episode.index
        ids = self.catalog.ids(task, split)
        first = max(0, min(place - MOST_CARDS // 2, len(ids) - MOST_CARDS))
        made = self._cards.setdefault((task, split), {})
        for n in range(first, min(first + MOST_CARDS, len(ids))):
            if n not in made:
                made[n] = _card(engine.start(task, split, 0, n, arena=self.arena))
        shown = tuple(made[n] for n in range(first, min(first + MOST_CARDS, len(ids))))
        return Queue(first, shown, len(ids), ids[(place + 1) % len(ids)])


def _card(episode: Episode) -> Card:
    seen = observe(episode, "")
    return snapshot.card(episode.item_id, (seen.ticket,) if seen.ticket else seen.tickets)
