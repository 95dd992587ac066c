"""The Data tab: bring a file, see what became of it, and the built-in data's card."""

from __future__ import annotations

import base64

from ui import texts as common
from ui.state_data import DataCard, DataView, ImportView
from ui.texts import data as texts
from ui.views.icons import icon
from ui.views.text import esc


def picker(view: DataView) -> str:
    """The place to drop a file on, and what a file needs. Static."""
    hint = texts.DROP_HINT.format(mb=f"{view.most_bytes / 1e6:g}", tickets=view.most_tickets)
    needs = "".join(f"<li>{esc(row)}</li>" for row in texts.NEEDS_ROWS)
    return (
        f'<header class="sheet-head"><h2>{texts.TITLE}</h2><p>{texts.LEAD}</p></header>'
        f'<label class="drop" data-most="{view.most_bytes}" data-large="'
        f'{esc(texts.TOO_LARGE.format(most=f"{view.most_bytes / 1e6:g}"))}"'
        f' data-failed="{esc(texts.UPLOAD_FAILED)}"><input type="file" class="sr">'
        f"{icon('up')}<strong>{texts.DROP}</strong><span>{hint}</span></label>"
        f'<p class="feedback error drop-error" role="alert"></p>'
        f'<details class="needs" open><summary>{texts.NEEDS}</summary><ul>{needs}</ul>'
        f"{_file(texts.TEMPLATE_NAME, texts.TEMPLATE_CSV, texts.TEMPLATE, 'btn small')}</details>"
    )


def report(view: DataView) -> str:
    """What became of the visitor's file."""
    error = f'<p class="feedback error" role="alert">{esc(view.error)}</p>' if view.error else ""
    playing = ""
    if view.playing:
        said = esc(texts.PLAYING.format(name=view.playing))
        playing = (
            f'<div class="own-data" role="status">{icon("note")}<p>{said}</p><button type="button"'
            f' class="btn small" data-act="builtin">{texts.BACK}</button></div>'
        )
    if view.found is None:
        return error + playing
    return f'{error}{playing}<div class="report">{_verdict(view.found)}{_body(view.found)}</div>'


def card(view: DataView) -> str:
    """The built-in data: versions, sizes, and the file of it."""
    data = view.card
    facts = (
        (texts.NAME, data.name),
        (texts.DATA_VERSION, data.version),
        (texts.GRADER, data.grader),
        (texts.TICKETS[False].format(n=0).split()[-1].capitalize(), data.tickets),
        (texts.ARTICLES, data.articles),
    )
    shown = "".join(f"<div><dt>{k}</dt><dd><code>{esc(v)}</code></dd></div>" for k, v in facts)
    link = ""
    if data.csv:
        label = texts.DOWNLOAD.format(name=data.csv_name)
        link = _file(data.csv_name, data.csv, label, "btn")
    return (
        f'<section class="data-card" aria-label="{texts.CARD}"><h3>{texts.CARD}</h3>'
        f'<p class="quiet">{texts.CARD_LEAD}</p><dl class="facts">{shown}</dl>{_sizes(data)}{link}'
        "</section>"
    )


def _sizes(data: DataCard) -> str:
    splits = [name for name, _ in data.tasks[0].sizes] if data.tasks else []
    head = f'<th scope="col">{texts.TASK}</th>' + "".join(
        f'<th scope="col" class="num">{esc(common.SPLITS.get(s, s))}</th>' for s in splits
    )
    rows = "".join(
        f'<tr><th scope="row">{esc(task.name)}</th>'
        + "".join(f'<td class="num">{count}</td>' for _, count in task.sizes)
        + "</tr>"
        for task in data.tasks
    )
    return _table(texts.CARD, head, rows)


def _verdict(found: ImportView) -> str:
    name = esc(found.name)
    if not found.playable:
        return (
            f"<header><h3>{texts.NOT_READY.format(name=name)}</h3></header>"
            f'<p class="feedback error" role="alert">{esc(found.error)}</p>'
        )
    count = texts.TICKETS[found.rows == 1].format(n=found.rows)
    return (
        f'<header role="status"><h3>{texts.READY.format(name=name, n=count)}</h3>'
        f'<button type="button" class="btn primary" data-act="play">{texts.PLAY}{icon("next")}'
        "</button></header>"
    )


