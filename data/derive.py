"""Facts for a reply that came without any: key clauses and values taken from its reference."""

from __future__ import annotations

import re

from data.schema import Claim

_SENTENCE = re.compile(r"[^.!?\n]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{3,}|\$?\d[\d.,:%]*")
_PLAIN = frozenset(
    "about after again also always been before being below best better between both care check come"
    " contact could customer dear does doing done each email every feel find first following free"
    " from further give glad good happy have having hello help here hope into issue just kind know"
    " like look make many more most much need next once only open other our over patience please"
    " question reach regards reply review same send service should shortly since some soon sorry"
    " start step still such support sure take team thank thanks that their them then there these"
    " they thing this those through time today understand until update using very want welcome well"
    " were what when where which while will with within without work would write your yours"
    " apologize apologise inconvenience appreciate frustration frustrating".split()
)
_MAX_FACTS = 5
_MIN_WORDS = 3


def derive_facts(reference: str) -> tuple[Claim, ...]:
    """At most five facts, one per sentence that carries content.

    A fact asks for one word of the first half and one of the second half of the sentence's content
    words (values count as words), so that a paraphrase which keeps the terms passes and small talk
    does not. Grades made from such facts are flagged `derived`.
    """
    found: list[tuple[int, Claim]] = []
    for match in _SENTENCE.finditer(reference):
        sentence = " ".join(match.group().split())
        words = [w for w in _WORD.findall(sentence) if w.casefold() not in _PLAIN]
        distinct = tuple(dict.fromkeys(w.casefold() for w in words))
        if len(distinct) < _MIN_WORDS:
            continue
        half = (len(distinct) + 1) // 2
        claim = Claim(say=sentence[:300], needs=(distinct[:half], distinct[half:]), polarity="any")
        found.append((len(distinct), claim))
    best = sorted(found, key=lambda pair: -pair[0])[:_MAX_FACTS]
    return tuple(claim for _, claim in found if any(claim is kept for _, kept in best))
