"""Finding a labelled claim in a reply: every group of words inside ONE sentence, with the right sign.

A group is a tuple of alternatives; an alternative is a phrase whose stems occur in order with at
most `_GAP` other words between neighbours, a value ("14 days" is found as "two weeks" too), or
"@name" for a shared list of synonyms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from data.schema import Claim
from graders import lexicon, values
from graders.text import Sentence, Text, phrase_stems

_GAP = 2
_BEFORE = 5
_NEGATIONS = lexicon.words("negations")
_LIMITS = lexicon.words("limits")
_CLAUSE_BREAKS = frozenset(
    {"but", "because", "so", "although", "however", "while", "unless", "since"}
)
_HARMLESS = frozenset(
    {
        "problem",
        "worries",
        "worry",
        "need",
        "only",
        "later",
        "matter",
        "doubt",
        "longer",
        "more",
        "hesitate",
        "trouble",
        "extra",
        "rush",
    }
)

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to say one part of a claim."""

    stems: Stems
    value: str | None


class Group:
    """The alternatives of one part of a claim, in their order, and which of them can be where."""

    __slots__ = ("_by_start", "alternatives")

    def __init__(self, alternatives: Sequence[Alternative]) -> None:
        """Index the alternatives by what they begin with: their value, or else their first stem."""
        self.alternatives = tuple(alternatives)
        self._by_start: dict[str, list[int]] = {}
        for number, alternative in enumerate(self.alternatives):
            start = alternative.value or alternative.stems[0]
            self._by_start.setdefault(start, []).append(number)

    def candidates(self, entry: Index) -> list[Alternative]:
        """The alternatives whose beginning occurs in a sentence. Most groups have none."""
        starts = self._by_start.keys()
        found = [*(starts & entry.positions.keys()), *(starts & entry.values.keys())]
        if not found:
            return []
        return [self.alternatives[n] for n in sorted(n for s in found for n in self._by_start[s])]


@dataclass(frozen=True, slots=True)
class CompiledClaim:
    """A claim ready to be looked for."""

    claim: Claim
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Where a claim was found (tokens first..last), and whether the sentence affirms or denies it."""

    sentence: Sentence
    first: int
    last: int
    denied: bool
    hedged: bool

    def states(self, claim: Claim) -> bool:
        """Whether the sentence says what the claim says, with its sign."""
        if claim.polarity == "any":
            return True
        return (self.denied or self.hedged) if claim.polarity == "deny" else not self.denied

    def contradicts(self, claim: Claim) -> bool:
        """Whether the sentence says the opposite of the claim."""
        return claim.polarity == "affirm" and self.denied


@dataclass(slots=True)
class Index:
    """A sentence prepared for look-ups: where each stem stands, which values it holds."""

    sentence: Sentence
    positions: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)


def compile_claim(claim: Claim, concepts: Mapping[str, Sequence[str]]) -> CompiledClaim:
    """Expand synonyms and stem every alternative.

    Raises:
        KeyError: a group names a concept that is not listed.
    """
    groups = []
    for group in claim.needs:
        alternatives: dict[Alternative, None] = {}
        for entry in group:
            for phrase in concepts[entry[1:]] if entry.startswith("@") else (entry,):
                stems = phrase_stems(phrase.lower())
                if stems:
                    alternatives[Alternative(stems, values.of_phrase(phrase.lower()))] = None
        groups.append(Group(tuple(alternatives)))
    return CompiledClaim(claim, tuple(groups))


def index(text: Text, found: Sequence[values.Value]) -> list[Index]:
    """Prepare each sentence of a reply."""
    indexed = []
    at = 0
    for sentence in text.sentences:
        entry = Index(sentence)
        for place, token in enumerate(sentence.tokens):
            entry.positions.setdefault(token.stem, []).append(place)
        while at < len(found) and found[at].start < sentence.start:
            at += 1
        while at < len(found) and found[at].start < sentence.end:
            place = next((i for i, t in enumerate(sentence.tokens) if t.end > found[at].start), 0)
            entry.values[found[at].canon] = place
            at += 1
        indexed.append(entry)
    return indexed


def find(claim: CompiledClaim, indexed: Sequence[Index]) -> list[Match]:
    """All sentences in which every group of the claim is matched."""
    matches = []
    for entry in indexed:
        places = []
        for group in claim.groups:
            place = _place(group, entry)
            if place is None:
                break
            places.append(place)
        else:
            matches.append(_match(entry.sentence, min(places), max(places)))
    return matches


def is_negated(sentence: Sentence, first: int, last: int) -> bool:
    """Whether a negation governs tokens first..last: in the same clause, shortly before or between."""
    tokens = sentence.tokens
    start = first
    while start > 0 and first - start < _BEFORE and not tokens[start].opens_clause:
        if tokens[start - 1].norm in _CLAUSE_BREAKS:
            break
        start -= 1
    for place in range(start, min(last + 1, len(tokens))):
        if tokens[place].norm.removesuffix("'s") in _NEGATIONS:
            following = tokens[place + 1].norm if place + 1 < len(tokens) else ""
            if following not in _HARMLESS:
                return True
    return False


def _match(sentence: Sentence, first: int, last: int) -> Match:
    norms = {t.norm for t in sentence.tokens}
    hedged = bool(norms & _NEGATIONS) or bool(norms & _LIMITS)
    return Match(sentence, first, last, is_negated(sentence, first, last), hedged)


def _place(group: Group, entry: Index) -> int | None:
    for alternative in group.candidates(entry):
        if alternative.value is not None:  # "$9" is not any nine
            return entry.values[alternative.value]
        starts = entry.positions[alternative.stems[0]]
        if len(alternative.stems) == 1:
            return starts[0]
        for start in starts:
            if _follows(alternative.stems[1:], start, entry.positions):
                return start
    return None


def _follows(stems: Stems, start: int, positions: Mapping[str, list[int]]) -> bool:
    here = start
    for wanted in stems:
        here_next = next(
            (p for p in positions.get(wanted, ()) if here < p <= here + _GAP + 1), None
        )
        if here_next is None:
            return False
        here = here_next
    return True
