"""The Watch tab: choose who plays, press Start, and see every step with its points."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import gradio as gr

from env.addresses import client_address
from ui import views
from ui.page import Page, markup
from ui.service.watch import Watch, Wish
from ui.state import PlayView
from ui.state_watch import WatchView
from ui.tabs.play import COMPARE
from ui.tabs.play import LABEL as PLAY
from ui.texts import watch as words
from ui.views import watch as parts

LABEL = words.TITLE
SEATS = 4
"""How many runs are played at once, of all visitors together; others wait."""

_NO_FILL = gr.InputHTMLAttributes(autocomplete="off", spellcheck=False, autocapitalize="off")
# A password manager may neither fill in nor keep a key.
_NO_KEEP = gr.InputHTMLAttributes(autocomplete="new-password", spellcheck=False)


class WatchTab:
    """The tab's components, and what a view sets in them."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        nobody = PlayView("loading")
        with gr.Row(elem_id="watch"):
            with gr.Column(elem_id="watch-setup"):
                with gr.Column(elem_id="watch-choices"):
                    self._choices()
                with gr.Row(elem_id="watch-go"):
                    self.start = gr.Button(
                        words.START, variant="primary", elem_id="watch-start", min_width=0
                    )
                    self.stop = gr.Button(
                        words.STOP, variant="stop", elem_id="watch-stop", visible=False, min_width=0
                    )
            with gr.Column(elem_id="watch-desk"):
                self.head = markup(views.head(nobody), "watch-head")
                self.thread = markup(views.thread(nobody), "watch-thread")
                with gr.Column(elem_id="watch-foot"):
                    self.progress = markup("", "watch-status")
                    self.halt = markup("", "watch-halt")
                    self.afterwards = markup("", "watch-after")
            with gr.Column(elem_id="watch-panel"):
                self.score = markup(views.score(nobody), "watch-score")
                self.rewards = markup(views.rewards(nobody), "watch-rewards")
                self.hits = markup("", "watch-hits")
                self.customer = markup("", "watch-customer")
        self.shown = [
            *(self.head, self.thread, self.progress, self.halt, self.afterwards),
            *(self.score, self.rewards, self.hits, self.customer),
            *(self.start, self.stop),
        ]
        self._attach()

    def _choices(self) -> None:
        settings, offered = self.service.settings, self.service.offered
        markup(parts.intro(), "watch-intro")
        self.where = gr.Radio(
            [(label, name) for name, label in words.EPISODES.items()],
            value="play",
            label=words.EPISODE,
            elem_id="watch-where",
        )
        self.who = gr.Radio(
            [(t, name) for name, t in words.PLAYERS.items() if name != "server" or offered],
            value="keyword",
            label=words.WHO,
            elem_id="watch-who",
        )
        self.allowed = () if settings.any_base_url else settings.base_origins
        self.about = markup(parts.about("keyword", offered, self.allowed), "watch-about")
        with gr.Column(elem_id="watch-own", visible=False) as self.own:
            self.url = gr.Textbox(
                words.BASE_URL_DEFAULT,
                label=words.BASE_URL,
                max_lines=1,
                html_attributes=_NO_FILL,
                elem_id="watch-url",
            )
            self.model = gr.Textbox(
                words.MODEL_DEFAULT,
                label=words.MODEL,
                max_lines=1,
                html_attributes=_NO_FILL,
                elem_id="watch-model",
            )
            self.key = gr.Textbox(
                label=words.KEY,
                placeholder=words.KEY_HINT,
                type="password",
                max_lines=1,
                html_attributes=_NO_KEEP,
                elem_id="watch-key",
            )
        self.mode = gr.Radio(
            [(label, name) for name, label in words.MODES.items()],
            value="plan",
            label=words.MODE,
            visible=False,
            elem_id="watch-mode",
        )
        self.pace = gr.Radio(
            [(label, name) for name, label in words.PACES.items()],
            value="normal",
            label=words.SPEED,
            elem_id="watch-pace",
        )

    def _attach(self) -> None:
        page, shown = self.page, self.shown
        episode = [self.where, page.task, page.split, page.seed, self.who]
        wish = [*episode, self.pace, self.mode, self.url, self.model, self.key]
        page.on(page.tab.select, self.look, episode, shown)
        page.on(self.where.input, self.look, episode, shown)
        page.on(self.who.input, self.choose, episode, [*shown, self.about, self.own, self.mode])
        # First what is shown while a seat is waited for, then the run itself.
        waiting = page.on(self.start.click, self.wait, episode, shown)
        running = page.on(
            waiting.then,
            self.play,
            wish,
            shown,
            concurrency_id="model",
            concurrency_limit=SEATS,
        )
        for trigger in (self.stop.click, self.halt.select):
            stopping = page.on(trigger, None, cancels=[running])
            page.on(stopping.then, self.end, episode, shown)
        page.on(self.afterwards.select, self.go_on, [], [page.tabs, page.entered])

    @property
    def service(self) -> Watch:
        """What the handlers call."""
        return self.page.service.watch

    async def look(self, request: gr.Request, *sent: Any) -> dict[Any, Any]:
        """The tab was opened, or another episode chosen."""
        return self.render(self.service.look(request.session_hash, Wish(*sent)))

    async def choose(
        self, where: Any, task: Any, split: Any, seed: Any, who: Any, request: gr.Request
    ) -> dict[Any, Any]:
        """Another player was chosen."""
        view = self.service.look(request.session_hash, Wish(where, task, split, seed, who))
        return {
            **self.render(view),
            self.about: parts.about(who, self.service.offered, self.allowed),
            self.own: gr.update(visible=who == "model"),
            self.mode: gr.update(visible=who in ("model", "server")),
        }

    async def wait(self, request: gr.Request, *sent: Any) -> dict[Any, Any]:
        """Start was pressed; the run begins once a seat is free."""
        return self.render(self.service.wait(request.session_hash, Wish(*sent)))

    async def play(self, request: gr.Request, *sent: Any) -> AsyncIterator[dict[Any, Any]]:
        """The run, view by view. While only seconds go by, only their line is sent."""
        address = client_address(request, self.service.settings.proxies)
        change = None
        async with aclosing(self.service.play(request.session_hash, address, Wish(*sent))) as run:
            async for view in run:
                if view.change == change and view.phase == "running":
                    yield {self.progress: parts.progress(view)}
                else:
                    yield self.render(view)
                change = view.change

    async def end(self, request: gr.Request, *sent: Any) -> dict[Any, Any]:
        """Stop was pressed."""
        return self.render(await self.service.stop(request.session_hash, Wish(*sent)))

    async def go_on(self, event: gr.EventData, request: gr.Request) -> dict[Any, Any]:
        """From a run that is over to Compare, or to its episode in Play."""
        sent = event._data if isinstance(event._data, dict) else {}
        visitor, tabs = request.session_hash, self.page.tabs
        if sent.get("act") == "compare":
            # The Compare tab, once it is seen, asks what to show: see ui/tabs/compare.py.
            await self.page.service.compare.link(visitor, sent.get("value"))
            return {tabs: gr.Tabs(selected=COMPARE)}
        if not self.service.yourself(visitor):
            return {tabs: gr.skip()}
        return {tabs: gr.Tabs(selected=PLAY), self.page.entered: secrets.token_hex(8)}

    def render(self, view: WatchView) -> dict[Any, Any]:
        """What a view sets. The key's field is never among it."""
        on = view.phase in ("waiting", "running")
        played = view.play
        return {
            self.head: views.head(played),
            self.thread: views.thread(played) if played.obs else parts.nothing(view),
            self.progress: parts.progress(view),
            self.halt: parts.halt(view),
            self.afterwards: parts.afterwards(view),
            self.score: views.score(played),
            self.rewards: views.rewards(played),
            self.hits: views.knowledge(played),
            self.customer: views.customer(played),
            self.start: gr.update(visible=not on),
            self.stop: gr.update(visible=on),
        }


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    WatchTab(page)
