"""Colours and type, for light and dark; the one place for them.

`PALETTE` names every colour twice. The style sheets use them as CSS variables (`tokens()`), Gradio's
own parts get them through the theme. All pairs that carry text meet WCAG AA (see tests/ui).
"""

from __future__ import annotations

import gradio as gr

#: name: (light, dark)
PALETTE: dict[str, tuple[str, str]] = {
    "page": ("#f2f4f0", "#0e1311"),
    "panel": ("#ffffff", "#161d1a"),
    "sunken": ("#f7f9f6", "#121815"),
    "line": ("#dde3dc", "#28322d"),
    "edge": ("#7f8c84", "#6d7b74"),
    "ink": ("#18211d", "#e8eeea"),
    "ink-2": ("#445149", "#b9c5bf"),
    "ink-3": ("#5a6760", "#98a69f"),
    "bar": ("#14322a", "#0b1512"),
    "bar-ink": ("#f1f6f3", "#e8eeea"),
    "bar-ink-2": ("#b5cbc2", "#a3b5ad"),
    "bar-field": ("#1f463b", "#18241f"),
    "bar-edge": ("#6f9486", "#5f7269"),
    "accent": ("#0d6b55", "#58c9a6"),
    "accent-fill": ("#0d6b55", "#58c9a6"),
    "accent-over": ("#0a5745", "#75d8b9"),
    "on-accent": ("#ffffff", "#06231a"),
    "accent-soft": ("#e3f1eb", "#15302a"),
    "accent-line": ("#9ccdbb", "#2f6454"),
    "gain": ("#0d6b55", "#63cfad"),
    "gain-soft": ("#dcf0e7", "#173a30"),
    "loss": ("#a32d1f", "#ff9f92"),
    "loss-soft": ("#fbe6e2", "#41211d"),
    "zero": ("#5a6760", "#98a69f"),
    "zero-soft": ("#edf0ec", "#232c28"),
    "warn": ("#7d5200", "#ecbd66"),
    "warn-soft": ("#fbf0d9", "#382b12"),
    "shade": ("rgb(20 40 32 / 8%)", "rgb(0 0 0 / 40%)"),
}

_SANS = (gr.themes.LocalFont("IBM Plex Sans", weights=(400, 700)), "system-ui", "sans-serif")
_MONO = (gr.themes.LocalFont("IBM Plex Mono", weights=(400, 700)), "ui-monospace", "monospace")


def tokens() -> str:
    """The palette as CSS variables: light on the root, dark under Gradio's `.dark`."""
    light = "".join(f"--{name}:{pair[0]};" for name, pair in PALETTE.items())
    dark = "".join(f"--{name}:{pair[1]};" for name, pair in PALETTE.items())
    return f":root{{{light}color-scheme:light}}.dark{{{dark}color-scheme:dark}}"


def theme() -> gr.themes.Default:
    """Gradio's Default theme in our colours."""
    made = gr.themes.Default(
        font=_SANS,
        font_mono=_MONO,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_sm,
        spacing_size=gr.themes.sizes.spacing_sm,
    )
    colours = {
        "body_background_fill": "page",
        "body_text_color": "ink",
        "body_text_color_subdued": "ink-3",
        "background_fill_primary": "panel",
        "background_fill_secondary": "sunken",
        "block_background_fill": "panel",
        "block_border_color": "line",
        "block_label_text_color": "ink-2",
        "block_title_text_color": "ink-2",
        "block_info_text_color": "ink-3",
        "border_color_primary": "line",
        "border_color_accent": "accent",
        "color_accent_soft": "accent-soft",
        "link_text_color": "accent",
        "link_text_color_hover": "accent-over",
        "link_text_color_visited": "accent",
        "link_text_color_active": "accent",
        "input_background_fill": "panel",
        "input_background_fill_focus": "panel",
        "input_border_color": "edge",
        "input_border_color_focus": "accent",
        "input_placeholder_color": "ink-3",
        "button_primary_background_fill": "accent-fill",
        "button_primary_background_fill_hover": "accent-over",
        "button_primary_text_color": "on-accent",
        "button_secondary_background_fill": "panel",
        "button_secondary_background_fill_hover": "accent-soft",
        "button_secondary_text_color": "ink",
        "button_secondary_border_color": "edge",
        "button_cancel_background_fill": "loss-soft",
        "button_cancel_text_color": "loss",
        "error_text_color": "loss",
        "error_icon_color": "loss",
        "error_background_fill": "loss-soft",
        "error_border_color": "loss",
        "table_even_background_fill": "panel",
        "table_odd_background_fill": "sunken",
        "checkbox_label_background_fill": "panel",
        "checkbox_label_background_fill_selected": "accent-soft",
        "checkbox_label_text_color_selected": "ink",
        "checkbox_background_color_selected": "accent-fill",
        "checkbox_border_color_selected": "accent-fill",
        "code_background_fill": "sunken",
    }
    pairs = {}
    for key, name in colours.items():
        pairs[key], pairs[f"{key}_dark"] = PALETTE[name]
    return made.set(
        **pairs,
        block_border_width="0px",
        block_shadow="none",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_title_background_fill="transparent",
        block_title_text_weight="600",
        input_border_width="1px",
        input_shadow="none",
        input_shadow_focus="none",
        button_border_width="1px",
        color_accent=PALETTE["accent"][0],
        layout_gap="12px",
    )
