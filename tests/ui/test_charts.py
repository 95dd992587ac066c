"""Figures: one style, names as text, everything that was given in the place where it belongs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ui.hostile import HOSTILE
from tests.ui.test_theme import contrast
from ui.theme import PALETTE
from ui.views.charts import (
    BAD,
    GOOD,
    SERIES,
    Estimate,
    Reference,
    Series,
    bars,
    confusion,
    heat_map,
    intervals,
    lines,
    plain,
)

ODD = f"<b>{HOSTILE}"
FIGURES = {
    "lines": lines([Series(ODD, [0, None], [1, 2], [ODD, ODD])], x_title=ODD, y_title=ODD),
    "bars": bars([ODD, ODD], [Series(ODD, [1, None], notes=[ODD, ODD])], x_title=ODD),
    "intervals": intervals(
        [Estimate(ODD, 0.5, 0.2, 0.9, ODD, ODD), Estimate("b", 0.1)],
        [Reference(ODD, 0.8)],
        x_title=ODD,
    ),
    "heat_map": heat_map([ODD], [ODD, ODD], [[0.5, None]], notes=[[ODD, ODD]]),
    "confusion": confusion([ODD], [ODD, ODD], [[1, 2]]),
}


def parsed(name: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(FIGURES[name].plot)
    return made


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (s for v in value.values() for s in strings(v))
    elif isinstance(value, list):
        yield from (s for v in value for s in strings(v))


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_of_anybody_is_markup(name: str) -> None:
    made = parsed(name)
    texts = list(strings(made))
    assert any("&lt;b&gt;" in t for t in texts)
    for text in texts:
        assert "<" not in text.replace("<br>", ""), text  # ours, between a name and its note
        assert "%{" not in text.replace("${", "")
    templates = [k for trace in made["data"] for k in trace if "template" in k]
    assert templates == []


@pytest.mark.parametrize("name", FIGURES)
def test_the_style_is_one(name: str) -> None:
    made = parsed(name)
    layout = made["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert layout["height"] > 0 and "width" not in layout
    assert layout["xaxis"]["fixedrange"] is layout["yaxis"]["fixedrange"] is True
    assert made["config"]["displayModeBar"] is False


def test_plain_text() -> None:
    assert plain("a\n b\u202e\x00c") == "a bc"
    assert plain("x" * 30) == "x" * 23 + "…"
    assert plain("a & b <i>") == "a &amp; b &lt;i&gt;"


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_series_stand_out_and_ink_reads_on_every_tint(mode: int) -> None:
    for ground in ("panel", "page"):
        for colour in SERIES:
            assert contrast(colour, PALETTE[ground][mode]) >= 3, (colour, ground)
        base = [int(PALETTE[ground][mode][i : i + 2], 16) for i in (1, 3, 5)]
        for tint in (GOOD, BAD):
            over = [int(part) for part in tint.split(",")]
            mixed = [round(0.6 * o + 0.4 * b) for o, b in zip(over, base, strict=True)]
            cell = "#" + "".join(f"{part:02x}" for part in mixed)
            assert contrast(cell, PALETTE["ink"][mode]) >= 4.5, (tint, ground)


def test_lines_say_what_they_were_given() -> None:
    chart = lines(
        [Series("a", [0, 0.5], [0, 1], ["start", "reply"]), Series("b", [0.2], [0], look=0)],
        y_range=(0, 1),
    )
    made = json.loads(chart.plot)
    first, second = made["data"]
    assert (first["x"], first["y"], first["name"]) == ([0, 1], [0, 0.5], "a")
    assert first["hovertext"] == ["a<br>start", "a<br>reply"]
    assert first["line"] == second["line"] and made["layout"]["showlegend"] is True
    low, high = made["layout"]["yaxis"]["range"]
    assert low < 0 and high > 1


def test_bars_have_their_numbers() -> None:
    made = json.loads(bars(["x", "y"], [Series("a", [0.5, None]), Series("b", [-0.25, 0])]).plot)
    assert [t["text"] for t in made["data"]] == [["0.50", ""], ["−0.25", "0.00"]]
    assert made["layout"]["yaxis"]["ticktext"] == ["x\u2002", "y\u2002"]
    low, high = made["layout"]["xaxis"]["range"]
    assert low < -0.25 and high > 1


def test_equal_names_stay_apart_and_dates_stay_names() -> None:
    chart = intervals([Estimate("2024-01-01", 0.2), Estimate("2024-01-01", 0.4, 0.1, 0.5)])
    made = json.loads(chart.plot)
    (trace,) = made["data"]
    assert (trace["x"], trace["y"]) == ([0.2, 0.4], [0, 1])
    assert trace["error_x"]["array"] == pytest.approx([0, 0.1])
    assert trace["error_x"]["arrayminus"] == pytest.approx([0, 0.3])
    assert made["layout"]["yaxis"]["tickvals"] == [0, 1]


def test_a_reference_is_a_labelled_line() -> None:
    made = json.loads(intervals([Estimate("a", 0.2)], [Reference("elsewhere 0.80", 0.8)]).plot)
    _, line = made["data"]
    assert line["x"] == [0.8, 0.8]
    assert line["line"]["dash"] == "dash" and line["name"] == "elsewhere 0.80"
    assert made["layout"]["showlegend"] is True


def test_cells_show_every_number_and_a_dash_for_none() -> None:
    made = json.loads(heat_map(["a", "b"], ["x"], [[0.256], [None]]).plot)
    tints, texts = made["data"]
    assert tints["z"] == [[0.256], [None]] and (tints["zmin"], tints["zmax"]) == (0, 1)
    assert list(zip(texts["x"], texts["y"], texts["text"], strict=True)) == [
        (0, 0, "0.26"),
        (0, 1, "–"),
    ]


def test_confusion_is_tinted_by_the_share_of_its_row() -> None:
    made = json.loads(confusion(["a", "b"], ["a", "b", "(none)"], [[3, 1, 0], [0, 0, 0]]).plot)
    tints, texts = made["data"]
    assert tints["z"] == [[0.75, -0.25, None], [None, None, None]]
    assert texts["text"] == ["3", "1", "·", "·", "·", "·"]
    assert tints["hovertext"][0][1] == "a: b<br>1 of 4"


@pytest.mark.parametrize("empty", [lines([]), bars([], []), intervals([]), heat_map([], [], [])])
def test_nothing_gives_an_empty_figure(empty: Any) -> None:
    assert json.loads(empty.plot)["layout"]["height"] > 0


def test_a_group_looks_the_same_in_every_figure() -> None:
    def looks(*estimates: Estimate) -> list[str]:
        return [t["marker"]["color"] for t in json.loads(intervals(estimates).plot)["data"]]

    person, model = Estimate("a", 0.1, group="People", look=2), Estimate("b", 0.2, look=0)
    assert looks(person, model) == [SERIES[2], SERIES[0]] and looks(model) == [SERIES[0]]
