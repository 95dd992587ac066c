"""What an import can be told: columns, categories, a knowledge base, limits."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from data.schema import CATEGORIES, KbArticle

MAX_BYTES = 500_000_000
MAX_TICKETS = 10_000


@dataclass(frozen=True)
class Limits:
    """How large a file may be, in bytes, and how many of its tickets are kept in memory."""

    max_bytes: int = MAX_BYTES
    max_tickets: int = MAX_TICKETS


@dataclass(frozen=True)
class Options:
    """How a file is to be read.

    `columns` names the column of a field where the header does not say it ("body": "Ticket
    Description"); `categories` turns the file's categories into ours ("Refund request": "Billing");
    `known` are the categories there are, with the other names that each goes by; `articles` is the
    knowledge base to search, None for that of the base catalog where the file asks for it; `repair`
    mends mojibake; `more` are further fields to look for, with the titles that name them.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: dict.fromkeys(CATEGORIES, ())
    )
    articles: Mapping[str, KbArticle] | None = None
    repair: bool = False
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limits: Limits = Limits()

    def digest(self) -> str:
        """A mark that differs where the options would make other tickets or labels of a file."""
        said = (
            sorted(self.columns.items()),
            sorted(self.categories.items()),
            sorted(self.known.items()),
            [(a.id, a.title, a.body) for a in (self.articles or {}).values()],
            self.articles is None,
            self.repair,
            self.limits.max_tickets,
        )
        return hashlib.sha256(repr(said).encode("utf-8", "backslashreplace")).hexdigest()
