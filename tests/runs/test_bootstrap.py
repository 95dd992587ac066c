"""Means and their intervals."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs import bootstrap
from runs.bootstrap import mean_interval, stratified_interval

grades = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(grades, st.randoms(use_true_random=False))
def test_the_interval_holds_the_mean_and_ignores_the_order(values: list[float], rng) -> None:  # type: ignore[no-untyped-def]
    found = mean_interval(values)
    assert found is not None and found.n == len(values)
    assert found.mean == pytest.approx(fsum(values) / len(values))
    if len(values) > 1:
        assert found.low is not None and found.high is not None
        assert min(values) - 1e-9 <= found.low <= found.mean <= found.high <= max(values) + 1e-9
    shuffled = values.copy()
    rng.shuffle(shuffled)
    assert mean_interval(shuffled) == found


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=12))
def test_clusters_ignore_order_and_names(pairs: list[tuple[float, int]]) -> None:
    values, clusters = [v for v, _ in pairs], [c for _, c in pairs]
    found = mean_interval(values, clusters)
    again = mean_interval(values[::-1], [f"item {c}" for c in clusters[::-1]])
    assert found == again and found is not None
    assert (found.low is None) == (len(set(clusters)) < 2)
    assert found.low is None or found.high is None or found.low <= found.mean <= found.high


def test_known_intervals() -> None:
    assert mean_interval([]) is None
    one = mean_interval([0.3])
    assert one is not None and (one.mean, one.low, one.high, one.n) == (0.3, None, None, 1)
    # Two values: a resample's mean is 0, 0.5 or 1, with chances 1/4, 1/2, 1/4.
    two = mean_interval([0.0, 1.0])
    assert two is not None and (two.low, two.mean, two.high) == (0.0, 0.5, 1.0)
    same = mean_interval([0.1] * 7)
    assert same is not None and same.low == pytest.approx(0.1) == same.high
    # 100 coins with 50 heads: about 0.5 +- 1.96 * 0.05.
    coins = mean_interval([0.0, 1.0] * 50)
    assert coins is not None and coins.low == pytest.approx(0.402, abs=0.015)
    assert coins.high == pytest.approx(0.598, abs=0.015)


def test_playing_the_same_items_again_narrows_nothing() -> None:
    once = mean_interval([0.0, 0.2, 0.5, 1.0])
    often = mean_interval([0.0, 0.2, 0.5, 1.0] * 10, [0, 1, 2, 3] * 10)
    assert once is not None and often is not None
    assert (often.low, often.high) == pytest.approx((once.low, once.high))


def test_each_stratum_weighs_the_same() -> None:
    found = stratified_interval([([1.0] * 9 + [0.0], None), ([0.0, 0.2], None), ([], None)])
    assert found is not None and found.mean == pytest.approx((0.9 + 0.1) / 2) and found.n == 12
    with_one = stratified_interval([([1.0, 0.0], None), ([0.5], None)])
    assert with_one is not None and with_one.low is None
    assert stratified_interval([]) is None


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [n / 40 for n in range(41)]
    whole = mean_interval(values)
    monkeypatch.setattr(bootstrap, "_BLOCK", 1_000)
    assert mean_interval(values) == whole
