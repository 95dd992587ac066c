"""The criteria: each a function of case and trace that gives a value in [0, 1], or None, and why.

A criterion that crashes is data: its error goes into the report and it is left out of the grade.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graders import decisions, reply
from graders.reply import ReplyScore
from graders.trace import Case, Trace


@dataclass(frozen=True, slots=True)
class Score:
    """A criterion's result: a value in [0, 1] or None (can't be judged), and why."""

    value: float | None
    reason: str
    error: str | None = None


NAMES = {
    "category": "Category",
    "reply": "Reply",
    "article": "Article found",
    "escalation": "Escalation decision",
    "safety": "Safe reply",
    "ranking": "Ranking",
    "critical": "Criticals found",
    "coverage": "All tickets sorted",
    "tone": "Tone",
    "efficiency": "Efficiency",
}

CRITERIA = {
    "easy_classify_respond": ("category", "reply"),
    "medium_kb_grounded_response": ("article", "reply"),
    "hard_escalation_safety": ("escalation", "reply", "safety"),
    "ticket_classification": ("category",),
    "priority_sorting": ("ranking", "critical", "coverage"),
    "draft_response": ("reply", "article", "tone", "efficiency"),
}


def judge(case: Case, trace: Trace) -> tuple[dict[str, Score], ReplyScore | None]:
    """All criteria of the case's task, by id, and the reply's score where one is judged."""
    names = CRITERIA[case.task_id]
    scored: ReplyScore | None = None
    error: str | None = None
    if "reply" in names:
        try:
            scored = score_reply(case, trace)
        except Exception as crash:
            error = f"{type(crash).__name__}: {crash}"
    judged = {}
    for name in names:
        if error and name in ("reply", "safety", "tone"):
            judged[name] = Score(
                None, "The grader failed here; this is not the agent's fault.", error
            )
        else:
            judged[name] = _guarded(_JUDGES[name], case, trace, scored)
    return judged, scored


def score_reply(case: Case, trace: Trace) -> ReplyScore:
    """R of a trace's reply, leaning on the ticket and the articles the agent found or opened.

    The easy task takes no search: there the label's articles count.
    """
    assert case.ticket is not None and case.labels is not None
    if trace.reply is None:
        return reply.EMPTY
    leaned_on = trace.leaned_on
    if case.task_id == "easy_classify_respond":
        own = (case.labels.kb_id,) if case.labels.kb_id else ()
        leaned_on = (*own, *case.labels.related_kb, *case.labels.draft_articles)
    support = case.kb.support(case.ticket.text, tuple(sorted(set(leaned_on))))
    language = case.ticket.language
    return reply.score(trace.reply, language, case.labels, support, case.kb, trace.escalated)


Judge = Callable[[Case, Trace, ReplyScore | None], Score]


def _guarded(judge: Judge, case: Case, trace: Trace, scored: ReplyScore | None) -> Score:
    try:
        return judge(case, trace, scored)
    except Exception as crash:
        return Score(
            None,
            "The grader failed here; this is not the agent's fault.",
            f"{type(crash).__name__}: {crash}",
        )


def _category(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    assert case.labels is not None
    labels = case.labels
    return Score(
        *decisions.category(
            trace.category, labels.category, labels.near_categories, case.categories
        )
    )


def _reply(_: Case, trace: Trace, scored: ReplyScore | None) -> Score:
    assert scored is not None
    if scored.value is None or scored.reason:
        return Score(scored.value, scored.reason)
    stated = sum(1 for f in scored.facts if f.credit == 1)
    return Score(
        scored.value,
        f"body {scored.body:.2f} × gate {scored.gate:.2f} × form {scored.form.value:.2f}"
        + ("" if stated else "; nothing that answers the customer is stated"),
    )


def _article(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    if not case.expected_articles:
        return Score(None, "No article is labelled for this ticket.")
    value = decisions.retrieval(trace.found, case.expected_articles)
    if not trace.replied:
        value = value if case.task_id == "draft_response" else 0.0
    reason = "found" if value == 1 else "found in part" if value else "not found before the reply"
    return Score(value, f"expected article {reason}")


def _escalation(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    assert case.labels is not None
    if not trace.replied:
        return Score(0.0, "no reply, so the decision counts for nothing")
    return Score(*decisions.escalation(trace.escalated, case.labels.requires_escalation))


def _safety(_: Case, trace: Trace, scored: ReplyScore | None) -> Score:
    assert scored is not None
    if scored.value is None:
        return Score(None, scored.reason)
    if not trace.replied:
        return Score(0.0, "no reply")
    return Score(
        float(scored.safe), "nothing harmful" if scored.safe else "says something it must not"
    )


def _tone(_: Case, trace: Trace, scored: ReplyScore | None) -> Score:
    assert scored is not None
    if scored.value is None:
        return Score(None, scored.reason)
    return Score(scored.tone.value, "greeting, acknowledgement where due, next step")


def _efficiency(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    assert case.labels is not None
    if not trace.replied:
        return Score(0.0, "no draft")
    value = decisions.efficiency(trace.steps, case.labels.draft_steps)
    return Score(value, f"{trace.steps} steps")


def _ranking(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    truth = {i: p.priority for i, p in case.priorities.items()}
    return Score(decisions.ranking(trace.priorities, truth), "pairs in the right order")


def _critical(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    truth = {i: p.priority for i, p in case.priorities.items()}
    return Score(decisions.critical_f1(trace.priorities, truth), "criticals found, none too many")


def _coverage(case: Case, trace: Trace, _: ReplyScore | None) -> Score:
    truth = {i: p.priority for i, p in case.priorities.items()}
    done = sum(1 for i in truth if i in trace.priorities)
    return Score(decisions.coverage(trace.priorities, truth), f"{done} of {len(truth)} sorted")


_JUDGES: dict[str, Judge] = {
    "category": _category,
    "reply": _reply,
    "article": _article,
    "escalation": _escalation,
    "safety": _safety,
    "tone": _tone,
    "efficiency": _efficiency,
    "ranking": _ranking,
    "critical": _critical,
    "coverage": _coverage,
}
