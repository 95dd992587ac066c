"""All charts of the console, in one style: data to a figure for `gr.Plot`. Pure.

Plotly reads no CSS variables. So what carries data has mid tones that stand out on light and on
dark, and charts.css gives texts, grid and hover labels the page's colours, whatever is set here.
Cells are tinted with transparent colours, so that the page's ink reads on every tint.

Names come from people and models, and Plotly takes markup in its texts: all go through `plain`. The
places on an axis of names are numbers, so that equal names stay apart and none is taken for a date.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import plotly.graph_objects as go
from gradio.components.plot import PlotData

#: Colours of series. Each has a contrast of 3 or more against page and panel, in light and in dark.
SERIES = (
    "#12936f", "#4a7fd6", "#b67a12", "#cf5a80", "#8e70d8", "#77892f", "#c8653a", "#1e8ea6",
)  # fmt: skip
_QUIET = "#74858c"
GOOD, BAD = "18, 147, 111", "207, 84, 66"

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "x")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_PATTERNS = ("", "/", ".", "\\", "x", "-", "|", "+")
_FONT = "'IBM Plex Sans', system-ui, sans-serif"
_AXIS = {
    "fixedrange": True,
    "zeroline": False,
    "automargin": True,
    "ticks": "",
    "title": {"font": {"size": 12}, "standoff": 10},
}
_NO_VALUE = "–"
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or one bar in every group. `y` holds None where there is no value.

    `notes` stand in the hover labels, one a value. `look` picks colour and symbol, for series that
    belong together; by default each has its own.
    """

    name: str
    y: Sequence[float | None]
    x: Sequence[float] = ()
    notes: Sequence[str] = ()
    look: int | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval, if it has one.

    `group` is its name in the legend; `look` picks the group's colour and symbol, for one that
    looks the same in every figure.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    group: str = ""
    note: str = ""
    look: int | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A value to look at beside others. Its label stands in the legend, whole."""

    label: str
    value: float


def plain(text: object, most: int = _LONGEST) -> str:
    """A text for a figure: one line, no markup, no control characters, at most `most` characters."""
    line = "".join(c for c in " ".join(str(text).split()) if unicodedata.category(c)[0] != "C")
    if len(line) > most:
        line = line[: most - 1].rstrip() + "…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def lines(
    series: Sequence[Series],
    *,
    x_title: str = "",
    y_title: str = "",
    y_range: tuple[float, float] | None = None,
    height: int = 320,
) -> PlotData:
    """Lines over whole numbers, say the reward after each step. Colour, dash and symbol differ.

    Args:
        series: With `x` and `y` of one length each.
        x_title: What x counts.
        y_title: What y is.
        y_range: Least and most that must show; more shows where the data needs it.
        height: In pixels.
    """
    figure = _figure(height, legend=len(series) > 1)
    for place, one in enumerate(series):
        look = place if one.look is None else one.look
        figure.add_scatter(
            x=list(one.x),
            y=list(one.y),
            name=plain(one.name),
            mode="lines+markers",
            line={"color": _of(SERIES, look), "dash": _of(_DASHES, look), "width": 2},
            marker={"symbol": _of(_SYMBOLS, look), "size": 8},
            **_hover(one),
        )
    longest = max((x for one in series for x in one.x), default=1)
    figure.update_xaxes(
        title_text=plain(x_title, 60), showgrid=False, dtick=max(1, ceil(longest / 10))
    )
    figure.update_yaxes(title_text=plain(y_title, 60))
    if y_range is not None:
        low, high = _span(y_range, series)
        room = 0.06 * (high - low)
        figure.update_yaxes(range=[low - room, high + room])
    return _shown(figure)


def bars(
    names: Sequence[str],
    series: Sequence[Series],
    *,
    x_title: str = "",
    x_range: tuple[float, float] = (0.0, 1.0),
    digits: int = 2,
) -> PlotData:
    """Horizontal bars: a group per name, a bar per series, its number at its end.

    Args:
        names: What is compared, from the top.
        series: With `y` in the order of `names`.
        x_title: What the numbers are.
        x_range: Least and most that must show; more shows where the data needs it.
        digits: Of the numbers.
    """
    group = 18 * max(1, len(series)) + 12
    figure = _figure(90 + group * max(1, len(names)), legend=len(series) > 1)
    for place, one in enumerate(series):
        look = place if one.look is None else one.look
        figure.add_bar(
            orientation="h",
            x=list(one.y),
            y=list(range(len(names))),
            name=plain(one.name),
            marker={
                "color": _of(SERIES, look),
                "pattern": {
                    "shape": _of(_PATTERNS, look),
                    "fillmode": "overlay",
                    "fgcolor": "rgba(255, 255, 255, 0.45)",
                    "size": 6,
                    "solidity": 0.3,
                },
            },
            text=["" if v is None else _number(v, digits) for v in one.y],
            textposition="outside",
            cliponaxis=False,
            **_hover(one),
        )
    low, high = _span(x_range, series)
    room = 0.12 * (high - low)  # for the numbers
    figure.update_layout(barmode="group", bargap=0.25, bargroupgap=0.1)
    figure.update_xaxes(
        title_text=plain(x_title, 60), range=[low - room if low < 0 else low, high + room]
    )
    _names(figure, "y", names)
    return _shown(figure)


def intervals(
    estimates: Sequence[Estimate],
    references: Sequence[Reference] = (),
    *,
    x_title: str = "",
    x_range: tuple[float, float] = (0.0, 1.0),
) -> PlotData:
    """Values with their intervals, a row each from the top. Groups differ in colour and symbol.

    Args:
        estimates: One without an interval shows its value alone.
        references: Dashed lines over all rows, with their labels in the legend.
        x_title: What the values are.
        x_range: Least and most that show.
    """
    groups = list(dict.fromkeys(e.group for e in estimates))
    legend = len(groups) > 1 or bool(references)
    figure = _figure(96 + 40 * len(references) + 28 * max(1, len(estimates)), legend=legend)
    for place, group in enumerate(groups):
        own = [(row, e) for row, e in enumerate(estimates) if e.group == group]
        look = place if own[0][1].look is None else own[0][1].look
        figure.add_scatter(
            x=[e.value for _, e in own],
            y=[row for row, _ in own],
            name=plain(group),
            mode="markers",
            marker={"color": _of(SERIES, look), "symbol": _of(_SYMBOLS, look), "size": 10},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [0 if e.high is None else e.high - e.value for _, e in own],
                "arrayminus": [0 if e.low is None else e.value - e.low for _, e in own],
                "color": _of(SERIES, look),
                "thickness": 2,
                "width": 5,
            },
            hovertext=[_joined(e.name, e.note) for _, e in own],
            hoverinfo="text",
        )
    for reference in references:
        _reference(figure, reference, len(estimates))
    room = 0.02 * (x_range[1] - x_range[0])
    figure.update_xaxes(title_text=plain(x_title, 60), range=[x_range[0] - room, x_range[1] + room])
    _names(figure, "y", [e.name for e in estimates])
    return _shown(figure)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    notes: Sequence[Sequence[str]] = (),
    most: float = 1.0,
    digits: int = 2,
) -> PlotData:
    """A value in [0, most] for each row and column, as a number and as a tint; None is a dash.

    Args:
        rows: From the top.
        columns: From the left. Short ones: a phone has little room.
        values: A sequence per row.
        notes: What hover labels say beside the two names, in the shape of `values`.
        most: What gets the full tint.
        digits: Of the numbers.
    """
    shown = [[_NO_VALUE if v is None else _number(v, digits) for v in row] for row in values]
    scale = _tints(GOOD, (0.0, 0.06), (1.0, 0.6))
    return _cells(rows, columns, values, shown, notes or shown, (0.0, most), scale)


def confusion(
    true: Sequence[str], answered: Sequence[str], counts: Sequence[Sequence[int]]
) -> PlotData:
    """A confusion matrix: counts, tinted by their share of the row; right ones in another hue.

    Args:
        true: What was right, from the top.
        answered: What was answered, from the left; it begins with the names in `true`.
        counts: A sequence per true name.
    """
    totals = [sum(row) for row in counts]
    shares = [
        [(n if i == j else -n) / totals[i] if n else None for j, n in enumerate(row)]
        for i, row in enumerate(counts)
    ]
    shown = [[str(n) if n else "·" for n in row] for row in counts]
    notes = [[f"{n} of {totals[i]}" for n in row] for i, row in enumerate(counts)]
    scale = _tints(BAD, (0.0, 0.6), (0.5, 0.06)) + _tints(GOOD, (0.5, 0.06), (1.0, 0.6))
    return _cells(true, answered, shares, shown, notes, (-1.0, 1.0), scale)


def _cells(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    shown: Sequence[Sequence[str]],
    notes: Sequence[Sequence[str]],
    span: tuple[float, float],
    scale: list[list[Any]],
) -> PlotData:
    figure = _figure(48 + 32 * max(1, len(rows)), legend=False)
    figure.add_heatmap(
        x=list(range(len(columns))),
        y=list(range(len(rows))),
        z=[list(row) for row in values],
        zmin=span[0],
        zmax=span[1],
        colorscale=scale,
        showscale=False,
        xgap=3,
        ygap=3,
        hoverongaps=True,
        hoverinfo="text",
        hovertext=[
            [_joined(f"{row}: {column}", notes[i][j]) for j, column in enumerate(columns)]
            for i, row in enumerate(rows)
        ],
    )
    # The heat map's own texts leave out the cells without a value.
    places = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    figure.add_scatter(
        x=[j for _, j in places],
        y=[i for i, _ in places],
        text=[plain(shown[i][j]) for i, j in places],
        mode="text",
        hoverinfo="skip",
    )
    figure.update_layout(margin={"t": 30, "b": 8})
    _names(figure, "x", columns)
    figure.update_xaxes(side="top", autotickangles=[0, 90])
    _names(figure, "y", rows)
    return _shown(figure)


def _figure(height: int, legend: bool) -> go.Figure:
    return go.Figure(
        layout={
            "template": "none",
            "height": height,
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": _FONT, "size": 12},
            "margin": {"l": 8, "r": 16, "t": 40 if legend else 12, "b": 44},
            "showlegend": legend,
            "legend": {
                "orientation": "h",
                **{"x": 0, "xref": "container", "xanchor": "left"},
                **{"y": 1, "yref": "container", "yanchor": "top"},
            },
            "hoverlabel": {"align": "left", "font": {"family": _FONT, "size": 12}},
            "hovermode": "closest",
            "dragmode": False,
            "xaxis": _AXIS,
            "yaxis": _AXIS,
        }
    )


def _shown(figure: go.Figure) -> PlotData:
    # gr.Plot would drop the configuration from a figure; it takes this form as it is.
    chart = figure.to_plotly_json() | {"config": {"displayModeBar": False, "doubleClick": False}}
    return PlotData(type="plotly", plot=json.dumps(chart))


def _names(figure: go.Figure, axis: str, names: Sequence[str]) -> None:
    last = max(len(names), 1) - 0.5
    places: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [f"{plain(n)}\u2002" if axis == "y" else _broken(plain(n)) for n in names],
        "showgrid": False,
        "range": [last, -0.5] if axis == "y" else [-0.5, last],
    }
    figure.update_layout({f"{axis}axis": places})


def _broken(name: str) -> str:
    """A name of two words on two lines."""
    return name.replace(" ", "<br>", 1) if len(name) > 9 else name


def _reference(figure: go.Figure, reference: Reference, rows: int) -> None:
    figure.add_scatter(
        x=[reference.value, reference.value],
        y=[-0.5, max(rows, 1) - 0.5],
        name=plain(reference.label, 80),
        mode="lines",
        line={"dash": "dash", "color": _QUIET, "width": 2},
        hoverinfo="skip",
    )


def _hover(one: Series) -> dict[str, Any]:
    values = ["" if v is None else _number(v, 3) for v in one.y]
    notes = one.notes or values
    return {
        "hovertext": [_joined(one.name, note) for note in notes],
        "hoverinfo": "text",
    }


def _joined(name: str, note: str) -> str:
    return f"{plain(name, 60)}<br>{plain(note, 120)}" if note else plain(name, 60)


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def _span(least: tuple[float, float], series: Iterable[Series]) -> tuple[float, float]:
    values = [v for one in series for v in one.y if v is not None]
    return min([least[0], *values]), max([least[1], *values])


def _tints(colour: str, *stops: tuple[float, float]) -> list[list[Any]]:
    return [[place, f"rgba({colour}, {alpha})"] for place, alpha in stops]


def _of(looks: Sequence[str], look: int) -> str:
    return looks[look % len(looks)]
