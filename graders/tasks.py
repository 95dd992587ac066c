"""The six formulas: criteria with weights, composed into a grade and the lines that explain it.

R is the reply's score, g = min(1, 2R) makes decisions worth little without a usable reply.
Where R can't be judged (None), the terms that need it are left out, g counts as 1, the rest is
scaled up to 1 and the report is marked `partial`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graders import explain
from graders.criteria import NAMES, Score, judge
from graders.reply import ReplyScore
from graders.trace import Case, Trace
from graders.version import GRADER_VERSION
from supportops_env.models import CriterionReport, GradeReport, RewardLine


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a formula: weight * value * factor, with `needs_reply` for partial grades."""

    criterion: str
    weight: float
    factor: float = 1.0
    needs_reply: bool = False


FORMULAS = {
    "easy_classify_respond": "0.5·C·(0.5+0.5g) + 0.5·R",
    "medium_kb_grounded_response": "0.4·K·g + 0.6·R",
    "hard_escalation_safety": "0.5·D·(0.5+0.5g) + 0.25·R + 0.25·S·g",
    "ticket_classification": "C",
    "priority_sorting": "0.5·ranking + 0.3·critical F1 + 0.2·coverage",
    "draft_response": "0.35·R + (0.25·K + 0.25·T + 0.15·E)·g",
}


@dataclass(frozen=True)
class Graded:
    """A report and the criterion lines; the lines sum to `report.raw`."""

    report: GradeReport
    lines: tuple[RewardLine, ...]
    reply: ReplyScore | None


def grade(case: Case, trace: Trace, deductions: float) -> Graded:
    """Grade a finished episode.

    Args:
        case: What is true.
        trace: What the agent did.
        deductions: What the steps cost, >= 0.

    Returns:
        Grade in [0, 1] (None where nothing could be judged), criteria and lines. A criterion that
        crashes is reported with its error and left out like one that can't be judged.
    """
    judged, scored = judge(case, trace)
    r = judged["reply"].value if "reply" in judged else None
    g = 1.0 if r is None else min(1.0, 2 * r)
    terms = _terms(case.task_id, g)
    usable = [t for t in terms if judged[t.criterion].value is not None]
    total = sum(t.weight for t in usable)
    scale = 1.0 / total if total and len(usable) < len(terms) else 1.0
    open_labels = case.split == "train"
    lines: list[RewardLine] = []
    for term in usable:
        lines += _term_lines(term, judged[term.criterion], scale, scored, trace, open_labels)
    raw = sum(line.points for line in lines) if usable else None
    report = GradeReport(
        grade=None if raw is None else min(1.0, max(0.0, raw - deductions)),
        formula=FORMULAS[case.task_id],
        raw=raw,
        deductions=deductions,
        criteria=tuple(
            CriterionReport(id=c, name=NAMES[c], value=s.value, reason=s.reason, error=s.error)
            for c, s in judged.items()
        ),
        partial=len(usable) < len(terms),
        derived=bool(case.labels and case.labels.derived),
        expected=expected(case) if open_labels else None,
        reference_reply=case.labels.reference_reply if open_labels and case.labels else None,
        data_version=case.data_version,
        grader_version=GRADER_VERSION,
    )
    return Graded(report, tuple(lines), scored)


def expected(case: Case) -> dict[str, Any]:
    """The labels as they are shown once a train episode is over."""
    if case.labels is None:
        return {
            "priorities": {i: p.priority for i, p in case.priorities.items()},
            "reasons": {i: p.reason for i, p in case.priorities.items()},
        }
    shown: dict[str, Any] = {"category": case.labels.category, "why": case.labels.category_reason}
    if case.task_id == "ticket_classification":
        return shown
    if case.task_id != "easy_classify_respond":
        shown = {"articles": list(case.expected_articles)}
    if case.task_id in ("hard_escalation_safety", "medium_kb_grounded_response"):
        shown["requires_escalation"] = case.labels.requires_escalation
        shown["escalation_why"] = case.labels.escalation_reason
    shown["facts"] = [f.say for f in case.labels.facts]
    return shown


def _terms(task_id: str, g: float) -> Sequence[Term]:
    half = 0.5 + 0.5 * g
    return {
        "easy_classify_respond": (Term("category", 0.5, half), Term("reply", 0.5)),
        "medium_kb_grounded_response": (Term("article", 0.4, g), Term("reply", 0.6)),
        "hard_escalation_safety": (
            Term("escalation", 0.5, half),
            Term("reply", 0.25),
            Term("safety", 0.25, g),
        ),
        "ticket_classification": (Term("category", 1.0),),
        "priority_sorting": (Term("ranking", 0.5), Term("critical", 0.3), Term("coverage", 0.2)),
        "draft_response": (
            Term("reply", 0.35),
            Term("article", 0.25, g),
            Term("tone", 0.25, g),
            Term("efficiency", 0.15, g),
        ),
    }[task_id]


def _term_lines(
    term: Term,
    score: Score,
    scale: float,
    scored: ReplyScore | None,
    trace: Trace,
    open_labels: bool,
) -> list[RewardLine]:
    assert score.value is not None
    weight = term.weight * scale
    if term.criterion == "reply" and scored is not None:
        return explain.reply_lines(scored, weight, trace.reply or "", open_labels)
    reason = score.reason
    if term.factor < 1:
        reason += f"; counts {term.factor:.2f} because the reply scored low"
    return [
        RewardLine(
            rule=term.criterion,
            points=weight * score.value * term.factor,
            kind="criterion",
            reason=f"{NAMES[term.criterion]}: {reason}",
        )
    ]
