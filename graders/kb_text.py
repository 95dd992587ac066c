"""What the grader knows of the knowledge base: stems, values and four-token runs, read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from data.catalog import Catalog
from data.schema import Claim
from graders import form, text, values
from graders.claims import CompiledClaim, compile_claim


@dataclass(frozen=True, slots=True)
class ArticleText:
    """One article as the grader reads it: `stems` with all that mean the same."""

    raw: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class TicketText:
    """One ticket as the grader reads it: its own stems, those with all that mean the same, its runs."""

    own: frozenset[str]
    stems: frozenset[str]
    source: form.Source


class KbText:
    """All articles of a knowledge base, and the synonym lists that claims refer to."""

    def __init__(self, catalog: Catalog) -> None:
        """Read every article once; later look-ups are by id."""
        articles, concepts = catalog.articles.values(), catalog.concepts
        self._letterhead = catalog.letterhead
        self._concepts = concepts
        self._families: dict[str, frozenset[str]] = {}
        for phrases in concepts.values():
            family = frozenset(s for p in phrases for s in text.phrase_stems(p))
            for member in family:
                self._families[member] = self._families.get(member, frozenset()) | family
        self.articles: dict[str, ArticleText] = {}
        texts = []
        for article in articles:
            raw = f"{article.title}\n{article.body}"
            read = text.read(raw)
            self.articles[article.id] = ArticleText(raw, self._widened(text.content_stems(read)))
            texts.append(read)
        self.source = form.Source.of(texts)
        self._claims: dict[Claim, CompiledClaim] = {}
        self._ticket = lru_cache(maxsize=4_096)(self._read_ticket)
        self._support = lru_cache(maxsize=4_096)(self._read_support)

    def claim(self, claim: Claim) -> CompiledClaim:
        """The claim with synonyms expanded; compiled once."""
        compiled = self._claims.get(claim)
        if compiled is None:
            compiled = self._claims[claim] = compile_claim(claim, self._concepts)
        return compiled

    def support(self, ticket: str, article_ids: tuple[str, ...]) -> SupportText:
        """What a reply may lean on: the ticket and the given articles (ids sorted)."""
        return self._support(ticket, article_ids)

    def _read_support(self, ticket: str, article_ids: tuple[str, ...]) -> SupportText:
        known = [self.articles[i] for i in article_ids if i in self.articles]
        read = self._ticket(ticket)
        return SupportText(
            read.own,
            read.stems.union(*(a.stems for a in known)),
            values.Support([ticket, self._letterhead, *(a.raw for a in known)]),
            read.source,
        )

    def _read_ticket(self, ticket: str) -> TicketText:
        read = text.read(ticket)
        own = text.content_stems(read)
        return TicketText(own, self._widened(own), form.Source.of([read]))

    def _widened(self, stems: frozenset[str]) -> frozenset[str]:
        return stems.union(*(self._families[s] for s in stems if s in self._families))


@dataclass(frozen=True, slots=True)
class SupportText:
    """The stems and values a reply may lean on, and the ticket's own words."""

    ticket_stems: frozenset[str]
    stems: frozenset[str]
    values: values.Support
    ticket: form.Source
