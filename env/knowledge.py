"""Search over the knowledge base, by tantivy. Same query, same hits, on any machine.

The query is the agent's raw text: it is split into words here and never read as query syntax.
Words that no article holds are looked up with one or two letters changed. Ties go by article id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import tantivy

from data.schema import KbArticle

SHOWN = 5
"""How many hits a search shows."""
TOP = 3
"""How many of them count as found."""

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 64
_SNIPPET = 280
_TITLE_BOOST = 2.0
_TAG_BOOST = 1.5
_STOP = frozenset(
    "a an and are as at be but by can do does for from had has have he her his how i if in into is it"
    " its me my no not of on or our she so that the their them then there these they this to was we"
    " were what when where which who will with would you your am any been did just us im ive hi hello"
    " thanks please dear regards".split()
)


@dataclass(frozen=True, slots=True)
class Hit:
    """One search hit."""

    id: str
    title: str
    snippet: str
    score: float


class Knowledge:
    """A searchable set of articles. Build once, share between threads and episodes."""

    def __init__(self, articles: Mapping[str, KbArticle]) -> None:
        """Index the articles in memory, in id order."""
        self._articles = articles
        self._by_folded_id = {i.casefold(): i for i in articles}
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("title", tokenizer_name="en_stem")
        builder.add_text_field("tags", tokenizer_name="en_stem")
        builder.add_text_field("body", tokenizer_name="en_stem")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)
        # One thread, so that there is one segment and the scores are the same everywhere.
        writer = self._index.writer(heap_size=64_000_000, num_threads=1)
        for article in sorted(articles.values(), key=lambda a: a.id):
            writer.add_document(
                tantivy.Document(
                    id=article.id,
                    title=article.title,
                    tags=" ".join(article.tags),
                    body=article.body,
                )
            )
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()
        self._cached = lru_cache(maxsize=16_384)(self._search)
        self._of_word = lru_cache(maxsize=16_384)(self._word)

    def article_named(self, query: str) -> KbArticle | None:
        """The article whose id the query is, exactly but for case and spaces around it."""
        found = self._by_folded_id.get(query.strip().casefold())
        return self._articles[found] if found else None

    def article(self, article_id: str) -> KbArticle:
        """The article with this id.

        Raises:
            KeyError: there is none.
        """
        return self._articles[article_id]

    def search(self, query: str, limit: int = SHOWN) -> tuple[Hit, ...]:
        """The best articles for a query, best first; empty where no word is known.

        Args:
            query: Raw text, any length; the first 64 words count.
            limit: How many hits at most.
        """
        words = tuple(dict.fromkeys(w.casefold() for w in _WORD.findall(query)[: _MAX_WORDS * 4]))
        wanted = tuple(w for w in words if w not in _STOP)[:_MAX_WORDS] or words[:_MAX_WORDS]
        return self._cached(wanted, limit) if wanted else ()

    def _search(self, words: tuple[str, ...], limit: int) -> tuple[Hit, ...]:
        parts: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for word in words:
            for field, boost in (("title", _TITLE_BOOST), ("tags", _TAG_BOOST), ("body", 1.0)):
                query = self._of_word(field, word)
                if query is not None:
                    parts.append((tantivy.Occur.Should, tantivy.Query.boost_query(query, boost)))
        if not parts:
            return ()
        found = self._searcher.search(
            tantivy.Query.boolean_query(parts), limit=limit + 10, count=False
        ).hits
        scored = sorted(
            ((round(score, 4), self._id(address)) for score, address in found),
            key=lambda pair: (-pair[0], pair[1]),
        )
        return tuple(
            Hit(i, self._articles[i].title, snippet(self._articles[i].body, words), score)
            for score, i in scored[:limit]
        )

    def _id(self, address: tantivy.DocAddress) -> str:
        return str(self._searcher.doc(address)["id"][0])

    def _word(self, field: str, word: str) -> tantivy.Query | None:
        # The parser applies the field's own stemming; a quoted word is never read as syntax.
        exact = self._index.parse_query(f'"{word}"', [field])
        if self._searcher.search(exact, limit=1).hits:
            return exact
        if not 4 <= len(word) <= 30 or any(c.isdigit() for c in word):
            return None
        fuzzy = tantivy.Query.fuzzy_term_query(
            self._schema,
            field,
            word,
            distance=1 if len(word) < 7 else 2,
            transposition_cost_one=True,
        )
        return tantivy.Query.boost_query(fuzzy, 0.7)


def snippet(body: str, words: Iterable[str]) -> str:
    """The part of an article that holds most of the words, at most 280 characters, one line."""
    roots = {w[:5] for w in words if len(w) > 2}
    best, best_count = "", -1
    for paragraph, own in _paragraphs(body):
        count = len(own & roots)
        if count > best_count:
            best, best_count = paragraph, count
    return best


@lru_cache(maxsize=8_192)
def _paragraphs(body: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The paragraphs as a snippet shows them, with the first five letters of their words."""
    found = []
    for part in body.split("\n\n"):
        if not part.startswith("#"):
            flat = " ".join(part.split())
            own = frozenset(w[:5].casefold() for w in _WORD.findall(flat))
            found.append((_shown(flat), own))
    return tuple(found)


def _shown(paragraph: str) -> str:
    plain = " ".join(re.sub(r"[*`|]+|-{3,}", " ", paragraph).split())
    return plain if len(plain) <= _SNIPPET else plain[:_SNIPPET].rsplit(" ", 1)[0] + " …"
