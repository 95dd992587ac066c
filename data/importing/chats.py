"""Conversations: who said what, whatever the export calls it, and what of it is ticket and answer.

Only customers and agents count. Actions, system lines, bots and internal notes are left out, and so
are parts without a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from data.derive import content_stems, derive_facts, sentences
from data.importing.record import Speaker, Turn

_LISTS = (
    "original", "messages", "conversation", "comments", "articles", "conversation_parts", "thread",
    "threads", "parts", "chat", "turns", "events", "transcript", "replies",
)  # fmt: skip
_SPEAKERS: Mapping[str, Speaker] = {
    **dict.fromkeys(
        ("customer", "user", "client", "requester", "enduser", "visitor", "contact", "lead",
         "human", "consumer", "inbound", "incoming"), "customer"),
    **dict.fromkeys(
        ("agent", "admin", "assistant", "support", "operator", "staff", "rep", "representative",
         "teammate", "outbound", "outgoing"), "agent"),
}  # fmt: skip
_WHO = ("sender_type", "author_type", "role", "sender", "speaker", "from", "author", "direction")
_TEXTS = ("plain_body", "body", "text", "content", "message", "html_body", "comment", "value")
_YES = frozenset({"true", "1", "yes"})
_NO = frozenset({"false", "0", "no"})
_NOTES = frozenset({"note", "internal_note", "private_note", "internal"})
_ADDING = 2
_ASKS = re.compile(
    r"\?|\b(?:would|could|can|may|will|do|did) (?:you|i|we)\b|\bplease (?:provide|give|send|tell)\b",
    re.IGNORECASE,
)


def is_internal(message: Mapping[str, Any]) -> bool:
    """Whether a message says of itself that customers must not see it."""
    for key in ("internal", "is_internal", "private", "is_private", "is_note"):
        if str(message.get(key, "")).casefold() in _YES:
            return True
    if str(message.get("public", "")).casefold() in _NO:
        return True
    kinds = (message.get("part_type"), message.get("message_type"), message.get("type"))
    return any(str(kind).casefold() in _NOTES for kind in kinds)


def turns_in(record: Mapping[str, Any]) -> tuple[Turn, ...]:
    """The conversation that a record holds under one of the usual names; empty where none."""
    for key in _LISTS:
        inner = record.get(key)
        if isinstance(inner, dict):  # {"conversation_parts": {"conversation_parts": [...]}}
            inner = next((inner[k] for k in _LISTS if isinstance(inner.get(k), list)), None)
        if isinstance(inner, list):
            turns = turns_of(inner, record)
            if turns:
                return turns
    return ()


def turns_of(messages: Sequence[Any], record: Mapping[str, Any] | None = None) -> tuple[Turn, ...]:
    """The turns of a list of messages: objects, or pairs of speaker and text."""
    turns = []
    for message in messages:
        if isinstance(message, list):
            if len(message) == 2 and all(isinstance(part, str) for part in message):
                speaker, text = speaker_named(message[0]), message[1]
            else:
                continue
        elif isinstance(message, dict) and not is_internal(message):
            speaker, text = _speaker(message, record or {}), _text(message)
        else:
            continue
        if speaker is not None and text.strip():
            turns.append(Turn(speaker, text))
    return tuple(turns)


def turns_in_cell(cell: str) -> tuple[Turn, ...]:
    """The turns of a conversation written as JSON into one cell; empty where it is none."""
    text = cell.strip()
    if not (text.startswith(("[", "{")) and text.endswith(("]", "}"))):
        return ()
    try:
        value = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return ()
    if isinstance(value, dict):
        return turns_in(value)
    return turns_of(value) if isinstance(value, list) else ()


def split(turns: Sequence[Turn]) -> tuple[list[int], list[int]]:
    """Which turns are what the customer asked, and which what the agent answered, by place.

    The answer begins with the first agent turn that states something; questions for details and
    small talk are no part of it. What the customer said before is the ticket.
    """
    asked = [place for place, turn in enumerate(turns) if turn.speaker == "customer"]
    told = [
        place
        for place, turn in enumerate(turns)
        if turn.speaker == "agent" and asked and place > asked[0] and _states(turn.text)
    ]
    if not told:
        return asked, []
    more = [
        place
        for place, turn in enumerate(turns)
        if turn.speaker == "agent" and place > told[0] and _adds(turn.text)
    ]
    return [p for p in asked if p < told[0]], [told[0], *more]


def speaker_named(name: Any) -> Speaker | None:
    """Which side a name stands for; None for bots, actions and whoever else."""
    key = re.sub(r"[^a-z]", "", str(name).casefold())
    return _SPEAKERS.get(key)


def _speaker(message: Mapping[str, Any], record: Mapping[str, Any]) -> Speaker | None:
    author, owner = message.get("author_id"), record.get("requester_id")
    if author is not None and owner is not None:
        return "customer" if author == owner else "agent"
    for key in _WHO:
        who = message.get(key)
        if isinstance(who, dict):
            who = who.get("type") or who.get("role")
        found = speaker_named(who) if who is not None else None
        if found is not None:
            return found
    incoming = message.get("incoming")
    if isinstance(incoming, bool):
        return "customer" if incoming else "agent"
    return None


def _text(message: Mapping[str, Any]) -> str:
    for key in _TEXTS:
        said = message.get(key)
        if isinstance(said, list):  # parts of a message, as chat models write them
            parts = [p.get("text") for p in said if isinstance(p, dict)]
            said = "\n".join(p for p in parts if isinstance(p, str))
        if isinstance(said, str) and said.strip():
            return said
    return ""


def _states(text: str) -> bool:
    """Whether a turn says something that a fact can be made of, not only asks."""
    return any(derive_facts(s) for s in sentences(text) if not _ASKS.search(s))


def _adds(text: str) -> bool:
    """Whether a turn after the first answer says more than small talk and questions do."""
    return any(len(content_stems(s)) >= _ADDING for s in sentences(text) if not _ASKS.search(s))
