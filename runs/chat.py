"""Episodes as chat messages, for training: what the agent saw, and what it answered.

Only what an observation shows before the end goes in, so no label can.
"""

from __future__ import annotations

import json
from typing import TypedDict

from env.episode import Episode
from env.episode import start as start_episode
from env.episode import step as take_step
from env.tasks import Family
from env.view import dump_action, observe
from supportops_env.models import TEXT_KEY, SupportAction, SupportObservation, TicketView


class Message(TypedDict):
    """One chat message."""

    role: str
    content: str


def prompt(episode: Episode) -> list[Message]:
    """The system message of an episode's task and its first observation."""
    fresh = _from_start(episode)
    return [
        Message(role="system", content=system_text(episode.family)),
        Message(role="user", content=first_text(observe(fresh, ""))),
    ]


def conversation(episode: Episode) -> list[Message]:
    """The prompt, then per step the action and what the agent saw next; an action comes last."""
    messages = prompt(episode)
    now = _from_start(episode)
    for number, step in enumerate(episode.steps, 1):
        messages.append(Message(role="assistant", content=action_text(step.action)))
        if number < len(episode.steps):
            now = take_step(now, step.action)
            messages.append(Message(role="user", content=next_text(observe(now, ""))))
    return messages


def system_text(family: Family) -> str:
    """What the task is, and how to answer."""
    forms = "\n".join(_form(a) for a in family.actions)
    return (
        f"You work for a company's customer support. {family.description}\n\n"
        f"You have {family.max_steps} steps. Answer each message with one action as JSON, and"
        f" nothing else:\n{forms}"
    )


def first_text(observation: SupportObservation) -> str:
    """The first observation, whole."""
    parts = [_ticket(t) for t in observation.tickets]
    if observation.ticket is not None:
        parts.append(_ticket(observation.ticket))
    if observation.customer_history:
        contacts = "\n".join(f"- {line}" for line in observation.customer_history)
        parts.append(f"Earlier contacts:\n{contacts}")
    parts.append(observation.step_context)
    return "\n\n".join(parts)


def next_text(observation: SupportObservation) -> str:
    """A later observation: what is new since the one before."""
    parts = [observation.feedback]
    last = observation.history[-1].action["action_type"] if observation.history else ""
    if last == "search_kb":
        opened = [a for a in observation.kb_articles if a.id == observation.kb_id and a.body]
        if opened and observation.feedback.startswith("Opened "):
            parts.append(f"{opened[0].id}: {opened[0].title}\n\n{opened[0].body}")
        else:
            parts += observation.kb_results
    parts.append(observation.step_context)
    return "\n\n".join(parts)


def action_text(action: SupportAction) -> str:
    """An action as compact JSON."""
    return json.dumps(dump_action(action), ensure_ascii=False, separators=(",", ":"))


def _from_start(episode: Episode) -> Episode:
    return start_episode(
        episode.family.id, episode.split, episode.seed, episode.index, arena=episode.arena
    )


def _form(action_type: str) -> str:
    keys = ("ticket_id", "priority") if action_type == "set_priority" else (TEXT_KEY[action_type],)
    payload = {key: "..." for key in keys}
    return json.dumps({"action_type": action_type, "payload": payload}, separators=(",", ":"))


def _ticket(ticket: TicketView) -> str:
    return (
        f"Ticket {ticket.ticket_id} from {ticket.customer_name} ({ticket.customer_tier}),"
        f" {ticket.created_at}, {ticket.channel}, language {ticket.language},"
        f" to be answered within {ticket.sla_hours} h, sentiment {ticket.sentiment_score:+.2f}\n"
        f"Subject: {ticket.subject}\n\n{ticket.body}"
    )
