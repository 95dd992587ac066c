"""Episodes as view data: queue cards, steps, and the file that a visitor takes home."""

from __future__ import annotations

import json
from typing import Any

from runs.record import Run
from runs.shared import EPISODE_FORMAT
from supportops_env.models import TEXT_KEY, TicketView
from ui import texts
from ui.state import Card, StepView

FORMAT, VERSION = EPISODE_FORMAT, 1


def card(item_id: str, tickets: tuple[TicketView, ...]) -> Card:
    """A card of the queue, for a ticket or for a set of tickets."""
    first = min(tickets, key=lambda t: t.created_at)
    shortest = min(t.sla_hours for t in tickets)
    if len(tickets) == 1:
        return Card(
            item_id,
            first.subject,
            first.customer_name,
            first.customer_tier,
            shortest,
            first.channel,
            first.created_at,
        )
    # In alphabetical order, so that the queue says nothing about the order of the set.
    subjects = tuple(sorted((t.subject for t in tickets), key=str.casefold))
    name = texts.SET_NAME.format(n=item_id.rpartition("-")[2])
    return Card(item_id, name, "", "", shortest, "", first.created_at, subjects)


def steps(episode: Any) -> tuple[StepView, ...]:
    """The steps of an episode, with their texts whole and the sum of rewards up to each."""
    total = 0.0
    views = []
    for number, step in enumerate(episode.steps, 1):
        total += step.reward
        views.append(
            StepView(
                number=number,
                action_type=step.action.action_type,
                text=step.action.text,
                ticket_id=step.action.payload.get("ticket_id", ""),
                priority=step.action.payload.get("priority", ""),
                reward=step.reward,
                total=total,
                feedback=step.feedback,
                lines=step.lines,
            )
        )
    return tuple(views)


def bare_steps(run: Run) -> tuple[StepView, ...]:
    """The steps of a run as it was stored, where it can't be played again: no feedback, no lines."""
    total = 0.0
    views = []
    for number, (action, reward) in enumerate(zip(run.actions, run.rewards, strict=True), 1):
        total += reward
        payload = action.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        kind = str(action.get("action_type", ""))
        text = payload.get(TEXT_KEY.get(kind, ""), action.get("content") or "")
        views.append(
            StepView(
                number=number,
                action_type=kind,
                text=str(text),
                ticket_id=str(payload.get("ticket_id", "")),
                priority=str(payload.get("priority", "")),
                reward=reward,
                total=total,
                feedback="",
                lines=(),
            )
        )
    return tuple(views)


def export(episode: Any, actions: list[dict[str, Any]]) -> str:
    """A finished episode as JSON: what POST /grader takes, with what it earned."""
    shown = {
        "format": FORMAT,
        "version": VERSION,
        "task_id": episode.family.id,
        "split": episode.split,
        "seed": episode.seed,
        "index": episode.index,
        "ticket_id": episode.item_id,
        "actions": actions,
        "rewards": [s.reward for s in episode.steps],
        "lines": [[line.model_dump(mode="json") for line in s.lines] for s in episode.steps],
        "grade_report": episode.report.model_dump(mode="json") if episode.report else None,
    }
    return json.dumps(shown, ensure_ascii=False, indent=2)
