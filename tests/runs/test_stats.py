"""Tables, pass^k, pairs and confusion, against figures worked out by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalog import builtin
from runs import confusion
from runs.record import Run, Usage
from runs.stats import (
    Versions,
    by_category,
    cost_of,
    paired,
    paired_by_task,
    pass_hat_k,
    standing,
    table,
)
from tests.runs.conftest import made_up, played


def graded(player: str, item: str, *grades: float | None, **fields: Any) -> list[Run]:
    return [
        made_up(f"{player}-{item}-{n}-{fields}", grade, policy=player, item_id=item, **fields)
        for n, grade in enumerate(grades)
    ]


def test_a_table_worked_out_by_hand() -> None:
    runs = [
        *graded("ann", "T-1", 1.0, 0.5, 0.4),  # two of three succeed
        *graded("ann", "T-2", 0.0, 0.6),  # one of two
        *graded("ann", "S-1", 0.8, 0.6, task_id="priority_sorting"),
        *graded("ann", "T-3", None, stop="model_error"),
        *graded("ann", "T-3", 0.9, partial=True),
        *graded("ann", "T-4", None),
    ]
    rows = table(runs)
    one, sorting, every = rows
    assert [r.task_id for r in rows] == ["ticket_classification", "priority_sorting", None]
    assert one.versions == Versions("1.0.0", "1") and one.player == ("policy", "ann", None)
    assert (one.runs, one.scored, one.items) == (8, 5, 2)
    assert (one.failures, one.partial, one.unjudged) == (1, 1, 1)
    assert one.score is not None and one.score.mean == pytest.approx(2.5 / 5)
    # pass^1 = (2/3 + 1/2) / 2; pass^2 = (C(2,2)/C(3,2) + C(1,2)/C(2,2)) / 2 = (1/3 + 0) / 2
    assert one.passed == pytest.approx({1: 7 / 12, 2: 1 / 6})
    assert one.steps == 1.0
    assert sorting.passed == {1: 1.0, 2: 1.0}
    assert every.score is not None and every.score.mean == pytest.approx((0.5 + 0.7) / 2)
    assert (every.tasks, every.runs, every.scored, every.failures) == (2, 10, 7, 1)
    assert every.passed == pytest.approx({1: (7 / 12 + 1) / 2, 2: (1 / 6 + 1) / 2})


def test_a_failure_is_never_a_zero() -> None:
    (row,) = table(graded("ann", "T-1", None, None, stop="timeout"))
    assert row.score is None and row.passed == {} and row.steps is None
    assert (row.runs, row.scored, row.failures) == (2, 0, 2)
    assert [standing(r) for r in graded("ann", "T-1", 0.0, None)] == ["scored", "unjudged"]


def test_what_does_not_compare_is_kept_apart() -> None:
    runs = [
        made_up("1"),
        made_up("2", data_version="1.1.0"),
        made_up("3", grader_version="2.0.0"),
        made_up("4", grader_version="1.9.3"),
        made_up("5", split="train"),
        made_up("6", kind="model", policy="llm", model="m", prompt_version="1"),
        made_up("7", kind="model", policy="llm", model="m", prompt_version="2"),
    ]
    rows = table(runs)
    assert sorted(r.runs for r in rows) == [1, 1, 1, 1, 1, 2]
    assert {r.versions for r in rows} == {("1.0.0", "1"), ("1.1.0", "1"), ("1.0.0", "2")}


runs_of_all_kinds = st.lists(
    st.builds(
        lambda n, policy, task, item, grade, stop, partial: made_up(
            str(n), grade, policy=policy, task_id=task, item_id=item, stop=stop, partial=partial
        ),
        st.integers(0, 999),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(["ticket_classification", "draft_response"]),
        st.sampled_from(["T-1", "T-2", "T-3"]),
        st.one_of(st.none(), st.floats(0, 1)),
        st.sampled_from(["done", "timeout"]),
        st.booleans(),
    ),
    max_size=12,
)


@given(runs_of_all_kinds, st.randoms(use_true_random=False))
def test_the_order_of_runs_changes_nothing(runs: list[Run], rng: random.Random) -> None:
    rows = table(runs)
    shuffled = runs.copy()
    rng.shuffle(shuffled)
    assert table(shuffled) == rows
    for row in rows:
        assert row.scored + row.failures + row.partial + row.unjudged == row.runs
        if row.score is not None and row.score.low is not None and row.score.high is not None:
            assert row.score.low <= row.score.mean <= row.score.high
        chances = [row.passed[k] for k in sorted(row.passed)]
        assert all(0 <= c <= 1 for c in chances)


def test_pass_hat_k_is_the_chance_that_k_draws_all_succeed() -> None:
    assert pass_hat_k([], 1) is None and pass_hat_k([(2, 2)], 3) is None
    for n, c, k in [(4, 3, 2), (5, 5, 5), (6, 2, 3), (3, 1, 1)]:
        plays = [True] * c + [False] * (n - c)
        draws = list(combinations(plays, k))
        assert pass_hat_k([(n, c)], k) == pytest.approx(sum(map(all, draws)) / len(draws))
    assert pass_hat_k([(4, 4), (4, 0), (1, 1)], 2) == 0.5  # the last was played too rarely
    assert pass_hat_k([(8, 4)], 2) == comb(4, 2) / comb(8, 2)
    with pytest.raises(ValueError, match="1 or more"):
        pass_hat_k([(1, 1)], 0)


@given(st.lists(st.tuples(st.integers(4, 9), st.integers(0, 4)), min_size=1))
def test_more_draws_are_never_easier(outcomes: list[tuple[int, int]]) -> None:
    chances = [pass_hat_k(outcomes, k) or 0.0 for k in (1, 2, 3, 4)]
    assert chances == sorted(chances, reverse=True)


def test_pairs_take_the_same_episodes_only() -> None:
    first = [
        *graded("ann", "T-1", 1.0, 0.5),  # 0.75 in the mean
        *graded("ann", "T-2", 0.2),
        *graded("ann", "T-3", 0.5),
        *graded("ann", "T-4", 1.0),  # bob never played it
        *graded("ann", "T-5", None, stop="timeout"),
        *graded("ann", "T-6", 1.0, seed=1),  # another seed than bob's
    ]
    second = [
        *graded("bob", "T-1", 0.5),
        *graded("bob", "T-2", 0.4),
        *graded("bob", "T-3", 0.5),
        *graded("bob", "T-5", 1.0),
        *graded("bob", "T-6", 1.0),
        *graded("bob", "T-4", 0.0, grader_version="2.0.0"),
    ]
    (pair,) = paired(first, second)
    assert (pair.better, pair.worse, pair.same, pair.difference.n) == (1, 1, 1, 3)
    assert pair.difference.mean == pytest.approx((0.25 - 0.2 + 0) / 3)
    assert pair.first == pytest.approx(1.45 / 3) and pair.second == pytest.approx(1.4 / 3)
    assert pair.difference.low is not None and pair.difference.low == pytest.approx(-0.2, abs=0.08)
    (alone,) = paired_by_task(first, second)
    assert alone == replace(pair, task_id="ticket_classification")
    (mirror,) = paired(second, first)
    assert mirror.difference.mean == pytest.approx(-pair.difference.mean)
    assert paired(first, []) == []


def test_compared_over_tasks_each_weighs_the_same() -> None:
    def both(player: str, one: float, other: float) -> list[Run]:
        sets = graded(player, "S-1", other, task_id="priority_sorting")
        return [*sets, *(r for n in range(9) for r in graded(player, f"T-{n}", one))]

    first, second = both("ann", 0.5, 1.0), both("bob", 0.4, 0.2)
    by_task = paired_by_task(first, second)
    assert [p.task_id for p in by_task] == ["ticket_classification", "priority_sorting"]
    assert [p.difference.mean for p in by_task] == pytest.approx([0.1, 0.8])
    (over_all,) = paired(first, second)
    assert over_all.difference.mean == pytest.approx(0.45) and over_all.difference.n == 10
    assert over_all.first == pytest.approx(0.75) and over_all.second == pytest.approx(0.3)
    rows = {r.player.name: r.score for r in table([*first, *second]) if r.task_id is None}
    means = [score.mean for score in rows.values() if score is not None]
    assert means == pytest.approx([over_all.first, over_all.second])


def test_what_a_point_cost() -> None:
    usage = Usage(tokens_in=900, tokens_out=100, cost_usd=0.02)
    runs = [made_up("1", 0.5, usage=usage), made_up("2", 0.0, usage=usage)]
    cost = cost_of(runs)
    assert (cost.tokens_in, cost.tokens_out) == (1800, 200)
    assert cost.usd == pytest.approx(0.04)
    assert cost.tokens_per_point == 4000 and cost.usd_per_point == pytest.approx(0.08)
    unpriced = cost_of([*runs, made_up("3", usage=Usage(tokens_in=100))])
    assert unpriced.usd is None and unpriced.usd_per_point is None
    assert unpriced.tokens_per_point == pytest.approx(2100 / 1.5)
    nothing_earned = cost_of(runs[1:])
    assert nothing_earned.usd == 0.02 and nothing_earned.usd_per_point is None
    assert cost_of([made_up()]) == cost_of([]) != cost


def classified(run_id: str, item: str, *answers: str, **fields: Any) -> Run:
    actions = [{"action_type": "classify", "payload": {"category": a}} for a in answers]
    rewards = [0.0] * len(actions)
    own = {"data_version": builtin().version, **fields}
    return made_up(run_id, item_id=item, actions=actions, rewards=rewards, **own)


def test_categories_are_counted_by_hand() -> None:
    catalog = builtin()
    item = next(i for i, x in sorted(catalog.labels.items()) if x.category == "Billing")
    runs = [
        classified("1", item, "billing"),
        classified("2", item, "Bug", "Billing"),  # the first one counts
        classified("3", item, "money"),
        classified("4", item),
        classified("5", item, "Bug", data_version="0.9.0"),
        classified("6", item, "Bug", stop="timeout", grade=None),
        classified("7", item, "Bug", task_id="draft_response"),
    ]
    found = confusion.categories(runs, catalog)
    row = dict(zip(found.answered, found.counts[found.true.index("Billing")], strict=True))
    assert row == {
        "Bug": 1, "Feature Request": 0, "Billing": 1, "Account": 0, "General": 0,
        "(other)": 1, "(none)": 1,
    }  # fmt: skip
    assert sum(map(sum, found.counts)) == 4 == found.runs and found.right == 0.25
    assert confusion.categories([], catalog).right is None


def test_priorities_are_counted_as_the_engine_takes_them() -> None:
    catalog = builtin()
    set_id = catalog.ids("priority_sorting", "test")[0]
    first, second, *rest = catalog.sets[set_id].ticket_ids
    given = [(first, "low"), (first, " Critical "), (second, "urgent"), ("P-0", "high")]
    actions = [
        {"action_type": "set_priority", "payload": {"ticket_id": t, "priority": p}}
        for t, p in given
    ]
    run = made_up(
        task_id="priority_sorting",
        item_id=set_id,
        actions=actions,
        rewards=[0.0] * len(actions),
        data_version=catalog.version,
    )
    found = confusion.priorities([run], catalog)
    expected = {(catalog.priorities[first].priority, "critical"): 1}
    for ticket in (second, *rest):
        cell = (catalog.priorities[ticket].priority, "(none)")
        expected[cell] = expected.get(cell, 0) + 1
    counted = {
        (true, answer): n
        for true, row in zip(found.true, found.counts, strict=True)
        for answer, n in zip(found.answered, row, strict=True)
        if n
    }
    assert counted == expected


def test_the_oracle_confuses_nothing() -> None:
    catalog = builtin()
    runs = [played("oracle", "ticket_classification", i) for i in range(10)]
    runs.append(played("oracle", "priority_sorting"))
    assert confusion.categories(runs, catalog).right == 1.0
    assert confusion.priorities(runs, catalog).right == 1.0
    rows = by_category(runs, catalog)
    assert sum(r.runs for r in rows) == 10  # a set has no category
    assert len({r.category for r in rows}) == len(rows) > 1
