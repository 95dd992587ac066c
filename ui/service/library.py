"""Reading and searching the articles, outside of any episode. Knows nothing of tickets."""

from __future__ import annotations

import re

from data.schema import KbArticle
from env.knowledge import TOP
from ui.service.ground import Ground
from ui.service.play import Play
from ui.state_library import Entry, Found, LibraryView, Reading
from ui.texts import library as texts

MAX_QUERY = 200
_SHELF = re.compile(r"^KB-\d")
_ID = re.compile(r"\bKB-\d+\b")


class Library:
    """The articles of the data that a visitor plays on."""

    def __init__(self, play: Play) -> None:
        """Over the grounds that visitors play on."""
        self._play = play

    def search(self, visitor: str | None, query: object) -> LibraryView:
        """The hits that an agent would see for this query; all articles where it is empty.

        A query that is an article's id opens it.
        """
        ground = self._ground(visitor)
        asked = query.strip()[:MAX_QUERY] if isinstance(query, str) else ""
        if not asked:
            return LibraryView(groups=_groups(ground))
        found = ground.arena.knowledge.search(asked)
        best = found[0].score if found else 0.0
        hits = tuple(
            Found(h.id, h.title, h.snippet, h.score, h.score / best if best else 0.0, n < TOP)
            for n, h in enumerate(found)
        )
        named = ground.arena.knowledge.article_named(asked)
        reading = _reading(named, ground) if named else None
        return LibraryView(query=asked, hits=hits, reading=reading)

    def read(self, visitor: str | None, article_id: object) -> LibraryView:
        """One article, or a notice that there is none."""
        ground = self._ground(visitor)
        wanted = article_id.strip()[:80] if isinstance(article_id, str) else ""
        article = ground.arena.knowledge.article_named(wanted) if wanted else None
        if article is None:
            return LibraryView(notice=texts.NO_ARTICLE.format(id=wanted or "?"))
        return LibraryView(reading=_reading(article, ground))

    def _ground(self, visitor: str | None) -> Ground:
        run = self._play.visitors.run(visitor)
        return run.ground if run else self._play.ground


def _reading(article: KbArticle, ground: Ground) -> Reading:
    named = {i for i in _ID.findall(article.body) if i in ground.catalog.articles}
    see = tuple(sorted(named - {article.id}))
    return Reading(article.id, article.title, article.tags, article.body, see)


def _groups(ground: Ground) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    """Articles by the first digit of their number, as the built-in ones are numbered."""
    shelves: dict[str, list[Entry]] = {}
    for article in sorted(ground.catalog.articles.values(), key=lambda a: a.id):
        shelf = _SHELF.match(article.id)
        name = texts.SHELVES.get(shelf.group() if shelf else "", texts.OTHER)
        shelves.setdefault(name, []).append(Entry(article.id, article.title))
    return tuple((name, tuple(entries)) for name, entries in shelves.items())
