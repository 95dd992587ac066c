"""The episode on screen as requests: what a program has to send to play the same."""

from __future__ import annotations

import re
from typing import Any

from env import episode as engine
from env.episode import Episode
from ui.service.play import Play
from ui.state_api import ApiView

_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,255}(?:/[A-Za-z0-9._~%-]+)*")
_MOST = 500
_QUERY = 80


class Api:
    """Knows which episode a visitor plays, and how a program starts it."""

    def __init__(self, play: Play) -> None:
        """Over the episodes that visitors play."""
        self._play = play

    def now(self, visitor: str | None, location: object, fallback: str) -> ApiView:
        """The visitor's episode as requests; the first task's first one where there is none.

        Args:
            visitor: Who asks.
            location: Where the browser says that the console is, `/web/` included: behind a proxy
                only it knows. What is no plain address counts as nothing said.
            fallback: The server's own idea of that.
        """
        run = self._play.visitors.run(visitor)
        own = run is not None and run.ground is not self._play.ground
        if run is None or own:  # the API has the built-in tickets only
            episode = engine.start(self._play.tasks[0].id, arena=self._play.ground.arena)
        else:
            episode = run.episode
        reset: dict[str, Any] = {
            "task_name": episode.family.id,
            "split": episode.split,
            "seed": episode.seed,
            "index": episode.index,
        }
        base = _base(location) or _base(fallback) or "http://localhost:8000"
        return ApiView(base, episode.family.name, reset, _first_action(episode), own)


def _base(location: object) -> str:
    if not isinstance(location, str) or len(location) > _MOST:
        return ""
    address = re.split(r"[?#]", location, maxsplit=1)[0].rstrip("/")
    address = address.removesuffix("/web")
    return address if _ADDRESS.fullmatch(address) else ""


def _first_action(episode: Episode) -> dict[str, Any]:
    """A step that this task takes. It is an example, and knows nothing of what is right."""
    catalog, actions = episode.arena.catalog, episode.family.actions
    if "classify" in actions:
        return {"action_type": "classify", "content": catalog.categories[0]}
    if "set_priority" in actions:
        sent = {"ticket_id": episode.world.ticket_ids[0], "priority": "high"}
        return {"action_type": "set_priority", "payload": sent}
    subject = catalog.tickets[episode.item_id].subject[:_QUERY]
    return {"action_type": "search_kb", "content": subject}
