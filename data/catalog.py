"""A catalog: all tickets, articles and labels of one data set, indexed once when it is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from data import categories as names
from data.errors import DataError
from data.schema import (
    CATEGORIES,
    Customer,
    KbArticle,
    PriorityLabel,
    PrioritySet,
    Ticket,
    TicketLabels,
)

BUILTIN = Path(__file__).parent / "builtin"

_RecordT = TypeVar("_RecordT", bound=BaseModel)


@dataclass(frozen=True)
class Catalog:
    """One data set. Mappings are keyed by id and sorted by id; treat them as read-only."""

    name: str
    version: str
    tickets: Mapping[str, Ticket]
    customers: Mapping[str, Customer]
    labels: Mapping[str, TicketLabels]
    articles: Mapping[str, KbArticle]
    sets: Mapping[str, PrioritySet]
    priorities: Mapping[str, PriorityLabel]
    concepts: Mapping[str, tuple[str, ...]]
    categories: tuple[str, ...] = CATEGORIES
    letterhead: str = ""  # the company's own addresses, which any reply may name
    items: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def ids(self, task_id: str, split: str) -> tuple[str, ...]:
        """Ids of the tickets or sets that a task plays in a split, in index order."""
        return self.items.get((task_id, split), ())


def build(
    name: str,
    version: str,
    *,
    tickets: Mapping[str, Ticket],
    customers: Mapping[str, Customer],
    labels: Mapping[str, TicketLabels],
    articles: Mapping[str, KbArticle],
    sets: Mapping[str, PrioritySet],
    priorities: Mapping[str, PriorityLabel],
    concepts: Mapping[str, tuple[str, ...]],
    letterhead: str = "",
    categories: tuple[str, ...] = CATEGORIES,
) -> Catalog:
    """Index the records by task and split."""
    items: dict[tuple[str, str], tuple[str, ...]] = {}
    for split in ("train", "test"):
        own = [labels[i] for i in sorted(labels) if tickets[i].split == split]
        every = tuple(x.ticket_id for x in own if x.category)
        items["easy_classify_respond", split] = tuple(
            x.ticket_id for x in own if x.category and x.facts
        )
        items["medium_kb_grounded_response", split] = tuple(x.ticket_id for x in own if x.kb_id)
        items["hard_escalation_safety", split] = tuple(
            x.ticket_id for x in own if x.in_escalation_set
        )
        items["ticket_classification", split] = every
        items["priority_sorting", split] = tuple(i for i in sorted(sets) if sets[i].split == split)
        items["draft_response", split] = tuple(x.ticket_id for x in own if x.draft_articles)
    return Catalog(
        name,
        version,
        tickets,
        customers,
        labels,
        articles,
        sets,
        priorities,
        concepts,
        categories=categories,
        items=items,
        letterhead=letterhead,
    )


@lru_cache(maxsize=1)
def builtin() -> Catalog:
    """The data that ships, read once per process."""
    return load(BUILTIN)


def load(folder: Path) -> Catalog:
    """Read a data set from a folder.

    Raises:
        DataError: a file is missing or malformed; the error names file and line.
    """
    meta = _json(folder / "meta.json")
    for key in ("name", "version"):
        if not isinstance(meta.get(key), str):
            raise DataError(str(folder / "meta.json"), f"needs {key}, a text")
    categories = _categories(meta, folder / "meta.json")
    tickets = _by_id(folder / "tickets.jsonl", Ticket, "ticket_id")
    labels = _by_id(folder / "labels.jsonl", TicketLabels, "ticket_id")
    for ticket_id in labels:
        if ticket_id not in tickets:
            raise DataError(str(folder / "labels.jsonl"), f"labels {ticket_id}, which is no ticket")
    return build(
        meta["name"],
        meta["version"],
        tickets=tickets,
        customers=_by_id(folder / "customers.jsonl", Customer, "customer_id"),
        labels=labels,
        articles=_articles(folder / "kb"),
        sets=_by_id(folder / "priority_sets.jsonl", PrioritySet, "set_id"),
        priorities=_by_id(folder / "priority_labels.jsonl", PriorityLabel, "ticket_id"),
        concepts=read_concepts(folder / "concepts.json"),
        letterhead=str(meta.get("letterhead", "")),
        categories=categories,
    )


def _categories(meta: Mapping[str, Any], path: Path) -> tuple[str, ...]:
    said = meta.get("categories", list(CATEGORIES))
    if not isinstance(said, list) or not all(isinstance(c, str) for c in said):
        raise DataError(str(path), "categories must be a list of texts")
    wrong = names.fault(said)
    if wrong:
        raise DataError(str(path), wrong)
    return tuple(said)


def read_article(path: Path) -> KbArticle:
    """Read one Markdown article with YAML front matter (id, title, tags).

    Raises:
        DataError: no front matter, or it lacks id or title.
    """
    text = read_text(path)
    parts = text.split("---\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise DataError(str(path), "no front matter; begin with '---', id, title, '---'")
    try:
        head = yaml.safe_load(parts[1])
        return KbArticle(
            id=head["id"],
            title=head["title"],
            tags=head.get("tags") or (),
            body=parts[2].strip(),
        )
    except ValidationError as error:
        raise DataError(str(path), f"front matter: {first_fault(error)}") from error
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        said = " ".join(str(error).split())
        raise DataError(str(path), f"front matter needs id and title ({said})") from error


def _articles(folder: Path) -> dict[str, KbArticle]:
    articles: dict[str, KbArticle] = {}
    for path in sorted(folder.glob("*.md")):
        article = read_article(path)
        if article.id in articles:
            raise DataError(str(path), f"id {article.id} is there twice")
        articles[article.id] = article
    if not articles:
        raise DataError(str(folder), "no *.md articles")
    return dict(sorted(articles.items()))


def read_concepts(path: Path) -> dict[str, tuple[str, ...]]:
    """Lists of phrases by name, from a JSON object.

    Raises:
        DataError: it is something else.
    """
    concepts = _json(path)
    for name, phrases in concepts.items():
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise DataError(str(path), f"{name} must be a list of phrases")
    return {name: tuple(phrases) for name, phrases in concepts.items()}


def _by_id(path: Path, model: type[_RecordT], key: str) -> dict[str, _RecordT]:
    records: dict[str, _RecordT] = {}
    for line, raw in _lines(path):
        try:
            record = model.model_validate_json(raw)
        except ValidationError as error:
            raise DataError(f"{path}:{line}", first_fault(error)) from error
        identity = getattr(record, key)
        if identity in records:
            raise DataError(f"{path}:{line}", f"{key} {identity} is there twice")
        records[identity] = record
    return dict(sorted(records.items()))


def first_fault(error: ValidationError) -> str:
    """The first thing that is wrong with a record: its field, and what about it."""
    first = error.errors()[0]
    place = ".".join(str(p) for p in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    # Not splitlines(): a JSON string may hold U+2028 and other marks that it takes for line ends.
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield number, line


def _json(path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno}", f"not JSON: {error.msg}") from error
    if not isinstance(raw, dict):
        raise DataError(str(path), "must hold a JSON object")
    return raw


def read_text(path: Path) -> str:
    """A UTF-8 file as text.

    Raises:
        DataError: it is not there, not UTF-8, or can't be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DataError(str(path), "no such file") from error
    except UnicodeDecodeError as error:
        raise DataError(str(path), "not UTF-8") from error
    except OSError as error:
        raise DataError(str(path), f"cannot be read ({error.strerror})") from error
