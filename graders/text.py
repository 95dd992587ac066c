"""Reading a reply: sentences, tokens and stems, each with its place in the original text.

Everything is a single linear scan. Offsets count characters of the text as it was sent, so that a
reward line can point at the words it speaks of.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from graders import lexicon

_STEMMER = snowballstemmer.stemmer("english")
_FUNCTION = lexicon.words("function_words")
_VERBS = lexicon.words("verbs")
_POLITE = lexicon.words("politeness_stems")
_NUMBER_WORDS: dict[str, str] = lexicon.table("number_words")

# A menu path ("Settings > Billing > Invoices") counts as one noun, not as a list of fragments.
_TOKEN = re.compile(
    r"""https?://[^\s<>()]+[^\s<>().,;:!?'"]
      | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
      | [^\W\d_]+(?:\.[^\W\d_]{2,})+(?![\w'])
      | \d+(?:[.,:]\d+)*
      | [^\W\d_]+(?:['’][^\W\d_]+)*""",
    re.VERBOSE,
)
_PATH_ARROW = re.compile(r"\s*(?:>|»|→|\u203a|->)\s*")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200b\u202f]{2,}|[\t\u00a0\u2000-\u200b\u202f]")
_ARROWS = frozenset(">»→\u203a")
_BULLET = re.compile(r"\s*(?:[-*•–—▪◦]|\(?\d{1,2}[.)]|#{1,6}|>)\s+")
_BREAK = re.compile(r"[.!?…]+[\"')\]*_]*(?=\s|$)|\n")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_CLAUSE_MARKS = frozenset(",;:—–()")
_LONGEST_CONTENT_RUN = 6
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|mr|mrs|ms|dr|no|vs|approx|a\.m|p\.m)\.$", re.IGNORECASE
)


class Token(NamedTuple):
    """One word or value: its folded form, its stem, its place.

    `in_path` marks words inside a menu path, `opens_clause` words after a comma, colon or the like.
    """

    norm: str
    stem: str
    start: int
    end: int
    in_path: bool = False
    opens_clause: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or line: place and tokens, whether it reads like one, whether it is a question.

    `stems` are those of the tokens, in order.
    """

    start: int
    end: int
    tokens: tuple[Token, ...]
    well_formed: bool
    asks: bool = False
    stems: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Put the stems down once: half of the grader asks for them."""
        object.__setattr__(self, "stems", tuple([t.stem for t in self.tokens]))


@dataclass(frozen=True, slots=True)
class Text:
    """A text that was read: the original and its sentences."""

    raw: str
    sentences: tuple[Sentence, ...]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens in order."""
        return tuple(t for s in self.sentences for t in s.tokens)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The Snowball English stem of a lower-case word."""
    return str(_STEMMER.stemWord(word))


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """NFKC, case folded, straight apostrophes, number words two to twelve as digits."""
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word).replace("’", "'")
        word = "".join(
            c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)
        )
    word = word.casefold()
    return _NUMBER_WORDS.get(word, word)


@lru_cache(maxsize=65_536)
def _fold_and_stem(word: str) -> tuple[str, str]:
    folded = fold(word)
    base = folded[:-2] if folded.endswith("'s") else folded
    return folded, stem(base)


def is_function_word(word: str) -> bool:
    """Whether a folded word carries grammar rather than content."""
    return word in _FUNCTION


def tells(token: Token) -> bool:
    """Whether a token says something: it is neither a little word nor politeness."""
    return token.norm not in _FUNCTION and token.stem not in _POLITE


def collapse(raw: str) -> tuple[str, tuple[int, ...]]:
    """The text with runs of blanks as one, and where each of its characters stood (with the end).

    Two blanks between words must not hide a phrase. Places are empty where nothing changed.
    """
    if not _BLANKS.search(raw):
        return raw, ()
    kept: list[str] = []
    places: list[int] = []
    last = 0
    for run in _BLANKS.finditer(raw):
        kept.append(raw[last : run.start()] + " ")
        places.extend(range(last, run.start() + 1))
        last = run.end()
    kept.append(raw[last:])
    places.extend(range(last, len(raw) + 1))
    return "".join(kept), tuple(places)


def read(raw: str) -> Text:
    """Split a text into sentences and tokens. Linear in its length."""
    return Text(raw, tuple(_sentences(raw)))


@lru_cache(maxsize=4_096)
def phrase_stems(phrase: str) -> tuple[str, ...]:
    """The stems of a short phrase from a label or a word list."""
    return tuple(_fold_and_stem(m.group())[1] for m in _TOKEN.finditer(phrase))


