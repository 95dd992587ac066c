"""The Knowledge base tab: the list of articles or hits, and the article that is open."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from ui.state_library import Found, LibraryView, Reading
from ui.texts import library as texts
from ui.views.icons import icon
from ui.views.text import article, esc

_WORD = re.compile(r"([^\W_]+)")


def heading() -> str:
    """What the tab is for."""
    return f"<h2>{texts.TITLE}</h2><p>{texts.LEAD}</p>"


def articles(view: LibraryView) -> str:
    """The hits of a query with their scores, or all articles by group."""
    if view.query:
        return _results(view)
    groups = "".join(
        f'<section><h3>{esc(name)} <span class="count">{len(entries)}</span></h3><ul>'
        + "".join(f"<li>{_link(e.id, e.title)}</li>" for e in entries)
        + "</ul></section>"
        for name, entries in view.groups
    )
    return f'<nav class="shelves" aria-label="{texts.ALL}">{groups}</nav>'


def _link(article_id: str, title: str) -> str:
    return (
        f'<button type="button" class="kb-entry" data-act="read" data-value="{esc(article_id)}"'
        f' data-key="read-{esc(article_id)}"><code>{esc(article_id)}</code>'
        f"<span>{esc(title)}</span></button>"
    )


def _results(view: LibraryView) -> str:
    back = f'<button type="button" class="btn small" data-act="all" data-key="kb-all">{texts.ALL}</button>'
    title = f"<h3>{esc(texts.RESULTS.format(query=view.query))}</h3>"
    if not view.hits:
        head, text = texts.NONE
        return (
            f'<div class="results"><header>{title}{back}</header><div class="nothing" role="status">'
            f"{icon('search')}<h3>{head}</h3><p>{text}</p></div></div>"
        )
    roots = {w.casefold()[:5] for w in _WORD.findall(view.query) if len(w) > 2}
    hits = "".join(f"<li>{_hit(hit, n, roots)}</li>" for n, hit in enumerate(view.hits, 1))
    return (
        f'<div class="results"><header>{title}{back}</header>'
        f'<p class="quiet" role="status">{texts.COUNTS}</p><ol>{hits}</ol></div>'
    )


def _hit(hit: Found, rank: int, roots: set[str]) -> str:
    beyond = "" if hit.counts else f'<span class="quiet">{texts.BEYOND}</span>'
    score = texts.SCORE.format(score=f"{hit.score:.2f}")
    return (
        f'<button type="button" class="kb-hit{"" if hit.counts else " beyond"}" data-act="read"'
        f' data-value="{esc(hit.id)}" data-key="read-{esc(hit.id)}"><span class="kb-top">'
        f'<span class="rank">{rank}</span><strong>{esc(hit.title)}</strong><code>{esc(hit.id)}</code></span>'
        f'<span class="snip">{_marked(hit.snippet, roots)}</span><span class="kb-score"'
        f' title="{texts.SCORE_TITLE}"><span class="track"><i style="width:{round(100 * hit.share)}%">'
        f'</i></span><span class="num">{score}</span></span>{beyond}</button>'
    )


def _marked(text: str, roots: set[str]) -> str:
    """A text with the words that begin like the query's marked."""
    return "".join(
        f"<mark>{esc(part)}</mark>" if n % 2 and part.casefold()[:5] in roots else esc(part)
        for n, part in enumerate(_WORD.split(text))
    )


def reader(view: LibraryView) -> str:
    """The open article, a notice, or what to do."""
    if view.reading is not None:
        return _article(view.reading)
    title, text = texts.EMPTY
    alert = f'<p class="feedback error" role="alert">{esc(view.notice)}</p>' if view.notice else ""
    return f'<div class="nothing">{icon("book")}{alert}<h3>{title}</h3><p>{text}</p></div>'


def _article(reading: Reading) -> str:
    link = esc("?" + urlencode({"kb": reading.id}))
    tags = "".join(f'<li class="chip tier">{esc(t)}</li>' for t in reading.tags)
    listed = f'<ul class="chips" aria-label="{texts.TAGS}">{tags}</ul>' if tags else ""
    return (
        f'<article class="reading" data-article="{esc(reading.id)}"><p class="crumbs">'
        f"<code>{esc(reading.id)}</code>"
        f'<a href="{link}" aria-label="{texts.LINK}" title="{texts.LINK}">{icon("link")}</a></p>'
        f'<h2 tabindex="-1">{esc(reading.title)}</h2>{listed}'
        f'<div class="doc">{_linked(article(reading.body), reading.see)}</div></article>'
    )


def _linked(doc: str, see: tuple[str, ...]) -> str:
    """A rendered article with the ids of other articles as buttons. Its tags hold no ids."""
    if not see:
        return doc
    named = re.compile(rf"\b(?:{'|'.join(re.escape(i) for i in see)})\b")
    return named.sub(
        lambda m: (
            f'<button type="button" class="see" data-act="read" data-value="{m[0]}">{m[0]}</button>'
        ),
        doc,
    )
