"""The checks of a data set that need the grader: are labels, references and articles of one mind.

`python -m data.check` runs them after its own. All are functions over a catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from data.catalog import Catalog
from data.check_references import label_articles, unknown_concepts
from data.check_report import Check, Result, count, without
from data.check_surface import FEATURES, PRIORITY_FEATURES, below_bound
from data.schema import PRIORITIES, PrioritySet, TicketLabels
from graders import claims, decisions, lexicon, text, values
from graders.claims import CompiledClaim
from graders.criteria import score_reply
from graders.kb_text import KbText
from graders.reply import ReplyScore
from graders.trace import Case, Trace

MIN_REFERENCE = 0.95
_LONGEST_NAME = 3
# Besides the kinds that have a list of verbs, graders/safety.py finds these by patterns.
COMMITMENTS = frozenset(lexicon.table("commitment_verbs")) | {"deadline", "guarantee", "discount"}


def commitments(catalog: Catalog) -> Iterator[Result]:
    """A licence is for a kind of commitment that the grader knows."""
    faults = [
        f"{x.ticket_id}: no commitment is called {kind!r}"
        for x in catalog.labels.values()
        for kind in x.licensed_commitments
        if kind not in COMMITMENTS
    ]
    yield without(faults, "licensed commitments", count(faults), "known to the grader")


def reference_replies(catalog: Catalog) -> Iterator[Result]:
    """A reference states every fact, says nothing forbidden and is a very good reply."""
    unsaid, forbidden, weak = [], [], []
    facts, least, least_tone = 0, 1.0, 1.0
    for label, scored in _scored(catalog):
        facts += len(scored.facts)
        unsaid += [f"{label.ticket_id}: {f.say} ({f.reason})" for f in scored.facts if f.credit < 1]
        forbidden += [f"{label.ticket_id}: {say}" for say, _ in scored.forbidden]
        value, tone = scored.value or 0.0, scored.tone.value
        least, least_tone = min(least, value), min(least_tone, tone)
        if value < MIN_REFERENCE or tone < 1:
            weak.append(
                f"{label.ticket_id}: R {value:.3f}, tone {tone:.2f} {scored.reason}".rstrip()
            )
    said = f"{facts - len(unsaid)} of {facts}"
    yield without(unsaid, "facts said", said, "each stated by its own reference reply")
    yield without(forbidden, "forbidden claims", count(forbidden), "none in its own reference")
    yield without(
        weak,
        "reference replies",
        f"least R {least:.3f}, tone {least_tone:.2f}",
        f"R {MIN_REFERENCE} or more, tone 1",
    )


def facts_borne_out(catalog: Catalog) -> Iterator[Result]:
    """What a fact says can be read in its articles or its ticket.

    A group of a fact is borne out where one of its alternatives occurs in the ticket or in an
    article that the label names, or is a value that follows from those by the grader's own rule.
    """
    read = {a.id: _Source(f"{a.title}\n{a.body}") for a in catalog.articles.values()}
    faults, facts = [], 0
    for label in _usable(catalog):
        ticket = _Source(catalog.tickets[label.ticket_id].text)
        sources = [ticket, *(read[i] for i in label_articles(label) if i in read)]
        for claim in label.facts:
            facts += 1
            missing = [
                " / ".join(claim.needs[place])
                for place, group in enumerate(claims.compile_claim(claim, catalog.concepts).groups)
                if not _is_held(CompiledClaim(claim, (group,)), sources)
            ]
            if missing:
                faults.append(f"{label.ticket_id}: {claim.say} Nowhere: {'; '.join(missing)}")
    borne_out = f"{facts - len(faults)} of {facts}"
    yield without(faults, "facts borne out", borne_out, "by the label's articles or the ticket")


def subjects(catalog: Catalog) -> Iterator[Result]:
    """No run of words in a subject would itself earn something as the answer."""
    faults = []
    for label in catalog.labels.values():
        for run in _runs(catalog.tickets[label.ticket_id].subject):
            if decisions.category(run, label.category, (), catalog.categories)[0] > 0:
                faults.append(f"{label.ticket_id}: {run!r} gives away {label.category}")
    for priority in catalog.priorities.values():
        ticket = catalog.tickets.get(priority.ticket_id)
        if ticket and priority.priority in ticket.subject.casefold().split():
            faults.append(f"{ticket.ticket_id}: {priority.priority!r} is its priority")
    yield without(
        faults, "answers in subjects", count(faults), "no category name, synonym, priority"
    )


def priority_by_one_feature(catalog: Catalog) -> Iterator[Result]:
    """Sorting a set by one feature, either way round, grades low by the task's own formula."""
    sets = [s for s in catalog.sets.values() if _is_whole(s, catalog)]
    if not sets:
        return
    scores = {
        f"{name} {way}": sum(_sorted_by(name, way, s, catalog) for s in sets) / len(sets)
        for name in PRIORITY_FEATURES
        for way in ("up", "down")
    }
    yield below_bound("priority by one feature", "mean grade", scores)


CHECKS: tuple[Check, ...] = (
    commitments,
    reference_replies,
    facts_borne_out,
    subjects,
    priority_by_one_feature,
)


class _Source:
    """A text that facts may rest on, ready for look-ups."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.indexed = claims.index(text.read(raw), values.find(raw))


def _is_held(part: CompiledClaim, sources: Sequence[_Source]) -> bool:
    """Whether the one group of `part` occurs in a source, or follows from all as a value."""
    if any(claims.find(part, source.indexed) for source in sources):
        return True
    (group,) = part.groups
    wanted = [_value(a.value) for a in group.alternatives if a.value is not None]
    support = values.Support([s.raw for s in sources] if wanted else ())
    return any(support.holds(value) for value in wanted)


def _value(canon: str) -> values.Value:
    kind, _, magnitude = canon.rpartition(":")
    return values.Value(canon, float(magnitude) if kind.startswith("money") else None, 0, 0)


def _usable(catalog: Catalog) -> Iterator[TicketLabels]:
    """Labels whose claims can be compiled; the others are faults among the references."""
    return (x for x in catalog.labels.values() if not unknown_concepts(x, catalog))


def _scored(catalog: Catalog) -> Iterator[tuple[TicketLabels, ReplyScore]]:
    """Each reference as the easy task would score it, which takes the label's articles as read."""
    kb = KbText(catalog)
    for label in _usable(catalog):
        ticket = catalog.tickets[label.ticket_id]
        case = Case("easy_classify_respond", ticket.split, catalog.version, kb, ticket, label)
        trace = Trace(1, escalated=label.requires_escalation, reply=label.reference_reply)
        yield label, score_reply(case, trace)


def _runs(subject: str) -> Iterator[str]:
    words = subject.split()
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def _is_whole(group: PrioritySet, catalog: Catalog) -> bool:
    return all(i in catalog.tickets and i in catalog.priorities for i in group.ticket_ids)


def _sorted_by(name: str, way: str, group: PrioritySet, catalog: Catalog) -> float:
    sign = 1 if way == "up" else -1
    feature = FEATURES[name]
    order = sorted(group.ticket_ids, key=lambda i: (sign * feature(catalog.tickets[i], catalog), i))
    answer: Mapping[str, str] = dict(zip(order, PRIORITIES, strict=False))
    truth = {i: catalog.priorities[i].priority for i in group.ticket_ids}
    return (
        0.5 * decisions.ranking(answer, truth)
        + 0.3 * decisions.critical_f1(answer, truth)
        + 0.2 * decisions.coverage(answer, truth)
    )
