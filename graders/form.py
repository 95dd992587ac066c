"""Form: enough words, no repetition, own words, sentences that are sentences."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from graders.text import Sentence, Text

FLOOR = 0.25
_ENOUGH_WORDS = 16
_COPIED = 0.6
_GRAM = 5
_FEWEST_WORDS = 7

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """Each part in [0, 1]; the form is the worst of them, never below `FLOOR`."""

    length: float
    distinct: float
    own_words: float
    well_formed: float

    @property
    def value(self) -> float:
        """The factor that multiplies the reply's score."""
        return max(FLOOR, min(self.length, self.distinct, self.own_words, self.well_formed))

    @property
    def weakest(self) -> str:
        """The name of the worst part."""
        parts = {
            "length": self.length,
            "repetition": self.distinct,
            "copied text": self.own_words,
            "fragments": self.well_formed,
        }
        return min(parts, key=lambda name: parts[name])


def grams(text: Text) -> frozenset[Gram]:
    """All runs of five words, across sentence ends: what copying is recognised by."""
    stems = [t.stem for s in text.sentences for t in s.tokens]
    return frozenset(tuple(stems[i : i + _GRAM]) for i in range(len(stems) - _GRAM + 1))


def is_copied(sentence: Sentence, sources: Collection[Gram]) -> bool:
    """Whether at least 60 % of a sentence's words lie in runs of five that stand in the sources.

    Menu paths do not count: they can only be said in one way. Sentences of fewer than seven words
    are too short to tell ("They answer within 30 days.").
    """
    stems = sentence.stems
    if len(stems) < _FEWEST_WORDS:
        return False
    covered: set[int] = set()
    for start in range(len(stems) - _GRAM + 1):
        if stems[start : start + _GRAM] in sources:
            covered.update(range(start, start + _GRAM))
    own = [i for i, t in enumerate(sentence.tokens) if not t.in_path]
    return bool(own) and sum(1 for i in own if i in covered) >= _COPIED * len(own)


def judge(text: Text, copied: Collection[int]) -> Form:
    """Judge a reply; `copied` holds the places of the sentences that were copied.

    Greeting and signature lines (fewer than four words) are left out of the share of well-formed
    sentences, so that a polite frame costs nothing.
    """
    sentences = text.sentences
    total = sum(len(s.tokens) for s in sentences)
    if not total:
        return Form(0.0, 0.0, 0.0, 0.0)
    pairs: set[Gram] = set()
    count = 0
    for sentence in sentences:
        norms = [t.norm for t in sentence.tokens]
        for pair in pairwise(norms):
            pairs.add(pair)
            count += 1
    distinct = len(pairs) / count if count else 1.0
    copied_tokens = sum(len(sentences[i].tokens) for i in copied)
    long_enough = [s for s in sentences if len(s.tokens) >= 4]
    in_long = sum(len(s.tokens) for s in long_enough)
    good = sum(len(s.tokens) for s in long_enough if s.well_formed)
    fragments = total - in_long
    frame = min(fragments, 12)
    well = good / max(1, total - frame)
    return Form(
        length=min(1.0, total / _ENOUGH_WORDS),
        distinct=min(1.0, distinct / 0.75),
        own_words=min(1.0, (1 - copied_tokens / total) / 0.5),
        well_formed=min(1.0, well / 0.6),
    )