def content_stems(text: Text) -> frozenset[str]:
    """The stems of all words that carry content."""
    return frozenset(
        t.stem
        for s in text.sentences
        for t in s.tokens
        if t.norm not in _FUNCTION and len(t.stem) > 1
    )


def _sentences(raw: str) -> list[Sentence]:
    found: list[Sentence] = []
    start = 0
    for match in _BREAK.finditer(raw):
        if match.group() == "\n":
            if _is_wrapped_line(raw, start, match.start()):
                continue
        elif _ABBREVIATION.search(raw[max(start, match.start() - 8) : match.end()]):
            continue
        _add(found, raw, start, match.end())
        start = match.end()
    _add(found, raw, start, len(raw))
    return found


def _is_wrapped_line(raw: str, start: int, newline: int) -> bool:
    """A hard-wrapped mail continues its sentence on the next line; lists and headings do not."""
    following = raw[newline + 1 : newline + 80]
    stripped = following.lstrip(" \t")
    if not stripped or stripped[0] == "\n" or _BULLET.match(following):
        return False
    line_start = max(start, raw.rfind("\n", start, newline) + 1)
    long_line = newline - line_start >= 45
    return long_line and (stripped[0].islower() or stripped[0].isdigit())


def _add(found: list[Sentence], raw: str, start: int, end: int) -> None:
    bullet = _BULLET.match(raw, start, end)
    begin = bullet.end() if bullet else start
    tokens = _tokens(raw, begin, end)
    if tokens:
        place, stop = tokens[0].start, tokens[-1].end
        while stop < end and raw[stop] in ".!?…)":
            stop += 1
        asks = "?" in raw[tokens[-1].end : end]
        found.append(Sentence(place, stop, tokens, _is_well_formed(raw[begin:end], tokens), asks))


def _tokens(raw: str, start: int, end: int) -> tuple[Token, ...]:
    arrows = not _ARROWS.isdisjoint(raw[start:end])
    arrow_ends = {m.end() for m in _PATH_ARROW.finditer(raw, start, end)} if arrows else set()
    tokens: list[Token] = []
    in_path = False
    previous_end = start
    for match in _TOKEN.finditer(raw, start, end):
        begin, word = match.start(), match.group()
        gap = raw[previous_end:begin]
        if arrows:
            goes_on = in_path and gap.strip(" ") in ("", "-") and word[:1].isupper()
            in_path = begin in arrow_ends or goes_on
        norm, root = _fold_and_stem(word)
        opens = not tokens or (gap != " " and not _CLAUSE_MARKS.isdisjoint(gap))
        previous_end = match.end()
        tokens.append(Token(norm, root, begin, previous_end, in_path, opens))
    return tuple(tokens)


def _is_well_formed(raw: str, tokens: tuple[Token, ...]) -> bool:
    """At least three words, a verb, some grammar, and not a list of fragments.

    A quarter of the words of running English carry grammar, in short statements of fact an eighth;
    lists of keywords carry none and pile content words up. Menu paths count as one word. Keywords
    glued with little words pass here; graders/fluency.py is for them.
    """
    words = [t for t in tokens if not t.in_path]
    if len(tokens) < 3 or len(words) < 2:
        return False
    grammar = sum(1 for t in words if t.norm in _FUNCTION)
    if grammar / len(words) < 0.12 or not _has_verb(words):
        return False
    if _longest_content_run(words) > _LONGEST_CONTENT_RUN:
        return False
    raw = _THOUSANDS.sub("", raw)
    separators = sum(raw.count(mark) for mark in (",", ";", "|", "/", " – ", " - ", " — "))
    coordinators = sum(1 for t in words if t.norm in ("and", "or"))
    if separators >= 3 and len(words) / (separators + 1) < 3.0:
        return False
    return not (coordinators >= 3 and len(words) / (coordinators + 1) < 3.5)


def _has_verb(words: list[Token]) -> bool:
    """A known verb, or a word where English puts one: "-ed", "-s" before a small word, "Bring the"."""
    last = len(words) - 1
    for place, token in enumerate(words):
        word = token.norm
        if word in _VERBS or word.endswith("ed") or (word.endswith("s") and word[:-1] in _VERBS):
            return True
        following = words[place + 1].norm if place < last else ""
        if word in _FUNCTION or not following:
            continue
        leads_on = following in _FUNCTION or following[0].isdigit()
        if leads_on and (place == 0 or word.endswith("s")):
            return True
    return False


def _longest_content_run(words: list[Token]) -> int:
    longest = run = 0
    for token in words:
        if token.norm in _FUNCTION or token.opens_clause:
            run = 0
        if token.norm not in _FUNCTION and not token.norm[0].isdigit():
            run += 1
            longest = max(longest, run)
    return longest
