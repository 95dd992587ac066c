"""The comparison itself: who got what, the criteria, and the steps of all runs, aligned."""

from __future__ import annotations

from collections.abc import Sequence

from supportops_env.models import RewardLine
from ui import texts as common
from ui.state import StepView
from ui.state_compare import CompareView, Side
from ui.texts import compare as texts
from ui.views import charts
from ui.views.compare import graded, kind_chip, marks
from ui.views.icons import icon
from ui.views.panel import rule_name
from ui.views.text import by_hand, esc, grade, paragraphs, points
from ui.views.thread import ICONS, pill, step_title

_LONG = 320


def sides(view: CompareView) -> str:
    """A card for each run: its colour in the charts, grade, and difference from the baseline."""
    if not view.sides:
        return ""
    base = next((s for s in view.sides if s.row.baseline), view.sides[0])
    cards = "".join(_card(s, n, base) for n, s in enumerate(view.sides))
    alone = f'<p class="quiet">{texts.ALONE}</p>' if len(view.sides) == 1 else ""
    return (
        f'<section class="cmp-sides" aria-label="{texts.SIDES}"><h2>{texts.SIDES}</h2>'
        f'<ul class="cmp-cards">{cards}</ul>{alone}{baseline_note(view)}</section>'
    )


def baseline_note(view: CompareView) -> str:
    """Why the default baseline is the one it is."""
    said = esc(texts.BASE_NOTE.format(note=view.baseline_note.rstrip(".")))
    return f'<p class="quiet base-note">{said}</p>'


def _card(side: Side, n: int, base: Side) -> str:
    row = side.row
    tone = "zero" if row.grade is None else "loss" if row.failed else "gain"
    delta = ""
    if side.delta is not None:
        said = texts.DELTA.format(delta=points(side.delta), name=base.row.player)
        way = "gain" if side.delta > 0.0005 else "loss" if side.delta < -0.0005 else "zero"
        delta = f'<p class="cmp-delta {way}">{esc(said)}</p>'
    versions = texts.VERSIONS if side.compares else texts.NOT_COMPARABLE
    said = versions.format(data=row.data_version, grader=row.grader_version)
    warn = "" if side.compares else " warn"
    problem = (
        f'<p class="quiet warn">{esc(texts.AS_STORED.format(why=side.problem))}</p>'
        if side.problem
        else ""
    )
    return (
        f'<li class="cmp-side" style="--c:{charts.SERIES[n]}"><p class="who">{swatch(n)}'
        f"<strong><bdi>{esc(row.player)}</bdi></strong>{kind_chip(row.kind)}{marks(row)}</p>"
        f'<p class="cmp-grade {tone}"><output>{graded(row)}</output></p>{delta}'
        f'<p class="quiet{warn}">{esc(said)}</p>{problem}</li>'
    )


def swatch(n: int) -> str:
    """The colour and the mark that a run has in the charts."""
    return f'<i class="swatch s{n}" style="--c:{charts.SERIES[n]}" aria-hidden="true"></i>'


