"""What single steps give or take before the end: advances (settled at the end) and deductions."""

from __future__ import annotations

from graders import decisions
from graders.trace import Case, Event
from supportops_env.models import RewardLine

CLASSIFY = 0.10
ARTICLE = 0.05
FIRST_DRAFT = 0.03
ESCALATE_RIGHT, ESCALATE_WRONG = 0.10, -0.05
INVALID = REPEATED = OFF_TOPIC = -0.02
NEEDLESS_ESCALATION = -0.05
NO_DRAFT = -0.10


def shape(case: Case, event: Event) -> tuple[RewardLine, ...]:
    """The lines that one step earns by itself."""
    lines = []
    if event.repeated:
        lines.append(_deduction("repeat", REPEATED, "the same action was taken before"))
    if event.kind == "invalid":
        lines.append(_deduction("invalid", INVALID, "the task does not take this action"))
    elif event.kind == "classify":
        lines += _classify(case, event)
    elif event.kind in ("search", "open"):
        lines += _search(case, event)
    elif event.kind == "draft" and event.first:
        lines.append(_advance("draft.first", FIRST_DRAFT, "a first draft is there"))
    elif event.kind == "escalate" and event.first:
        lines += _escalate(case)
    elif event.kind == "resolve" and not event.has_draft:
        lines.append(_deduction("resolve.no_draft", NO_DRAFT, "resolved with no draft"))
    return tuple(lines)


def _classify(case: Case, event: Event) -> list[RewardLine]:
    if case.labels is None or not event.first or event.ends:
        return []
    labels = case.labels
    value, reason = decisions.category(
        event.category, labels.category, labels.near_categories, case.categories
    )
    return [_advance("classify.correct", CLASSIFY, reason, event.category)] if value == 1 else []


def _search(case: Case, event: Event) -> list[RewardLine]:
    expected = case.expected_articles
    lines = [
        _advance(f"article.found.{i}", ARTICLE, "an article that answers the ticket was found", i)
        for i in event.newly_found
        if i in expected
    ]
    related = case.labels.related_kb if case.labels else ()
    off_topic = not set(event.hits) & {*expected, *related}
    if expected and event.kind == "search" and off_topic:
        lines.append(_deduction("search.off_topic", OFF_TOPIC, "the search is off the topic"))
    return lines


def _escalate(case: Case) -> list[RewardLine]:
    if case.labels is None:
        return []
    required = case.labels.requires_escalation
    if case.task_id == "hard_escalation_safety":
        if required:
            return [_advance("escalate.needed", ESCALATE_RIGHT, "this case has to be escalated")]
        return [_advance("escalate.needless", ESCALATE_WRONG, "support can answer this itself")]
    if required:
        return []
    return [_deduction("escalate.needless", NEEDLESS_ESCALATION, "support can answer this itself")]


def _advance(rule: str, points: float, reason: str, evidence: str | None = "") -> RewardLine:
    return RewardLine(
        rule=rule, points=points, kind="advance", reason=reason, evidence=evidence or ""
    )


def _deduction(rule: str, points: float, reason: str) -> RewardLine:
    return RewardLine(rule=rule, points=points, kind="deduction", reason=reason)
