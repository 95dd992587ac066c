"""One run as text for a terminal: who played what, each step with its lines, the grade."""

from __future__ import annotations

from collections.abc import Sequence

from env.episode import Arena, Episode
from env.view import observe
from runs.errors import CannotReplay
from runs.record import Run
from runs.regrade import replay
from runs.rows import Stored
from runs.tables import clean, indent, number
from supportops_env.models import GradeReport, RewardLine, SupportAction


def story(stored: Stored, arena: Arena | None = None) -> str:
    """A run step by step. Lines that were not stored are made again by replaying, and it says so."""
    run = stored.run
    parts = _head(stored)
    lines: Sequence[Sequence[RewardLine] | None] = stored.lines
    report = run.report
    try:
        again = replay(run, arena)
    except CannotReplay as error:
        parts.append(f"Can't be replayed here: {error}.")
    else:
        parts += _subject(again.episode)
        if again.differences:
            parts.append("Played again, it differs: " + "; ".join(again.differences) + ".")
        if None in lines or report is None:
            lines = [
                kept if kept is not None else step.lines
                for kept, step in zip(lines, again.episode.steps, strict=True)
            ]
            report = report or again.report
            parts.append("Lines or report were not stored; these come from playing it again.")
    total = 0.0
    for number_, (raw, reward, own) in enumerate(
        zip(run.actions, run.rewards, lines, strict=True), 1
    ):
        total += reward
        parts.append("")
        parts += _step(number_, raw, reward, total, own)
    parts += ["", *_end(stored, report)]
    return "\n".join(parts)


def _head(stored: Stored) -> list[str]:
    run = stored.run
    prompt = f", prompt {run.prompt_version}" if run.prompt_version else ""
    when = f", begun {run.started_at}" if run.started_at else ""
    return [
        f"Run {clean(run.run_id)}",
        f"Played by {clean(run.player)} ({run.kind}{clean(prompt)}){clean(when)}",
        f"{run.task_id}, {run.split} split, seed {run.seed}, index {run.index}, {run.item_id}",
        f"Data {run.data_version}, grader {run.grader_version}",
        *([f"Knobs {run.knobs.label}"] if run.knobs.changed else []),
    ]


def _subject(episode: Episode) -> list[str]:
    seen = observe(episode, "")
    tickets = (seen.ticket,) if seen.ticket else seen.tickets
    return [f"{t.ticket_id}: {clean(t.subject)}" for t in tickets]


def _step(
    place: int,
    raw: dict[str, object],
    reward: float,
    total: float,
    lines: Sequence[RewardLine] | None,
) -> list[str]:
    action = SupportAction.model_validate(raw)
    said = ", ".join(action.payload.values()) or action.text
    gained, so_far = number(reward, sign=True), number(total)
    parts = [f"Step {place}: {action.action_type}   {gained}   (so far {so_far})"]
    if said:
        parts.append(indent(said, "    | "))
    for line in lines or ():
        parts.append(f"    {number(line.points, sign=True)}  {line.rule}: {clean(line.reason)}")
        if line.evidence:
            parts.append(indent(line.evidence, "            saw: "))
        if line.hint:
            parts.append(indent(line.hint, "            hint: "))
    return parts


def _end(stored: Stored, report: GradeReport | None) -> list[str]:
    run: Run = stored.run
    if not stored.finished:
        return [f"Unfinished after {len(run.actions)} steps; it can be taken up again."]
    ended = run.stop.replace("_", " ")
    if run.failed:
        return [f"Ended by failure ({ended}): no grade. {clean(run.error or '')}".rstrip()]
    partial = " (partial: a criterion could not be judged)" if run.partial else ""
    stood = ", graded as it stood" if run.stop == "refusals" else ""
    parts = [f"Grade {number(run.grade)}{partial}, ended: {ended}{stood}"]
    if report is not None:
        parts.append(f"Formula: {report.formula}; deductions {number(report.deductions)}")
        parts += [f"    {number(c.value)}  {c.name}: {clean(c.reason)}" for c in report.criteria]
    return parts
