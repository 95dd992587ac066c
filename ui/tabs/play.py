"""The Play tab: a queue, a thread with its composer, and the panel that explains every point."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import gradio as gr

from ui import texts, views
from ui.page import Page, markup
from ui.service.people import MAX_NAME
from ui.service.play import Play
from ui.state import PlayView

LABEL, COMPARE = "Play", "Compare"

#: What the browser sends when the page opens: the run it was playing, and the link's arguments.
_OPENING = """() => [JSON.stringify({...(window.supportops ? window.supportops.visitor() : {}),
    link: location.search})]"""


class PlayTab:
    """The tab's components, and what a view sets in them."""

    def __init__(self, page: Page) -> None:
        """Lay the tab out, within the tab that is being built, and attach the handlers."""
        self.page = page
        loading = PlayView("loading")
        self.opening = gr.Textbox(visible=False)
        with gr.Row(elem_id="play"):
            with gr.Column(elem_id="queue-col"):
                self.queue = markup(views.queue(loading), "queue")
            with gr.Column(elem_id="desk-col"):
                self.head = markup(views.head(loading), "head")
                self.thread = markup(views.thread(loading), "thread")
                with gr.Column(elem_id="composer"):
                    self._composer(loading)
            with gr.Column(elem_id="panel-col"):
                self.score = markup(views.score(loading), "score")
                self.rewards = markup(views.rewards(loading), "rewards")
                with gr.Column(elem_id="kb", visible=False) as self.kb:
                    self._knowledge()
                self.customer = markup("", "customer")
        self.shown = [
            *(
                self.opening,
                self.queue,
                self.head,
                self.thread,
                self.status,
                self.actions,
                self.finish,
            ),
            self.tools,
            *(self.score, self.rewards, self.hits, self.customer, self.kb, self.query),
            *(self.reply, self.reply_box, self.send),
            *(self.escalation, self.escalate, self.resolution, self.resolve),
            *(self.reason, self.note, page.task, page.split, page.seed),
            *(page.opened, page.tabs, self.naming, self.name_box),
        ]
        self._attach()

    def _composer(self, view: PlayView) -> None:
        self.status = markup(views.status(view), "status")
        self.actions = markup(views.actions(view), "actions")
        with gr.Row(elem_id="escalation", elem_classes=["drawer"], visible=False) as escalation:
            self.reason = gr.Textbox(label=texts.ESCALATE_REASON, elem_id="reason", max_lines=1)
            self.escalate = gr.Button(texts.ESCALATE_NOW, elem_id="escalate", min_width=0)
        with gr.Row(elem_id="resolution", elem_classes=["drawer"], visible=False) as resolution:
            self.note = gr.Textbox(label=texts.RESOLVE_REASON, elem_id="note", max_lines=1)
            self.resolve = gr.Button(texts.RESOLVE_NOW, elem_id="resolve", min_width=0)
        with gr.Column(elem_id="reply-box", visible=False) as reply_box:
            self.reply = gr.Textbox(
                label=texts.REPLY,
                placeholder=texts.REPLY_PLACEHOLDER,
                lines=3,
                max_lines=14,
                elem_id="reply",
            )
            with gr.Row(elem_id="send-row"):
                self.tools = markup("", "tools-bar")
                gr.HTML(views.counter(), elem_id="counter-box", apply_default_css=False)
                self.send = gr.Button("", variant="primary", elem_id="send", min_width=0)
        self.finish = markup("", "finish")
        with gr.Row(elem_id="naming", visible=False) as self.naming:
            self.name_box = gr.Textbox(
                label=texts.NAME_LABEL,
                placeholder=texts.NAME_HINT,
                max_length=MAX_NAME,
                max_lines=1,
                elem_id="name",
            )
            self.name_save = gr.Button(texts.NAME_SAVE, elem_id="name-save", min_width=0)
        self.escalation, self.resolution, self.reply_box = escalation, resolution, reply_box

    def _knowledge(self) -> None:
        with gr.Row(elem_id="kb-row"):
            self.query = gr.Textbox(
                label=texts.KB_QUERY, placeholder=texts.KB_PLACEHOLDER, max_lines=1, elem_id="query"
            )
            self.search = gr.Button(texts.KB_GO, elem_id="search", min_width=0)
        self.hits = markup("", "hits")

    def _attach(self) -> None:
        page, shown = self.page, self.shown
        header = [page.task, page.split, page.seed]
        page.on(page.demo.load, self.open, [self.opening], shown, js=_OPENING)
        page.on(page.entered.change, self.refresh, [], shown)
        for view in (self.queue, self.head, self.thread, self.actions, self.finish, self.hits):
            page.on(view.select, self.choose, [*header, self.reply], shown)
        for trigger in (page.task.input, page.split.input, page.seed.submit, page.seed.blur):
            page.on(trigger, self.begin, [*header, self.reply], shown)
        page.on(self.send.click, self.write, [self.reply], shown)
        for trigger in (self.escalate.click, self.reason.submit):
            page.on(trigger, self.acting("escalate"), [self.reason], shown)
        for trigger in (self.resolve.click, self.note.submit):
            page.on(trigger, self.acting("mark_resolved"), [self.note], shown)
        for trigger in (self.query.submit, self.search.click):
            page.on(trigger, self.acting("search_kb"), [self.query], shown)

        for trigger in (self.name_box.submit, self.name_save.click):
            page.on(trigger, self.name, [self.name_box], shown)

    @property
    def service(self) -> Play:
        """What the handlers call."""
        return self.page.service.play

    async def open(self, opening: Any, request: gr.Request) -> dict[Any, Any]:
        """The page opened: go on with its run, or play what its link names, or the first episode."""
        visitor = request.session_hash
        try:
            sent = json.loads(opening)
            run, link = sent.get("run"), parse_qs(str(sent.get("link", "")).lstrip("?"))
            person = self.service.people.meet(visitor, sent.get("owner"), sent.get("name"))
        except (TypeError, ValueError, AttributeError):
            run, link, person = None, {}, self.service.people.of(visitor)
        asked = {k: v[0] for k, v in link.items() if k in ("task", "split", "seed", "index")}
        view = await self.service.resume(visitor, run)
        if view is None or (asked and not _is_of(view, asked)):
            view = self.service.link(visitor, asked)
        return self.render(view, started=True) | {self.name_box: person.name}

    def refresh(self, request: gr.Request) -> dict[Any, Any]:
        """Another tab changed what this visitor plays."""
        return self.render(self.service.now(request.session_hash), started=True)

    async def choose(
        self,
        event: gr.EventData,
        task: Any,
        split: Any,
        seed: Any,
        reply: Any,
        request: gr.Request,
    ) -> dict[Any, Any]:
        """A button in one of the views was pressed."""
        sent = event._data if isinstance(event._data, dict) else {}
        visitor, act = request.session_hash, sent.get("act")
        if act == "new" or (act == "next" and not sent.get("ticket")):
            return self.render(self.service.new(visitor, task, split, seed, reply), started=True)
        if act == "again":
            return self.render(self.service.again(visitor, reply), started=True)
        if act == "builtin":
            return self.render(self.service.leave(visitor), started=True)
        if act == "compare":
            # The Compare tab, once it is seen, asks what to show: see ui/tabs/compare.py.
            await self.page.service.compare.with_baselines(visitor)
            return {self.page.tabs: gr.Tabs(selected=COMPARE)}
        if act in ("pick", "next"):
            return self.render(self.service.pick(visitor, sent.get("ticket"), reply), started=True)
        if act == "priority":
            named = {"ticket_id": sent.get("ticket"), "priority": sent.get("value")}
            return self.render(await self.service.act(visitor, "set_priority", **named))
        kind = {"classify": "classify", "open": "search_kb"}.get(str(act))
        return self.render(await self.service.act(visitor, kind, text=sent.get("value")))

    async def begin(
        self, task: Any, split: Any, seed: Any, reply: Any, request: gr.Request
    ) -> dict[Any, Any]:
        """The header's controls were used: start what they name, unless that is on already."""
        obs = self.service.now(request.session_hash).obs
        if obs is not None and (obs.task_id, obs.split, obs.seed) == (task, split, seed):
            return {self.opening: gr.skip()}
        view = self.service.begin(request.session_hash, task, split, seed, unsent=reply)
        return self.render(view, started=True)

    async def write(self, reply: Any, request: gr.Request) -> dict[Any, Any]:
        """Send the reply, or save the draft: whichever the task takes."""
        return self.render(await self.service.write(request.session_hash, reply))

    async def name(self, name: Any, request: gr.Request) -> dict[Any, Any]:
        """Show the visitor's runs under a name."""
        return self.render(await self.service.name(request.session_hash, name))

    def acting(self, action_type: str) -> Any:
        """A handler that takes one text as an action."""

        async def act(text: Any, request: gr.Request) -> dict[Any, Any]:
            return self.render(
                await self.service.act(request.session_hash, action_type, text=text or "")
            )

        return act

    def render(self, view: PlayView, started: bool = False) -> dict[Any, Any]:
        """What a view sets. A refused action leaves every text where it is."""
        offered = view.obs.available_actions if view.obs else ()
        drafts = "draft_response" in offered
        send = texts.SEND["draft_response" if drafts else "respond"]
        taken = {s.action_type for s in view.steps}
        if "draft_response" in taken:
            send = texts.SEND_AGAIN
        updates: dict[Any, Any] = {
            self.head: views.head(view),
            self.thread: views.thread(view),
            self.status: views.status(view),
            self.actions: views.actions(view),
            self.tools: views.tools(view),
            self.finish: views.finish(view),
            self.score: views.score(view),
            self.rewards: views.rewards(view),
            self.hits: views.knowledge(view),
            self.customer: views.customer(view),
            self.kb: gr.update(visible="search_kb" in offered),
            self.reply_box: gr.update(visible=drafts or "respond" in offered),
            self.send: gr.update(value=send),
            self.escalation: gr.update(visible="escalate" in offered and "escalate" not in taken),
            self.resolution: gr.update(visible="mark_resolved" in offered),
            self.page.opened: f"{view.run_id} {view.item_id}",
            self.naming: gr.update(visible=view.phase == "done" and not view.dataset),
        }
        if started or view.phase != "running":
            updates[self.queue] = views.queue(view)
        refused = view.notice is not None and view.notice.error
        if view.obs is not None and not refused:
            updates |= self._texts(view, started)
        elif view.obs is not None and started:
            updates |= {self.page.task: view.obs.task_id, self.page.split: view.obs.split}
        return updates

    def _texts(self, view: PlayView, started: bool) -> dict[Any, Any]:
        obs = view.obs
        if started and obs is not None:
            return {
                self.reply: view.draft,
                self.query: "",
                self.reason: "",
                self.note: "",
                self.page.task: gr.update(choices=list(view.tasks), value=obs.task_id),
                self.page.split: obs.split,
                self.page.seed: obs.seed,
            }
        if view.steps and view.steps[-1].action_type == "respond":
            return {self.reply: ""}
        return {}


def _is_of(view: PlayView, asked: dict[str, str]) -> bool:
    obs = view.obs
    if obs is None:
        return False
    has = {"task": obs.task_id, "split": obs.split, "seed": obs.seed, "index": obs.index}
    return all(str(has[k]) == v for k, v in asked.items())


def build(page: Page) -> None:
    """Build the tab within the current tab context."""
    PlayTab(page)
