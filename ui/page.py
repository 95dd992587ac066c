"""What the tabs share: the service, the header's controls, and how handlers are attached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.context import get_render_context

from ui.service import Service

ASSETS = Path(__file__).parent / "assets"


@lru_cache
def asset(name: str) -> str:
    """The text of a file in ui/assets."""
    return (ASSETS / name).read_text(encoding="utf-8")


def markup(value: str, elem_id: str) -> gr.HTML:
    """A view as a component. Buttons in it with `data-act` trigger its `select` event."""
    return gr.HTML(
        value,
        elem_id=elem_id,
        js_on_load=asset("bus.js"),
        apply_default_css=False,
        elem_classes=["view"],
    )


def chart(elem_id: str, label: str, *, visible: bool = True) -> gr.Plot:
    """A place for a figure of ui.views.charts; the label is for screen readers.

    One that is not `visible` at first is shown by an update from `drawn`.
    """
    return gr.Plot(
        label=label,
        visible=visible,
        show_label=False,
        container=False,
        elem_id=elem_id,
        elem_classes=["chart"],
        buttons=[],
    )


def drawn(figure: Any) -> dict[str, Any]:
    """The update of a chart that shows a figure, or hides it where there is none."""
    return gr.update(value=figure, visible=figure is not None)


@dataclass(frozen=True)
class Page:
    """The console around the tabs.

    `opened` changes whenever another episode stands in the Play tab; another tab that changed what
    is played changes `entered`.
    """

    service: Service
    demo: gr.Blocks
    task: gr.Dropdown
    split: gr.Radio
    seed: gr.Number
    tabs: gr.Tabs
    opened: gr.State
    entered: gr.State

    @property
    def tab(self) -> gr.Tab:
        """The tab that is being built."""
        return get_render_context()

    def on(
        self,
        trigger: Callable[..., Any],
        handler: Callable[..., Any] | None,
        inputs: Sequence[Any] = (),
        outputs: Sequence[Any] = (),
        **options: Any,
    ) -> Any:
        """Attach a handler: private, without Gradio's own progress display."""
        return trigger(
            handler,
            inputs=list(inputs),
            outputs=list(outputs),
            show_progress="hidden",
            api_visibility="private",
            **options,
        )
