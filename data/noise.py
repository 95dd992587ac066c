"""Surface noise for tickets: what changes how a message looks and not what it says. Seeded."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Noise = Callable[[str, random.Random], str]

_OPENINGS = ("Hi,", "Hello there,", "Hey team,", "Dear support,", "Good morning,")
_SIGNATURES = ("\n\nSent from my phone", "\n\nBest,\nme", "\n\n--\nhave a nice day", "\n\nThx")


def typos(text: str, rng: random.Random) -> str:
    """Two letters swapped in about one of thirty longer words."""

    def swap(match: re.Match[str]) -> str:
        word = match.group()
        if rng.random() > 1 / 30:
            return word
        place = rng.randrange(1, len(word) - 2)
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]

    return re.sub(r"\b[a-z]{6,}\b", swap, text)


def case(text: str, rng: random.Random) -> str:
    """All lower case, or one sentence in capitals."""
    if rng.random() < 0.5:
        return text.lower()
    sentences = re.split(r"(?<=[.!?])\s", text)
    loud = rng.randrange(len(sentences))
    return " ".join(s.upper() if i == loud else s for i, s in enumerate(sentences))


def punctuation(text: str, rng: random.Random) -> str:
    """Commas left out, full stops doubled here and there."""
    text = "".join(c for c in text if c != "," or rng.random() < 0.5)
    return re.sub(r"\.(?=\s)", lambda _: rng.choice((".", ".", "..", "!")), text)


def greeting(text: str, rng: random.Random) -> str:
    """Another opening in front."""
    return f"{rng.choice(_OPENINGS)}\n\n{text}"


def signature(text: str, rng: random.Random) -> str:
    """A signature behind."""
    return text + rng.choice(_SIGNATURES)


def paragraph_order(text: str, rng: random.Random) -> str:
    """Two neighbouring paragraphs change places."""
    paragraphs = text.split("\n\n")
    if len(paragraphs) > 3:
        place = rng.randrange(1, len(paragraphs) - 2)
        paragraphs[place : place + 2] = reversed(paragraphs[place : place + 2])
    return "\n\n".join(paragraphs)


KINDS: dict[str, Noise] = {
    "typos": typos,
    "case": case,
    "punctuation": punctuation,
    "greeting": greeting,
    "signature": signature,
    "paragraph order": paragraph_order,
}
