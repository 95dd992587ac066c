"""Form: enough words, no repetition, own words, sentences that are sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graders.text import Sentence, Text

FLOOR = 0.25
_ENOUGH_WORDS = 16
_COPIED = 0.75
_GRAM = 5
_FEWEST_WORDS = 9
_FRAME_WORDS = 12

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
    """Whether at least 75 % of a sentence's words lie in runs of five that stand in the sources.

    Menu paths and values do not count: they can only be said in one way. Sentences of fewer than nine words
    are too short to tell ("They answer within 30 days.").
    """
    stems = sentence.stems
    if len(stems) < _FEWEST_WORDS:
        return False
    covered: set[int] = set()
    for start in range(len(stems) - _GRAM + 1):
        if stems[start : start + _GRAM] in sources:
            covered.update(range(start, start + _GRAM))
    own = [i for i, t in enumerate(sentence.tokens) if not t.in_path and not t.norm[0].isdigit()]
    return bool(own) and sum(1 for i in own if i in covered) >= _COPIED * len(own)


def judge(text: Text, copied: Collection[int], own: Collection[int]) -> Form:
    """Judge a reply.

    `copied` holds the places of the sentences that were copied, `own` of those that say something
    in own words; pleasantries are in neither, and a sentence said twice counts once.

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
    copied_words, own_words = (_words_once(sentences, places) for places in (copied, own))
    once = list({s.stems: s for s in sentences}.values())
    words = sum(len(s.tokens) for s in once)
    good = sum(len(s.tokens) for s in once if s.well_formed)
    frame = sum(len(s.tokens) for s in once if len(s.tokens) < 4 and not s.well_formed)
    well = good / max(1, words - min(frame, _FRAME_WORDS))
    return Form(
        length=min(1.0, total / _ENOUGH_WORDS),
        distinct=min(1.0, distinct / 0.75),
        own_words=min(1.0, own_words / copied_words) if copied_words else 1.0,
        well_formed=min(1.0, well / 0.6),
    )


def _words_once(sentences: Sequence[Sentence], places: Collection[int]) -> int:
    return sum(len(stems) for stems in {sentences[i].stems for i in places})
