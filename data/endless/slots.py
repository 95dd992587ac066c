"""The facts that a scenario leaves open, drawn: amounts, counts, days, times, words.

Every value is kept as the text that stands in ticket and labels; sums are computed from the numbers
behind them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from data.errors import DataError

_MONTHS = (
    "January February March April May June July August September October November December".split()
)


def draw(
    specs: Mapping[str, Any], rng: random.Random, today: date, values: dict[str, str], where: str
) -> None:
    """Fill `values` with what `specs` ask for, in their order.

    A spec is a list (one of its texts, or of its objects with several texts), or an object with one key: `int` [low, high, step],
    `money` the same in dollars, `days` [from, to] relative to `today`, `time` [first hour, last
    hour], `month_of` a drawn day, `product` [a drawn number, a factor] in dollars.

    Raises:
        DataError: a spec is of no known kind.
    """
    numbers: dict[str, int] = {}
    days: dict[str, date] = {}
    for name, spec in specs.items():
        if isinstance(spec, list):
            chosen = spec[int(rng.random() * len(spec))]
            values |= chosen if isinstance(chosen, dict) else {name: str(chosen)}
            continue
        ((kind, given),) = spec.items()
        if kind in ("int", "money"):
            low, high, *step = given
            numbers[name] = rng.randrange(low, high + 1, *step)
            values[name] = money(numbers[name]) if kind == "money" else f"{numbers[name]:,}"
        elif kind == "days":
            days[name] = today + timedelta(days=rng.randrange(given[0], given[1] + 1))
            values[name] = day(days[name])
        elif kind == "time":
            hour = rng.randrange(given[0], given[1] + 1)
            values[name] = f"{hour:02d}:{5 * rng.randrange(12):02d}"
        elif kind == "month_of":
            values[name] = _MONTHS[days[given].month - 1]
        elif kind == "product":
            values[name] = money(numbers[given[0]] * int(given[1]))
        else:
            raise DataError(where, f"{name}: nothing is drawn by {kind!r}")


def money(dollars: int) -> str:
    """$1,240."""
    return f"${dollars:,}"


def day(when: date) -> str:
    """3 March."""
    return f"{when.day} {_MONTHS[when.month - 1]}"
