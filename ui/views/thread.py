"""The thread: who wrote, earlier contacts, the ticket, and everything that was done about it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from supportops_env.models import SupportObservation, TicketView
from ui import texts
from ui.state import PlayView, StepView, Trouble
from ui.views.board import board
from ui.views.debrief import debrief
from ui.views.icons import icon
from ui.views.text import by_hand, esc, initials, later, moment, paragraphs, points

ICONS = {
    "classify": "tag",
    "search_kb": "search",
    "set_priority": "flag",
    "respond": "send",
    "draft_response": "draft",
    "escalate": "up",
    "mark_resolved": "check",
}


def head(view: PlayView) -> str:
    """What is open: subject, where it stands in the task, what to do."""
    obs = view.obs
    if obs is None:
        return '<div class="desk-head"></div>'
    title = (
        obs.ticket.subject
        if obs.ticket
        else texts.SET_NAME.format(n=view.item_id.rpartition("-")[2])
    )
    link = urlencode(
        {"task": obs.task_id, "split": obs.split, "seed": obs.seed, "index": obs.index}
    )
    anchor = (
        f'<a href="?{esc(link)}" aria-label="{texts.LINK}" title="{texts.LINK}">{icon("link")}</a>'
    )
    return (
        f'{_own_data(view)}<div class="desk-head"><h2 dir="auto">{esc(title)}</h2><p class="crumbs">'
        f"<code>{esc(view.item_id)}</code><span>{esc(obs.task_name)}</span>"
        f"<span>{esc(obs.difficulty)}</span><span>{esc(obs.split)} split</span>"
        f"<span>seed {obs.seed}</span>{_due(obs.ticket)}{'' if view.dataset else anchor}</p></div>"
    )


def _due(ticket: TicketView | None) -> str:
    """How long there is to answer, counted from when the ticket came in."""
    if ticket is None:
        return ""
    when = later(ticket.created_at, ticket.sla_hours)
    title = esc(texts.DUE_TITLE.format(n=ticket.sla_hours, when=when))
    urgent = " urgent" if ticket.sla_hours <= 4 else ""
    left = texts.DUE.format(n=ticket.sla_hours)
    return f'<span class="chip{urgent}" title="{title}">{icon("clock")}{left}</span>'


def _own_data(view: PlayView) -> str:
    """Whose data this is, where it isn't the built-in one, and the way back."""
    if not view.dataset:
        return ""
    said = esc(texts.OWN_DATA.format(name=view.dataset))
    return (
        f'<div class="own-data" role="status">{icon("note")}<p>{said}</p>'
        f'<button type="button" class="btn small" data-act="builtin">{texts.BUILT_IN}</button></div>'
    )


def thread(view: PlayView) -> str:
    """The scrolling part: brief, contacts, ticket, steps, and in the end the debrief."""
    if view.phase == "loading":
        bones = '<div class="skeleton"></div><div class="skeleton tall"></div>'
        return _scroll(f'<p class="quiet">{texts.LOADING} …</p>{bones}', view)
    obs = view.obs
    if obs is None:
        return _scroll(_nothing(view), view)
    if obs.ticket is None:
        middle = board(view) + "".join(_troubles(view, s.number) for s in view.steps)
    else:
        entries = "".join(_troubles(view, s.number) + _step(s, view) for s in view.steps)
        middle = _contacts(obs) + _ticket(obs.ticket) + entries
    middle += _troubles(view, len(view.steps) + 1)
    log = (
        f'<div role="log" aria-live="polite" aria-label="{texts.THREAD}" class="log">{middle}</div>'
    )
    end = debrief(view) if view.phase == "done" else ""
    return _scroll(_brief(view, obs) + log + end, view)


def _scroll(inner: str, view: PlayView) -> str:
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{texts.THREAD}"'
        f' data-run="{esc(view.run_id)}" data-steps="{len(view.steps)}"'
        f' data-phase="{view.phase}" data-item="{esc(view.item_id)}">{inner}</div>'
    )


def _nothing(view: PlayView) -> str:
    expired = view.phase == "expired"
    title, text = texts.EXPIRED if expired else texts.EMPTY
    button = (
        f'<button type="button" class="btn primary" data-act="new">{texts.NEW_EPISODE}</button>'
    )
    return (
        f'<div class="nothing" role="status">{icon("idle" if expired else "inbox")}'
        f"<h3>{title}</h3><p>{text}</p>{button}</div>"
    )


