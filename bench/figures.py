"""What a measurement says: its rounds, their median, and whether the target is met."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

_HOLDS: dict[str, Callable[[float, float], bool]] = {"≥": operator.ge, "≤": operator.le}


@dataclass(frozen=True)
class Figure:
    """One figure, measured in rounds. `target` is a bound on the median: ("≤", 50.0), or None."""

    group: str
    name: str
    unit: str
    rounds: tuple[float, ...]
    target: tuple[str, float] | None = None

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return median(self.rounds)

    @property
    def met(self) -> bool | None:
        """Whether the median keeps the target; None where there is none."""
        if self.target is None:
            return None
        sign, bound = self.target
        return _HOLDS[sign](self.median, bound)

    def plain(self) -> dict[str, Any]:
        """The figure as JSON holds it."""
        return {
            "group": self.group,
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.rounds),
            "max": max(self.rounds),
            "rounds": list(self.rounds),
            "target": None if self.target is None else f"{self.target[0]} {self.target[1]:g}",
            "met": self.met,
        }


def table(figures: Iterable[Figure]) -> str:
    """A Markdown table: median [least..most] of each figure, and its target."""
    lines = ["| | figure | median [min..max] | target |", "|---|---|---|---|"]
    for figure in figures:
        spread = f" [{_short(min(figure.rounds))}..{_short(max(figure.rounds))}]"
        shown = f"{_short(figure.median)}{spread if len(figure.rounds) > 1 else ''} {figure.unit}"
        target = ""
        if figure.target is not None:
            kept = "met" if figure.met else "**missed**"
            target = f"{figure.target[0]} {figure.target[1]:g}, {kept}"
        lines.append(f"| {figure.group} | {figure.name} | {shown.strip()} | {target} |")
    return "\n".join(lines) + "\n"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
