"""Texts with choices and gaps, such as "(Hello|Hi) <first>, // you were charged <amount>".

`(a|b)` is one of its parts, `<x>` a value that is filled in, " // " begins a paragraph. Parts may
hold choices and gaps of their own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

_MARK = re.compile(r"<([a-z_]+)>")
_START = re.compile(r"(?:^|(?<=[.!?] )|(?<=[.!?]\" )|(?<=\n))[a-z]")

_Part = str | tuple["Phrase", ...]


class Phrase:
    """One text, read once and said often."""

    __slots__ = ("_gaps", "_parts", "raw")

    def __init__(self, raw: str) -> None:
        """Read the choices of a text.

        Raises:
            ValueError: a bracket with choices is not closed.
        """
        self.raw = raw
        self._parts: list[_Part] = _read(raw.replace(" // ", "\n\n"))
        self._gaps = "<" in raw

    def say(self, rng: random.Random, values: Mapping[str, str]) -> str:
        """The text with its choices made by `rng` and its gaps filled.

        Raises:
            KeyError: a gap has no value.
        """
        text = self._choose(rng)
        if self._gaps:
            while "<" in text:  # a value may hold gaps itself
                filled = _MARK.sub(lambda m: values[m.group(1)], text)
                if filled == text:
                    break
                text = filled
        return text

    def names(self) -> frozenset[str]:
        """The gaps that occur anywhere in the text."""
        return frozenset(_MARK.findall(self.raw))

    def _choose(self, rng: random.Random) -> str:
        return "".join(
            p if isinstance(p, str) else p[int(rng.random() * len(p))]._choose(rng)
            for p in self._parts
        )


def capitals(text: str) -> str:
    """Sentences begin with a capital, also where a value was filled in at their start."""
    return _START.sub(lambda m: m.group().upper(), text)


def one_of(rng: random.Random, phrases: Sequence[Phrase], values: Mapping[str, str]) -> str:
    """One of several texts, said."""
    return phrases[int(rng.random() * len(phrases))].say(rng, values)


def _read(raw: str) -> list[_Part]:
    parts: list[_Part] = []
    plain = 0
    place = raw.find("(")
    while place >= 0:
        end = _closing(raw, place)
        choices = _split(raw[place + 1 : end])
        if len(choices) > 1:
            if raw[plain:place]:
                parts.append(raw[plain:place])
            parts.append(tuple(Phrase(c) for c in choices))
            plain = end + 1
        place = raw.find("(", end + 1)
    if raw[plain:]:
        parts.append(raw[plain:])
    return parts


def _closing(raw: str, start: int) -> int:
    depth = 0
    for place in range(start, len(raw)):
        depth += (raw[place] == "(") - (raw[place] == ")")
        if not depth:
            return place
    raise ValueError(f"a bracket is not closed in {raw[:80]!r}")


def _split(inside: str) -> list[str]:
    choices, depth, last = [], 0, 0
    for place, sign in enumerate(inside):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            choices.append(inside[last:place])
            last = place + 1
    return [*choices, inside[last:]]
