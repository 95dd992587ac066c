"""Who a visitor is: a secret that the browser keeps, and the name that runs are shown under.

There are no accounts. The secret finds a person's own runs again, to go on with or to delete them;
it is never shown, and the store keeps only its hash.
"""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass

from ui import texts

ANONYMOUS = "anonymous"
MAX_NAME = 24
_CAPACITY = 4_096
_SECRET = re.compile(r"[A-Za-z0-9_-]{22,64}", re.ASCII)
_MAX_MARKS = 4


@dataclass(frozen=True, slots=True)
class Person:
    """A visitor. Without an owner their runs belong to nobody; `name` is "" where none was given."""

    owner: str | None = None
    name: str = ""

    @property
    def shown(self) -> str:
        """What runs are stored and shown under."""
        return self.name or ANONYMOUS


NOBODY = Person()


class People:
    """The persons behind visitors' sessions, bounded: the one met first is forgotten first."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._met: OrderedDict[str, Person] = OrderedDict()

    def meet(self, visitor: str | None, owner: object, name: object) -> Person:
        """Keep what a browser says about its visitor; what does not fit counts as not said."""
        if not visitor:
            return NOBODY
        secret = owner if isinstance(owner, str) and _SECRET.fullmatch(owner) else None
        clean, problem = clean_name(name)
        self._met[visitor] = Person(secret, "" if problem else clean)
        while len(self._met) > _CAPACITY:
            self._met.popitem(last=False)
        return self._met[visitor]

    def of(self, visitor: str | None) -> Person:
        """Who a visitor is."""
        return self._met.get(visitor or "", NOBODY)

    def close(self, visitor: str | None) -> None:
        """Forget a visitor who left."""
        self._met.pop(visitor or "", None)


def clean_name(name: object) -> tuple[str, str]:
    """A display name in one form, and what is wrong with it ("" where nothing is).

    Letters, digits and marks of any script, spaces and punctuation; no control characters, nothing
    that turns the direction of the text or stacks up. An empty name is fine: it means none.
    """
    if not isinstance(name, str) or len(name) > 10 * MAX_NAME:
        return "", texts.NAME_LONG.format(most=MAX_NAME)
    clean = " ".join(unicodedata.normalize("NFC", name).split())
    kinds = [unicodedata.category(c) for c in clean]
    if any(kind.startswith("C") for kind in kinds):
        return "", texts.NAME_ODD
    if len(clean) > MAX_NAME:
        return "", texts.NAME_LONG.format(most=MAX_NAME)
    marks = sum(kind.startswith("M") for kind in kinds)
    if clean and (marks > _MAX_MARKS or not any(kind[0] in "LN" for kind in kinds)):
        return "", texts.NAME_ODD
    return clean, ""
