"""The charts of a comparison: rewards step by step, and the criteria."""

from __future__ import annotations

from collections.abc import Sequence

from gradio.components.plot import PlotData

from ui.state_compare import Side
from ui.texts import compare as texts
from ui.views import charts


def rewards(sides: Sequence[Side]) -> PlotData:
    """The sum of the rewards after each step, a line for each run, as a figure."""
    series = []
    for side in sides:
        totals = [0.0, *(round(s.total, 4) for s in side.steps)]
        series.append(charts.Series(side.row.player, totals, list(range(len(totals)))))
    return charts.lines(series, x_title=texts.STEP_AXIS, y_title=texts.REWARD_AXIS)


def criteria(sides: Sequence[Side]) -> PlotData:
    """Every criterion's value, a bar for each run, as a figure; what was not judged has none."""
    names = dict.fromkeys((c.id, c.name) for s in sides for c in s.criteria)
    series = []
    for side in sides:
        values = {c.id: c.value for c in side.criteria}
        series.append(charts.Series(side.row.player, [values.get(i) for i, _ in names]))
    return charts.bars([name for _, name in names], series)
