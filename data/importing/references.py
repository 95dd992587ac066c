"""Which answers of a file can grade a reply: those that belong to their ticket and hold no gaps."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.derive import content_stems, derive_facts
from data.schema import Claim

GAP = "\ue001"
"""Stands in an answer where a placeholder had no value; never leaves the importer."""
MAX_REFERENCE = 8_000
"""The longest reply that an agent may send, in characters."""

_SHARED = 2
_TYPICAL = 3
_TYPICAL_SHARE = 0.02
_SAMPLE = 2_000
_TRUSTED_SHARE = 0.5
_SUSPICIOUS_COUNT, _SUSPICIOUS_SHARE = 10, 0.15
_COMMON_COUNT, _COMMON_SHARE = 10, 0.3
_PIECE = re.compile(r"(?:[^.!?\n]|(?<=\d)\.(?=[ \t\d])|[.!?](?!\s|$))*[.!?]*\s*")


@dataclass(frozen=True, slots=True)
class Answered:
    """A ticket with the answer it came with, for the gate.

    `said` is all that the answer says, `answer` what of it is usable; `own` marks an answer out of
    the same conversation, which belongs to its ticket by itself.
    """

    ticket: str
    category: str
    said: str
    answer: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer counts as gold, its facts, and why it does not ("" where it does)."""

    facts: tuple[Claim, ...]
    reason: str


def without_gaps(answer: str) -> str:
    """The answer without the sentences that hold a gap."""
    if GAP not in answer:
        return answer
    kept = "".join(part for part in _PIECE.findall(answer) if GAP not in part)
    return re.sub(r"\n{3,}", "\n\n", kept).strip()


def judge(answered: Sequence[Answered]) -> list[Verdict]:
    """Judge all answers of a file together.

    An answer is gold if it states something and shares two content words with its ticket. Where
    half of a file's answers do, the column is one of answers, and three words that other tickets
    and answers of the category use do as well. Where hardly any do, those pass by chance, and none
    is gold.
    """
    near = [a.own or len(_said(a) & content_stems(a.ticket)) >= _SHARED for a in answered]
    share = sum(near) / len(near) if near else 0.0
    if len(near) >= _SUSPICIOUS_COUNT and share < _SUSPICIOUS_SHARE:
        near = [a.own for a in answered]
    elif share >= _TRUSTED_SHARE:
        used = _used(answered[:_SAMPLE])
        near = [
            n or _is_typical(a, used.get(a.category, Counter()))
            for n, a in zip(near, answered, strict=True)
        ]
    fitting = (a.answer for a, fits in zip(answered, near, strict=True) if fits)
    common = _common(list(itertools.islice(fitting, _SAMPLE)))
    verdicts = []
    for one, fits in zip(answered, near, strict=True):
        facts = derive_facts(one.answer, common) if fits else ()
        reason = "" if facts else "states nothing" if fits else "unrelated to the ticket"
        verdicts.append(Verdict(facts, reason))
    return verdicts


def _said(one: Answered) -> frozenset[str]:
    return content_stems(one.said)


def _used(answered: Iterable[Answered]) -> Mapping[str, Counter[str]]:
    """Of each category: in how many tickets with their answers a stem occurs; "" counts them."""
    used: dict[str, Counter[str]] = {}
    for one in answered:
        used.setdefault(one.category, Counter()).update(
            {"", *content_stems(one.ticket), *content_stems(one.said)}
        )
    return used


def _is_typical(one: Answered, used: Counter[str]) -> bool:
    """Whether other tickets of the category, a fiftieth of them at least, use three of its words."""
    least = max(1.0, _TYPICAL_SHARE * used[""])
    said = _said(one) | content_stems(one.category)
    return sum(1 for stem in said if used[stem] - 1 >= least) >= _TYPICAL


def _common(answers: Sequence[str]) -> frozenset[str]:
    """Stems that so many answers hold that they do not tell one topic from another."""
    if len(answers) < _COMMON_COUNT:
        return frozenset()
    counts: Counter[str] = Counter()
    for answer in answers:
        counts.update(content_stems(answer))
    return frozenset(s for s, n in counts.items() if n > _COMMON_SHARE * len(answers))
