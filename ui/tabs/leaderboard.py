"""The Leaderboard tab: who scores how much, with intervals, by task, by player, by category."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

import gradio as gr

from runs.errors import StoreError
from ui.page import Page, chart, drawn, markup
from ui.service.leaderboard import Leaderboard
from ui.state_leaderboard import BoardView
from ui.texts import leaderboard as texts
from ui.views import leaderboard as views

LABEL = texts.LABEL

#: What the browser sends with a handler's other inputs: the secret that its runs belong to.
_OWNER = "(_, ...rest) => [window.supportops ? window.supportops.read('owner') || '' : '', ...rest]"


class LeaderboardTab:
    """The tab's components, and what a view sets in them."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        self.wanted = gr.State({})
        self.owner = gr.Textbox(visible=False)
        with gr.Column(elem_id="board", elem_classes=["sheet"]):
            self.head = markup(views.heading(None), "board-head")
            self.means = _hidden("board-means", texts.MEANS)
            self.table = markup("", "board-table")
            self.heat_head = markup("", "board-heat-head")
            self.heat = _hidden("board-heat", texts.HEAT)
            self.detail = markup("", "board-detail")
            self.category_head = markup("", "board-category-head")
            self.category = _hidden("board-category", texts.CATEGORY_HEAT)
            with gr.Row(elem_id="board-confusions"):
                with gr.Column():
                    self.categories_head = markup("", "board-categories-head")
                    self.categories = _hidden("board-categories", texts.CONFUSION["categories"][0])
                with gr.Column():
                    self.priorities_head = markup("", "board-priorities-head")
                    self.priorities = _hidden("board-priorities", texts.CONFUSION["priorities"][0])
            self.costs = markup("", "board-costs")
            self.own = markup("", "board-own")
        self.shown = [
            *(self.head, self.means, self.table, self.heat_head, self.heat, self.detail),
            *(self.category_head, self.category, self.categories_head, self.categories),
            *(self.priorities_head, self.priorities, self.costs),
        ]
        self._made = lru_cache(maxsize=64)(self._make)
        page.on(page.tab.select, self.look, [self.wanted], self.shown)
        page.on(page.tab.select, self.mine, [self.owner], [self.own], js=_OWNER)
        for view in (self.head, self.detail):
            page.on(
                view.select,
                self.choose,
                [self.wanted],
                [self.wanted, *self.shown],
                trigger_mode="multiple",  # a choice while another one is on its way counts too
            )
        page.on(
            self.own.select,
            self.delete,
            [self.owner, self.wanted],
            [self.own, *self.shown],
            js=_OWNER,
        )

    @property
    def service(self) -> Leaderboard:
        """What the handlers call."""
        return self.page.service.leaderboard

    async def look(self, wanted: Any) -> dict[Any, Any]:
        """The tab opened: what is shown may have changed."""
        view = await asyncio.to_thread(self.service.view, **_plain(wanted))
        return self._show(view)

    async def choose(self, event: gr.EventData, wanted: Any) -> dict[Any, Any]:
        """A filter or another player was chosen."""
        sent = event._data if isinstance(event._data, dict) else {}
        now = _plain(wanted) | _plain(sent)
        view = await asyncio.to_thread(self.service.view, **now)
        return {self.wanted: now, **self._show(view)}

    async def mine(self, owner: Any) -> str:
        """How many runs are this browser's own."""
        try:
            return views.own(await asyncio.to_thread(self.service.own, owner))
        except StoreError:
            return views.own(0, news=texts.STORE_FAILED, error=True)

    async def delete(self, event: gr.EventData, owner: Any, wanted: Any) -> dict[Any, Any]:
        """Delete this browser's runs, after asking."""
        sent = event._data if isinstance(event._data, dict) else {}
        try:
            if sent.get("act") != "delete":
                count = await asyncio.to_thread(self.service.own, owner)
                return {self.own: views.own(count, sure=sent.get("act") == "ask")}
            gone = await asyncio.to_thread(self.service.delete_own, owner)
        except StoreError:
            return {self.own: views.own(0, news=texts.STORE_FAILED, error=True)}
        news = texts.DELETED.format(runs=views.runs(gone))
        return {self.own: views.own(0, news=news), **await self.look(wanted)}

    def _show(self, view: BoardView) -> dict[Any, Any]:
        # Gradio empties the updates that it gets, so only what is in them is kept.
        pages, figures = self._made(view)
        return pages | {place: drawn(figure) for place, figure in figures.items()}

    def _make(self, view: BoardView) -> tuple[dict[Any, Any], dict[Any, Any]]:
        pages = {
            self.head: views.heading(view),
            self.table: views.standings(view),
            self.heat_head: views.heat_heading(view),
            self.detail: views.detail(view),
            self.category_head: views.category_heading(view),
            self.categories_head: views.confusion_heading(view, "categories"),
            self.priorities_head: views.confusion_heading(view, "priorities"),
            self.costs: views.costs(view),
        }
        figures = {
            self.means: views.means(view),
            self.heat: views.heat(view),
            self.category: views.category_heat(view),
            self.categories: views.confusion(view, "categories"),
            self.priorities: views.confusion(view, "priorities"),
        }
        return pages, figures


def _hidden(elem_id: str, label: str) -> gr.Plot:
    return chart(elem_id, label, visible=False)


def _plain(sent: Any) -> dict[str, Any]:
    return {k: v for k, v in sent.items() if k in views.WANTED} if isinstance(sent, dict) else {}


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    LeaderboardTab(page)
