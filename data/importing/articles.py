"""A knowledge base of your own: a folder of Markdown files, or a CSV or JSON of id, title, body."""

from __future__ import annotations

import re
from pathlib import Path

from data import catalog as catalogs
from data.errors import DataError
from data.importing.cleaning import clean, one_line, safe
from data.importing.columns import fold
from data.importing.record import Record
from data.importing.report import Notes
from data.importing.source import open_source
from data.schema import KbArticle

MAX_ARTICLES = 20_000
MAX_BYTES = 100_000_000
MAX_ARTICLE = 200_000
_ALIASES = {
    "id": ("id", "kb_id", "article_id", "number", "key"),
    "title": ("title", "name", "subject", "headline", "question"),
    "body": ("body", "content", "text", "article", "answer", "html", "description"),
}
_HEADING = re.compile(r"\s*#{1,2}\s+(.+)")


def read(path: Path) -> dict[str, KbArticle]:
    """All articles, by id.

    A Markdown file has front matter with id and title; without it the file's name is the id and its
    first heading the title.

    Raises:
        DataError: nothing there, no articles, an id twice, an article without text; names file and
            line.
    """
    articles: dict[str, KbArticle] = {}
    found = _folder(path) if path.is_dir() else _table(path)
    for where, article in found:
        if not article.body.strip():
            raise DataError(where, f"article {article.id} has no text")
        if len(article.body) > MAX_ARTICLE:
            raise DataError(
                where, f"article {article.id} is longer than {MAX_ARTICLE:,} characters"
            )
        if article.id in articles:
            raise DataError(where, f"id {article.id} is there twice")
        articles[article.id] = article
    if not articles:
        raise DataError(str(path), "no articles; a folder needs *.md files, a table needs rows")
    if len(articles) > MAX_ARTICLES:
        raise DataError(str(path), f"more than {MAX_ARTICLES:,} articles")
    return dict(sorted(articles.items()))


def _folder(path: Path) -> list[tuple[str, KbArticle]]:
    return [(str(file), _markdown(file)) for file in sorted(path.rglob("*.md"))]


def _markdown(path: Path) -> KbArticle:
    text = safe(catalogs.read_text(path))
    if text.lstrip().startswith("---\n"):
        return catalogs.read_article(path)
    heading = _HEADING.match(text)
    body = text[heading.end() :] if heading else text
    title = heading.group(1).strip() if heading else path.stem.replace("-", " ").replace("_", " ")
    return KbArticle(id=path.stem[:80], title=title[:200], body=body.strip())


def _table(path: Path) -> list[tuple[str, KbArticle]]:
    notes = Notes(str(path))
    source = open_source(path, MAX_BYTES, notes)
    titles: dict[str, str] = {}
    for field, aliases in _ALIASES.items():
        named = [c for alias in aliases for c in source.columns if fold(c) == alias]
        if not named:
            shown = ", ".join(source.columns[:20]) or "none"
            raise DataError(str(path), f"no column {field} (found: {shown})")
        titles[field] = named[0]
    found = [(f"{path}:{record.line}", _article(record, titles)) for record in source.records]
    if notes.skipped:
        line, why = notes.skipped[0]
        raise DataError(f"{path}:{line}", why)
    return found


def _article(record: Record, titles: dict[str, str]) -> KbArticle:
    cells = {field: record.cells.get(title, "") for field, title in titles.items()}
    return KbArticle(
        id=one_line(cells["id"], 80) or f"article-{record.line}",
        title=one_line(cells["title"], 200),
        body=clean(cells["body"]).text,
    )
