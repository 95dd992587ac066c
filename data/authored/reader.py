"""Reading a data set of your own from a folder: tickets, labels, knowledge base, sets.

All that is wrong is collected with file and line, so that an author sees it at once; `load` raises
the first of it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from data import catalog as catalogs
from data.authored.manifest import MORE_FIELDS, NAME, Manifest, read_manifest
from data.catalog import Catalog, first_fault
from data.errors import DataError
from data.importing import articles as bases
from data.importing import labelling
from data.importing.draft import Draft
from data.importing.importer import Read, read
from data.importing.labelling import Made
from data.importing.options import Limits, Options
from data.importing.report import ImportReport
from data.schema import (
    PRIORITIES,
    Customer,
    KbArticle,
    Priority,
    PriorityLabel,
    PrioritySet,
    Split,
    Ticket,
    TicketLabels,
)

_ValueT = TypeVar("_ValueT")

SET_SIZE = 5
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx")
_TEST_OF_THREE = 3
_PRIORITY_WORDS: Mapping[str, Priority] = {
    **{p: p for p in PRIORITIES},
    "urgent": "critical", "blocker": "critical", "p1": "critical", "major": "high", "p2": "high",
    "normal": "medium", "p3": "medium", "minor": "low", "p4": "low", "trivial": "minimal",
    "p5": "minimal",
}  # fmt: skip


@dataclass(frozen=True)
class Authored:
    """A folder as it was read.

    Attributes:
        catalog: What can be played, None where the folder can't be read at all.
        own: Ids of the folder's own tickets (with `extends: builtin` there are others).
        problems: What is wrong: (file and line, what and what to do).
        notes: What may be right but looks odd.
        report: How the ticket file was read.
        tickets_file: Where the tickets stand.
        lines: Ticket id to the line it begins in.
    """

    catalog: Catalog | None
    own: frozenset[str]
    problems: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    report: ImportReport
    tickets_file: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)


def is_authored(folder: Path) -> bool:
    """Whether a folder is laid out as a data set of one's own."""
    return (folder / NAME).exists()


def load(folder: Path) -> Catalog:
    """The catalog of a folder.

    Raises:
        DataError: something is wrong with it; names file and line, and how many more there are.
    """
    found = inspect(folder)
    if found.problems or found.catalog is None:
        where, what = found.problems[0]
        more = len(found.problems) - 1
        rest = f" (and {more} more: python -m data.check {folder})" if more else ""
        raise DataError(where, what + rest)
    return found.catalog


def inspect(folder: Path) -> Authored:
    """Read a folder and collect what is wrong."""
    try:
        manifest = read_manifest(folder)
        articles = _articles(folder)
        file = _one_of(folder, "tickets")
        if file is None:
            raise DataError(
                str(folder), f"no tickets; add a file tickets.csv (or {', '.join(_TABLES[1:])})"
            )
        options = _options(manifest, articles)
        got = read(file, options)
        given = _given_labels(folder)
    except DataError as error:
        return Authored(None, frozenset(), ((error.where, error.what),), (), ImportReport())
    return _Assembly(folder, manifest, articles, file, options, got, given).result()


