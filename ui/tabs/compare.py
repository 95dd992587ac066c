"""The Compare tab: runs of one episode side by side, or a whole task as a table."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import gradio as gr

from ui.page import Page, chart, markup
from ui.service.compare import Compare
from ui.state_compare import CompareView
from ui.texts import compare as texts
from ui.views import compare as views
from ui.views import compare_charts, compare_sides, compare_table

LABEL = "Compare"

_LINK = "() => [location.search]"


class CompareTab:
    """The tab's components, and what a view sets in them."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        loading = CompareView(loading=True)
        self.link = gr.Textbox(visible=False)
        with gr.Column(elem_id="compare"):
            with gr.Row(elem_id="cmp-top"):
                self.bar = markup(views.bar(loading), "cmp-bar")
                self.upload = gr.UploadButton(
                    texts.OPEN_FILE, file_types=[".json", ".jsonl"], elem_id="cmp-open", min_width=0
                )
            # What is to be taken home comes as a link that the browser follows: no file lies about.
            self.take = markup("", "cmp-take")
            self.notice = markup("", "cmp-notice")
            self.choose = markup(views.choose(loading), "cmp-choose")
            self.sides = markup("", "cmp-sides")
            with gr.Row(elem_id="cmp-charts", visible=False) as self.charts:
                with gr.Column(elem_classes=["cmp-chart"], min_width=0):
                    gr.HTML(f"<h2>{texts.REWARD_CHART}</h2>", elem_classes=["view"])
                    self.rewards = chart("cmp-rewards", texts.REWARD_CHART)
                with gr.Column(elem_classes=["cmp-chart"], min_width=0) as self.judged:
                    gr.HTML(f"<h2>{texts.CRITERIA_CHART}</h2>", elem_classes=["view"])
                    self.criteria = chart("cmp-criteria", texts.CRITERIA_CHART)
            self.reasons = markup("", "cmp-reasons")
            self.threads = markup("", "cmp-threads")
            self.table = markup("", "cmp-table")
        self.shown = [
            *(self.bar, self.notice, self.choose, self.sides, self.charts, self.rewards),
            *(self.judged, self.criteria, self.reasons, self.threads, self.table, self.take),
        ]
        page.on(page.tab.select, self.show, [], self.shown)
        page.on(page.demo.load, self.open, [self.link], [*self.shown, page.tabs], js=_LINK)
        for view in (self.bar, self.choose, self.sides, self.table):
            page.on(view.select, self.act, [], self.shown)
        page.on(self.upload.upload, self.opened, [self.upload], self.shown, concurrency_id="files")

    @property
    def service(self) -> Compare:
        """What the handlers call."""
        return self.page.service.compare

    async def show(self, request: gr.Request) -> dict[Any, Any]:
        """The tab was selected. Charts made before that would not know how wide they are."""
        return self.render(await self.service.show(request.session_hash))

    async def open(self, link: Any, request: gr.Request) -> dict[Any, Any]:
        """The page opened; its address may name a run to look at."""
        named = parse_qs(str(link)[:2_000].lstrip("?")).get("run")
        if not named:
            return {self.notice: gr.skip()}
        view = await self.service.link(request.session_hash, named[0])
        return {**self.render(view), self.page.tabs: gr.Tabs(selected=LABEL)}

    async def act(self, event: gr.EventData, request: gr.Request) -> dict[Any, Any]:
        """A button or a list in one of the views was used."""
        sent = event._data if isinstance(event._data, dict) else {}
        act, value = str(sent.get("act")), sent.get("value")
        service, visitor = self.service, request.session_hash
        if act == "download":
            return {self.take: views.take(*await service.export(visitor))}
        if act in ("task", "split", "player"):
            return self.render(await service.table(visitor, **{act: value}))
        if act == "failed":
            return self.render(await service.filter(visitor, failed_only=value == "true"))
        if act == "kind":
            return self.render(await service.filter(visitor, kind=value))
        acts = {
            "episode": service.episode,
            "mode": service.mode,
            "toggle": service.toggle,
            "against": service.against,
            "delete": service.delete,
            "page": service.page,
        }
        if act in acts:
            return self.render(await acts[act](visitor, value))
        if act == "baselines":
            return self.render(await service.play_baselines(visitor))
        return self.render(await (service.playing if act == "playing" else service.show)(visitor))

    async def opened(self, path: Any, request: gr.Request) -> dict[Any, Any]:
        """A file was uploaded; it is read once and not kept."""
        try:
            return self.render(await self.service.open_file(request.session_hash, path))
        finally:
            with contextlib.suppress(OSError, TypeError):
                Path(path).unlink()

    def render(self, view: CompareView) -> dict[Any, Any]:
        """What a view sets."""
        some = any(s.steps for s in view.sides)
        judged = any(s.criteria for s in view.sides)
        return {
            self.bar: views.bar(view),
            self.notice: views.notice(view),
            self.choose: views.choose(view),
            self.sides: compare_sides.sides(view),
            self.charts: gr.update(visible=some),
            self.rewards: compare_charts.rewards(view.sides) if some else None,
            self.judged: gr.update(visible=judged),
            self.criteria: compare_charts.criteria(view.sides) if judged else None,
            self.reasons: compare_sides.criteria(view),
            self.threads: compare_sides.threads(view),
            self.table: compare_table.table(view),
        }


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    CompareTab(page)
