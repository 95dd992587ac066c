"""The upper part of the Compare tab: what to compare, and which runs."""

from __future__ import annotations

import base64
import secrets
from urllib.parse import urlencode

from supportops_env.models import TicketView
from ui import texts as common
from ui.state_compare import PAGE, CompareView, RunRow
from ui.texts import compare as texts
from ui.views.icons import icon
from ui.views.text import esc, grade, moment, paragraphs


def bar(view: CompareView) -> str:
    """One episode or a whole task, the filter, and what the last action led to."""
    modes = "".join(
        f'<button type="button" data-act="mode" data-value="{mode}" data-key="mode-{mode}"'
        f' aria-pressed="{_bool(view.mode == mode)}">{label}</button>'
        for mode, label in texts.MODES.items()
    )
    failed = (
        f'<button type="button" class="btn toggle" data-act="failed" data-key="failed"'
        f' data-value="{_bool(not view.failed_only)}" aria-pressed="{_bool(view.failed_only)}"'
        f' title="{texts.FAILED_TITLE}">{texts.FAILED_ONLY}</button>'
    )
    download = (
        f'<button type="button" class="btn" data-act="download" data-key="download">'
        f"{icon('down')}{texts.DOWNLOAD}</button>"
    )
    return (
        f'<div class="cmp-bar"><h2>{texts.TITLE}</h2><div class="seg" role="group"'
        f' aria-label="{texts.MODE}">{modes}</div>{failed}{download}</div>'
    )


def take(text: str, name: str) -> str:
    """A file for the browser to take home; see compare.js."""
    data = base64.b64encode(text.encode()).decode()
    return f'<span hidden data-take="{secrets.token_hex(4)}" data-name="{esc(name)}" data-file="{data}"></span>'


def notice(view: CompareView) -> str:
    """What happened, or why nothing did."""
    if view.notice is None:
        return ""
    role, tone = ("alert", " error") if view.notice.error else ("status", "")
    return f'<p class="cmp-notice{tone}" role="{role}">{esc(view.notice.text)}</p>'


def choose(view: CompareView) -> str:
    """The episode, its ticket, and the list of its runs."""
    if view.loading:
        return f'<div class="cmp-card"><p class="quiet">{texts.LOADING} …</p>{_BONES}</div>'
    if view.mode != "episode":
        return ""
    return (
        f'<section class="cmp-card" aria-label="{texts.RUNS}">{_episodes(view)}{_ticket(view)}'
        f"{_runs(view)}{_play(view)}</section>"
    )


_BONES = '<div class="skeleton"></div><div class="skeleton tall"></div>'


def _episodes(view: CompareView) -> str:
    groups: dict[str, str] = {}
    for option in view.options:
        chosen = " selected" if option.value == view.value else ""
        groups[option.group] = groups.get(option.group, "") + (
            f'<option value="{esc(option.value)}"{chosen}>{esc(option.label)}</option>'
        )
    options = "".join(
        f'<optgroup label="{esc(name)}">{inner}</optgroup>' for name, inner in groups.items()
    )
    playing = (
        f'<button type="button" class="btn" data-act="playing" data-key="playing">'
        f"{texts.GO_PLAYING}</button>"
        if view.playing
        else ""
    )
    kinds = "".join(
        f'<option value="{kind}"{" selected" if kind == view.kind else ""}>{label}</option>'
        for kind, label in texts.KINDS.items()
    )
    return (
        f'<div class="cmp-pick"><div class="field wide"><label for="pick-episode">{texts.EPISODE}'
        f'</label><select id="pick-episode" data-act="episode" data-key="episode">{options}</select>'
        f'</div><div class="field"><label for="pick-kind">{texts.KIND}</label>'
        f'<select id="pick-kind" data-act="kind" data-key="kind">{kinds}</select></div>{playing}</div>'
    )


def _ticket(view: CompareView) -> str:
    if not view.tickets:
        return ""
    inner = "".join(_message(t) for t in view.tickets)
    title = view.title or texts.SET.format(n=view.item_id.rpartition("-")[2])
    crumbs = f"{esc(view.task_name)}, {esc(common.SPLITS.get(view.split, view.split))}"
    return (
        f'<details class="cmp-ticket" data-keep="cmp-ticket"><summary><code>{esc(view.item_id)}</code>'
        f' <strong dir="auto">{esc(title)}</strong> <span class="quiet">{crumbs}</span></summary>'
        f"{inner}</details>"
    )


def _message(ticket: TicketView) -> str:
    return (
        f'<div class="cmp-message"><p class="quiet">{esc(ticket.customer_name)}'
        f" ({esc(ticket.customer_tier)}), {esc(moment(ticket.created_at))}</p>"
        f'<p dir="auto"><strong>{esc(ticket.subject)}</strong></p>{paragraphs(ticket.body)}</div>'
    )


def _runs(view: CompareView) -> str:
    if not view.rows:
        title, text = texts.NO_RUNS_FILTERED if _filtered(view) else texts.NO_RUNS
        return (
            f'<div class="nothing" role="status">{icon("inbox")}<h3>{title}</h3><p>{text}</p></div>'
        )
    heads = "".join(f'<th scope="col">{h}</th>' for h in texts.COLUMNS)
    rows = "".join(_row(r) for r in view.rows)
    return (
        f'<p class="quiet hint-scroll">{texts.SCROLL_HINT}</p>'
        f'<div class="wide-table" tabindex="0" role="region" aria-label="{texts.RUNS}">'
        f'<table class="runs"><thead><tr>{heads}<th><span class="sr">{texts.LINK}</span></th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>{_pages(view)}"
    )


