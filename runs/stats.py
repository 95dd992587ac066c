"""What runs say when they are taken together. Pure functions; no number is made up.

Scores compare only within one data version and one major grader version, so everything is grouped
by both. A run that an infrastructure failure ended is counted, never scored 0; a partial grade (a
criterion could not be judged) is counted and kept out of the means.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, fsum
from typing import Literal, NamedTuple, TypeVar

from data.catalog import Catalog
from env.tasks import FAMILIES
from policies.log import SUCCESS
from runs.bootstrap import Interval, stratified_interval
from runs.record import Run, grader_major

KS = (1, 2, 4, 8)
_PLACES = {f.id: place for place, f in enumerate(FAMILIES)}

_K = TypeVar("_K", bound=Hashable)

_Pair = tuple[str, float, float]
"""An item and the two players' grades."""

Standing = Literal["scored", "partial", "unjudged", "failed"]


class Versions(NamedTuple):
    """Within these, scores compare."""

    data: str
    grader_major: str


class Player(NamedTuple):
    """Who played, and with which prompt."""

    kind: str
    name: str
    prompt_version: str | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What the scored runs used. Sums; None where a run does not know, or nothing was earned.

    `usd_per_point` and `tokens_per_point` divide by the sum of the grades.
    """

    tokens_in: int | None
    tokens_out: int | None
    usd: float | None
    tokens_per_point: float | None
    usd_per_point: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One player's runs of one task (None: all tasks, each weighing the same) in one split.

    `score` is over the `scored` runs; `passed` maps k to pass^k over the items that were played k
    times or more (over all tasks: the mean of theirs, where each has one). `steps` is a mean over
    runs. `failures`, `partial` and `unjudged` count what is not in `score`.
    """

    versions: Versions
    split: str
    player: Player
    task_id: str | None
    category: str | None
    tasks: int
    runs: int
    scored: int
    items: int
    score: Interval | None
    passed: Mapping[int, float]
    steps: float | None
    cost: Cost
    failures: int
    partial: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class Paired:
    """Two players on the same episodes of one task (None: of all tasks, each weighing the same).

    `difference` is the first minus the second.
    """

    versions: Versions
    first: float
    second: float
    difference: Interval
    better: int
    worse: int
    same: int
    task_id: str | None = None


def standing(run: Run) -> Standing:
    """Whether a finished run counts in a mean, and if not, as what it is counted."""
    if run.failed:
        return "failed"
    if run.grade is None:
        return "unjudged"
    return "partial" if run.partial else "scored"


def versions_of(run: Run) -> Versions:
    """Data version and major grader version of a run."""
    return Versions(run.data_version, grader_major(run.grader_version))


def player_of(run: Run) -> Player:
    """Who played a run."""
    return Player(run.kind, run.player, run.prompt_version)


def table(runs: Iterable[Run], ks: Sequence[int] = KS) -> list[Row]:
    """A row per versions, split, player and task, then one over all tasks where there are several.

    Tasks come in registry order.
    """
    rows = []
    for key, own in _grouped(runs, lambda r: (versions_of(r), r.split, player_of(r))):
        by_task = _grouped(own, _task_key)
        rows += [_row(*key, task, None, [some], ks) for (_, task), some in by_task]
        if len(by_task) > 1:
            rows.append(_row(*key, None, None, [some for _, some in by_task], ks))
    return rows


def by_category(runs: Iterable[Run], catalog: Catalog, ks: Sequence[int] = KS) -> list[Row]:
    """A row per versions, split, player, task and the ticket's true category.

    Runs of ticket sets, and of data other than the catalog's, are left out.
    """
    known = [r for r in runs if r.data_version == catalog.version and r.item_id in catalog.labels]
    rows = []
    for key, own in _grouped(
        known,
        lambda r: (
            versions_of(r),
            r.split,
            player_of(r),
            _task_key(r),
            catalog.labels[r.item_id].category,
        ),
    ):
        versions, split, player, (_, task), category = key
        rows.append(_row(versions, split, player, task, category, [own], ks))
    return rows


