"""The names that tickets of a data set are classified by: what they may be, and when two are alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from data.schema import CATEGORIES

LEAST, MOST = 2, 30
LONGEST = 40


def key(name: str) -> str:
    """What two spellings of a category have in common: case, spaces, marks, a plural s don't count."""
    word = "".join(c for c in name.casefold() if c.isalnum())
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def fault(names: Sequence[str]) -> str | None:
    """What is wrong with a list of categories, None if nothing.

    It holds 2 to 30 names of at most 40 characters, and no two that an answer could not tell apart.
    """
    if not LEAST <= len(names) <= MOST:
        return f"{len(names)} categories; there have to be {LEAST} to {MOST}"
    seen: dict[str, str] = {}
    for name in names:
        if len(name) > LONGEST:
            return f"category {name[:LONGEST]!r}… is longer than {LONGEST} characters"
        if name != " ".join(name.split()) or any(unicodedata.category(c)[0] == "C" for c in name):
            return f"category {name!r} holds blanks or marks that do not show"
        if not key(name):
            return f"category {name!r} has no letter or digit"
        if key(name) in seen:
            return f"categories {seen[key(name)]!r} and {name!r} are alike: spell them apart"
        seen[key(name)] = name
    return None


def joined(own: Sequence[str], builtin: bool) -> tuple[str, ...]:
    """The categories of a data set: its own, else the built-in five; those first where it adds to them."""
    if not own:
        return CATEGORIES
    return tuple(dict.fromkeys((*CATEGORIES, *own))) if builtin else tuple(own)
