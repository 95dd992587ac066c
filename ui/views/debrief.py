"""The debrief: the grade, how it was made, what in the reply earned or cost, what was expected."""

from __future__ import annotations

from supportops_env.models import CriterionReport, GradeReport, RewardLine
from ui import texts
from ui.state import PlayView
from ui.views.panel import rule_name
from ui.views.text import Mark, esc, grade, marked, paragraphs, points


def debrief(view: PlayView) -> str:
    """Everything about a finished episode, in the order in which one asks."""
    report = view.obs.grade if view.obs else None
    if report is None:
        return ""
    lines = view.steps[-1].lines if view.steps else ()
    parts = [_grade(report), _criteria(report), _deductions(view)]
    if view.obs and view.obs.ticket and view.formula != "C":
        parts.append(_reply(view, lines))
    parts += [_compare(view, report), _expected(view, report, lines), _versions(report)]
    return (
        f'<section class="debrief" aria-label="{texts.DEBRIEF}">'
        f'<h2 tabindex="-1" id="{view.scope}debrief-title">{texts.DEBRIEF}</h2>{"".join(parts)}</section>'
    )


def _grade(report: GradeReport) -> str:
    value = report.grade
    verdict, tone = texts.UNJUDGED, "zero"
    if value is not None:
        verdict, tone = (texts.PASSED, "gain") if value >= 0.5 else (texts.FAILED, "loss")
    total = texts.SUM.format(
        raw=grade(report.raw), deductions=grade(report.deductions), grade=grade(value)
    )
    notes = "".join(
        f'<p class="quiet">{text}</p>'
        for there, text in ((report.partial, texts.PARTIAL), (report.derived, texts.DERIVED))
        if there
    )
    g_note = (
        f'<p class="quiet">{texts.G_NOTE}</p>'
        if "g" in report.formula.split("F1")[0] and "R" in report.formula
        else ""
    )
    return (
        f'<div class="verdict {tone}">{_ring(value)}<div><p class="verdict-line">{verdict}</p>'
        f'<p class="formula"><span class="label">{texts.FORMULA}</span><code>{esc(report.formula)}</code></p>'
        f'<p class="sum"><code>{esc(total)}</code></p>{g_note}{notes}</div></div>'
    )


def _ring(value: float | None) -> str:
    share = max(0.0, min(1.0, value or 0.0))
    length = 2 * 3.14159265 * 44
    return (
        '<div class="ring"><svg viewBox="0 0 100 100" aria-hidden="true">'
        '<circle cx="50" cy="50" r="44" class="ring-bed"/>'
        f'<circle cx="50" cy="50" r="44" class="ring-arc" stroke-dasharray="{share * length:.1f}'
        f' {length:.1f}" transform="rotate(-90 50 50)"/></svg><p><span class="sr">{texts.GRADE} </span>'
        f"<output>{grade(value)}</output></p></div>"
    )


def _criteria(report: GradeReport) -> str:
    rows = "".join(_criterion(c) for c in report.criteria)
    return f'<h3>{texts.CRITERIA}</h3><ul class="criteria">{rows}</ul>'


def _criterion(c: CriterionReport) -> str:
    shown = texts.NOT_JUDGED if c.value is None else grade(c.value)
    width = round(100 * (c.value or 0))
    letter = texts.LETTERS.get(c.id, "")
    mark = f"<code>{esc(letter)}</code>" if len(letter) == 1 else ""
    error = f'<p class="ev">{esc(c.error)}</p>' if c.error else ""
    return (
        f'<li><p class="line-top"><span class="rule">{esc(c.name)}</span>{mark}'
        f'<span class="pts">{shown}</span></p><div class="track"><i style="width:{width}%"></i></div>'
        f'<p class="why">{esc(c.reason[:1].upper() + c.reason[1:])}</p>{error}</li>'
    )


def _deductions(view: PlayView) -> str:
    rows = "".join(
        f'<li><span class="pts loss">{points(line.points)}</span>'
        f"<span>{texts.STEP_NAME.format(n=step.number)}: {esc(rule_name(line.rule))}</span></li>"
        for step in view.steps
        for line in step.lines
        if line.kind == "deduction"
    )
    body = (
        f'<ul class="plain-list">{rows}</ul>'
        if rows
        else f'<p class="quiet">{texts.NO_DEDUCTIONS}</p>'
    )
    return f"<h3>{texts.DEDUCTIONS}</h3>{body}"


