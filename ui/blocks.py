"""The console as one Gradio app, and what it has to be mounted with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from ui import texts, views
from ui.page import Page, asset
from ui.service import Service
from ui.tabs import api, audit, compare, data, leaderboard, library, play, watch
from ui.theme import theme, tokens

#: The tabs, in their order: label and what builds it.
TABS: tuple[tuple[str, Callable[[Page], None]], ...] = (
    (play.LABEL, play.build),
    (watch.LABEL, watch.build),
    (compare.LABEL, compare.build),
    (leaderboard.LABEL, leaderboard.build),
    (library.LABEL, library.build),
    (data.LABEL, data.build),
    (audit.LABEL, audit.build),
    (api.LABEL, api.build),
)

#: Files that were uploaded and never taken go after so many seconds; looked for as often.
_LEFT = (900, 900)

_STYLES = (
    "base.css",
    "gradio.css",
    "play.css",
    "debrief.css",
    "compare.css",
    "watch.css",
    "sheet.css",
    "charts.css",
    "leaderboard.css",
    "library.css",
    "data.css",
    "audit.css",
    "api.css",
    "small.css",
)
_SCRIPTS = (
    "console.js",
    "keys.js",
    "tour.js",
    "sheet.js",
    "charts.js",
    "compare.js",
    "watch.js",
)


def _head() -> str:
    # The styles go here and not into `css`: Gradio rewrites that, and breaks selectors like :is(a, b).
    styles = tokens() + "".join(asset(name) for name in _STYLES)
    scripts = "".join(f"<script>{asset(name)}</script>" for name in _SCRIPTS)
    icon = f'<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,{_favicon()}">'
    return f"{icon}<style>{styles}</style>{scripts}"


def _favicon() -> str:
    return asset("favicon.svg").replace("#", "%23").replace('"', "'").replace("\n", "")


LAUNCH: dict[str, Any] = {
    "theme": theme(),
    "head": _head(),
    "footer_links": [],
    "run_history": False,
    "show_error": False,
}
"""What gr.mount_gradio_app has to be given besides the blocks and the path."""


def build_ui(service: Service) -> gr.Blocks:
    """The console over a service. Mount it with `LAUNCH`; build one per process."""
    with gr.Blocks(
        title=texts.TITLE, fill_width=True, analytics_enabled=False, delete_cache=_LEFT
    ) as demo:
        with gr.Row(elem_id="top"):
            gr.HTML(views.brand(), elem_id="brand", apply_default_css=False)
            with gr.Row(elem_id="controls"):
                task = gr.Dropdown(
                    [(t.name, t.id) for t in service.play.tasks],
                    value=service.play.tasks[0].id,
                    label=texts.TASK,
                    filterable=False,
                    elem_id="task",
                )
                split = gr.Radio(
                    [(texts.SPLITS.get(s, s), s) for s in service.play.splits],
                    value=service.play.splits[0],
                    label=texts.SPLIT,
                    elem_id="split",
                )
                seed = gr.Number(0, label=texts.SEED, precision=0, elem_id="seed")
            gr.HTML(views.switches(), elem_id="tools", apply_default_css=False)
        opened, entered = gr.State(""), gr.State("")
        with gr.Tabs(elem_id="tabs") as tabs:
            page = Page(service, demo, task, split, seed, tabs, opened, entered)
            for label, build in TABS:
                with gr.Tab(label, id=label):
                    build(page)
        gr.HTML(views.overlays(), elem_id="overlays", apply_default_css=False)
        demo.unload(_closing(service))
    demo.queue(default_concurrency_limit=16, max_size=64, api_open=False)
    return demo


def _closing(service: Service) -> Callable[[gr.Request], None]:
    def close(request: gr.Request) -> None:
        service.close(request.session_hash)

    return close
