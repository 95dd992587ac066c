"""The Watch tab's own parts: what is chosen, how the run stands, what to do with it afterwards."""

from __future__ import annotations

from ui import texts
from ui.state_watch import ServerModel, WatchView
from ui.texts import watch as words
from ui.views.icons import icon
from ui.views.text import esc


def intro() -> str:
    """What the tab is for."""
    return f'<h2>{words.TITLE}</h2><p class="hint">{words.HINT}</p>'


def about(who: object, offered: ServerModel | None, allowed: tuple[str, ...]) -> str:
    """What the chosen player is, and what happens to a key.

    Args:
        who: The player's id.
        offered: This server's model, where there is one.
        allowed: The model servers that may be named; empty where any may.
    """
    text = words.ABOUT.get(who if isinstance(who, str) else "", "")
    if who == "server" and offered is not None:
        text = text.format(name=offered.name, each=offered.per_visitor, all=offered.per_hour)
    more = ""
    if who == "model":
        if allowed:
            hosts = ", ".join(allowed)
            more += f'<p class="hint">{esc(words.ALLOWED.format(allowed=hosts))}</p>'
        more += f'<p class="hint">{words.PRIVACY}</p>'
    return f'<p class="hint">{esc(text)}</p>{more}'


def progress(view: WatchView) -> str:
    """The line under the thread: steps, who does what, tokens, and errors."""
    if view.play.obs is None:
        return f'<div class="status" data-watch="{view.phase}">{_notice(view)}</div>'
    used, most = len(view.play.steps), view.play.max_steps
    form = texts.STEPS_DONE if view.phase == "ended" else texts.STEPS
    spent = ""
    if view.tokens is not None and view.calls:
        form_spent = words.TOKENS_ONE if view.calls == 1 else words.TOKENS
        spent = f'<span class="spent">{form_spent.format(n=view.tokens, calls=view.calls)}</span>'
    return (
        f'<div class="status" data-watch="{view.phase}" data-stop="{esc(view.stop)}">'
        f'<span class="steps">{form.format(used=used, most=most)}</span>{_doing(view)}{spent}'
        f"{_notice(view)}</div>"
    )


def _doing(view: WatchView) -> str:
    if view.phase == "idle":
        return f'<p class="feedback">{esc(words.IDLE.format(name=view.player))}</p>'
    if view.phase == "waiting":
        return f'<p class="feedback" role="status">{words.WAITING}</p>'
    if view.phase == "running":
        # Read out once a step and not once a second: the thread is the live region.
        text = words.NEXT_STEP.format(name=view.player)
        if view.thinking_s is not None:
            text = words.THINKING.format(name=view.player, n=view.thinking_s)
        return f'<p class="feedback busy-dot">{esc(text)}</p>'
    kept = words.KEPT if view.stored else words.NOT_KEPT
    kept = kept if view.kept else words.OWN_DATA
    ended = words.ENDED[view.stop].format(name=view.player)
    return f'<p class="feedback" role="status">{esc(ended)} {kept}</p>'


def _notice(view: WatchView) -> str:
    if view.notice is None:
        return ""
    role, kind = ("alert", " error") if view.notice.error else ("status", "")
    return f'<p class="feedback{kind}" role="{role}">{esc(view.notice.text)}</p>'


def nothing(view: WatchView) -> str:
    """What stands in the thread's place while there is no episode."""
    text = view.notice.text if view.notice else texts.EMPTY[1]
    return (
        '<div class="scroll" tabindex="0" role="region" data-phase="empty" data-steps="0"'
        f' aria-label="{texts.THREAD}"><div class="nothing" role="status">{icon("inbox")}'
        f"<h3>{texts.EMPTY[0]}</h3><p>{esc(text)}</p></div></div>"
    )


def afterwards(view: WatchView) -> str:
    """Where to go from a run that is over."""
    obs = view.play.obs
    if view.phase != "ended" or obs is None:
        return ""
    compare = ""
    if view.kept and view.stored:
        compare = (
            '<button type="button" class="btn primary" data-act="compare" data-key="watch-compare"'
            f' data-value="{esc(view.run_id)}">{icon("compare")}{words.COMPARE}</button>'
        )
    return (
        f'<div class="finish">{compare}<button type="button" class="btn" data-act="yourself"'
        f' data-key="watch-yourself">{icon("play")}{words.YOURSELF}</button></div>'
    )


def halt(view: WatchView) -> str:
    """A second way to stop, for where all stands below each other: the first is out of sight."""
    if view.phase not in ("waiting", "running"):
        return ""
    return (
        '<div class="finish narrow"><button type="button" class="btn" data-act="stop"'
        f' data-key="watch-halt">{icon("stop")}{words.STOP}</button></div>'
    )
