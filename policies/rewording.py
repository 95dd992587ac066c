"""Saying a help article's sentence in other words by fixed rules: synonyms, and clauses turned round.

Nothing is added and no value is changed, so what was true stays true.
"""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"])")
_ARTICLE_REFERENCE = re.compile(
    r"\s*(?:\((?:see )?KB-\d+[^)]*\)|,? as KB-\d+ explains|;? ?see KB-\d+)"
)
# Whole words, longest first where one holds another.
_SYNONYMS: tuple[tuple[str, str], ...] = (
    (r"go to (?=[A-Z])", "open "),
    (r"(?<=[a-z] )under (?=[A-Z][a-z]+ >)", "in "),
    (r"must be", "has to be"),
    (r"you must", "you need to"),
    (r"must", "has to"),
    (r"cannot be", "can't be"),
    (r"cannot", "are not able to"),
    (r"can be", "may be"),
    (r"you can", "you are able to"),
    (r"within", "in the course of"),
    (r"straight away|at once", "immediately"),
    (r"does not", "doesn't"),
    (r"do not", "don't"),
    (r"more than", "over"),
    (r"of the last", "from the last"),
    (r"in a row", "one after another"),
    (r"until", "up to the moment when"),
    (r"after that", "from then on"),
    (r"only", "just"),
    (r"every|each", "any"),
    (r"sent again", "delivered once more"),
    (r"again", "once more"),
    (r"if", "in case"),
    (r"when", "as soon as"),
    (r"somebody|someone", "a person"),
    (r"because", "as"),
    (r"also", "as well"),
    (r"answers? to", "replies to"),
    (r"usually|normally", "as a rule"),
    (r"is not", "isn't"),
    (r"are not", "aren't"),
    (r"it is", "it's"),
    (r"for instance", "for example"),
    (r"shown", "displayed"),
    (r"get", "receive"),
    (r"make", "create"),
    (r"takes", "needs"),
    (r"costs", "is priced at"),
    (r"stays", "remains"),
    (r"ask for", "request"),
    (r"begin", "start"),
    (r"instead", "in its place"),
    (r"therefore|so that", "so"),
)  # fmt: skip
_RULES = tuple((re.compile(rf"\b(?:{old})\b"), new) for old, new in _SYNONYMS)
_CONDITION = re.compile(
    r"^(If|When|Where|Once|As soon as) ([^,]{8,90}), (?:then )?(\w[^,;:]{8,})([.!])$"
)


def plain_sentences(body: str) -> list[str]:
    """The sentences of an article for customers: no headings, no marks, no notes for agents."""
    found: list[str] = []
    for block in body.partition("## For agents")[0].split("\n\n"):
        lines = _lines(block)
        found += _table_sentences(lines) if _is_table(lines) else _prose_sentences(lines)
    return found


def verbatim_sentences(body: str) -> list[str]:
    """All sentences and table rows of an article as they stand, notes for agents too."""
    found: list[str] = []
    for block in body.split("\n\n"):
        lines = _lines(block)
        if _is_table(lines):
            found += [" ".join(x.strip("|").replace("|", " ").split()) for x in lines[2:]]
        else:
            found += _prose_sentences(lines)
    return found


def reword(sentence: str) -> str:
    """The sentence with its clauses turned round where that is safe, and with other small words."""
    turned = _CONDITION.sub(
        lambda m: f"{m[3][0].upper()}{m[3][1:]} {m[1].lower()} {m[2]}{m[4]}", sentence
    )
    for pattern, new in _RULES:
        turned = pattern.sub(new, turned)
    return turned[0].upper() + turned[1:]


def _lines(block: str) -> list[str]:
    return [x.strip() for x in block.splitlines() if x.strip() and not x.startswith("#")]


def _is_table(lines: list[str]) -> bool:
    return bool(lines) and lines[0].startswith("|")


def _prose_sentences(lines: list[str]) -> list[str]:
    if lines and re.match(r"(?:[-*]|\d+\.)\s", lines[-1]):
        return [s for x in lines for s in _split(re.sub(r"^(?:[-*]|\d+\.)\s+", "", x))]
    return _split(" ".join(lines))


def _split(text: str) -> list[str]:
    plain = _ARTICLE_REFERENCE.sub("", re.sub(r"[*`]+", "", text))
    sentences = [s.strip(" ;,:") for s in _SENTENCE_END.split(" ".join(plain.split()))]
    return [s if s[-1] in ".!?" else f"{s}." for s in sentences if len(s.split()) >= 4]


def _table_sentences(lines: list[str]) -> list[str]:
    """A row as a sentence: "For Team the table says Price: $9."."""
    rows = [
        [c.strip() for c in x.strip("|").split("|")] for x in lines if not set(x) <= set("|-: ")
    ]
    head = rows[0]
    return [
        s
        for row in rows[1:]
        for cell, title in zip(row[1:], head[1:], strict=False)
        for s in _split(f"For {row[0]} the table says {title}: {cell}.")
    ]
