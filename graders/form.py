"""Form: enough words, no repetition, own words, sentences that are sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from graders.text import Sentence, Text, Token

FLOOR = 0.25
_ENOUGH_WORDS = 16
_COPIED = 0.75
_GRAM = 5
_FEWEST_WORDS = 9
_FEWEST_OWN = 4
_FEWEST_INSIDE = 6
_VERBATIM = 8
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


@dataclass(frozen=True, slots=True)
class Source:
    """A text as copying from it is recognised by: runs of five stems, and whole sentences."""

    grams: frozenset[Gram]
    sentences: frozenset[Gram]

    @classmethod
    def of(cls, texts: Iterable[Text]) -> Self:
        """Read texts; runs go on across sentence ends, since lines and sentences get joined."""
        grams: set[Gram] = set()
        sentences: set[Gram] = set()
        for text in texts:
            stems = [t.stem for s in text.sentences for t in s.tokens]
            grams.update(tuple(stems[i : i + _GRAM]) for i in range(len(stems) - _GRAM + 1))
            sentences.update(s.stems for s in text.sentences if _own_words(s.tokens) >= _FEWEST_OWN)
        return cls(frozenset(grams), frozenset(sentences))


def is_copied(sentence: Sentence, source: Source) -> bool:
    """Whether a sentence is one of the source's, or 75 % of its words stand in runs of five there.

    Menu paths and values do not count: they can only be said in one way. What is shorter than nine
    words and no whole sentence of the source is too short to tell ("within 30 days of the charge").
    """
    stems = sentence.stems
    if stems in source.sentences:
        return True
    if len(stems) < _FEWEST_WORDS:
        return False
    covered: set[int] = set()
    for start in _runs(stems, source):
        covered.update(range(start, start + _GRAM))
    own = [i for i, t in enumerate(sentence.tokens) if _is_own(t)]
    return bool(own) and sum(1 for i in own if i in covered) >= _COPIED * len(own)


def copies(sentence: Sentence, first: int, last: int, source: Source) -> bool:
    """Whether the words first..last lie in a run of eight or more of the source's words, or in one
    of its sentences of six or seven: own words before or after do not make them own.
    """
    stems, tokens = sentence.stems, sentence.tokens
    start = end = -1
    for place in _runs(stems, source):
        start = start if place == end - _GRAM + 1 else place
        end = place + _GRAM
        if start <= first and last < end and _own_words(tokens[start:end]) >= _VERBATIM:
            return True
    shortest, longest = max(_FEWEST_INSIDE, last - first + 1), min(_VERBATIM, len(stems))
    return any(
        stems[at : at + size] in source.sentences
        and _own_words(tokens[at : at + size]) >= _FEWEST_INSIDE
        for size in range(shortest, longest)
        for at in range(max(0, last - size + 1), min(first, len(stems) - size) + 1)
    )


def _runs(stems: Gram, source: Source) -> Iterator[int]:
    """Where runs of five begin that the source has."""
    for start in range(len(stems) - _GRAM + 1):
        if stems[start : start + _GRAM] in source.grams:
            yield start


def _is_own(token: Token) -> bool:
    return not token.in_path and not token.norm[0].isdigit()


def _own_words(tokens: Sequence[Token]) -> int:
    return sum(1 for t in tokens if _is_own(t))


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
