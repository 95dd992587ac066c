"""The Audit tab: verdict, check by task, what the hill-climber found, and measuring it here."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

from env.tasks import FAMILIES
from policies.audit_report import ALL_TASKS, RENEW, AuditReport, AuditRow, BestReply
from ui.state_audit import AuditView, Wanted
from ui.texts import audit as texts
from ui.texts.leaderboard import SHORT
from ui.views.icons import icon
from ui.views.leaderboard import select
from ui.views.text import esc, grade, moment

WANTED = tuple(f.name for f in fields(Wanted))
"""The fields that the tab's forms send."""

_pick = partial(select, lead="audit-")
_NAMES = {f.id: f.name for f in FAMILIES}
_TONES = {"PASS": "gain", "FAIL": "loss", "WARN": "warn", "SKIP": "zero"}
_WORST = ("FAIL", "WARN", "SKIP", "PASS")


def heading(view: AuditView | None) -> str:
    """What the tab is for, the verdict, what it holds for, and what is shown below."""
    head = f'<header class="sheet-head"><h2>{texts.TITLE}</h2><p>{texts.LEAD}</p></header>'
    if view is None:
        return head + '<div class="skeleton tall"></div>' * 3
    if view.report is None:
        title, text = texts.BROKEN
        return (
            f'{head}<div class="nothing" role="alert">{icon("alert")}<h3>{title}</h3>'
            f"<p>{esc(text.format(problem=view.problem))}</p><p><code>{esc(RENEW)}</code></p></div>"
            f"{_filters(view)}"
        )
    return f"{head}{_verdict(view, view.report)}{_filters(view)}"


def _verdict(view: AuditView, report: AuditReport) -> str:
    counted = Counter(r.status for r in report.rows)
    counts = "".join(
        f"<li>{_pill(s if counted[s] else 'SKIP', shape.format(n=counted[s]))}<span>{texts.STATUS[s]}</span></li>"
        for s, shape in texts.COUNTS.items()
        if counted[s] or s != "WARN"
    )
    title = texts.PASSED if report.passed else texts.FAILED
    kind = texts.QUICK if report.quick else texts.FULL
    here = view.wanted.source == "here"
    facts = {
        "kind": (texts.HERE_KIND if here else texts.SHIPPED_KIND).format(kind=kind),
        "when": moment(view.here) if here else f"{report.measured.day} {report.measured:%B %Y}",
        "data": report.data_version,
        "grader": report.grader_version,
        "seed": report.seed,
    }
    listed = "".join(
        f"<div><dt>{texts.FACTS[k]}</dt><dd>{esc(v)}</dd></div>" for k, v in facts.items()
    )
    notes = [texts.QUICK_NOTE] if report.quick else []
    if (report.data_version, report.grader_version) != view.present:
        notes.append(
            texts.OLD.format(
                data=report.data_version,
                grader=report.grader_version,
                now_data=view.present[0],
                now_grader=view.present[1],
            )
        )
    told = "".join(f'<p class="note">{icon("note")}<span>{esc(n)}</span></p>' for n in notes)
    return (
        f'<section class="verdict-box {"gain" if report.passed else "loss"}" aria-label="{title}">'
        f"<h3>{icon('check' if report.passed else 'alert')}{title}</h3>"
        f'<ul class="counts">{counts}</ul>'
        f'<button type="button" class="btn small" data-act="download" data-key="audit-download">'
        f"{icon('down')}{texts.DOWNLOAD}</button>"
        f'<dl class="facts">{listed}</dl></section>{told}'
    )


def _filters(view: AuditView) -> str:
    w, tasks = view.wanted, view.report.tasks if view.report else ()
    sources = [("shipped", texts.SOURCES["shipped"])]
    if view.here:
        sources.append(("here", texts.SOURCES["here"].format(when=moment(view.here))))
    found = Counter(r.status for r in view.report.rows) if view.report else Counter()
    results = [(s, texts.COUNTS[s].format(n=found[s])) for s in _WORST if found[s] or s == w.status]
    return (
        f'<form class="filters" data-act="filter" aria-label="{texts.FILTERS}">'
        f"{_pick('source', texts.SOURCE, sources, w.source)}"
        f"{_pick('task', texts.TASK, [('', texts.ALL_TASKS), *((t, _NAMES.get(t, t)) for t in tasks)], w.task)}"
        f"{_pick('status', texts.RESULT, [('', texts.ALL_RESULTS), *results], w.status)}</form>"
    )


def _pill(status: str, text: str = "") -> str:
    return f'<span class="pill {_TONES[status]}">{esc(text or status)}</span>'


# -- the checks --------------------------------------------------------------------------------