def _reply(view: PlayView, lines: tuple[RewardLine, ...]) -> str:
    title = texts.THEIR_REPLY if view.player else texts.YOUR_REPLY
    if not view.reply.strip():
        return f'<h3>{title}</h3><p class="quiet">{texts.NO_REPLY}</p>'
    noted = sorted((line for line in lines if line.spans), key=lambda line: line.spans[0].start)
    tones = [_tone(line) for line in noted]
    marks = [
        Mark(
            s.start, s.end, n, tone, f"{rule_name(line.rule)} {points(line.points)}. {line.reason}"
        )
        for n, (line, tone) in enumerate(zip(noted, tones, strict=True), 1)
        for s in line.spans
    ]
    legend = "".join(
        f'<span><mark class="{tone}">Aa</mark> {word}</span>'
        for tone, word in texts.EVIDENCE_LEGEND
        if tone in tones
    )
    notes = "".join(
        f'<li id="{view.scope}note-{n}" class="{tone}"><span class="num">{n}</span><div><p class="line-top">'
        f'<span class="rule">{esc(rule_name(line.rule))}</span>'
        f'<span class="pts">{points(line.points)}</span></p><p class="why">{esc(line.reason)}</p></div></li>'
        for n, (line, tone) in enumerate(zip(noted, tones, strict=True), 1)
    )
    return (
        f'<h3>{title}</h3><p class="legend">{legend}</p>'
        f'<div class="paper">{marked(view.reply, marks, view.scope)}</div><ol class="notes">{notes}</ol>'
    )


def _tone(line: RewardLine) -> str:
    if line.points > 0.0005:
        return "gain"
    return "loss" if line.points < -0.0005 or line.rule == "reply.ungrounded" else "zero"


def _compare(view: PlayView, report: GradeReport) -> str:
    if not view.obs or not view.obs.tickets:
        return ""
    expected = (report.expected or {}).get("priorities", {})
    reasons = (report.expected or {}).get("reasons", {})
    head = texts.COMPARE_HEAD if expected else texts.COMPARE_HEAD[:2]
    if view.player:
        head = (head[0], view.player, *head[2:])
    rows = ""
    for ticket in view.obs.tickets:
        yours = view.chosen.get(ticket.ticket_id)
        said = esc(texts.PRIORITIES.get(yours or "", texts.UNSET))
        cells = f'<th scope="row"><code>{esc(ticket.ticket_id)}</code> {esc(ticket.subject)}</th>'
        right = expected.get(ticket.ticket_id)
        tone = "" if not expected else ' class="gain"' if yours == right else ' class="loss"'
        cells += f"<td{tone}>{said}</td>"
        if expected:
            cells += (
                f"<td>{esc(texts.PRIORITIES.get(right, right))}</td>"
                f"<td>{esc(reasons.get(ticket.ticket_id, ''))}</td>"
            )
        rows += f"<tr>{cells}</tr>"
    titles = "".join(f'<th scope="col">{esc(h)}</th>' for h in head)
    return (
        f'<div class="wide-table" tabindex="0" role="region" aria-label="{texts.EXPECTED}"><table>'
        f"<thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _expected(view: PlayView, report: GradeReport, lines: tuple[RewardLine, ...]) -> str:
    if report.expected is None:
        return f'<p class="quiet boxed">{texts.TEST_SPLIT}</p>'
    out = ""
    rows = "".join(
        f"<dt>{texts.EXPECTED_NAMES[key]}</dt><dd>{_value(value)}</dd>"
        for key, value in report.expected.items()
        if key in texts.EXPECTED_NAMES and value not in ("", [], None)
    )
    if rows:
        out += f'<h3>{texts.EXPECTED}</h3><dl class="expected">{rows}</dl>'
    hints = "".join(f"<li>{esc(line.hint)}</li>" for line in lines if line.hint)
    if hints:
        out += f'<h3>{texts.MORE}</h3><ul class="hints">{hints}</ul>'
    if report.reference_reply and view.formula != "C":
        out += f'<h3>{texts.REFERENCE_REPLY}</h3><div class="paper">{paragraphs(report.reference_reply)}</div>'
    return out


def _value(value: object) -> str:
    if isinstance(value, bool):
        return texts.YES_NO[value]
    if isinstance(value, list | tuple):
        return "<ul>" + "".join(f"<li>{esc(v)}</li>" for v in value) + "</ul>"
    return esc(value)


def _versions(report: GradeReport) -> str:
    text = texts.VERSIONS.format(data=report.data_version, grader=report.grader_version)
    return f'<p class="quiet versions">{esc(text)}</p>'
