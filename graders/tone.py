"""Tone: a greeting, an acknowledgement where the customer is upset, a next step. Each counts once."""

from __future__ import annotations

from dataclasses import dataclass

from graders import lexicon
from graders.text import Text, phrase_stems

_GREETINGS = lexicon.words("greetings")
_GREETING_PHRASES = lexicon.phrases("greeting_phrases")
_ACKNOWLEDGE = frozenset(phrase_stems(w)[0] for w in lexicon.phrases("acknowledgements"))
_NEXT = lexicon.phrases("next_steps")


@dataclass(frozen=True, slots=True)
class Tone:
    """The contract's T with its parts. `acknowledged` is None where none is due."""

    value: float
    greeted: bool
    acknowledged: bool | None
    next_step: bool


def judge(text: Text, low: str, upset: bool) -> Tone:
    """Score the tone of a reply: the mean of the parts that are due, in [0, 1]."""
    head = low[:120].lstrip(" \t\n*#>-")
    first_words = [t.norm for s in text.sentences[:2] for t in s.tokens[:3]]
    greeted = bool(first_words) and (
        first_words[0] in _GREETINGS or " ".join(first_words[:2]) in _GREETINGS
    )
    greeted = greeted or any(p in head for p in _GREETING_PHRASES) or _is_salutation(text)
    acknowledged: bool | None = None
    if upset:
        acknowledged = any(t.stem in _ACKNOWLEDGE for s in text.sentences for t in s.tokens)
    next_step = any(p in low for p in _NEXT)
    due = [greeted, next_step] + ([acknowledged] if acknowledged is not None else [])
    return Tone(sum(due) / len(due), greeted, acknowledged, next_step)


def _is_salutation(text: Text) -> bool:
    """A first line of at most four words that ends in a comma or an exclamation mark."""
    line = text.raw.lstrip().split("\n", 1)[0].rstrip()
    return 0 < len(line.split()) <= 4 and line[-1] in ",!" and "\n" in text.raw.strip()
