"""`python -m data.check [DIR] [--json]`: proves that a data set keeps what is promised of it.

The checks here need nothing but the data. Those that need the grader (is every fact findable, does
a reference forbid itself) stand in graders/check_labels.py and come in as `extra`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from rapidfuzz import fuzz, utils

from data import catalog as catalogs
from data.authored import check as own
from data.authored import reader
from data.catalog import Catalog
from data.check_references import fields, references
from data.check_report import Check, Result, as_json, count, run, table, without
from data.check_surface import category_by_one_feature, escalation_by_one_feature
from data.command import exit_code_of
from data.errors import DataError
from data.schema import PRIORITIES, TicketLabels

MIN_TICKETS = 60
MIN_PER_CATEGORY = 12
MIN_SETS = 8
SET_SIZE = 5
MIN_DRAFTS = 12
MIN_ESCALATION = 36
MIN_ARTICLES = 24
MIN_TEST_SHARE = 1 / 3
MAX_LIKENESS = 70.0


def counts(catalog: Catalog) -> Iterator[Result]:
    """There is as much of everything as is promised."""
    labels = catalog.labels.values()
    by_category = Counter(x.category for x in labels)
    few = [c for c in catalog.categories if by_category[c] < MIN_PER_CATEGORY]
    faults = [f"{c}: {by_category[c]}" for c in few]
    if len(labels) < MIN_TICKETS:
        faults.append(f"{len(labels)} tickets")
    wanted = f"{MIN_TICKETS} or more, {MIN_PER_CATEGORY} or more a category"
    shares = (_shares(by_category, catalog.categories),)
    yield without(faults, "tickets", str(len(labels)), wanted, shares)

    faults = [f"{s.set_id}: {len(s.ticket_ids)} tickets" for s in catalog.sets.values()
              if len(s.ticket_ids) != SET_SIZE]  # fmt: skip
    if len(catalog.sets) < MIN_SETS:
        faults.append(f"{len(catalog.sets)} sets")
    wanted = f"{MIN_SETS} or more, {SET_SIZE} tickets each"
    yield without(faults, "priority sets", str(len(catalog.sets)), wanted)

    criticals = {i: _priorities(catalog, i).count("critical") for i in catalog.sets}
    faults = [f"{i}: {n} criticals" for i, n in criticals.items() if n not in (1, 2)]
    yield without(faults, "criticals", str(sum(criticals.values())), "one or two a set")

    yield _at_least("drafts", sum(1 for x in labels if x.draft_articles), MIN_DRAFTS)
    decided = [x.requires_escalation for x in labels if x.in_escalation_set]
    yield _at_least("escalation tickets", len(decided), MIN_ESCALATION)
    kept = decided.count(False)
    yield Result(
        "not to be escalated",
        abs(2 * kept - len(decided)) <= 1,
        f"{kept} of {len(decided)}",
        "half of them",
    )
    yield _at_least("articles", len(catalog.articles), MIN_ARTICLES)


def splits(catalog: Catalog) -> Iterator[Result]:
    """A third of every task is test, alike in kind, and no set straddles the line."""
    sizes = {t: (len(catalog.ids(t, "test")), _size(catalog, t)) for t in _tasks(catalog)}
    shares = {t: test / of if of else 0.0 for t, (test, of) in sizes.items()}
    yield without(
        [f"{t}: {sizes[t][0]} of {sizes[t][1]}" for t in sizes if shares[t] < MIN_TEST_SHARE],
        "test share",
        f"least {min(shares.values()):.2f}",
        "a third or more of every task",
        (f"{t} {test} of {of}" for t, (test, of) in sizes.items()),
    )
    faults = [
        f"{task}, {name}: {inside} of {of} in test, {shares[task] * of:.1f} expected"
        for task, stratum in _STRATA
        for name, inside, of in _strata(catalog, task, stratum)
        if abs(inside - shares[task] * of) > 1
    ]
    yield without(
        faults, "test strata", count(faults), "each category and decision within 1 of its share"
    )
    own = Counter(i for s in catalog.sets.values() for i in s.ticket_ids)
    faults = [
        f"{s.set_id} is {s.split}, its ticket {i} is {catalog.tickets[i].split}"
        for s in catalog.sets.values()
        for i in s.ticket_ids
        if i in catalog.tickets and catalog.tickets[i].split != s.split
    ]
    yield without(faults, "sets on one side", count(faults), "no ticket apart from its set")
    faults = [f"{i} is in {n} sets" for i, n in own.items() if n > 1]
    faults += [f"{i} has labels of its own" for i in own if i in catalog.labels]
    yield without(
        faults, "set tickets apart", count(faults), "in one set, not among the other tickets"
    )


def texts(catalog: Catalog) -> Iterator[Result]:
    """No ticket is there twice in other words, no subject twice at all."""
    bodies = {i: utils.default_process(t.body) for i, t in catalog.tickets.items()}
    pairs = [
        (fuzz.token_sort_ratio(one, other, score_cutoff=40), i, j)
        for (i, one), (j, other) in combinations(bodies.items(), 2)
    ]
    highest, *where = max(pairs, default=(0.0, "", ""))
    yield without(
        [f"{i} and {j}: {likeness:.1f}" for likeness, i, j in pairs if likeness > MAX_LIKENESS],
        "near duplicates",
        f"{highest:.1f} ({' and '.join(where)})",
        f"token sort ratio of two bodies at most {MAX_LIKENESS:.0f}",
    )
    subjects: dict[str, list[str]] = {}
    for ticket in catalog.tickets.values():
        folded = " ".join(ticket.subject.casefold().split())
        subjects.setdefault(folded, []).append(ticket.ticket_id)
    faults = [f"{' and '.join(ids)}: {s}" for s, ids in subjects.items() if len(ids) > 1]
    yield without(faults, "subjects", f"{len(subjects)} different", "none twice")


def balance(catalog: Catalog) -> Iterator[Result]:
    """In each split of each task every answer occurs, and none more than twice its even share."""
    for task in _tasks(catalog):
        faults, details, most = [], [], 0.0
        for split in ("train", "test"):
            answers, names = _answers(catalog, task, split)
            found = Counter(answers)
            bound = min(0.7, 2 / len(names))
            details.append(f"{split:<5} {_shares(found, names)}")
            for name in names:
                share = found[name] / len(answers) if answers else 0.0
                most = max(most, share)
                if not 0 < share <= bound:
                    faults.append(f"{split}: {name} {found[name]} of {len(answers)}")
        wanted = "every answer in both splits, none above twice its even share or 0.7"
        yield without(faults, f"balance {task}", f"most {most:.2f}", wanted, details)


CHECKS: tuple[Check, ...] = (
    references,
    fields,
    counts,
    splits,
    texts,
    escalation_by_one_feature,
    category_by_one_feature,
    balance,
)


def check(folder: Path, extra: Iterable[Check] = ()) -> tuple[str, tuple[Result, ...]]:
    """Read a data set and run all checks on it.

    Args:
        folder: What `data.catalog.load` reads, or a data set of one's own (`dataset.yaml`), which is
            asked only whether it can be read and what is missing for which task.
        extra: More checks, run after those of this module.

    Returns:
        Name and version of the data set, and the results. Files that can't be read are a single
        failed result.
    """
    if reader.is_authored(folder):
        return own.check(folder)
    wanted = "readable, every record well-formed"
    try:
        catalog = catalogs.load(folder)
    except DataError as error:
        said = " ".join(str(error).split())
        return folder.name, (Result("files", False, "unreadable", wanted, faults=(said,)),)
    records = len(catalog.tickets) + len(catalog.labels) + len(catalog.articles)
    read = Result("files", True, f"{records} tickets, labels, articles", wanted)
    return f"{catalog.name} {catalog.version}", (read, *run(catalog, (*CHECKS, *extra)))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report; 0 if every check passed, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m data.check", description="Check a data set against what is promised of it."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=catalogs.BUILTIN, metavar="DIR",
                        help="the data set (default: the one that ships)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args(argv)
    # data imports nothing of the project. This one late import by name, for the command line
    # alone, lets one command run the grader's checks too.
    extra: tuple[Check, ...] = importlib.import_module("graders.check_labels").CHECKS
    title, results = check(arguments.folder, extra)
    sys.stdout.write((as_json if arguments.json else table)(title, results))
    return 0 if all(r.passed for r in results) else 1


def _at_least(name: str, found: int, least: int) -> Result:
    return Result(name, found >= least, str(found), f"{least} or more")


def _shares(found: Counter[str], names: Iterable[str]) -> str:
    return "  ".join(f"{name} {found[name]}" for name in names)


def _tasks(catalog: Catalog) -> tuple[str, ...]:
    return tuple(dict.fromkeys(task for task, _ in catalog.items))


def _size(catalog: Catalog, task: str) -> int:
    return len(catalog.ids(task, "train")) + len(catalog.ids(task, "test"))


def _priorities(catalog: Catalog, set_id: str) -> list[str]:
    members = catalog.sets[set_id].ticket_ids
    return [catalog.priorities[i].priority for i in members if i in catalog.priorities]


def _category(label: TicketLabels) -> str:
    return label.category


def _decision(label: TicketLabels) -> str:
    return "escalate" if label.requires_escalation else "keep"


_STRATA: tuple[tuple[str, Callable[[TicketLabels], str]], ...] = (
    ("ticket_classification", _category),
    ("draft_response", _category),
    ("hard_escalation_safety", _decision),
)


def _strata(
    catalog: Catalog, task: str, stratum: Callable[[TicketLabels], str]
) -> Iterator[tuple[str, int, int]]:
    """Name, tickets in test and tickets in all of each stratum."""
    test = Counter(stratum(catalog.labels[i]) for i in catalog.ids(task, "test"))
    train = Counter(stratum(catalog.labels[i]) for i in catalog.ids(task, "train"))
    for name in sorted(test | train):
        yield name, test[name], test[name] + train[name]


def _answers(catalog: Catalog, task: str, split: str) -> tuple[list[str], Sequence[str]]:
    """The true answers of a task's items in a split, and all there are."""
    ids = catalog.ids(task, split)
    if task == "priority_sorting":
        return [p for i in ids for p in _priorities(catalog, i)], PRIORITIES
    if task == "hard_escalation_safety":
        return [_decision(catalog.labels[i]) for i in ids], ("escalate", "keep")
    return [_category(catalog.labels[i]) for i in ids], catalog.categories


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
