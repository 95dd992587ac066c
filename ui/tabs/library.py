"""The Knowledge base tab: search, ranking scores, and a reader. `?kb=ID` opens an article."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import gradio as gr

from ui.page import Page, markup
from ui.service.library import MAX_QUERY, Library
from ui.state_library import LibraryView
from ui.texts import library as texts
from ui.views import library as views

LABEL = texts.LABEL

_LINK = "() => [location.search]"


class LibraryTab:
    """The list of articles and the reader beside it."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        self.link = gr.Textbox(visible=False)
        all_articles = self.service.search(None, "")
        with gr.Row(elem_id="library"):
            with gr.Column(elem_id="library-list"):
                markup(views.heading(), "library-head")
                with gr.Row(elem_id="library-row"):
                    self.query = gr.Textbox(
                        label=texts.QUERY,
                        placeholder=texts.PLACEHOLDER,
                        max_lines=1,
                        max_length=MAX_QUERY,
                        elem_id="library-query",
                    )
                    self.go = gr.Button(texts.GO, min_width=0, elem_id="library-go")
                self.articles = markup(views.articles(all_articles), "articles")
            with gr.Column(elem_id="library-reader"):
                self.reader = markup(views.reader(LibraryView()), "reader")
        shown = [self.query, self.articles, self.reader]
        page.on(page.demo.load, self.open, [self.link], [page.tabs, *shown], js=_LINK)
        for trigger in (self.query.submit, self.go.click, page.tab.select):
            page.on(trigger, self.search, [self.query], shown)
        for view in (self.articles, self.reader):
            page.on(view.select, self.choose, [], shown)

    @property
    def service(self) -> Library:
        """What the handlers call."""
        return self.page.service.library

    def open(self, link: Any, request: gr.Request) -> dict[Any, Any]:
        """The page opened: show the article that its link names, if it names one."""
        asked = parse_qs(str(link).lstrip("?")).get("kb")
        if not asked:
            return {self.query: gr.skip()}
        view = self.service.read(request.session_hash, asked[0])
        return {self.page.tabs: gr.update(selected=LABEL), self.reader: views.reader(view)}

    def search(self, query: Any, request: gr.Request) -> dict[Any, Any]:
        """Search, or list all; an id opens its article."""
        view = self.service.search(request.session_hash, query)
        updates = {self.articles: views.articles(view)}
        return updates | ({self.reader: views.reader(view)} if view.reading else {})

    def choose(self, event: gr.EventData, request: gr.Request) -> dict[Any, Any]:
        """A button in the list was pressed."""
        sent = event._data if isinstance(event._data, dict) else {}
        visitor = request.session_hash
        if sent.get("act") == "all":
            return {self.query: "", self.articles: views.articles(self.service.search(visitor, ""))}
        return {self.reader: views.reader(self.service.read(visitor, sent.get("value")))}


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    LibraryTab(page)
