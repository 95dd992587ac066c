"""What the Knowledge base tab shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """An article in the list of all."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Found:
    """A hit. `share` is its score by the best hit's; `counts` says whether a task takes it as found."""

    id: str
    title: str
    snippet: str
    score: float
    share: float
    counts: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The article that is open. `see` are the other articles that its text names by id."""

    id: str
    title: str
    tags: tuple[str, ...]
    body: str
    see: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryView:
    """A query's hits, or without a query all articles by group; and the article that is open."""

    groups: tuple[tuple[str, tuple[Entry, ...]], ...] = ()
    query: str = ""
    hits: tuple[Found, ...] = ()
    reading: Reading | None = None
    notice: str = ""
