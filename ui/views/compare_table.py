"""A whole task: episodes against players, with what each has over the baseline."""

from __future__ import annotations

from ui import texts as common
from ui.state_compare import Cell, Column, CompareView, TableRow, TaskTable
from ui.texts import compare as texts
from ui.views.compare import kind_chip
from ui.views.compare_sides import baseline_note
from ui.views.icons import icon
from ui.views.text import esc, grade, points


def table(view: CompareView) -> str:
    """Task, split and players to choose, and the table."""
    found = view.table
    if view.mode != "task" or found is None:
        return ""
    tasks = "".join(
        f'<option value="{esc(i)}"{" selected" if i == view.task else ""}>{esc(name)}</option>'
        for i, name in view.tasks
    )
    splits = "".join(
        f'<button type="button" data-act="split" data-value="{esc(s)}" data-key="split-{esc(s)}"'
        f' aria-pressed="{"true" if s == view.split else "false"}">{esc(common.SPLITS.get(s, s))}</button>'
        for s in view.splits
    )
    return (
        f'<section class="cmp-card" aria-label="{texts.EPISODES}"><div class="cmp-pick">'
        f'<div class="field"><label for="pick-task">{texts.TASK}</label><select id="pick-task"'
        f' data-act="task" data-key="task">{tasks}</select></div><div class="field"><span id="cmp-split">{texts.SPLIT}</span><div class="seg"'
        f' role="group" aria-labelledby="cmp-split">{splits}</div></div></div>{_players(found)}'
        f"{_body(view, found)}{baseline_note(view)}{_versions(found)}</section>"
    )


def _players(found: TaskTable) -> str:
    if len(found.columns) < 2:
        return ""
    chips = "".join(
        f'<button type="button" class="btn small toggle" data-act="player" data-value="{esc(c.key)}"'
        f' data-key="player-{esc(c.key)}" aria-pressed="{"true" if c.shown else "false"}">'
        f"<bdi>{esc(c.player)}</bdi></button>"
        for c in found.columns
    )
    return (
        f'<div class="cmp-players" role="group" aria-label="{texts.PLAYERS}">'
        f'<span class="label">{texts.PLAYERS}</span>{chips}</div>'
    )


def _body(view: CompareView, found: TaskTable) -> str:
    columns = [c for c in found.columns if c.shown]
    if not found.rows:
        title, text = texts.NO_TABLE_FAILED if view.failed_only else texts.NO_TABLE
        return (
            f'<div class="nothing" role="status">{icon("inbox")}<h3>{title}</h3><p>{text}</p></div>'
        )
    heads = "".join(_head(c) for c in columns)
    means = "".join(_mean(c) for c in columns)
    rows = "".join(_row(r) for r in found.rows)
    width = 150 + 130 * len(columns)
    return (
        f'<p class="quiet hint-scroll">{texts.SCROLL_HINT}</p>'
        f'<div class="wide-table grades" tabindex="0" role="region" aria-label="{texts.EPISODES}">'
        f'<table style="min-width:{width}px"><thead><tr><th scope="col">{texts.HEAD}</th>{heads}</tr>'
        f'</thead><tbody><tr class="means"><th scope="row">{texts.MEAN}</th>{means}</tr>{rows}</tbody>'
        f"</table></div>"
    )


def _head(column: Column) -> str:
    base = f'<span class="chip base">{texts.BASELINE}</span>' if column.baseline else ""
    return f'<th scope="col"><bdi>{esc(column.player)}</bdi> {kind_chip(column.kind)}{base}</th>'


def _mean(column: Column) -> str:
    over = texts.MEAN_OVER_ONE if column.items == 1 else texts.MEAN_OVER.format(n=column.items)
    delta = ""
    if column.delta is not None:
        said = texts.MEAN_DELTA.format(delta=points(column.delta), n=column.shared)
        delta = f'<span class="{_tone(column.delta)} delta">{said}</span>'
    return (
        f'<td><span class="num">{grade(column.mean)}</span>{delta}'
        f'<span class="quiet">{over}</span></td>'
    )


def _row(row: TableRow) -> str:
    name = esc(texts.OPEN_ROW.format(item=row.item_id))
    cells = "".join(_cell(c) for c in row.cells)
    return (
        f'<tr><th scope="row"><button type="button" class="link" data-act="episode"'
        f' data-value="{esc(row.value)}" data-key="row-{esc(row.item_id)}" aria-label="{name}">'
        f'<code>{esc(row.item_id)}</code> <span dir="auto">{esc(row.title)}</span></button></th>'
        f"{cells}</tr>"
    )


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return '<td class="quiet">–</td>'
    several = (
        f' <span class="times" title="{texts.TIMES_TITLE.format(n=cell.runs)}">'
        f"{texts.TIMES.format(n=cell.runs)}</span>"
        if cell.runs > 1
        else ""
    )
    if cell.grade is None:
        return f'<td class="quiet">{texts.NO_GRADE}</td>'
    tone = "loss" if cell.grade < 0.5 else "gain"
    delta = (
        f'<span class="{_tone(cell.delta)} delta">{points(cell.delta)}</span>'
        if cell.delta is not None
        else ""
    )
    return f'<td><span class="num {tone}">{grade(cell.grade)}</span>{several}{delta}</td>'


def _tone(value: float) -> str:
    return "gain" if value > 0.0005 else "loss" if value < -0.0005 else "zero"


def _versions(found: TaskTable) -> str:
    said = texts.TABLE_VERSIONS.format(data=found.versions[0], grader=found.versions[1])
    if found.other_versions:
        said += " " + texts.OTHER_VERSIONS.format(n=found.other_versions)
    return f'<p class="quiet">{esc(said)}</p>'
