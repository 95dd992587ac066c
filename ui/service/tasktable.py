"""A task as a table: its episodes against its players, with what each has over the baseline."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

from data.catalog import Catalog
from graders.version import GRADER_VERSION
from policies.log import SUCCESS
from runs.record import Run, grader_major
from runs.stats import Versions, standing, versions_of
from ui import comparison
from ui.state_compare import Cell, Column, TableRow, TaskTable
from ui.texts import compare as texts

MOST_COLUMNS = 5
_FIRST = 4

_Cells = Mapping[str, Mapping[str, Cell]]


def task_table(
    runs: Sequence[Run],
    catalog: Catalog,
    place: tuple[str, str],
    *,
    baseline: str,
    shown: Sequence[str] = (),
    failed_only: bool = False,
) -> TaskTable:
    """Put the runs of a task and split into a table.

    Only runs of the catalog's data version, of this grader's major version and with all knobs at
    their defaults count: grades compare within these. A player's several runs of an episode count with their mean.

    Args:
        runs: The runs.
        catalog: The data; its order is that of the rows.
        place: Task and split.
        baseline: The player whom the others are compared with.
        shown: Keys of the columns to show; the baseline and the most played ones by default.
        failed_only: Leave out episodes in which no one shown, but for the baseline, failed.
    """
    versions = Versions(catalog.version, grader_major(GRADER_VERSION))
    own = [r for r in runs if versions_of(r) == versions and not r.knobs.changed]
    cells = _cells(own)
    base = next((k for k in cells if _name(k) == baseline and not k.startswith("human:")), "")
    means = {
        k: comparison.mean(c.grade for c in own.values() if c.grade is not None)
        for k, own in cells.items()
    }
    order = sorted(cells, key=lambda k: (k != base, -len(cells[k]), -(means[k] or 0.0), k))
    wanted = [k for k in order if k in shown][:MOST_COLUMNS] or order[:_FIRST]
    rows = []
    for item_id in catalog.ids(*place):
        row = tuple(_with_delta(cells[k].get(item_id), cells, base, item_id, k) for k in wanted)
        if not any(row) or (failed_only and not _any_failed(row, wanted, base)):
            continue
        value = json.dumps([*place, item_id, ""])
        rows.append(TableRow(value, item_id, _title(catalog, item_id), row))
    columns = tuple(_column(k, cells, base, k in wanted) for k in _shown_first(order, wanted))
    return TaskTable(columns, tuple(rows), tuple(versions), len(runs) - len(own))


def _shown_first(order: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The columns that are shown, in the order of their cells, then those that could be."""
    return [*wanted, *(k for k in order if k not in wanted)]


def _key(run: Run) -> str:
    return f"{run.kind}:{run.player}"


def _name(key: str) -> str:
    return key.partition(":")[2]


def _cells(runs: Sequence[Run]) -> _Cells:
    grouped: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        grouped[_key(run)][run.item_id].append(run)
    return {k: {i: _cell(own) for i, own in items.items()} for k, items in grouped.items()}


def _cell(runs: Sequence[Run]) -> Cell:
    grades = [r.grade for r in runs if standing(r) == "scored" and r.grade is not None]
    return Cell(comparison.mean(grades), len(grades), len(runs) - len(grades))


def _with_delta(cell: Cell | None, cells: _Cells, base: str, item_id: str, key: str) -> Cell | None:
    against = cells[base].get(item_id) if base and key != base else None
    if cell is None or against is None:
        return cell
    delta = comparison.difference(cell.grade, against.grade)
    return Cell(cell.grade, cell.runs, cell.ended, delta)


def _any_failed(row: Sequence[Cell | None], keys: Sequence[str], base: str) -> bool:
    others = [c for c, k in zip(row, keys, strict=True) if c and (k != base or len(keys) == 1)]
    return any(c.grade is None or c.grade < SUCCESS for c in others)


def _column(key: str, cells: _Cells, base: str, shown: bool) -> Column:
    grades = {i: c.grade for i, c in cells[key].items() if c.grade is not None}
    theirs = cells.get(base, {}) if key != base else {}
    pairs = [
        (grade, theirs[i].grade)
        for i, grade in grades.items()
        if i in theirs and theirs[i].grade is not None
    ]
    return Column(
        key=key,
        player=_name(key),
        kind=key.partition(":")[0],
        shown=shown,
        baseline=key == base,
        items=len(grades),
        mean=comparison.mean(grades.values()),
        delta=comparison.mean(a - b for a, b in pairs if b is not None),
        shared=len(pairs),
    )


def _title(catalog: Catalog, item_id: str) -> str:
    ticket = catalog.tickets.get(item_id)
    return ticket.subject if ticket else texts.SET.format(n=item_id.rpartition("-")[2])
