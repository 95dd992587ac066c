"""Form: enough words, no repetition, own words, sentences that are sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from graders.text import Sentence, Text, Token, tells

FLOOR = 0.25
_ENOUGH_WORDS = 16
_COPIED = 0.8
_GRAM = 5
_SHORT_GRAM = 3
_FEWEST_WORDS = 9
_FEWEST_OWN = 4
_FEWEST_INSIDE = 6
_VERBATIM = 8
# The share of borrowed words (beyond the free ones) up to which they cost nothing, and from which
# on a reply is another's. Replies of up to 60 words have six free ones, one less for every 20 more.
_FREE_BORROWED, _LEAST_FREE, _SHORT, _WORDS_A_FREE = 6, 2, 60, 20
_BORROWED_FEW, _BORROWED_ALL = 0.25, 0.45
_FRAME_WORDS = 12
# The share of words that say something, at which substance is 0 and 1. It was above 0.22 in 200
# replies of people and writers; politeness strewn around torn sentences lies at 0.1 to 0.25.
_HOLLOW, _FULL = 0.12, 0.17

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """Each part in [0, 1]; the form is the worst of them, never below `FLOOR`.

    `substance` falls where courtesies and little words are nearly all there is. `focus` is the share
    of its sentences that a reply with this much to say may have. `taken` are the places (first and
    past-the-last character) of the runs of borrowed words.
    """

    length: float
    distinct: float
    own_words: float
    well_formed: float
    substance: float = 1.0
    focus: float = 1.0
    taken: tuple[tuple[int, int], ...] = ()

    @property
    def value(self) -> float:
        """The factor that multiplies the reply's score."""
        return max(FLOOR, min(self._parts.values()))

    @property
    def weakest(self) -> str:
        """The name of the worst part."""
        return min(self._parts, key=lambda name: self._parts[name])

    @property
    def _parts(self) -> dict[str, float]:
        return {
            "length": self.length,
            "repetition": self.distinct,
            "copied text": self.own_words,
            "fragments": self.well_formed,
            "mostly courtesies": self.substance,
            "many sentences, few that answer": self.focus,
        }


@dataclass(frozen=True, slots=True)
class Source:
    """A text as copying from it is recognised by: runs of five and of three stems, whole sentences."""

    grams: frozenset[Gram]
    short_grams: frozenset[Gram]
    sentences: frozenset[Gram]

    @classmethod
    def of(cls, texts: Iterable[Text]) -> Self:
        """Read texts; runs go on across sentence ends, since lines and sentences get joined."""
        grams: set[Gram] = set()
        short: set[Gram] = set()
        sentences: set[Gram] = set()
        for text in texts:
            stems = [t.stem for s in text.sentences for t in s.tokens]
            grams.update(tuple(stems[i : i + _GRAM]) for i in range(len(stems) - _GRAM + 1))
            short.update(
                stems[i : i + _SHORT_GRAM]
                for stems in (s.stems for s in text.sentences)
                for i in range(len(stems) - _SHORT_GRAM + 1)
            )
            sentences.update(s.stems for s in text.sentences if _own_words(s.tokens) >= _FEWEST_OWN)
        return cls(frozenset(grams), frozenset(short), frozenset(sentences))


def is_copied(sentence: Sentence, source: Source, covered: Collection[int]) -> bool:
    """Whether a sentence is one of the source's, or most of its words are `covered` by it.

    Menu paths and values do not count: they can only be said in one way. What is shorter than nine
    words and no whole sentence of the source is too short to tell ("within 30 days of the charge").
    """
    if sentence.stems in source.sentences:
        return True
    if len(covered) < _COPIED * _FEWEST_WORDS:
        return False
    own = [i for i, t in enumerate(sentence.tokens) if is_own(t)]
    return len(own) >= _FEWEST_WORDS and sum(i in covered for i in own) >= _COPIED * len(own)


def borrowed(sentence: Sentence, places: Collection[int]) -> tuple[int, int]:
    """How many of a sentence's content words stand at the places, and of how many.

    Little words and politeness are everybody's, menu paths and values can be said in one way only.
    """
    own = [i for i, t in enumerate(sentence.tokens) if is_own(t) and tells(t)]
    return sum(i in places for i in own), len(own)


def covered(sentence: Sentence, source: Source) -> set[int]:
    """The places of the words that stand in runs of three which a source has.

    Of three, since leaving out a word here and there makes nobody an author.
    """
    stems, known = sentence.stems, source.short_grams
    found: set[int] = set()
    for start, gram in enumerate(zip(stems, stems[1:], stems[2:], strict=False)):
        if gram in known:
            found.update((start, start + 1, start + 2))
    return found


def copies(sentence: Sentence, first: int, last: int, source: Source) -> bool:
    """Whether the words first..last are the source's, whatever stands before and after them.

    They are where they lie in a run of eight or more of its words, or in one of its sentences of six
    or seven.
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


def is_own(token: Token) -> bool:
    """Whether a word could be another one: values and menu paths can be said in one way only."""
    return not token.in_path and not token.norm[0].isdigit()


def _own_words(tokens: Sequence[Token]) -> int:
    return sum(1 for t in tokens if is_own(t))


def judge(text: Text, taken: Sequence[Collection[int]]) -> Form:
    """Judge a reply; `taken` are the places of each sentence's words that a source covers.

    Words in runs that an article or the ticket has are borrowed. Some are free, since a short answer
    can hardly do without the article's; a sentence said twice counts once.

    Greeting and signature lines (fewer than four words) are left out of the share of well-formed
    sentences, so that a polite frame costs nothing; but a reply that is nearly all manners does not
    answer.
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
    each = {s.stems: (s, places) for s, places in zip(sentences, taken, strict=True)}
    shares = [borrowed(s, places) for s, places in each.values()]
    words = sum(own for _, own in shares)
    free = min(_FREE_BORROWED, max(_LEAST_FREE, _FREE_BORROWED - (total - _SHORT) / _WORDS_A_FREE))
    share = max(0.0, sum(inside for inside, _ in shares) - free) / words if words else 0.0
    own_words = (_BORROWED_ALL - share) / (_BORROWED_ALL - _BORROWED_FEW)
    once = [s for s, _ in each.values()]
    words = sum(len(s.tokens) for s in once)
    telling = sum(tells(t) for s in once for t in s.tokens)
    good = sum(len(s.tokens) for s in once if s.well_formed)
    frame = sum(len(s.tokens) for s in once if len(s.tokens) < 4 and not s.well_formed)
    well = good / max(1, words - min(frame, _FRAME_WORDS))
    return Form(
        length=min(1.0, total / _ENOUGH_WORDS),
        distinct=min(1.0, distinct / 0.75),
        own_words=min(1.0, max(0.0, own_words)),
        well_formed=min(1.0, well / 0.6),
        substance=min(1.0, max(0.0, (telling / total - _HOLLOW) / (_FULL - _HOLLOW))),
        taken=tuple(p for s, places in each.values() for p in _places(s, sorted(places))),
    )


def _places(sentence: Sentence, taken: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of neighbouring words as places in the text."""
    tokens = sentence.tokens
    begin = 0
    for at in range(1, len(taken) + 1):
        if at == len(taken) or taken[at] != taken[at - 1] + 1:
            yield tokens[taken[begin]].start, tokens[taken[at - 1]].end
            begin = at
