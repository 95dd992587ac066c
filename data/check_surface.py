"""Whether something on the surface of a ticket (its length, its hour, its tier) gives the answer.

Each feature may be used as well as it can be used in hindsight: both directions, the best
threshold. What stays below the bound even so is no short cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from data.catalog import Catalog
from data.check_report import Result, without
from data.schema import TIERS, Ticket

BOUND = 0.7
"""The best that a single feature may do."""

Feature = Callable[[Ticket, Catalog], float]


def _tier(ticket: Ticket, catalog: Catalog) -> float:
    customer = catalog.customers.get(ticket.customer_id)
    return float(TIERS.index(customer.tier)) if customer and customer.tier in TIERS else -1.0


def _hour(ticket: Ticket, _: Catalog) -> float:
    hour = ticket.created_at[11:13]
    return float(hour) if hour.isascii() and hour.isdigit() else -1.0


def _arrival(ticket: Ticket, _: Catalog) -> float:
    digits = "".join(c for c in ticket.created_at if c.isascii() and c.isdigit())
    return float(digits or 0)


def _shouting(ticket: Ticket, _: Catalog) -> float:
    letters = [c for c in ticket.body if c.isalpha()]
    return sum(1 for c in letters if c.isupper()) / len(letters) if letters else 0.0


FEATURES: Mapping[str, Feature] = {
    "sla_hours": lambda ticket, _: float(ticket.sla_hours),
    "tier": _tier,
    "sentiment": lambda ticket, _: ticket.sentiment_score,
    "created_at": _arrival,
    "body length": lambda ticket, _: float(len(ticket.body)),
    "hour of day": _hour,
    "has exclamation": lambda ticket, _: float("!" in ticket.body),
    "uppercase share": _shouting,
}
PRIORITY_FEATURES = ("sla_hours", "tier", "sentiment", "created_at", "body length")
ESCALATION_FEATURES = (
    "sla_hours",
    "tier",
    "sentiment",
    "body length",
    "hour of day",
    "has exclamation",
    "uppercase share",
)


def escalation_by_one_feature(catalog: Catalog) -> Iterator[Result]:
    """Escalating above or below the best threshold of one feature is right too seldom."""
    labels = [x for x in catalog.labels.values() if x.in_escalation_set]
    truth = [x.requires_escalation for x in labels]
    tickets = [catalog.tickets[x.ticket_id] for x in labels]
    scores = {
        name: best_threshold([FEATURES[name](t, catalog) for t in tickets], truth)
        for name in ESCALATION_FEATURES
    }
    yield below_bound("escalation by one feature", "right", scores)


def category_by_one_feature(catalog: Catalog) -> Iterator[Result]:
    """Answering the commonest category among tickets of the same kind is right too seldom."""
    labels = list(catalog.labels.values())
    truth = [x.category for x in labels]
    tickets = [catalog.tickets[x.ticket_id] for x in labels]
    kinds: Mapping[str, list[str]] = {
        "tier": [str(_tier(t, catalog)) for t in tickets],
        "channel": [t.channel for t in tickets],
        "sentiment": [_mood(t.sentiment_score) for t in tickets],
    }
    yield below_bound(
        "category by one feature", "right", {n: majority(kind, truth) for n, kind in kinds.items()}
    )


def below_bound(name: str, unit: str, scores: Mapping[str, float]) -> Result:
    """A result with each feature's score; a fault for each above the bound."""
    best = max(scores.values(), default=0.0)
    faults = [f"{n}: {score:.3f}" for n, score in scores.items() if score > BOUND]
    figures = "  ".join(f"{n} {score:.2f}" for n, score in scores.items())
    return without(faults, name, f"best {best:.2f} {unit}", f"each at most {BOUND}", (figures,))


def best_threshold(values: Sequence[float], truth: Sequence[bool]) -> float:
    """Accuracy of the best rule "yes from this value on" or "yes below it", or one constant answer."""
    if not truth:
        return 0.0
    best = 0.0
    for cut in (*sorted(set(values)), float("inf")):
        right = sum((v >= cut) == wanted for v, wanted in zip(values, truth, strict=True))
        best = max(best, max(right, len(truth) - right) / len(truth))
    return best


def majority(kinds: Sequence[str], truth: Sequence[str]) -> float:
    """Accuracy of answering, for each kind, its commonest true answer."""
    if not truth:
        return 0.0
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, answer in zip(kinds, truth, strict=True):
        answers[kind][answer] += 1
    return sum(counts.most_common(1)[0][1] for counts in answers.values()) / len(truth)


def _mood(sentiment: float) -> str:
    """Four bins of equal width over [-1, 1]."""
    return str(min(3, int((sentiment + 1) * 2)))
