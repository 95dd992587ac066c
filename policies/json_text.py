"""JSON values in a model's text: in fences, in prose, nearly well-formed, or cut off."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*")
_COMMA = re.compile(r",(\s*[}\]])")
_LONGEST = 100_000
_TRIES = 100
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object or list, and the text between it and the one before."""

    value: Any
    between: str = ""


def values(text: str) -> list[Found]:
    """All outermost objects and lists in a text, in order; complete parts of one that was cut off."""
    rest = _THINK.sub("", text.lstrip("\ufeff"))[:_LONGEST]
    rest = _FENCE.sub("", rest)
    found: list[Found] = []
    place = since = tries = 0
    while tries < _TRIES and (start := _next(rest, place)) >= 0:
        end, value = _decode(rest, start)
        if end < 0:
            tries += 1
            place = start + 1
            continue
        found.append(Found(value, rest[since:start]))
        place = since = end
    return found


def _next(text: str, place: int) -> int:
    starts = [i for i in (text.find("{", place), text.find("[", place)) if i >= 0]
    return min(starts, default=-1)


def _decode(text: str, start: int) -> tuple[int, Any]:
    """Where the value that begins at `start` ends, and what it is; (-1, None) if it is none."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return end, value
    except (ValueError, RecursionError):
        end = _closing(text, start)
    if end < 0:
        return -1, None
    piece = text[start:end]
    try:
        return end, json.loads(_COMMA.sub(r"\1", piece), strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(piece)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return -1, None
    return (end, value) if isinstance(value, dict | list) else (-1, None)


def _closing(text: str, start: int) -> int:
    """The place after the bracket that closes the one at `start`, minding strings; -1 if none does."""
    depth, quote, skip = 0, "", False
    for place in range(start, len(text)):
        sign = text[place]
        if skip:
            skip = False
        elif quote:
            skip = sign == "\\"
            quote = "" if sign == quote else quote
        elif sign == '"' or (sign == "'" and text[place - 1] in "{[,: \n"):
            quote = sign
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return -1