def table(view: AuditView) -> str:
    """Check by task at a glance, every check with its figures, and the hill-climber's best."""
    report, w = view.report, view.wanted
    if report is None:
        return ""
    tasks = [t for t in report.tasks if w.task in ("", t)]
    rows = [
        r
        for r in report.rows
        if (not w.task or r.task in (w.task, ALL_TASKS)) and w.status in ("", r.status)
    ]
    if not rows:
        title, text = texts.NOTHING
        return (
            f'<div class="nothing" role="status">{icon("inbox")}<h3>{title}</h3><p>{text}</p></div>'
        )
    return (
        f"<h3>{texts.OVERVIEW}</h3>{_overview(rows, tasks)}"
        f"<h3>{texts.TABLE}</h3>{_details(rows)}"
        f"{_climber(report, tasks)}"
    )


def _checks(rows: Iterable[AuditRow]) -> list[tuple[str, list[str]]]:
    """The checks of some rows, by group; unknown ones last, so that none is ever left out."""
    there = list(dict.fromkeys(r.check for r in rows))
    groups = [(name, [c for c in checks if c in there]) for name, checks in texts.GROUPS.items()]
    groups.append(("", [c for c in there if c not in texts.CHECKS]))
    return [(name, checks) for name, checks in groups if checks]


def _overview(rows: Sequence[AuditRow], tasks: Sequence[str]) -> str:
    columns = [*tasks, *([ALL_TASKS] if any(r.task == ALL_TASKS for r in rows) else [])]
    head = "".join(f'<th scope="col">{esc(_short(t))}</th>' for t in columns)
    body = []
    for name, checks in _checks(rows):
        if name:
            body.append(
                f'<tr class="part"><th colspan="{len(columns) + 1}" scope="colgroup">{name}</th></tr>'
            )
        for check in checks:
            cells = "".join(
                f"<td>{_worst([r for r in rows if (r.check, r.task) == (check, t)])}</td>"
                for t in columns
            )
            body.append(f'<tr><th scope="row">{_title(check)}</th>{cells}</tr>')
    return _box(
        texts.OVERVIEW,
        f'<thead class="overview"><tr><th scope="col">{texts.OVERVIEW_HEAD}</th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody>",
    )


def _short(task: str) -> str:
    return texts.ALL if task == ALL_TASKS else SHORT.get(task, task)


def _title(check: str) -> str:
    title = texts.CHECKS.get(check, (check, ""))[0]
    return f'{esc(title)} <code class="quiet">{esc(check)}</code>'


def _worst(rows: Sequence[AuditRow]) -> str:
    if not rows:
        return '<span class="quiet">–</span>'
    return _pill(min((r.status for r in rows), key=_WORST.index))


def _details(rows: Sequence[AuditRow]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in texts.HEAD)
    tasks = {r.task for r in rows} - {ALL_TASKS}
    bodies = []
    for _, checks in _checks(rows):
        for check in checks:
            about = texts.CHECKS.get(check, ("", ""))[1]
            alike: dict[tuple[str, ...], list[str]] = {}
            for r in rows:
                if r.check == check:
                    found = (r.status, r.measured, r.bound, r.worst, r.reason)
                    alike.setdefault(found, []).append(r.task)
            shown = "".join(_row(*found, _among(of, tasks)) for found, of in alike.items())
            bodies.append(
                f'<tbody><tr class="check"><th colspan="{len(texts.HEAD)}" scope="colgroup"><div>'
                f"<strong>{_title(check)}</strong><p>{esc(about)}</p></div></th></tr>{shown}</tbody>"
            )
    return _box(texts.TABLE, f"<thead><tr>{head}</tr></thead>{''.join(bodies)}")


def _among(some: Sequence[str], tasks: set[str]) -> str:
    """Tasks that came out alike, by name; in one word where it is each of several."""
    if len(tasks) > 1 and set(some) == tasks:
        return texts.EACH
    return ", ".join(_short(t) for t in some)


def _row(status: str, measured: str, bound: str, worst: str, reason: str, tasks: str) -> str:
    why = f'<span class="why">{esc(reason)}</span>' if reason else ""
    return (
        f'<tr><th scope="row">{esc(tasks)}</th><td>{_pill(status)}</td>'
        f"<td>{esc(measured) or '–'}</td><td>{esc(bound) or '–'}</td>"
        f'<td class="wide">{esc(worst) or ("" if why else "–")}{why}</td></tr>'
    )


def _box(label: str, rows: str) -> str:
    return (
        f'<div class="board-box hint-wide" tabindex="0" role="region" aria-label="{esc(label)}">'
        f"<table>{rows}</table></div>"
    )


