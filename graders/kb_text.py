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
    """One article as the grader reads it."""

    raw: str
    stems: frozenset[str]


class KbText:
    """All articles of a knowledge base, and the synonym lists that claims refer to."""

    def __init__(self, catalog: Catalog) -> None:
        """Read every article once; later look-ups are by id."""
        articles, concepts = catalog.articles.values(), catalog.concepts
        self._letterhead = catalog.letterhead
        self._concepts = concepts
        self.articles: dict[str, ArticleText] = {}
        texts = []
        for article in articles:
            raw = f"{article.title}\n{article.body}"
            read = text.read(raw)
            self.articles[article.id] = ArticleText(raw, text.content_stems(read))
            texts.append(read)
        self.source = form.Source.of(texts)
        self._families: dict[str, frozenset[str]] = {}
        for phrases in concepts.values():
            family = frozenset(s for p in phrases for s in text.phrase_stems(p))
            for member in family:
                self._families[member] = self._families.get(member, frozenset()) | family
        self._claims: dict[Claim, CompiledClaim] = {}
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
        ticket_stems = text.content_stems(text.read(ticket))
        stems = set(ticket_stems)
        for article in known:
            stems |= article.stems
        widened = set(stems)
        for member in stems:
            widened |= self._families.get(member, frozenset())
        return SupportText(
            ticket_stems,
            frozenset(widened),
            values.Support([ticket, self._letterhead, *(a.raw for a in known)]),
            form.Source.of([text.read(ticket)]),
        )


@dataclass(frozen=True, slots=True)
class SupportText:
    """The stems and values a reply may lean on, and the ticket's own words."""

    ticket_stems: frozenset[str]
    stems: frozenset[str]
    values: values.Support
    ticket: form.Source
