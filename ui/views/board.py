"""The board of priority sorting: five tickets, five priorities each, changeable until the fifth."""

from __future__ import annotations

from supportops_env.models import TicketView
from ui import texts
from ui.state import PlayView
from ui.views.icons import icon
from ui.views.text import esc, initials, later, moment, paragraphs


def board(view: PlayView) -> str:
    """A row per ticket, in the order of the episode, with its priority where it has one."""
    obs = view.obs
    if obs is None:
        return ""
    rows = "".join(
        f"<li>{_row(t, view.chosen.get(t.ticket_id), view, n == 0)}</li>"
        for n, t in enumerate(obs.tickets)
    )
    return f'<ol class="board">{rows}</ol>'


def _row(ticket: TicketView, chosen: str | None, view: PlayView, first: bool) -> str:
    name = esc(texts.BOARD_ROW.format(ticket_id=ticket.ticket_id, subject=ticket.subject))
    over = view.phase == "done" or bool(view.player)
    buttons = "".join(_button(ticket, p, chosen == p, over, view.scope) for p in view.priorities)
    due = esc(
        texts.DUE_TITLE.format(n=ticket.sla_hours, when=later(ticket.created_at, ticket.sla_hours))
    )
    urgent = " urgent" if ticket.sla_hours <= 4 else ""
    return (
        f'<article class="ticket-row{" set" if chosen else ""}">'
        f'<details data-keep="{view.scope}row-{esc(ticket.ticket_id)}"{" open" if first and not over else ""}><summary>'
        f'<span class="avatar" aria-hidden="true">{esc(initials(ticket.customer_name))}</span>'
        f'<span class="row-text"><strong dir="auto">{esc(ticket.subject)}</strong><span class="chips">'
        f"<code>{esc(ticket.ticket_id)}</code><span>{esc(ticket.customer_name)}</span>"
        f'<span class="chip tier">{esc(ticket.customer_tier)}</span>'
        f'<span class="chip{urgent}" title="{due}">{icon("clock")}{texts.DUE.format(n=ticket.sla_hours)}</span>'
        f'<span class="chip bare">{esc(ticket.channel)}</span></span></span></summary>'
        f'<div class="row-body"><time>{esc(moment(ticket.created_at))}</time>{paragraphs(ticket.body)}</div>'
        f'</details><div class="seg" role="group" aria-label="{name}">{buttons}</div></article>'
    )


def _button(ticket: TicketView, priority: str, chosen: bool, over: bool, scope: str) -> str:
    stop = " disabled" if over else ""
    return (
        f'<button type="button" class="p-{esc(priority)}" data-act="priority" aria-pressed='
        f'"{str(chosen).lower()}" data-ticket="{esc(ticket.ticket_id)}" data-value="{esc(priority)}"'
        f' data-key="{scope}{esc(ticket.ticket_id)}-{esc(priority)}"{stop}>'
        f"{esc(texts.PRIORITIES.get(priority, priority))}</button>"
    )
