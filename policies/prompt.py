"""What a model is told: the prompt files, and an observation as text. No label, no reward, no score."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

from data.schema import PRIORITIES
from supportops_env.models import TEXT_KEY, SupportAction, SupportObservation, TicketView

Mode = Literal["plan", "agent"]
MODES: tuple[Mode, ...] = ("plan", "agent")
FOLDER = Path(__file__).parent / "prompts"
_ENDS = ("respond", "mark_resolved")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file: its version, which is kept with every run, and the system message."""

    mode: Mode
    version: str
    text: str


@lru_cache(maxsize=8)
def load(mode: Mode, folder: Path = FOLDER) -> Prompt:
    """Read a mode's prompt file.

    Raises:
        ValueError: it has no front matter with a version.
    """
    path = folder / f"{mode}.md"
    _, head, text = ("\n" + path.read_text(encoding="utf-8")).split("\n---\n", 2)
    about: dict[str, Any] = yaml.safe_load(head)
    version = about.get("version")
    if not isinstance(version, str) or not version:
        raise ValueError(f"{path}: the front matter names no version")
    return Prompt(mode, version, text.strip())


def describe(observation: SupportObservation) -> str:
    """An observation as the model's message: what a person would see, without rewards."""
    parts = [observation.task_description, _offered(observation)]
    shown = (observation.ticket,) if observation.ticket else observation.tickets
    parts += [_ticket(t) for t in shown]
    if observation.customer_history:
        parts.append("Earlier contacts:\n" + _list(observation.customer_history))
    parts += _found(observation)
    if observation.history:
        taken = [f"{_action(e.action)} -> {e.feedback}" for e in observation.history]
        parts.append("Taken so far:\n" + _list(taken))
    return "\n\n".join([*parts, _left(observation)])


def describe_change(observation: SupportObservation) -> str:
    """The same for a conversation that goes on: what the last action changed."""
    parts = [observation.feedback]
    last = observation.history[-1].action["action_type"] if observation.history else ""
    if last == "search_kb":
        opened = observation.feedback.startswith("Opened ")
        found = observation.kb_articles
        shown = [a for a in found if a.id == observation.kb_id and a.body] if opened else []
        # Of a search the titles; articles that it found again were read before.
        fresh = shown or [a.model_copy(update={"body": None}) for a in found]
        parts += _found(observation.model_copy(update={"kb_articles": tuple(fresh)}))
    return "\n\n".join([*parts, _left(observation)])


def wanted_answer(action: SupportAction) -> str:
    """An action in the form that the agent's prompt asks for."""
    fields = {**action.payload}
    if action.content is not None:
        fields[TEXT_KEY[action.action_type]] = action.content
    plain = {"action_type": action.action_type, **fields}
    return json.dumps(plain, ensure_ascii=False)


def schema(observation: SupportObservation, mode: Mode) -> dict[str, Any]:
    """JSON schema of an answer: one of the actions on offer, or a list of them.

    Every object is closed and requires all its properties, as strict structured output asks for.
    """
    one: dict[str, Any] = {"anyOf": [_form(a, observation) for a in observation.available_actions]}
    if len(observation.available_actions) == 1:
        one = _form(observation.available_actions[0], observation)
    name, inner = "action", one
    if mode == "plan":
        name = "actions"
        most = observation.steps_remaining
        inner = {"type": "array", "items": one, "minItems": 1, "maxItems": most}
    return _closed({name: inner})


def _form(action_type: str, observation: SupportObservation) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string"}
    if action_type == "set_priority":
        ids = [t.ticket_id for t in observation.tickets]
        fields = {"ticket_id": {**text, "enum": ids}, "priority": {**text, "enum": [*PRIORITIES]}}
    elif action_type == "classify":
        fields = {"category": {**text, "enum": [*observation.categories]}}
    else:
        fields = {TEXT_KEY[action_type]: text}
    return _closed({"action_type": {"type": "string", "enum": [action_type]}, **fields})


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _offered(observation: SupportObservation) -> str:
    lines = []
    for name in observation.available_actions:
        if name == "set_priority":
            fields = f"ticket_id, priority ({', '.join(PRIORITIES)})"
        elif name == "classify":
            fields = f"category ({', '.join(observation.categories)})"
        elif name == "search_kb":
            fields = "query (words, or an article's id to open it)"
        else:
            fields = TEXT_KEY[name]
        lines.append(f"{name}: {fields}{'; ends the task' if name in _ENDS else ''}")
    return "Actions:\n" + _list(lines)


def _found(observation: SupportObservation) -> list[str]:
    if not observation.kb_articles:
        return []
    hits = [f"{a.id}: {a.title} - {a.snippet}" for a in observation.kb_articles if not a.body]
    opened = [f"Article {a.id}: {a.title}\n{a.body}" for a in observation.kb_articles if a.body]
    return [*opened, *(["Found in the knowledge base:\n" + _list(hits)] if hits else [])]


def _left(observation: SupportObservation) -> str:
    return f"{observation.step_context} At most {observation.steps_remaining} more actions."


def _ticket(ticket: TicketView) -> str:
    return (
        f"Ticket {ticket.ticket_id} from {ticket.customer_name} ({ticket.customer_tier} plan),"
        f" {ticket.created_at}, by {ticket.channel}, answer due within {ticket.sla_hours} h\n"
        f"Subject: {ticket.subject}\n{ticket.body}"
    )


def _action(action: dict[str, Any]) -> str:
    words = [*action.get("payload", {}).values(), action.get("content") or ""]
    return " ".join([action["action_type"], *(f'"{w}"' for w in words if w)])


def _list(lines: Any) -> str:
    return "\n".join(f"- {line}" for line in lines)
