"""The Audit tab: whether the grades hold, check by check; and a quick audit, played here."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui.page import Page, markup
from ui.service.audit import Audits
from ui.state_audit import AuditView
from ui.texts import audit as texts
from ui.views import audit as views
from ui.views.compare import take

LABEL = texts.LABEL

_TICK_S = 1.0


class AuditTab:
    """The tab's components, and what a view sets in them."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        self.wanted = gr.State({})
        # Ticks while an audit goes on, for everybody who looks; the run itself needs no listener.
        self.timer = gr.Timer(_TICK_S, active=False)
        with gr.Column(elem_id="audit", elem_classes=["sheet"]):
            self.head = markup(views.heading(None), "audit-head")
            self.here = markup("", "audit-here")
            self.going = markup("", "audit-going")
            self.table = markup("", "audit-table")
            self.take = markup("", "audit-take")
        self.shown = [self.wanted, self.timer, self.head, self.here, self.going, self.table]
        page.on(page.tab.select, self.look, [self.wanted], self.shown)
        page.on(self.timer.tick, self.follow, [self.wanted], self.shown)
        page.on(
            self.head.select,
            self.choose,
            [self.wanted],
            [*self.shown, self.take],
            trigger_mode="multiple",  # a choice while another one is on its way counts too
        )
        for view in (self.here, self.going):
            page.on(view.select, self.measure, [self.wanted], self.shown)

    @property
    def service(self) -> Audits:
        """What the handlers call."""
        return self.page.service.audits

    async def look(self, wanted: Any, request: gr.Request) -> dict[Any, Any]:
        """The tab was opened."""
        return self.render(self.service.view(request.session_hash, **_plain(wanted)))

    async def follow(self, wanted: Any, request: gr.Request) -> dict[Any, Any]:
        """A second went by. While the audit goes on only its line is sent."""
        view = self.service.follow(request.session_hash, **_plain(wanted))
        return {self.going: views.going(view)} if view.going else self.render(view)

    async def choose(self, event: gr.EventData, wanted: Any, request: gr.Request) -> dict[Any, Any]:
        """A filter was chosen, or the report is to be taken home."""
        sent = event._data if isinstance(event._data, dict) else {}
        now = _plain(wanted) | _plain(sent)
        if sent.get("act") == "download":
            file = self.service.download(**_plain(wanted))
            return {self.take: take(*file) if file else gr.skip()}
        shown = self.render(self.service.view(request.session_hash, **now))
        del shown[self.here]  # a task may be chosen there, and not sent yet
        return shown

    async def measure(
        self, event: gr.EventData, wanted: Any, request: gr.Request
    ) -> dict[Any, Any]:
        """A quick audit begins, or is cancelled."""
        sent = event._data if isinstance(event._data, dict) else {}
        visitor, now = request.session_hash, _plain(wanted)
        if sent.get("act") == "cancel":
            return self.render(await self.service.cancel(visitor, **now))
        return self.render(self.service.start(visitor, views.scope(sent), **now))

    def render(self, view: AuditView) -> dict[Any, Any]:
        """What a view sets."""
        w = view.wanted
        return {
            self.wanted: {n: getattr(w, n) for n in views.WANTED},
            self.timer: gr.Timer(active=view.going is not None),
            self.head: views.heading(view),
            self.here: views.here(view),
            self.going: views.going(view),
            self.table: views.table(view),
        }


def _plain(sent: Any) -> dict[str, Any]:
    return {k: v for k, v in sent.items() if k in views.WANTED} if isinstance(sent, dict) else {}


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    AuditTab(page)
