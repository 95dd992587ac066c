"""What a visitor plays on: the built-in data, or a file of the visitor's own."""

from __future__ import annotations

from data.catalog import Catalog
from env import episode as engine
from env.episode import SPLITS, Arena
from env.tasks import FAMILIES
from env.view import observe
from ui import snapshot
from ui.state import Card, TaskChoice

MOST_CARDS = 120
"""How many cards of a long queue are shown at once, around the one that is played."""


class Ground:
    """An arena with the cards of its queues. They are made when they are first shown."""

    def __init__(self, arena: Arena | None = None, name: str = "") -> None:
        """`name` is what to call a visitor's own file; the built-in data has none."""
        self.arena = arena or engine.builtin_arena()
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

    def cards(self, task: str, split: str, place: int) -> tuple[int, tuple[Card, ...]]:
        """Cards of a queue around a place in it, and the place of the first of them."""
        total = len(self.catalog.ids(task, split))
        first = max(0, min(place - MOST_CARDS // 2, total - MOST_CARDS))
        made = self._cards.setdefault((task, split), {})
        shown = range(first, min(first + MOST_CARDS, total))
        return first, tuple(
            made.get(n) or made.setdefault(n, self._card(task, split, n)) for n in shown
        )

    def _card(self, task: str, split: str, index: int) -> Card:
        episode = engine.start(task, split, 0, index, arena=self.arena)
        seen = observe(episode, "")
        return snapshot.card(episode.item_id, (seen.ticket,) if seen.ticket else seen.tickets)
