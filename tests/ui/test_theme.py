from __future__ import annotations

import re
from pathlib import Path

import pytest

from ui.blocks import LAUNCH
from ui.theme import PALETTE

ASSETS = Path(__file__).parent.parent.parent / "ui" / "assets"
GROUNDS = {
    "ink": ("page", "panel", "sunken", "accent-soft", "warn-soft", "gain-soft", "loss-soft"),
    "ink-2": ("page", "panel", "sunken", "accent-soft", "zero-soft"),
    "ink-3": ("page", "panel", "sunken", "accent-soft", "zero-soft"),
    "bar-ink": ("bar", "bar-field"),
    "bar-ink-2": ("bar",),
    "accent": ("page", "panel", "sunken", "accent-soft"),
    "on-accent": ("accent-fill", "accent-over"),
    "gain": ("panel", "sunken", "gain-soft", "accent-soft"),
    "loss": ("panel", "sunken", "loss-soft", "accent-soft"),
    "warn": ("panel", "sunken", "warn-soft", "accent-soft"),
}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_text_meets_wcag_aa(mode: int) -> None:
    for text, grounds in GROUNDS.items():
        for ground in grounds:
            ratio = contrast(PALETTE[text][mode], PALETTE[ground][mode])
            assert ratio >= 4.5, f"{text} on {ground}: {ratio:.2f}"


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_edges_of_controls_meet_wcag_aa(mode: int) -> None:
    for edge, ground in (("edge", "panel"), ("edge", "page"), ("bar-edge", "bar")):
        assert contrast(PALETTE[edge][mode], PALETTE[ground][mode]) >= 3, (edge, ground)


def test_style_sheets_name_only_colours_of_the_palette() -> None:
    for sheet in sorted(ASSETS.glob("*.css")):
        named = set(re.findall(r"var\(--([a-z0-9-]+)", sheet.read_text(encoding="utf-8")))
        assert named <= {*PALETTE, "font-mono", "c"}, sheet.name  # c: set per player, in the markup


def test_nothing_is_fetched_from_elsewhere() -> None:
    for text in (LAUNCH["head"], *(p.read_text(encoding="utf-8") for p in ASSETS.iterdir())):
        urls = set(re.findall(r"https?://[^\s\"'<>)]+", text))
        assert urls <= {"http://www.w3.org/2000/svg"}