def pass_hat_k(outcomes: Iterable[tuple[int, int]], k: int) -> float | None:
    """pass^k: the chance that k plays of an item all succeed, averaged over items.

    For an item with c successes in n plays the unbiased estimate is C(c, k) / C(n, k); items with
    fewer than k plays say nothing and are left out.

    Args:
        outcomes: (plays n, successes c) of each item.
        k: At least 1.

    Returns:
        In [0, 1]; None where no item was played k times.

    Source: Yao et al., tau-bench (arXiv:2406.12045), section 3.
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}")
    chances = [comb(c, k) / comb(n, k) for n, c in outcomes if n >= k]
    return fsum(chances) / len(chances) if chances else None


def paired(first: Iterable[Run], second: Iterable[Run]) -> list[Paired]:
    """The difference of two players on the episodes that both played, per versions.

    An episode is (task, split, seed, item); several plays of one are averaged first. Tasks weigh
    the same, as in `table`. The interval draws items, so that seeds of one item stay together.
    """
    shared = _shared(first, second)
    return [_paired(versions, None, list(tasks.values())) for versions, tasks in shared]


def paired_by_task(first: Iterable[Run], second: Iterable[Run]) -> list[Paired]:
    """The same per versions and task, tasks in registry order."""
    shared = _shared(first, second)
    return [_paired(v, task, [own]) for v, tasks in shared for (_, task), own in tasks.items()]


def cost_of(runs: Sequence[Run]) -> Cost:
    """Tokens and US dollars of runs, and what a point cost."""
    used = [r.usage for r in runs]
    points = fsum(r.grade or 0.0 for r in runs)
    prices = [u.cost_usd for u in used if u is not None and u.cost_usd is not None]
    usd = fsum(prices) if runs and len(prices) == len(runs) else None
    if not runs or None in used:
        return Cost(None, None, usd, None, None)
    tokens_in = sum(u.tokens_in for u in used if u is not None)
    tokens_out = sum(u.tokens_out for u in used if u is not None)
    return Cost(
        tokens_in,
        tokens_out,
        usd,
        (tokens_in + tokens_out) / points if points else None,
        usd / points if points and usd is not None else None,
    )


def _row(
    versions: Versions,
    split: str,
    player: Player,
    task_id: str | None,
    category: str | None,
    strata: Sequence[Sequence[Run]],
    ks: Sequence[int],
) -> Row:
    runs = [r for own in strata for r in own]
    standings = [standing(r) for r in runs]
    scored = [[r for r in own if standing(r) == "scored"] for own in strata]
    counted = [r for own in scored for r in own]
    outcomes = [_outcomes(own) for own in scored if own]
    passed = {}
    for k in ks:
        chances = [pass_hat_k(own, k) for own in outcomes]
        known = [c for c in chances if c is not None]
        if known and len(known) == len(chances):
            passed[k] = fsum(known) / len(known)
    return Row(
        versions=versions,
        split=split,
        player=player,
        task_id=task_id,
        category=category,
        tasks=sum(1 for own in scored if own),
        runs=len(runs),
        scored=len(counted),
        items=sum(map(len, outcomes)),
        score=stratified_interval(
            [([r.grade or 0.0 for r in own], [r.item_id for r in own]) for own in scored]
        ),
        passed=passed,
        steps=fsum(len(r.actions) for r in counted) / len(counted) if counted else None,
        cost=cost_of(counted),
        failures=standings.count("failed"),
        partial=standings.count("partial"),
        unjudged=standings.count("unjudged"),
    )


def _outcomes(runs: Iterable[Run]) -> list[tuple[int, int]]:
    """(plays, successes) of each item."""
    plays: dict[str, list[bool]] = defaultdict(list)
    for r in runs:
        plays[r.item_id].append((r.grade or 0.0) >= SUCCESS)
    return [(len(own), sum(own)) for own in plays.values()]


def _episode_means(
    runs: Iterable[Run],
) -> dict[tuple[Versions, str, str, int, str], float]:
    grades = defaultdict(list)
    for r in runs:
        if standing(r) == "scored" and r.grade is not None:
            grades[versions_of(r), r.task_id, r.split, r.seed, r.item_id].append(r.grade)
    return {key: fsum(own) / len(own) for key, own in grades.items()}


def _shared(
    first: Iterable[Run], second: Iterable[Run]
) -> list[tuple[Versions, dict[tuple[int, str], list[_Pair]]]]:
    """By versions and task, the items that both played, with the mean grades of either."""
    ours, theirs = _episode_means(first), _episode_means(second)
    shared: dict[Versions, dict[tuple[int, str], list[_Pair]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for key in ours.keys() & theirs.keys():
        versions, task_id, _, _, item_id = key
        shared[versions][_place(task_id)].append((item_id, ours[key], theirs[key]))
    return [
        (v, {k: sorted(t) for k, t in sorted(tasks.items())}) for v, tasks in sorted(shared.items())
    ]


def _paired(versions: Versions, task_id: str | None, strata: Sequence[Sequence[_Pair]]) -> Paired:
    differences = [[a - b for _, a, b in own] for own in strata]
    interval = stratified_interval(
        [(d, [item for item, _, _ in own]) for d, own in zip(differences, strata, strict=True)]
    )
    assert interval is not None  # there is a pair
    every = [d for own in differences for d in own]
    return Paired(
        versions,
        first=fsum(fsum(a for _, a, _ in own) / len(own) for own in strata) / len(strata),
        second=fsum(fsum(b for _, _, b in own) / len(own) for own in strata) / len(strata),
        difference=interval,
        better=sum(d > 1e-9 for d in every),
        worse=sum(d < -1e-9 for d in every),
        same=sum(abs(d) <= 1e-9 for d in every),
        task_id=task_id,
    )


def _task_key(run: Run) -> tuple[int, str]:
    return _place(run.task_id)


def _place(task_id: str) -> tuple[int, str]:
    """Sorts tasks in registry order."""
    return _PLACES.get(task_id, len(_PLACES)), task_id


def _grouped(runs: Iterable[Run], key: Callable[[Run], _K]) -> list[tuple[_K, list[Run]]]:
    groups: dict[_K, list[Run]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run)
    return sorted(groups.items(), key=lambda group: repr(group[0]))
