"""Explaining R: reward lines that add up to the reply's points, each with its words in the reply.

The parts of R are laid out so that they sum to it: what the facts, relevance and tone earned, then
what the gate took (one line per rule that fired), then what the form took.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from graders import reply as reply_
from graders.reply import ReplyScore
from graders.text import Sentence, collapse
from supportops_env.models import RewardLine, Span

_EXCERPT = 160


def reply_lines(
    score: ReplyScore, weight: float, reply: str, open_labels: bool
) -> list[RewardLine]:
    """The lines of R times `weight`; they sum to weight * R.

    Args:
        score: The reply's score with its parts.
        weight: What a full R is worth in the task.
        reply: The agent's text, for excerpts.
        open_labels: Whether labels may show (train split, episode over): one line per fact with
            what would have earned it. Otherwise only what the agent's own words earned.
    """
    if score.value is None:
        return []
    reply, _ = collapse(reply)
    lines = []
    if not score.body:
        what = score.reason or "Nothing that answers the customer is stated, so nothing is earned."
        lines.append(_line("reply", 0.0, what))
    lines += _fact_lines(score, weight, reply, open_labels)
    if score.body:
        lines += _manner_lines(score, weight, open_labels)
    lines += _gate_lines(score, weight * score.body, reply)
    left = weight * score.body * score.gate
    if score.body and score.form.value < 1:
        weakest = score.form.weakest
        places = score.form.taken if weakest == "copied text" else ()
        spans = tuple(Span(start=a, end=b, rule="reply.form") for a, b in places)
        why = f"The form costs: {weakest}."
        lines.append(_line("reply.form", left * (score.form.value - 1), why, reply, spans))
    return [_placed(line, score.places) for line in lines] if score.places else lines


def _placed(line: RewardLine, places: tuple[int, ...]) -> RewardLine:
    """The line with its spans counted in the reply as it was sent."""
    spans = tuple(Span(start=places[s.start], end=places[s.end], rule=s.rule) for s in line.spans)
    return line.model_copy(update={"spans": spans})


def _fact_lines(
    score: ReplyScore, weight: float, reply: str, open_labels: bool
) -> list[RewardLine]:
    points = weight * reply_.W_CORE * score.core
    credit = sum(f.weight * f.credit for f in score.facts)
    lines = []
    if not open_labels:
        spans = _spans("reply.facts", (f.sentence for f in score.facts if f.credit and f.sentence))
        if points:
            lines.append(
                _line(
                    "reply.facts",
                    points,
                    "What the reply states and the sources bear out.",
                    reply,
                    spans,
                )
            )
    else:
        for number, fact in enumerate(score.facts, 1):
            share = points * fact.weight * fact.credit / credit if credit else 0.0
            spans = _spans(f"reply.fact.{number}", [fact.sentence] if fact.sentence else [])
            hint = None if fact.credit == 1 else f"Say in own words: {fact.say}"
            reason = f"{fact.say} — {fact.reason}"
            lines.append(_line(f"reply.fact.{number}", share, reason, reply, spans, hint))
    if score.fluency < 1 and score.coverage:
        reason = "The words are there, but they do not form sentences that say something."
        lines.append(_line("reply.fluency", 0.0, reason))
    if score.own_words < 1 and score.coverage:
        reason = (
            "What it states is put together from words that stand in the ticket or the articles."
        )
        lines.append(_line("reply.own_words", 0.0, reason))
    if score.ungrounded:
        spans = _spans("reply.ungrounded", score.ungrounded)
        reason = "These sentences find no support in the ticket or in the articles you opened."
        lines.append(_line("reply.ungrounded", 0.0, reason, reply, spans))
    return lines


def _manner_lines(score: ReplyScore, weight: float, open_labels: bool) -> list[RewardLine]:
    lines = [
        _line(
            "reply.relevance",
            weight * reply_.W_RELEVANCE * score.core * score.relevance,
            "It takes up the customer's words.",
        )
    ]
    tone = score.tone
    missing = [
        name
        for name, there in (
            ("a greeting", tone.greeted),
            ("an acknowledgement of the trouble", tone.acknowledged is not False),
            ("a next step", tone.next_step),
        )
        if not there
    ]
    reason, hint = "Greeting, acknowledgement where due, next step.", None
    if missing and open_labels:  # that an acknowledgement was due is a label
        reason, hint = f"Missing: {', '.join(missing)}.", f"Add {', '.join(missing)}."
    points = weight * reply_.W_TONE * score.core * tone.value
    lines.append(_line("reply.tone", points, reason, hint=hint))
    return lines


def _gate_lines(score: ReplyScore, points: float, reply: str) -> list[RewardLine]:
    """What the gate took, split over the rules in a fixed order, each taking from what is left."""
    values = list({v.canon: v for v in score.unsupported}.values())[:3]
    steps: list[tuple[str, float, str, list[tuple[int, int]]]] = [
        (
            "reply.unsupported_value",
            0.5,
            f"'{reply[v.start : v.end]}' stands neither in the ticket nor in the articles you opened.",
            [(v.start, v.end)],
        )
        for v in values
    ]
    steps += [
        (
            "reply.commitment",
            0.5,
            f"This promises something support may not ({f.kind}).",
            [(f.start, f.end)],
        )
        for f in score.unlicensed
    ]
    steps += [
        ("reply.forbidden", 0.25, "This claim is wrong and would harm.", [(s.start, s.end)])
        for _, s in score.forbidden
    ]
    steps += [
        ("reply.secret", 0.25, "This asks the customer for a secret.", [(f.start, f.end)])
        for f in score.secrets
    ]
    if score.grader:
        places = [(f.start, f.end) for f in score.grader]
        steps.append(
            ("reply.grader", 0.2, "This talks to whoever scores, not to the customer.", places)
        )
    if score.rude:
        steps.append(("reply.rude", 0.3, "This is rude.", [(f.start, f.end) for f in score.rude]))
    lines = []
    left = points
    for rule, factor, reason, places in steps:
        spans = tuple(Span(start=a, end=b, rule=rule) for a, b in places)
        lines.append(_line(rule, left * (factor - 1), reason, reply, spans))
        left *= factor
    return lines


def _spans(rule: str, sentences: Iterable[Sentence]) -> tuple[Span, ...]:
    places = sorted({(s.start, s.end) for s in sentences})
    assert all(a[1] <= b[0] for a, b in pairwise(places))
    return tuple(Span(start=a, end=b, rule=rule) for a, b in places)


def _line(
    rule: str,
    points: float,
    reason: str,
    reply: str = "",
    spans: tuple[Span, ...] = (),
    hint: str | None = None,
) -> RewardLine:
    evidence = " … ".join(reply[s.start : s.end] for s in spans)
    if len(evidence) > _EXCERPT:
        evidence = evidence[: _EXCERPT - 1] + "…"
    return RewardLine(
        rule=rule,
        points=points,
        kind="criterion",
        reason=reason,
        evidence=evidence,
        spans=spans,
        hint=hint,
    )
