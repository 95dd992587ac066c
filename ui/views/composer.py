"""What stands under the thread: where the episode is, what can be done, and what to do at its end."""

from __future__ import annotations

import base64

from supportops_env.models import MAX_TEXT
from ui import texts
from ui.state import PlayView
from ui.views.icons import icon
from ui.views.text import by_hand, esc


def status(view: PlayView) -> str:
    """Steps used, and the feedback of the last action or the reason of a refusal."""
    if view.obs is None:
        return f'<div class="status">{_message(view, "")}</div>'
    used, most = len(view.steps), view.max_steps
    steps = texts.STEPS if view.phase == "running" else texts.STEPS_DONE
    label = steps.format(used=used, most=most)
    hint = "" if used or not view.obs.available_actions else _ready(view)
    return (
        f'<div class="status"><span class="steps">{label}</span>'
        f"{_message(view, by_hand(view.obs.feedback) or hint)}</div>"
    )


def _ready(view: PlayView) -> str:
    actions = view.obs.available_actions if view.obs else ()
    return next((text for name, text in reversed(texts.READY.items()) if name in actions), "")


def _message(view: PlayView, feedback: str) -> str:
    notice = view.notice
    if notice is None:
        return f'<p class="feedback" role="status">{esc(feedback)}</p>'
    if notice.error:
        return f'<p class="feedback error" role="alert">{esc(notice.text)}</p>'
    said = f'<p class="feedback" role="status">{esc(notice.text)}</p>'
    return (f'<p class="feedback">{esc(feedback)}</p>' if feedback else "") + said


def actions(view: PlayView) -> str:
    """The category buttons, where the task takes a category."""
    offered = view.obs.available_actions if view.obs else ()
    names = view.obs.categories if view.obs else ()
    return _categories(view, names) if "classify" in offered else ""


def tools(view: PlayView) -> str:
    """Beside the send button: canned openings, and what else the task offers."""
    obs = view.obs
    offered = obs.available_actions if obs else ()
    if obs is None or obs.ticket is None or not {"respond", "draft_response"} & {*offered}:
        return ""
    escalated = any(step.action_type == "escalate" for step in view.steps)
    return _tools(obs.ticket.customer_name, offered, escalated)


def _categories(view: PlayView, names: tuple[str, ...]) -> str:
    first = next((s.text for s in view.steps if s.action_type == "classify"), None)
    if first is not None:
        return f'<p class="settled">{icon("tag")}{esc(texts.CATEGORY_SET.format(text=first))}</p>'
    buttons = "".join(
        f'<button type="button" data-act="classify" data-value="{esc(c)}" data-key="cat-{n}"'
        f' aria-pressed="false">{esc(c)}</button>'
        for n, c in enumerate(names)
    )
    return (
        f'<div class="pick"><span class="label" id="cat-label">{texts.CATEGORY}</span>'
        f'<div class="seg" role="group" aria-labelledby="cat-label">{buttons}</div></div>'
    )


def _tools(name: str, offered: tuple[str, ...], escalated: bool) -> str:
    macros = "".join(_macro("start", *m, name) for m in texts.OPENINGS)
    macros += "".join(_macro("end", *m, name) for m in texts.CLOSINGS)
    drawers = ""
    if escalated:
        drawers += f'<p class="settled">{icon("up")}{texts.ESCALATED}</p>'
    elif "escalate" in offered:
        drawers += _drawer("escalate", texts.ESCALATE, "up", "e")
    if "mark_resolved" in offered:
        drawers += _drawer("resolve", texts.RESOLVE, "check", "")
    return (
        f'<div class="bar"><div class="macros" role="group" aria-label="{texts.MACROS_LABEL}">{macros}'
        f"</div>{drawers}</div>"
    )


def _macro(where: str, label: str, text: str, name: str) -> str:
    first = name.split()[0] if name.split() else name
    filled = esc(text.format(first=first, name=name))
    return (
        f'<button type="button" class="btn small" data-insert="{filled}" data-where="{where}"'
        f' data-key="macro-{esc(label)}">{esc(label)}</button>'
    )


def _drawer(name: str, label: str, symbol: str, key: str) -> str:
    hint = f" <kbd>{key}</kbd>" if key else ""
    return (
        f'<button type="button" class="btn" data-drawer="{name}" aria-expanded="false"'
        f' data-key="drawer-{name}">{icon(symbol)}{label}{hint}</button>'
    )


def counter() -> str:
    """How long the reply is; the browser counts."""
    return (
        f'<p id="counter" data-most="{MAX_TEXT}" data-count="{texts.COUNT}"'
        f' data-over="{texts.COUNT_OVER}"></p>'
    )


def _remembered(name: str | None) -> str:
    """Tells the browser which name to remember."""
    return "" if name is None else f' data-name="{esc(name)}"'


def finish(view: PlayView) -> str:
    """What to do after the end: again, next, download."""
    if view.phase != "done":
        return ""
    data = base64.b64encode(view.export.encode()).decode()
    obs = view.obs
    following = texts.NEXT_SET if obs and obs.tickets else texts.NEXT
    name = f"supportops-{obs.task_id}-{view.item_id}-seed{obs.seed}.json" if obs else "episode.json"
    compare = (
        f'<button type="button" class="btn" data-act="compare">{icon("compare")}'
        f"{texts.COMPARE_RUN}</button>"
    )
    return (
        f'<div class="finish"{_remembered(view.name)}>'
        f'<button type="button" class="btn primary" data-act="next" data-ticket="{esc(view.next_id or "")}">'
        f"{following}{icon('next')}</button>"
        f'<button type="button" class="btn" data-act="again">{icon("again")}{texts.AGAIN}</button>'
        f"{'' if view.dataset else compare}"
        f'<a class="btn" download="{esc(name)}" href="data:application/json;base64,{data}">'
        f'{icon("down")}<span class="sr">{texts.DOWNLOAD[0]} </span>{texts.DOWNLOAD[1]}</a></div>'
    )
