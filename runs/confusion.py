"""Confusion matrices: what was true (rows) against what was answered (columns)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from data.catalog import Catalog
from data.schema import PRIORITIES
from graders.decisions import category_named
from runs.record import Run
from supportops_env.models import SupportAction

OTHER = "(other)"
NONE = "(none)"


@dataclass(frozen=True, slots=True)
class Confusion:
    """`counts[i][j]`: how often `true[i]` was answered with `answered[j]`.

    The last two answers are OTHER (a name that is none of them) and NONE (no answer).
    """

    true: tuple[str, ...]
    answered: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    runs: int

    @property
    def right(self) -> float | None:
        """Share of the answers that are right, or None without any case."""
        total = sum(map(sum, self.counts))
        hits = sum(row[i] for i, row in enumerate(self.counts))
        return hits / total if total else None


def categories(runs: Iterable[Run], catalog: Catalog) -> Confusion:
    """The first classification of each run against the ticket's category.

    Only tasks that take `classify`, and runs of the catalog's own version, count; runs that a
    failure ended do not.
    """
    own = [
        r
        for r in _countable(runs, catalog)
        if r.task_id in ("easy_classify_respond", "ticket_classification")
        and r.item_id in catalog.labels
    ]
    pairs = [(catalog.labels[r.item_id].category, _category(r, catalog)) for r in own]
    return _matrix(pairs, catalog.categories, len(own))


def priorities(runs: Iterable[Run], catalog: Catalog) -> Confusion:
    """The last priority given to each ticket of a set against the true one."""
    own = [
        r
        for r in _countable(runs, catalog)
        if r.task_id == "priority_sorting" and r.item_id in catalog.sets
    ]
    pairs: list[tuple[str, str]] = []
    for run in own:
        given = _priorities(run)
        for ticket_id in catalog.sets[run.item_id].ticket_ids:
            pairs.append((catalog.priorities[ticket_id].priority, given.get(ticket_id, NONE)))
    return _matrix(pairs, PRIORITIES, len(own))


def _countable(runs: Iterable[Run], catalog: Catalog) -> Iterator[Run]:
    return (r for r in runs if r.data_version == catalog.version and not r.failed)


def _actions(run: Run, action_type: str) -> Iterator[SupportAction]:
    return (
        SupportAction.model_validate(a) for a in run.actions if a.get("action_type") == action_type
    )


def _category(run: Run, catalog: Catalog) -> str:
    first = next(_actions(run, "classify"), None)
    if first is None:
        return NONE
    return category_named(first.text, catalog.categories) or OTHER


def _priorities(run: Run) -> dict[str, str]:
    """As the engine takes them: an unknown priority changes nothing."""
    given: dict[str, str] = {}
    for action in _actions(run, "set_priority"):
        priority = action.payload["priority"].strip().casefold()
        if priority in PRIORITIES:
            given[action.payload["ticket_id"].strip()] = priority
    return given


def _matrix(pairs: list[tuple[str, str]], names: tuple[str, ...], runs: int) -> Confusion:
    counted = Counter(pairs)
    answers = (*names, OTHER, NONE)
    rows = tuple(tuple(counted[true, answer] for answer in answers) for true in names)
    return Confusion(names, answers, rows, runs)