def _body(found: ImportView) -> str:
    parts = []
    if found.read_as:
        encoding, delimiter = found.read_as
        facts = (
            (texts.ROWS, f"{found.rows:,}"),
            (texts.SKIPPED, f"{found.skipped_count:,}"),
            (texts.ENCODING, encoding),
            (texts.DELIMITER, delimiter),
        )
        shown = "".join(
            f"<div><dt>{k}</dt><dd><code>{esc(v)}</code></dd></div>" for k, v in facts if v
        )
        parts.append(f'<dl class="facts">{shown}</dl>')
    if found.tasks:
        parts.append(f"<h4>{texts.TASKS}</h4>{_tasks(found)}")
    if found.columns:
        parts.append(f"<h4>{texts.COLUMNS}</h4>{_columns(found)}")
    if found.samples:
        parts.append(f"<h4>{texts.FIRST_TICKETS}</h4>{_samples(found)}")
    if found.skipped:
        parts.append(f"<h4>{texts.SKIPPED_ROWS}</h4>{_skipped(found)}")
    if found.warnings:
        rows = "".join(f"<li>{esc(w)}</li>" for w in found.warnings)
        parts.append(f'<h4>{texts.WARNINGS}</h4><ul class="warnings">{rows}</ul>')
    return "".join(parts)


def _tasks(found: ImportView) -> str:
    shown = [
        (name, count, why or ("" if count else texts.NO_LABEL.get(name, "")))
        for name, count, why in found.tasks
        if count or why or name in texts.NO_LABEL
    ]
    titles = [texts.TASK, texts.SPLIT_ROWS, *([texts.WHY] if any(w for _, _, w in shown) else [])]
    head = "".join(
        f'<th scope="col"{" class=num" if t == texts.SPLIT_ROWS else ""}>{t}</th>' for t in titles
    )
    rows = "".join(
        f'<tr><th scope="row">{esc(name)}</th><td class="num">{count or texts.NONE_HERE}</td>'
        + (f"<td>{esc(why)}</td>" if len(titles) > 2 else "")
        + "</tr>"
        for name, count, why in shown
    )
    return _table(texts.TASKS, head, rows)


def _columns(found: ImportView) -> str:
    rows = ""
    for n, field in enumerate(found.fields):
        name = texts.FIELDS.get(field, field.replace("_", " ").capitalize())
        chosen = found.mapping.get(field, "")
        options = "".join(
            f'<option value="{esc(title)}"{" selected" if title == chosen else ""}>'
            f"{esc(title[:80] or texts.LEFT_OUT)}</option>"
            for title in ("", *found.columns)
        )
        rows += (
            f'<div><label for="field-{n}">{esc(name)}</label><select id="field-{n}"'
            f' data-field="{esc(field)}" data-key="field-{n}">{options}</select></div>'
        )
    return (
        f'<div class="fields">{rows}</div><button type="button" class="btn" data-act="map"'
        f' data-key="map">{texts.READ_AGAIN}</button>'
    )


def _samples(found: ImportView) -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{esc(s.ticket_id)}</code></th><td dir="auto">{esc(s.subject)}</td>'
        f'<td dir="auto">{esc(s.body)}</td><td>{esc(s.customer)}</td></tr>'
        for s in found.samples
    )
    titles = (texts.FIELDS["ticket_id"], texts.FIELDS["subject"], texts.MESSAGE, texts.CUSTOMER)
    head = "".join(f'<th scope="col">{h}</th>' for h in titles)
    return _table(texts.FIRST_TICKETS, head, rows)


def _skipped(found: ImportView) -> str:
    rows = "".join(
        f'<tr><th scope="row" class="num">{line}</th><td>{esc(why)}</td></tr>'
        for line, why in found.skipped
    )
    head = f'<th scope="col">{texts.LINE_HEAD}</th><th scope="col">{texts.WHY}</th>'
    more = found.skipped_count - len(found.skipped)
    note = f'<p class="quiet">{texts.MORE.format(n=more)}</p>' if more > 0 else ""
    return _table(texts.SKIPPED_ROWS, head, rows) + note


def _table(name: str, head: str, rows: str) -> str:
    return (
        f'<div class="wide-table hint-wide" tabindex="0" role="region" aria-label="{name}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _file(name: str, content: str, label: str, look: str) -> str:
    data = base64.b64encode(content.encode()).decode()
    return (
        f'<a class="{look}" download="{esc(name)}" href="data:text/csv;charset=utf-8;base64,{data}">'
        f"{icon('down')}{esc(label)}</a>"
    )
