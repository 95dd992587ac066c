"""From a model's text to actions. Repairs what can mean one thing only; says why it can't otherwise.

Understood besides what was asked for: JSON in fences or prose, after `<think>`, with trailing
commas or Python quotes, cut off at the token limit; tool-call style; other names for keys and
actions. Never guessed: two different answers, two different texts, an action that nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from policies.json_text import Found, values
from supportops_env.models import TEXT_KEY, SupportAction

Raw = dict[str, Any]
_LISTS = ("actions", "plan", "steps", "tool_calls", "priorities")
_WRAPS = ("action", "next_action", "function", "function_call", "tool_call", "answer", "result")
_TYPES = ("action_type", "action", "type", "name", "tool", "tool_name", "function", "command")
_PAYLOADS = ("payload", "arguments", "args", "parameters", "params", "input", "action_input")
_SYNONYMS = {
    "search": "search_kb", "search_knowledge_base": "search_kb", "kb_search": "search_kb",
    "open_article": "search_kb", "classify_ticket": "classify", "set_ticket_priority": "set_priority",
    "prioritize": "set_priority", "priority": "set_priority", "escalate_ticket": "escalate",
    "resolve": "mark_resolved", "mark_as_resolved": "mark_resolved", "close": "mark_resolved",
    "draft": "draft_response", "draft_reply": "draft_response",
}  # fmt: skip
_REPLIES = {"reply", "send_reply", "answer", "send_response", "send"}
_KEYS = {
    "category": ("category", "label", "class", "classification", "content"),
    "query": ("query", "q", "search", "search_query", "keywords", "article_id", "content"),
    "response_text": ("response_text", "response", "reply", "text", "message", "body", "content"),
    "reason": ("reason", "note", "explanation", "why", "justification", "content"),
    "ticket_id": ("ticket_id", "ticket", "id", "ticketid"),
    "priority": ("priority", "level", "urgency"),
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """Actions in the order given, and what could not be used, one reason each."""

    actions: tuple[SupportAction, ...] = ()
    problems: tuple[str, ...] = ()


class _Unusable(Exception):
    """Raised when an answer or a part of one is no action; the message says why."""


def parse(text: str, offered: Iterable[str], whole: bool = True) -> Parsed:
    """Read the actions out of an answer.

    Args:
        text: What the model said.
        offered: The actions that the task takes; "reply" stands for the one among them.
        whole: False where the answer was cut off: then only complete actions count.
    """
    known = tuple(offered)
    if not text.strip():
        return Parsed(problems=("the answer is empty",))
    found = values(text)
    if not found:
        return Parsed(problems=("the answer holds no JSON",))
    try:
        raws = _chosen(found, known)
    except _Unusable as error:
        return Parsed(problems=(str(error),))
    actions, problems = [], []
    for raw in raws:
        try:
            actions.append(_action(raw, known))
        except _Unusable as error:
            problems.append(str(error))
    if not whole:
        problems.append(f"the answer was cut off; {len(actions)} whole actions were kept")
    return Parsed(tuple(actions), tuple(problems))


def _chosen(found: list[Found], offered: tuple[str, ...]) -> list[Raw]:
    """The raw actions of the one answer among the JSON values of a text."""
    answers: list[list[Raw]] = []
    for value in found:
        raws = list(_unwrap(value, offered))
        if raws and raws not in answers:
            answers.append(raws)
    if not answers:
        raise _Unusable("the JSON in the answer names no action")
    if len(answers) == 1:
        return answers[0]
    if all(len(a) == 1 for a in answers) and _one_after_another(found):
        return [a[0] for a in answers]
    raise _Unusable("the answer holds several different actions or plans")


def _one_after_another(found: list[Found]) -> bool:
    return all(not f.between.strip(" \t\r\n,;") for f in found[1:])


def _unwrap(value: Any, offered: tuple[str, ...]) -> Iterator[Raw]:
    if isinstance(value, Found):
        yield from _unwrap(value.value, offered)
    elif isinstance(value, list):
        for item in value:
            yield from _unwrap(item, offered)
    elif isinstance(value, dict):
        yield from _unwrap_object({str(k): v for k, v in value.items()}, offered)


def _unwrap_object(raw: Raw, offered: tuple[str, ...]) -> Iterator[Raw]:
    for key in _LISTS:
        if isinstance(raw.get(key), list) and raw[key]:
            yield from _unwrap(raw[key], offered)
            return
    if isinstance(raw.get("priorities"), dict):
        for ticket, priority in raw["priorities"].items():
            yield {"action_type": "set_priority", "ticket_id": ticket, "priority": priority}
        return
    for key in _WRAPS:
        if isinstance(raw.get(key), dict):
            yield from _unwrap(raw[key], offered)
            return
    if any(isinstance(raw.get(k), str) for k in _TYPES):
        yield raw
    else:
        yield from _untyped(raw, offered)


def _untyped(raw: Raw, offered: tuple[str, ...]) -> Iterator[Raw]:
    """An object without a type that can be one action only."""
    keyed = {k: v for k, v in raw.items() if _kind(k, offered) in {*TEXT_KEY, "set_priority"}}
    if {"ticket_id", "priority"} <= set(raw):
        yield {"action_type": "set_priority", **raw}
    elif len(keyed) == 1:  # {"classify": {"category": "Bug"}}
        ((key, inside),) = keyed.items()
        kind = _kind(key, offered)
        yield {"action_type": kind, **(inside if isinstance(inside, dict) else {"content": inside})}
    elif len(raw) == 1 and len(offered) == 1 and TEXT_KEY.get(offered[0]) in raw:
        yield {"action_type": offered[0], **raw}  # {"category": "Bug"} where only that is asked for


def _action(raw: Raw, offered: tuple[str, ...]) -> SupportAction:
    named = [k for k in _TYPES if isinstance(raw.get(k), str)]
    kinds = {k: _kind(raw[k], offered) for k in named}
    good = {kind for kind in kinds.values() if kind in {*TEXT_KEY, "set_priority"}}
    if len(good) != 1:
        said = raw[named[0]] if named else ""
        raise _Unusable(
            "an action has two different types" if good else f"unknown action {str(said)[:60]!r}"
        )
    (kind,) = good
    fields = _fields(raw, {k for k in named if kinds[k] == kind})
    keys = ("ticket_id", "priority") if kind == "set_priority" else (TEXT_KEY[kind],)
    payload = {key: text for key in keys if (text := _text(fields, key, kind)) is not None}
    try:
        return SupportAction.model_validate({"action_type": kind, "payload": payload})
    except ValidationError as error:
        raise _Unusable(f"{kind}: {error.errors()[0]['msg']}") from None


def _fields(raw: Raw, types: set[str]) -> Raw:
    """An action's fields, those of its payload first, whatever that is called."""
    fields = {k.strip().lower(): v for k, v in raw.items() if k not in types}
    for key in _PAYLOADS:
        inside = fields.pop(key, None)
        if isinstance(inside, str):
            inner = [f.value for f in values(inside) if isinstance(f.value, dict)]
            inside = inner[0] if len(inner) == 1 else {"content": inside}
        if isinstance(inside, dict):
            fields = {**fields, **{str(k).strip().lower(): v for k, v in inside.items()}}
    return fields


def _text(fields: Raw, key: str, kind: str) -> str | None:
    """The one text that stands for `key`, None where there is none."""
    if key in fields and isinstance(fields[key], str | int | float):
        other = fields.get("content")
        if isinstance(other, str) and other and other != str(fields[key]) and key != "ticket_id":
            raise _Unusable(f"{kind}: content and {key} differ")
        return str(fields[key])
    texts = {
        str(fields[k]) for k in _KEYS[key] if isinstance(fields.get(k), str | int) and fields[k]
    }
    if len(texts) > 1:
        raise _Unusable(f"{kind}: several texts could be its {key}")
    return texts.pop() if texts else None


def _kind(said: str, offered: tuple[str, ...]) -> str:
    name = (
        re.sub(r"[\W_]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", said.strip())).strip("_").lower()
    )
    if name in _REPLIES or name in ("respond", "response"):
        for kind in ("respond", "draft_response"):
            if kind in offered and (name != "respond" or kind == "respond"):
                return kind
    return _SYNONYMS.get(name, name)
