"""Means with 95 % bootstrap intervals: percentile method, 2,000 resamples, seeded.

Values that belong together (several plays of one ticket) are drawn together, as a cluster: playing
the same ticket again narrows no interval as a new ticket would.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000
SEED = 42
LEVEL = 0.95
_BLOCK = 2_000_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` values with its interval; no interval where one cluster is all there is."""

    mean: float
    low: float | None
    high: float | None
    n: int


def mean_interval(
    values: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> Interval | None:
    """The mean of values and its interval; None without values.

    Args:
        values: In any order; the answer is the same in all.
        clusters: Which cluster each value belongs to; by default each is one of its own.
    """
    return stratified_interval([(values, clusters)])


def stratified_interval(
    strata: Sequence[tuple[Sequence[float], Sequence[Hashable] | None]],
) -> Interval | None:
    """The mean of the strata's means, each weighing the same, and its interval; None without any.

    Every stratum is resampled by itself, so that no task can be missing from a resample.
    """
    filled = [(values, clusters) for values, clusters in strata if len(values)]
    if not filled:
        return None
    mean = fsum(fsum(values) / len(values) for values, _ in filled) / len(filled)
    n = sum(len(values) for values, _ in filled)
    pooled = [_clustered(values, clusters) for values, clusters in filled]
    if any(len(sums) < 2 for sums, _ in pooled):
        return Interval(mean, None, None, n)
    means = np.mean([_resampled(sums, sizes) for sums, sizes in pooled], axis=0)
    tail = (1 - LEVEL) / 2
    low, high = (float(q) for q in np.quantile(means, (tail, 1 - tail)))
    # Rounding alone may put a mean of equal values outside of its interval.
    return Interval(mean, min(low, mean), max(high, mean), n)


def _clustered(
    values: Sequence[float], clusters: Sequence[Hashable] | None
) -> tuple[Floats, Floats]:
    """Sum and size of each cluster, in an order that does not depend on the values' order."""
    members: dict[Any, list[float]] = {}
    names = range(len(values)) if clusters is None else clusters
    for name, value in zip(names, values, strict=True):
        members.setdefault(name, []).append(value)
    pairs = sorted((fsum(v), float(len(v))) for v in members.values())
    return np.array([s for s, _ in pairs]), np.array([n for _, n in pairs])


def _resampled(sums: Floats, sizes: Floats) -> Floats:
    """The means of RESAMPLES draws, with replacement, of as many clusters as there are."""
    count = len(sums)
    random = np.random.RandomState(SEED)  # its stream is frozen: the same with every numpy
    rows = max(1, _BLOCK // count)
    means = []
    for begin in range(0, RESAMPLES, rows):
        shape = (min(rows, RESAMPLES - begin), count)
        drawn = random.randint(0, count, size=shape, dtype=np.int64)
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(means)
