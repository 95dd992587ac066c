"""The API tab: the episode on screen as curl, Python and WebSocket, and the way to the docs."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui.page import Page, markup
from ui.texts import api as texts
from ui.views import api as views

LABEL = texts.LABEL

#: Only the browser knows the address under which it reached the console.
_LOCATION = "() => [location.href]"


class ApiTab:
    """Snippets that follow the Play tab."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        self.location = gr.Textbox(visible=False)
        self.sheet = markup(views.api(None), "api")
        for trigger in (page.tab.select, page.opened.change):
            page.on(trigger, self.show, [self.location], [self.sheet], js=_LOCATION)

    def show(self, location: Any, request: gr.Request) -> str:
        """The snippets of the episode that stands in Play."""
        here = f"{request.url.scheme}://{request.url.netloc}/web"
        return views.api(self.page.service.api.now(request.session_hash, location, here))


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    ApiTab(page)