class _Assembly:
    """Puts the parts of a folder together, noting what does not fit."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        articles: Mapping[str, KbArticle],
        file: Path,
        options: Options,
        got: Read,
        given: Mapping[str, tuple[str, dict[str, Any]]],
    ) -> None:
        self.folder, self.manifest, self.file = folder, manifest, file
        self.own_articles, self.options, self.got, self.given = articles, options, got, given
        self.base = catalogs.builtin() if manifest.extends == "builtin" else None
        self.articles = {**(self.base.articles if self.base else {}), **articles}
        self.problems: list[tuple[str, str]] = []
        self.notes = list(got.report.warnings)

    def result(self) -> Authored:
        for line, why in self.got.report.skipped:
            self.wrong(line, why)
        in_sets = [d for d in self.got.drafts if d.fields.get("set")]
        others = [d for d in self.got.drafts if not d.fields.get("set")]
        made = self._split(others, labelling.judge(others, self.options, self.articles).tickets)
        labels = {m.ticket.ticket_id: self._labels(m, d) for m, d in zip(made, others, strict=True)}
        members = labelling.judge(in_sets, self.options, self.articles).tickets
        sets, priorities, splits = self._sets(in_sets)
        members = tuple(_with_split(m, splits[m.ticket.ticket_id]) for m in members)
        self._strangers({d.ticket_id for d in others})
        tickets = {m.ticket.ticket_id: m.ticket for m in (*made, *members)}
        customers = {m.customer.customer_id: m.customer for m in (*made, *members)}
        catalog = self._catalog(tickets, labels, customers, sets, priorities)
        return Authored(
            catalog,
            frozenset(tickets),
            tuple(self.problems),
            tuple(self.notes),
            self.got.report,
            str(self.file),
            {d.ticket_id: d.line for d in self.got.drafts},
        )

    def wrong(self, line: int, what: str) -> None:
        self.problems.append((f"{self.file}:{line}", what))

    def _catalog(
        self,
        tickets: dict[str, Ticket],
        labels: dict[str, TicketLabels],
        customers: dict[str, Customer],
        sets: dict[str, PrioritySet],
        priorities: dict[str, PriorityLabel],
    ) -> Catalog:
        base = self.base
        if base is not None:
            for draft in self.got.drafts:
                if draft.ticket_id in base.tickets:
                    self.wrong(draft.line, f"id {draft.ticket_id} is one of the built-in tickets")
            for article in self.own_articles.keys() & base.articles.keys():
                self.problems.append(
                    (str(self.folder), f"article {article} is one of the built-in articles")
                )
        version = f"{self.manifest.version}-{self._digest()}+{self.manifest.name}"
        return catalogs.build(
            self.manifest.name,
            version,
            tickets=_joined(base.tickets if base else {}, tickets),
            customers=_joined(base.customers if base else {}, customers),
            labels=_joined(base.labels if base else {}, labels),
            articles=_joined({}, self.articles),
            sets=_joined(base.sets if base else {}, sets),
            priorities=_joined(base.priorities if base else {}, priorities),
            concepts={**(base.concepts if base else {}), **_concepts(self.folder)},
            letterhead="\n".join(
                x for x in (self.manifest.letterhead, base.letterhead if base else "") if x
            ),
            categories=self.manifest.known,
        )

    def _digest(self) -> str:
        said = [self.got.digest, self.manifest.model_dump_json(), repr(sorted(self.given.items()))]
        said += [f"{a.id} {a.title} {a.body}" for a in self.own_articles.values()]
        return hashlib.sha256("\0".join(said).encode("utf-8", "backslashreplace")).hexdigest()[:8]

    def _split(self, drafts: Sequence[Draft], made: Sequence[Made]) -> tuple[Made, ...]:
        """Each ticket with its split: as the file says, else every third of a category is test."""
        ranked: dict[str, list[str]] = {}
        for one in sorted(made, key=lambda m: _hash(m.ticket.ticket_id)):
            ranked.setdefault(one.labels.category, []).append(one.ticket.ticket_id)
        place = {i: n for ids in ranked.values() for n, i in enumerate(ids)}
        done = []
        for draft, one in zip(drafts, made, strict=True):
            said = draft.fields.get("split", "").casefold()
            if said not in ("", "train", "test"):
                self.wrong(draft.line, f"split {said!r} is neither train nor test")
            third = place[one.ticket.ticket_id] % _TEST_OF_THREE == 0
            split: Split = "test" if said == "test" or (not said and third) else "train"
            done.append(_with_split(one, split))
        return tuple(done)

    def _labels(self, one: Made, draft: Draft) -> TicketLabels:
        self._check_fields(draft, one.labels)
        wanted = tuple(p for p in re.split(r"[;,|\s]+", draft.fields.get("articles", "")) if p)
        missing = [i for i in wanted if i not in self.articles]
        if missing:
            self.wrong(draft.line, f"no article {', '.join(missing)} in the knowledge base")
        labels = one.labels
        if wanted and not missing:
            labels = labels.model_copy(
                update={"draft_articles": wanted, "draft_steps": len(wanted) + 2}
            )
        where, given = self.given.get(one.ticket.ticket_id, ("", {}))
        if not given:
            return labels
        merged = {**labels.model_dump(), **given}
        if "facts" in given:
            merged["derived"] = False
        if merged["draft_articles"] and not merged["draft_steps"]:
            merged["draft_steps"] = len(merged["draft_articles"]) + 2
        try:
            labels = TicketLabels.model_validate(merged)
        except ValidationError as error:
            self.problems.append((where, first_fault(error)))
            return labels
        self._check_labels(where, labels)
        return labels

    def _check_fields(self, draft: Draft, labels: TicketLabels) -> None:
        category = draft.fields.get("category", "")
        if category and not labels.category:
            known = ", ".join(self.options.known)
            self.wrong(
                draft.line,
                f"category {category!r} is none of {known}; see categories and map_category in {NAME}",
            )
        kb_id = draft.fields.get("kb_id", "")
        if kb_id and labels.kb_id is None:
            self.wrong(draft.line, f"no article {kb_id} in the knowledge base")
        said = draft.fields.get("requires_escalation", "")
        if said and draft.escalation is None:
            self.wrong(draft.line, f"requires_escalation {said!r} is neither yes nor no")

    def _check_labels(self, where: str, labels: TicketLabels) -> None:
        named = (
            *((labels.kb_id,) if labels.kb_id else ()),
            *labels.related_kb,
            *labels.draft_articles,
        )
        for article in dict.fromkeys(named):
            if article not in self.articles:
                self.problems.append((where, f"no article {article} in the knowledge base"))
        for category in (labels.category, *labels.near_categories):
            if category and category not in self.options.known:
                known = ", ".join(self.options.known)
                self.problems.append((where, f"category {category!r} is none of {known}"))

    def _strangers(self, labelled: set[str]) -> None:
        for ticket_id, (where, _) in self.given.items():
            if ticket_id not in labelled:
                self.problems.append(
                    (where, f"labels {ticket_id}, which is no ticket outside a set")
                )

    def _sets(
        self, drafts: Sequence[Draft]
    ) -> tuple[dict[str, PrioritySet], dict[str, PriorityLabel], dict[str, Split]]:
        groups: dict[str, list[Draft]] = {}
        for draft in drafts:
            groups.setdefault(draft.fields["set"], []).append(draft)
        sets: dict[str, PrioritySet] = {}
        priorities: dict[str, PriorityLabel] = {}
        splits: dict[str, Split] = {}
        for number, (title, members) in enumerate(groups.items()):
            own = [self._priority(d) for d in members]
            split = self._set_split(number, members)
            splits |= {d.ticket_id: split for d in members}
            if len(members) != SET_SIZE:
                self.wrong(
                    members[0].line, f"set {title!r} has {len(members)} tickets, not {SET_SIZE}"
                )
                continue
            if sum(p is not None and p.priority == "critical" for p in own) not in (1, 2):
                self.wrong(members[0].line, f"set {title!r} needs one or two critical tickets")
            set_id = f"set-{number + 1}"
            ids = tuple(d.ticket_id for d in members)
            if self.base is not None and set_id in self.base.sets:
                set_id = f"own-{set_id}"
            sets[set_id] = PrioritySet(set_id=set_id, title=title, ticket_ids=ids, split=split)
            priorities |= {p.ticket_id: p for p in own if p is not None}
        whole = {i: s for i, s in sets.items() if all(t in priorities for t in s.ticket_ids)}
        return whole, priorities, splits

    def _priority(self, draft: Draft) -> PriorityLabel | None:
        said = draft.fields.get("priority", "")
        priority = _PRIORITY_WORDS.get(said.casefold())
        if priority is None:
            self.wrong(draft.line, f"priority {said!r} is none of {', '.join(PRIORITIES)}")
            return None
        return PriorityLabel(
            ticket_id=draft.ticket_id, priority=priority, reason="as the file says"
        )

    def _set_split(self, number: int, members: Sequence[Draft]) -> Split:
        said = {d.fields.get("split", "").casefold() for d in members} - {""}
        if len(said) > 1:
            self.wrong(members[0].line, f"set {members[0].fields['set']!r} is in both splits")
        if said:
            return "test" if "test" in said else "train"
        return "test" if number % 2 else "train"


def _options(manifest: Manifest, articles: Mapping[str, KbArticle]) -> Options:
    return Options(
        columns=manifest.columns,
        categories=manifest.map_category,
        known=dict.fromkeys(manifest.known, ()),
        articles=articles,
        repair=manifest.repair,
        limits=Limits(),
        more=MORE_FIELDS,
    )


def _articles(folder: Path) -> dict[str, KbArticle]:
    if (folder / "kb").is_dir():
        return bases.read(folder / "kb")
    file = _one_of(folder, "kb")
    return bases.read(file) if file else {}


def _one_of(folder: Path, stem: str) -> Path | None:
    found = [
        folder / f"{stem}{ending}" for ending in _TABLES if (folder / f"{stem}{ending}").exists()
    ]
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise DataError(str(folder), f"{names}: which of them? Leave one")
    return found[0] if found else None


def _given_labels(folder: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Ticket id to where its labels are given and what they are. Lines that begin with # are notes."""
    path = folder / "labels.jsonl"
    if not path.exists():
        return {}
    given: dict[str, tuple[str, dict[str, Any]]] = {}
    for number, line in enumerate(catalogs.read_text(path).split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{path}:{number}"
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(
                where, f"not JSON: {getattr(error, 'msg', 'nested too deeply')}"
            ) from error
        if not isinstance(raw, dict) or not isinstance(raw.get("ticket_id"), str):
            raise DataError(where, "needs an object with ticket_id, a text")
        unknown = sorted(set(raw) - set(TicketLabels.model_fields))
        if unknown:
            valid = ", ".join(TicketLabels.model_fields)
            raise DataError(where, f"no label {unknown[0]!r}; labels: {valid}")
        if raw["ticket_id"] in given:
            raise DataError(where, f"labels {raw['ticket_id']} a second time")
        given[raw["ticket_id"]] = where, raw
    return given


def _concepts(folder: Path) -> Mapping[str, tuple[str, ...]]:
    path = folder / "concepts.json"
    return catalogs.read_concepts(path) if path.exists() else {}


def _with_split(one: Made, split: Split) -> Made:
    return replace(one, ticket=one.ticket.model_copy(update={"split": split}))


def _joined(base: Mapping[str, _ValueT], own: Mapping[str, _ValueT]) -> dict[str, _ValueT]:
    return dict(sorted({**base, **own}.items()))


def _hash(ticket_id: str) -> str:
    return hashlib.sha256(ticket_id.encode("utf-8", "backslashreplace")).hexdigest()