def _brief(view: PlayView, obs: SupportObservation) -> str:
    title = texts.THEIR_TASK if view.player else texts.TASK_BRIEF
    return (
        f'<section class="brief" aria-label="{title}"><p><strong>{title}.</strong>'
        f' {esc(obs.task_description)}</p><details data-keep="{view.scope}graded"><summary>{texts.HOW_GRADED}'
        f"</summary><code>{esc(view.formula)}</code></details></section>"
    )


def _contacts(obs: SupportObservation) -> str:
    if not obs.customer_history:
        return f'<div class="sys"><p class="quiet">{texts.NO_HISTORY}</p></div>'
    lines = "".join(f"<li>{esc(line)}</li>" for line in obs.customer_history)
    return f'<div class="sys"><h3>{icon("note")}{texts.HISTORY}</h3><ul>{lines}</ul></div>'


def _ticket(ticket: TicketView) -> str:
    return (
        f'<article class="msg customer"><div class="avatar" aria-hidden="true">'
        f'{esc(initials(ticket.customer_name))}</div><div class="msg-body"><header>'
        f"<strong>{esc(ticket.customer_name)}</strong>"
        f'<span class="chip tier">{esc(ticket.customer_tier)}</span>'
        f"<time>{esc(moment(ticket.created_at))}</time></header>{paragraphs(ticket.body)}"
        "</div></article>"
    )


def _step(step: StepView, view: PlayView) -> str:
    shown = pill(step.reward)
    if step.action_type in ("respond", "draft_response") and step.text:
        title = step_title(step, view.steps)
        return (
            f'<article class="msg agent {step.action_type}"><div class="msg-body"><header>'
            f"<strong>{esc(view.player or texts.YOU)}</strong><span>{title}</span>{shown}</header>"
            f"{paragraphs(step.text)}</div></article>"
        )
    title = step_title(step, view.steps)
    told = by_hand(step.feedback) if esc(step.feedback.rstrip(".")) != title else ""
    more = f'<p class="quiet">{esc(told)}</p>' if told else ""
    return (
        f'<div class="event"><span class="dot">{icon(ICONS.get(step.action_type, "note"))}</span>'
        f"<div><p>{title}</p>{more}</div>{shown}</div>"
    )


def step_title(step: StepView, steps: Sequence[StepView]) -> str:
    """What a step did, as HTML; drafts are counted among the steps."""
    if step.action_type == "search_kb" and step.feedback.startswith("Opened "):
        return esc(step.feedback.rstrip("."))
    drafts = [s.number for s in steps if s.action_type == "draft_response"]
    number = drafts.index(step.number) + 1 if step.number in drafts else 0
    text = step.text if len(step.text) <= 120 else step.text[:119] + "…"
    title = texts.STEP_TITLES.get(step.action_type, step.action_type).format(
        text=text, n=number, ticket_id=step.ticket_id, priority=step.priority
    )
    if step.action_type in ("escalate", "mark_resolved") and step.text:
        title += f": {step.text}"
    return esc(title)


def _troubles(view: PlayView, step: int) -> str:
    """What went wrong before a step."""
    return "".join(_trouble(t, n, view) for n, t in enumerate(view.troubles) if t.step == step)


def _trouble(trouble: Trouble, number: int, view: PlayView) -> str:
    said = (
        f'<details data-keep="{view.scope}said-{number}"><summary>{texts.SAID}</summary>'
        f'<div class="said" tabindex="0" role="region" aria-label="{texts.SAID}">'
        f"{paragraphs(trouble.text)}</div></details>"
        if trouble.text
        else ""
    )
    return (
        f'<div class="event trouble"><span class="dot">{icon("alert")}</span><div>'
        f"<p><strong>{esc(trouble.title)}</strong></p>"
        f'<p class="quiet">{esc(trouble.why)}</p>{said}</div></div>'
    )


def pill(reward: float) -> str:
    """A reward with its sign and tone."""
    tone = "gain" if reward > 0.0005 else "loss" if reward < -0.0005 else "zero"
    return f'<span class="pill {tone}">{points(reward)}</span>'