def _climber(report: AuditReport, tasks: Sequence[str]) -> str:
    by_task = {t: [c for c in report.climbs if c.task == t and c.value is not None] for t in tasks}
    found = {t: climbs for t, climbs in by_task.items() if climbs}
    head = f"<h3>{texts.CLIMBER}</h3>"
    if not found:
        return f'{head}<p class="quiet">{texts.CLIMBER_NONE}</p>'
    lead = texts.CLIMBER_LEAD.format(edits=max(c.edits for cs in found.values() for c in cs))
    columns = "".join(
        f'<th scope="col"{" class=num" if 0 < n < 5 else ""}>{name}'
        f"{f'<span class=sr>. {about}</span>' if about else ''}</th>"
        for n, (name, about) in enumerate(texts.CLIMBER_HEAD)
    )
    rows = "".join(_climbed(task, climbs) for task, climbs in found.items())
    best = "".join(_best(task, max(climbs, key=_grade)) for task, climbs in found.items())
    return (
        f'{head}<p class="quiet about">{lead}</p>'
        f"{_box(texts.CLIMBER, f'<thead><tr>{columns}</tr></thead><tbody>{rows}</tbody>')}{best}"
    )


def _grade(climb: BestReply) -> float:
    return climb.grade or 0.0


def _climbed(task: str, climbs: Sequence[BestReply]) -> str:
    best = max(climbs, key=_grade)
    cells = (
        str(len(climbs)),
        grade(statistics.fmean(_grade(c) for c in climbs)),
        grade(best.grade),
        grade(max(c.value or 0.0 for c in climbs)),
    )
    shown = "".join(f'<td class="num">{c}</td>' for c in cells)
    return f'<tr><th scope="row">{esc(_NAMES.get(task, task))}</th>{shown}<td>{esc(best.item)}</td></tr>'


def _best(task: str, climb: BestReply) -> str:
    said = texts.BEST_REPLY.format(
        task=_NAMES.get(task, task),
        item=climb.item,
        grade=grade(climb.grade),
        value=grade(climb.value),
    )
    return (
        f'<details class="how" data-keep="climb-{esc(task)}"><summary>{esc(said)}</summary>'
        f'<div class="plain climbed">{esc(climb.reply)}</div></details>'
    )


# -- measuring here ----------------------------------------------------------------------------


def here(view: AuditView) -> str:
    """What can be measured here, and the button; nothing to press while an audit goes on."""
    notice = ""
    if view.notice is not None:
        role, tone = ("alert", " error") if view.notice.error else ("status", "")
        notice = f'<p class="cmp-notice{tone}" role="{role}">{esc(view.notice.text)}</p>'
    if view.going is not None and not notice:
        named = _NAMES.get(view.going.task, texts.EVERY_TASK)
        said = texts.GOING[view.going.own].format(scope=named)
        notice = f'<p class="cmp-notice" role="status">{esc(said)}</p>'
    if not view.limit:
        return (
            f'<aside class="measure"><h3>{texts.HERE}</h3><p>{texts.NOT_HERE}</p>{notice}</aside>'
        )
    options = [("", texts.ALL_TASKS), *_NAMES.items()]
    form = "" if view.going else (
        '<div class="filters">'
        f"{_pick('scope', texts.SCOPE, options, view.wanted.scope, field=True)}"
        f'<button type="button" class="btn primary" data-act="run" data-key="audit-go">'
        f"{icon('play')}{texts.START}</button></div>"
    )  # fmt: skip
    return (
        f'<aside class="measure" aria-label="{texts.HERE}"><div class="offer"><div>'
        f"<h3>{texts.HERE}</h3><p>{texts.HERE_LEAD}</p></div>{form}</div>{notice}</aside>"
    )


def scope(sent: dict[str, Any]) -> object:
    """The task that was chosen beside the button, as the browser sent it."""
    try:
        chosen: object = json.loads(sent.get("fields") or "")["scope"]
    except (KeyError, TypeError, ValueError):
        return None
    return chosen


def going(view: AuditView) -> str:
    """How far the audit is that goes on; empty where none does."""
    run = view.going
    if run is None:
        return ""
    counted = texts.PROGRESS if run.total else texts.STARTED
    what = run.what
    for task, name in _NAMES.items():
        what = what.replace(task, name)
    told = counted.format(done=run.done, total=run.total, seconds=run.seconds)
    bar = f' max="{run.total}" value="{run.done}"' if run.total else ""
    button = (
        f'<button type="button" class="btn danger" data-act="cancel" data-key="audit-go">'
        f"{icon('stop')}{texts.CANCEL}</button>"
        if run.own
        else ""
    )
    return (
        f'<div class="going"><progress aria-label="{texts.BAR}"{bar}></progress>'
        f'<p class="quiet"><span>{esc(what or texts.STARTING)}</span><span>{told}</span></p>'
        f"{button}</div>"
    )
