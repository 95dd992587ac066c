"""Does it read like English? A small model of which little words follow which kinds of words.

Keyword stuffing that is glued with "the", "of" and "is" has every word a rubric asks for and says
nothing. What gives it away is the skeleton: content words are reduced to coarse classes (noun,
verb form, number, menu path), little words stay themselves, and a logistic model over pairs and
triples of that skeleton tells sentences from salad. `python -m graders.fit_fluency` fits it on the
shipped texts; it has seen no reply of the calibration set.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from graders import lexicon
from graders.text import Sentence

SHORTEST = 5
"""Sentences of fewer words are too short to judge."""
_FUNCTION = lexicon.words("function_words")
_VERBS = lexicon.words("verbs")
_KEPT = _FUNCTION | frozenset(
    "is are was were be been being am has have had do does did can could will would shall should may"
    " might must".split()
)


def skeleton(sentence: Sentence) -> list[str]:
    """The sentence as little words and classes of content words, between <s> and </s>."""
    parts = ["<s>"]
    for token in sentence.tokens:
        if token.opens_clause and len(parts) > 1:
            parts.append(",")
        kind = _kind(token.norm, token.in_path)
        if kind != "PATH" or parts[-1] != "PATH":
            parts.append(kind)
    parts.append("</s>")
    return parts


def features(parts: Sequence[str]) -> Iterator[str]:
    """The pairs and triples of a skeleton."""
    for place in range(1, len(parts)):
        pair = f"{parts[place - 1]} {parts[place]}"
        yield pair
        if place > 1:
            yield f"{parts[place - 2]} {pair}"


def odds(sentence: Sentence) -> float | None:
    """Log-odds that a sentence is English; None if it is too short to tell."""
    if len(sentence.tokens) < SHORTEST:
        return None
    return score_skeleton(skeleton(sentence), *_model())


def mean(judged: Iterable[tuple[Sentence, float | None]]) -> float | None:
    """Log-odds averaged over the words of the sentences that could be judged, if any could.

    Human replies lie above 0.1, glued keywords below -0.1 (measured on texts that were not fitted).
    """
    total = weight = 0.0
    for sentence, value in judged:
        if value is not None:
            total += value * len(sentence.tokens)
            weight += len(sentence.tokens)
    return total / weight if weight else None


def score_skeleton(parts: Sequence[str], bias: float, weights: dict[str, float]) -> float:
    """Log-odds of one skeleton."""
    found = sum(weights.get(f, 0.0) for f in features(parts))
    return bias + found / math.sqrt(len(parts) - 1)


@lru_cache(maxsize=1)
def _model() -> tuple[float, dict[str, float]]:
    raw = json.loads(files("graders").joinpath("fluency.json").read_text(encoding="utf-8"))
    return float(raw["bias"]), {str(k): float(v) for k, v in raw["weights"].items()}


@lru_cache(maxsize=65_536)
def _kind(word: str, in_path: bool) -> str:
    if in_path:
        return "PATH"
    if word in _KEPT:
        return word
    if word[0].isdigit():
        return "NUM"
    if "@" in word or "." in word:
        return "URL"
    if word.endswith("ing") and len(word) > 4:
        return "VING"
    if word.endswith("ed") and len(word) > 3:
        return "VED"
    if word in _VERBS:
        return "V"
    if word.endswith("s") and word[:-1] in _VERBS:
        return "VS"
    if word.endswith("ly"):
        return "LY"
    return "NS" if word.endswith("s") and not word.endswith("ss") else "N"
