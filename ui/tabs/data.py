"""The Data tab: bring a file, see what became of it, play it; and the built-in data's card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from ui.page import Page, asset, markup
from ui.service.datasets import Datasets
from ui.state_data import DataView
from ui.tabs import play
from ui.texts import data as texts
from ui.views import data as views

LABEL = texts.LABEL


class DataTab:
    """The file picker, the report on the file, the card."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        start = self.service.now(None)
        with gr.Row(elem_id="data"):
            with gr.Column(elem_id="data-own"):
                self.picker = gr.HTML(
                    views.picker(start),
                    elem_id="picker",
                    js_on_load=asset("bus.js") + asset("drop.js"),
                    apply_default_css=False,
                    elem_classes=["view"],
                )
                self.report = markup(views.report(start), "report")
            self.card = markup(views.card(start), "card")
        shown = [self.report, page.tabs, page.entered]
        page.on(page.tab.select, self.show, [], [self.report, self.card])
        for view in (self.picker, self.report):
            page.on(
                view.select, self.choose, [], shown, concurrency_limit=2, concurrency_id="import"
            )

    @property
    def service(self) -> Datasets:
        """What the handlers call."""
        return self.page.service.datasets

    def show(self, request: gr.Request) -> dict[Any, Any]:
        """The tab was opened."""
        view = self.service.now(request.session_hash, downloads=True)
        return {self.report: views.report(view), self.card: views.card(view)}

    async def choose(self, event: gr.EventData, request: gr.Request) -> dict[Any, Any]:
        """A file was uploaded, or a button was pressed."""
        sent = event._data if isinstance(event._data, dict) else {}
        visitor, act = request.session_hash, sent.get("act")
        if act == "play":
            problem = self.service.play(visitor)
            if problem:
                return self._shown(self.service.now(visitor, error=problem))
            return self._shown(self.service.now(visitor)) | self._to_play(visitor)
        if act == "builtin":
            self.page.service.play.leave(visitor)
            return self._shown(self.service.now(visitor)) | {self.page.entered: self._mark(visitor)}
        if act == "map":
            return self._shown(await self.service.map(visitor, sent.get("fields")))
        path = self._uploaded(sent.get("path"))
        if path is None:
            return self._shown(self.service.now(visitor, error=texts.BAD_REQUEST))
        return self._shown(await self.service.bring(visitor, path, sent.get("name")))

    def _uploaded(self, path: object) -> Path | None:
        """The path, if it is that of a file that was uploaded here and not taken yet."""
        known = self.page.demo.upload_file_set
        if not isinstance(path, str) or path not in known:
            return None
        known.discard(path)
        return Path(path)

    def _shown(self, view: DataView) -> dict[Any, Any]:
        return {self.report: views.report(view)}

    def _to_play(self, visitor: str | None) -> dict[Any, Any]:
        return {
            self.page.tabs: gr.update(selected=play.LABEL),
            self.page.entered: self._mark(visitor),
        }

    def _mark(self, visitor: str | None) -> str:
        return self.page.service.play.now(visitor).run_id


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    DataTab(page)