def criteria(view: CompareView) -> str:
    """The values of the chart of criteria as a table, with the reasons."""
    names = list(dict.fromkeys((c.id, c.name) for s in view.sides for c in s.criteria))
    if not names:
        return ""
    heads = "".join(
        f'<th scope="col">{swatch(n)}<bdi>{esc(s.row.player)}</bdi></th>'
        for n, s in enumerate(view.sides)
    )
    rows = ""
    for key, name in names:
        cells = ""
        for side in view.sides:
            found = next((c for c in side.criteria if c.id == key), None)
            if found is None:
                cells += "<td>–</td>"
                continue
            shown = common.NOT_JUDGED if found.value is None else grade(found.value)
            cells += (
                f'<td><span class="num">{shown}</span><p class="why">{esc(found.reason)}</p></td>'
            )
        rows += f'<tr><th scope="row">{esc(name)}</th>{cells}</tr>'
    return (
        f'<details class="cmp-criteria" data-keep="cmp-criteria"><summary>{texts.CRITERIA_TABLE}'
        f'</summary><div class="wide-table" tabindex="0" role="region" aria-label="{texts.CRITERIA_CHART}">'
        f'<table><thead><tr><th scope="col">{texts.CRITERION}</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def threads(view: CompareView) -> str:
    """Every step of every run, a row for each number; the first difference is marked."""
    most = max((len(s.steps) for s in view.sides), default=0)
    if not most:
        return ""
    heads = "".join(_head(s, n) for n, s in enumerate(view.sides))
    rows = "".join(_row(n, view) for n in range(1, most + 1))
    parted = ""
    if len(view.sides) > 1:
        parted = texts.SAME
        if view.divergence is not None:
            parted = texts.PARTED_AT.format(n=view.divergence)
        parted = f'<p class="parted" role="status">{icon("fork")}{parted}</p>'
    width = 96 + 270 * len(view.sides)
    return (
        f'<section class="cmp-threads" aria-label="{texts.THREADS}"><h2>{texts.THREADS}</h2>'
        f'<div class="cmp-replay"><label for="replay">{texts.REPLAY}</label>'
        f'<input type="range" id="replay" min="1" max="{most}" value="{most}" step="1" data-replay'
        f' data-text="{texts.REPLAY_VALUE}"><output for="replay">'
        f"{texts.REPLAY_VALUE.format(n=most, most=most)}</output>{parted}</div>"
        f'<p class="quiet hint-scroll">{texts.SCROLL_HINT}</p>'
        f'<div class="wide-table aligned" tabindex="0" role="region" aria-label="{texts.THREADS}">'
        f'<table style="min-width:{width}px"><thead><tr><th scope="col">{texts.STEP_AXIS}</th>{heads}'
        f"</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def _head(side: Side, n: int) -> str:
    total = side.steps[-1].total if side.steps else 0.0
    return (
        f'<th scope="col">{swatch(n)}<bdi>{esc(side.row.player)}</bdi>'
        f' <span class="num" data-sum="{n}">{grade(total)}</span></th>'
    )


def _row(number: int, view: CompareView) -> str:
    here = number == view.divergence
    mark = f'<span class="chip differs">{icon("fork")}{texts.PARTED}</span>' if here else ""
    cells = "".join(_cell(number, s) for s in view.sides)
    return (
        f'<tr data-step="{number}"{_class(here)}><th scope="row">{texts.STEP.format(n=number)}{mark}</th>'
        f"{cells}</tr>"
    )


def _class(here: bool) -> str:
    return ' class="differs"' if here else ""


def _cell(number: int, side: Side) -> str:
    if number > len(side.steps):
        total = side.steps[-1].total if side.steps else 0.0
        return f'<td class="ended" data-total="{grade(total)}">{texts.ENDED}</td>'
    step = side.steps[number - 1]
    title = step_title(step, side.steps)
    told = by_hand(step.feedback) if esc(step.feedback.rstrip(".")) != title else ""
    body = _text(step, side) if step.action_type in ("respond", "draft_response") else _told(told)
    return (
        f'<td data-total="{grade(step.total)}"><p class="cmp-step">'
        f'<span class="dot">{icon(ICONS.get(step.action_type, "note"))}</span><span>{title}</span>'
        f"{pill(step.reward)}</p>{body}{_lines(step, side)}</td>"
    )


def _told(text: str) -> str:
    return f'<p class="quiet">{esc(text)}</p>' if text else ""


def _text(step: StepView, side: Side) -> str:
    if len(step.text) <= _LONG:
        return f'<div class="cmp-text">{paragraphs(step.text)}</div>'
    keep = f"text-{side.row.run_id}-{step.number}"
    return (
        f'<div class="cmp-text"><details data-keep="{esc(keep)}"><summary>'
        f'<span class="plain" dir="auto">{esc(step.text[:_LONG].rstrip())} …</span>'
        f'<span class="more">{texts.WHOLE.format(n=len(step.text))}</span></summary>'
        f"{paragraphs(step.text)}</details></div>"
    )


def _lines(step: StepView, side: Side) -> str:
    if not step.lines:
        return ""
    rows = "".join(_line(line) for line in step.lines)
    keep = f"why-{side.row.run_id}-{step.number}"
    return (
        f'<details class="cmp-why" data-keep="{esc(keep)}"><summary>{texts.REASONS}</summary>'
        f'<ul class="plain-list">{rows}</ul></details>'
    )


def _line(line: RewardLine) -> str:
    tone = "gain" if line.points > 0.0005 else "loss" if line.points < -0.0005 else "zero"
    return (
        f'<li><span class="pts {tone}">{points(line.points)}</span>'
        f"<span><strong>{esc(rule_name(line.rule))}</strong> {esc(line.reason)}</span></li>"
    )


def chart_titles(view: CompareView) -> Sequence[str]:
    """What stands over the two charts."""
    return (texts.REWARD_CHART, texts.CRITERIA_CHART) if view.sides else ("", "")
