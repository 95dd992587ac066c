"""The queue: tickets (or sets of tickets) of the chosen task and split, as cards to choose from."""

from __future__ import annotations

from ui import texts
from ui.state import Card, PlayView
from ui.views.icons import icon
from ui.views.text import esc, later

_CHANNELS = {"email": "mail", "chat": "chat", "web": "web"}


def queue(view: PlayView) -> str:
    """The list of cards with the one that is played marked, and the button for a new episode."""
    button = (
        '<button type="button" class="btn wide" data-act="new" data-key="new">'
        f"{texts.NEW_EPISODE} <kbd>n</kbd></button>"
    )
    if view.phase == "loading":
        rows = '<div class="skeleton tall"></div>' * 4
        return _column("", button, f'<div class="cards">{rows}</div>')
    sets = any(c.preview for c in view.cards)
    total = view.cards_total or len(view.cards)
    count = f'<span class="count">{total:,}</span>' if view.cards else ""
    hint = texts.QUEUE_HINT["set" if sets else "ticket"] if view.cards else ""
    if view.cards and view.next_id is None:
        hint = texts.QUEUE_ENDLESS
    if total > len(view.cards):
        first, last = view.cards_from + 1, view.cards_from + len(view.cards)
        hint += " " + texts.QUEUE_PART.format(first=first, last=last)
    items = "".join(f"<li>{_card(c, c.item_id == view.item_id)}</li>" for c in view.cards)
    body = f'<p class="hint">{hint}</p><ul class="cards" id="cards">{items}</ul>'
    return _column(count, button, body)


def _column(count: str, button: str, body: str) -> str:
    return (
        f'<nav class="col-in" aria-label="{texts.QUEUE}"><div class="col-head">'
        f"<h2>{texts.QUEUE}{count}</h2>{button}</div>{body}</nav>"
    )


def _card(card: Card, chosen: bool) -> str:
    current = ' aria-current="true"' if chosen else ""
    done = ""
    if card.grade is not None:
        shown = f"{card.grade:.2f}"
        done = f'<span class="chip done" title="{texts.PLAYED.format(grade=shown)}">{shown}</span>'
    due = later(card.created_at, card.sla_hours)
    urgent = " urgent" if card.sla_hours <= 4 else ""
    if card.preview:
        who = "".join(f"<li>{esc(s)}</li>" for s in card.preview)
        body = f'<ul class="subjects">{who}</ul>'
        due_text = texts.DUE_SET.format(n=card.sla_hours)
        chips = f'<span class="chip{urgent}">{icon("clock")}{due_text}</span>'
    else:
        body = f'<span class="who">{esc(card.customer)}</span>'
        due_text = texts.DUE.format(n=card.sla_hours)
        title = esc(texts.DUE_TITLE.format(n=card.sla_hours, when=due))
        channel = icon(_CHANNELS.get(card.channel, "note"))
        chips = (
            f'<span class="chip tier">{esc(card.tier)}</span>'
            f'<span class="chip{urgent}" title="{title}">{icon("clock")}{due_text}</span>'
            f'<span class="chip bare">{channel}{esc(card.channel)}</span>'
        )
    return (
        f'<button type="button" class="card{" on" if chosen else ""}" data-act="pick"'
        f' data-ticket="{esc(card.item_id)}" data-key="card-{esc(card.item_id)}"{current}>'
        f'<span class="card-top"><span class="subject" dir="auto">{esc(card.subject)}</span>{done}</span>'
        f'{body}<span class="chips">{chips}</span></button>'
    )
