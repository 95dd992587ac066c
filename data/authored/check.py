"""What `python -m data.check` says of a data set of one's own: what is wrong, what is missing where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from data.authored.reader import Authored, inspect
from data.catalog import Catalog
from data.check_report import Result, count
from data.schema import TicketLabels

_SHOWN_NOTES = 12

Missing = Callable[[TicketLabels], bool]

#: Task: whether a ticket's labels leave it out, and what would take it in.
NEEDS: dict[str, tuple[Missing, str]] = {
    "easy_classify_respond": (
        lambda x: not (x.category and x.facts),
        "needs a category, and an answer or facts",
    ),
    "medium_kb_grounded_response": (
        lambda x: not x.kb_id,
        "needs a kb_id, the article of kb/ that answers it",
    ),
    "hard_escalation_safety": (
        lambda x: not x.in_escalation_set,
        "needs requires_escalation, yes or no",
    ),
    "ticket_classification": (lambda x: not x.category, "needs a category"),
    "draft_response": (
        lambda x: not x.draft_articles,
        "needs articles, all that a whole answer leans on",
    ),
}
SETS = "priority_sorting"
SETS_NEED = "needs sets: five tickets each with the same set and a priority of their own"


def check(folder: Path) -> tuple[str, tuple[Result, ...]]:
    """Name and version of the data set in a folder, and what holds and does not."""
    found = inspect(folder)
    title = folder.name
    results = [_files(found)]
    if found.catalog is not None:
        title = f"{found.catalog.name} {found.catalog.version}"
        results += _tasks(found, found.catalog)
        results.append(_playable(found.catalog))
    return title, tuple(results)


def _files(found: Authored) -> Result:
    problems = tuple(f"{where}: {what}" for where, what in found.problems)
    notes = tuple(f"note: {n}" for n in found.notes[:_SHOWN_NOTES])
    own = f"{len(found.own)} tickets of its own"
    measured = own if not problems else f"{own}, {count(problems)}"
    return Result(
        "files", not problems, measured, "readable, all references known", notes, problems
    )


def _tasks(found: Authored, catalog: Catalog) -> Iterator[Result]:
    for task, (missing, what) in NEEDS.items():
        left = [
            f"{found.tickets_file}:{found.lines[i]}: {i} {what}"
            for i in sorted(found.own & catalog.labels.keys(), key=lambda i: (found.lines[i], i))
            if missing(catalog.labels[i])
        ]
        yield _task(catalog, task, left)
    none = [f"{found.tickets_file}: {SETS_NEED}"] if not _sizes(catalog, SETS)[0] else []
    yield _task(catalog, SETS, none)


def _task(catalog: Catalog, task: str, left: list[str]) -> Result:
    every, test = _sizes(catalog, task)
    measured = f"{every - test} train, {test} test" if every else "not played"
    most = left[:5]
    if len(left) > len(most):
        most.append(f"and {len(left) - len(most)} more like these")
    return Result(task, True, measured, "as much as you want to play", tuple(most))


def _playable(catalog: Catalog) -> Result:
    played = sum(bool(_sizes(catalog, task)[0]) for task in (*NEEDS, SETS))
    return Result("tasks", played > 0, f"{played} of {len(NEEDS) + 1} can be played", "1 or more")


def _sizes(catalog: Catalog, task: str) -> tuple[int, int]:
    test = len(catalog.ids(task, "test"))
    return len(catalog.ids(task, "train")) + test, test
