"""Facts for a reply that came without any: the values and key clauses of its reference."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import snowballstemmer

from data.schema import Claim

_STEMMER = snowballstemmer.stemmer("english")
_BREAK = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!]+(?=[\s\"')\]]|$)|(?<=\?)|\n|;\s")
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]{2,}|\d[\d.,:]*\d|\d")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_UNIT = "seconds?|minutes?|hours?|days?|weeks?|months?|years?"
_NUMBER = (
    r"(?:\d[\d,]*(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|fifteen"
    r"|twenty|thirty|forty|sixty|ninety)"
)
_VALUE = re.compile(
    rf"[$€£]\s?\d[\d,]*(?:\.\d+)?|\b\d[\d,]*(?:\.\d+)?\s?(?:%|percent\b|(?:dollars|euros|pounds)\b"
    rf"|[KMGT]B\b)|\b{_NUMBER}[ -](?:(?:business|working|calendar) )?(?:{_UNIT})\b",
    re.IGNORECASE,
)
_PLAIN = frozenset(
    "about after again ahead all along also although always and any anything are ask assist assistance"
    " available back been before being below best better between both but can care caused check come"
    " concern concerns contact could customer dear dedicated details difficulties does doing done each"
    " either email encounter ensure ever every everything feel few find first follow following for free"
    " from further get give glad good guidance guide had happy has have having hear hello help her here"
    " hesitate him his hope how however inform information into issue its just kind kindly know let like"
    " look make many may might more most much must necessary need next not now off once one only other"
    " our out over own patience per please possible priority proceed process provide question questions"
    " reach really reason regarding regards reply request resolve review same satisfaction send service"
    " share sharing she should shortly simply since situation situations some soon sorry specific start"
    " step steps still such support sure take team thank thanks than that the their them then there"
    " these they thing things this those through time today together too top transparency try two"
    " understand understanding unfortunately until update use using value very want was way welcome well"
    " were what when where which while who why will wish with within without work would write yes you"
    " your yours apologies apologize apologise inconvenience appreciate frustration frustrating moment"
    " great nice day".split()
)
_PRONOUN = re.compile(r"(?:i|you|we|he|she|it|they|that|there|what|let)'(?:m|d|ll|re|ve|s)")
_MAX_FACTS = 5
_MIN_WORDS = 3
_LONG = 9
_MAX_TERMS = 8
_TERMS_WEIGHT = 0.25


def derive_facts(reference: str, common: Collection[str] = frozenset()) -> tuple[Claim, ...]:
    """Facts for at most five sentences that carry content; questions state nothing.

    A fact asks, within one sentence, for each value of the reference's sentence ("30 days", "$25";
    two at most) and for one word of each half (thirds, in a long sentence) of its content words. So
    a paraphrase that keeps the figures and some of the terms passes, and small talk or another
    topic does not. Nobody said which of the words matter, so a second fact of a quarter's weight
    asks for the sentence's own terms: the reference itself earns all, a paraphrase most.
    Grades made from such facts are flagged `derived`.

    Args:
        reference: The reply that the file brought.
        common: Stems that so many references hold that they tell nothing.
    """
    found: list[tuple[int, tuple[Claim, Claim]]] = []
    for sentence in sentences(reference):
        if sentence.endswith("?"):
            continue
        values = tuple(dict.fromkeys(m.group().lower() for m in _VALUE.finditer(sentence)))[:2]
        words = tuple(
            dict.fromkeys(w for w in _words(_VALUE.sub(" ", sentence)) if stem(w) not in common)
        )
        if not words or not (values or len(words) >= _MIN_WORDS):
            continue
        parts = 1 if values else 3 if len(words) >= _LONG else 2
        needs = (*((v,) for v in values), *_parted(words, parts))
        claim = Claim(say=sentence[:300], needs=needs, polarity="any")
        terms = tuple((w,) for w in words[:_MAX_TERMS])
        close = Claim(
            say=f"{sentence[:300]} (in these terms)",
            needs=(*((v,) for v in values), *terms),
            polarity="any",
            weight=_TERMS_WEIGHT,
        )
        found.append((len(words) + 3 * len(values), (claim, close)))
    best = sorted(found, key=lambda pair: -pair[0])[:_MAX_FACTS]
    kept = {id(claims) for _, claims in best}
    return tuple(c for _, claims in found if id(claims) in kept for c in claims)


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, one blank between words, links and list marks left out."""
    plain = _LIST_MARK.sub("", _LINK.sub("", text))
    parts = (" ".join(part.split()) for part in _BREAK.split(plain) if part)
    return [part for part in parts if part]


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that say something."""
    return frozenset(stem(w) for w in _words(text) if not w[0].isdigit())


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The English stem of a lower-case word."""
    return str(_STEMMER.stemWord(word.removesuffix("'s")))


def _words(text: str) -> list[str]:
    folded = (w.replace("’", "'").casefold() for w in _WORD.findall(text))
    return [w for w in folded if w not in _PLAIN and not _PRONOUN.fullmatch(w)]


def _parted(words: tuple[str, ...], parts: int) -> tuple[tuple[str, ...], ...]:
    size, more = divmod(len(words), parts)
    cut, at = [], 0
    for place in range(parts):
        end = at + size + (place < more)
        cut.append(words[at:end])
        at = end
    return tuple(cut)