def _filtered(view: CompareView) -> bool:
    return bool(view.failed_only or view.kind)


def _row(row: RunRow) -> str:
    name = esc(row.player)
    label = (texts.TAKE_OUT if row.chosen else texts.TAKE).format(name=row.player)
    box = (
        f'<button type="button" class="tick" role="checkbox" aria-checked="{_bool(row.chosen)}"'
        f' data-act="toggle" data-value="{esc(row.run_id)}" data-key="take-{esc(row.run_id)}"'
        f' aria-label="{esc(label)}">{icon("check") if row.chosen else ""}</button>'
    )
    tone = "" if row.grade is None else " loss" if row.failed else " gain"
    when = f'<span class="quiet">{esc(moment(row.when))}</span>' if row.when else ""
    source = esc(texts.SOURCES.get(row.source, row.source))
    return (
        f'<tr class="{"on" if row.chosen else ""}"><td>{box}</td>'
        f'<th scope="row"><bdi>{name}</bdi> {kind_chip(row.kind)}{marks(row)}</th>'
        f'<td class="num{tone}">{graded(row)}</td><td class="num">{row.steps}</td>'
        f'<td class="num">{row.seed}</td><td>{source} {when}</td>'
        f'<td class="acts"><div>{_against(row)}{_link(row)}{_delete(row)}</div></td></tr>'
    )


def graded(row: RunRow) -> str:
    """A run's grade, or what ended it without one."""
    if row.grade is None:
        return f'<span class="quiet">{esc(texts.ENDINGS.get(row.ending, row.ending))}</span>'
    return grade(row.grade)


def kind_chip(kind: str) -> str:
    """Person, model or policy."""
    return f'<span class="chip tier">{esc(texts.KIND_ONE.get(kind, kind))}</span>'


def marks(row: RunRow) -> str:
    """What has to be known about a grade: the baseline's, graded anew, in part."""
    out = ""
    if row.baseline:
        out += f'<span class="chip base">{texts.BASELINE}</span>'
    if row.source == "file":
        said = texts.REGRADED_TITLE.format(then=grade(row.then), grader=row.grader_then)
        out += (
            f'<span class="chip again" tabindex="0" data-tip="{esc(said)}">{texts.REGRADED}'
            f'<span class="sr">. {esc(said)}</span></span>'
        )
    if row.knobs:
        out += f'<span class="chip again">{esc(texts.KNOBS.format(knobs=row.knobs))}</span>'
    if row.partial:
        out += f'<span class="chip again">{texts.PARTIAL}</span>'
    return out


def _against(row: RunRow) -> str:
    if not row.chosen or row.baseline:
        return ""
    name = esc(texts.AS_BASELINE_NAME.format(name=row.player))
    return (
        f'<button type="button" class="btn small" data-act="against" data-value="{esc(row.run_id)}"'
        f' data-key="base-{esc(row.run_id)}" aria-label="{name}">{texts.AS_BASELINE}</button>'
    )


def _link(row: RunRow) -> str:
    if not row.link:
        return ""
    name = esc(texts.LINK_NAME.format(name=row.player))
    return (
        f'<a class="btn small" href="?{esc(urlencode({"run": row.link}))}" aria-label="{name}">'
        f"{icon('link')}{texts.LINK}</a>"
    )


def _delete(row: RunRow) -> str:
    if not row.mine:
        return ""
    stored = row.source == "store"
    label, name, sure = texts.PUT_AWAY, texts.PUT_AWAY_NAME, ""
    if stored:
        label, name, sure = texts.DELETE, texts.DELETE_NAME, f' data-sure="{texts.SURE}"'
    return (
        f'<button type="button" class="btn small" data-act="delete" data-value="{esc(row.run_id)}"'
        f' data-key="delete-{esc(row.run_id)}"{sure} aria-label="{esc(name.format(name=row.player))}">'
        f"{icon('bin') if stored else ''}{label}</button>"
    )


def _pages(view: CompareView) -> str:
    if view.total <= PAGE:
        return ""
    last = min(view.offset + PAGE, view.total)
    said = texts.PAGE.format(first=view.offset + 1, last=last, total=view.total)
    newer, older = max(0, view.offset - PAGE), view.offset + PAGE
    buttons = ""
    if view.offset:
        buttons += _turn(texts.LESS, newer, "newer")
    if last < view.total:
        buttons += _turn(texts.MORE, older, "older")
    return f'<p class="cmp-pages"><span class="quiet">{said}</span>{buttons}</p>'


def _turn(label: str, offset: int, key: str) -> str:
    return (
        f'<button type="button" class="btn small" data-act="page" data-value="{offset}"'
        f' data-key="{key}">{label}</button>'
    )


def _play(view: CompareView) -> str:
    if not view.can_play:
        return ""
    hint = texts.PLAY_HINT.get(view.split, "")
    return (
        f'<p class="cmp-play"><button type="button" class="btn" data-act="baselines"'
        f' data-key="baselines">{icon("again")}{texts.PLAY_BASELINES}</button>'
        f'<span class="quiet">{hint}</span></p>'
    )


def _bool(value: bool) -> str:
    return "true" if value else "false"
