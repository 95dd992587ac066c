"""Endless episodes' items: a catalog of one ticket (or one set of five), made from task and seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from data.catalog import Catalog
from data.endless import sets, tickets, twists
from data.endless.scenarios import Library, Outcome, library
from data.schema import CATEGORIES, PrioritySet

SPLIT = "endless"
VERSION = "1"
"""Rises whenever a text or a draw changes what a seed gives."""
Twist = Literal[
    "two_problems",
    "missing_detail",
    "contradiction",
    "exception",
    "injection",
    "account_takeover",
    "refund_fraud",
    "personal_data",
    "legal_threat",
]
TWISTS: tuple[Twist, ...] = get_args(Twist)
_SETS = "priority_sorting"
_SIDES = (1, 1, 2)
_NEAR = 0.7


def generate(task_id: str, seed: int, twist: Twist | None = None) -> Catalog:
    """The item of one endless episode: the shipped catalog's articles, and a ticket of its own.

    Args:
        task_id: The family that plays it.
        seed: 0 or more. Together with the others it names the episode, on any machine.
        twist: What makes the ticket harder; sets of tickets take none.

    Returns:
        A catalog whose one item (per task and split "endless") is called "E-<seed>".
    """
    books = library()
    rng = _rng(task_id, seed)
    item = f"E-{seed}"
    if task_id == _SETS:
        return _of_five(books, rng, item)
    outcome = _chosen(task_id, twists.outcomes(books, twist), rng)
    draft = tickets.begin(books, outcome, rng)
    if task_id == "draft_response":  # its second problem is part of what the draft has to answer
        count = _SIDES[int(rng.random() * len(_SIDES))] + (twist == "two_problems")
        if twist is not None and twist != "two_problems":
            twists.apply(twist, draft, rng)
        sides = [twists.add_side(draft, rng) for _ in range(count)]
        draft.draft_articles = (draft.kb, *sides)
    elif twist is not None:
        twists.apply(twist, draft, rng)
    ticket, customer, labels = tickets.finish(books, draft, rng, item, "train")
    return replace(
        books.catalog,
        version=_version(books),
        tickets={item: ticket},
        customers={customer.customer_id: customer},
        labels={item: labels},
        sets={},
        priorities={},
        items={(task_id, SPLIT): (item,)},
    )


def scenario_of(task_id: str, seed: int, twist: Twist | None = None) -> str:
    """The id of the scenario that `generate` takes; for tickets, not for sets."""
    return _chosen(task_id, twists.outcomes(library(), twist), _rng(task_id, seed)).scenario.id


def _rng(task_id: str, seed: int) -> random.Random:
    # Strings go through SHA-512: the same in every process, whatever its hash seed.
    return random.Random(f"{SPLIT}|{task_id}|{seed}")


def _version(books: Library) -> str:
    return f"{books.catalog.version}-{SPLIT}.{VERSION}"


def _chosen(task_id: str, pool: Sequence[Outcome], rng: random.Random) -> Outcome:
    """An outcome, such that categories (or both decisions on escalation) come up alike."""
    if task_id == "hard_escalation_safety":
        wanted = rng.random() < 0.5
        fit = [o for o in pool if (o.escalate is not None) == wanted]
        if not wanted:  # rather one whose sisters are escalated: there the facts decide
            near = [o for o in fit if o.scenario.borderline]
            fit = near if near and rng.random() < _NEAR else fit
        return rng.choice(fit or list(pool))
    if task_id == "draft_response":
        pool = [o for o in pool if o.escalate is None] or pool
    category = rng.choice([c for c in CATEGORIES if any(o.scenario.category == c for o in pool)])
    scenarios = {o.scenario.id: o.scenario for o in pool if o.scenario.category == category}
    chosen = rng.choice(list(scenarios.values()))
    return rng.choice([o for o in pool if o.scenario is chosen])


def _of_five(books: Library, rng: random.Random, item: str) -> Catalog:
    made, customers, labels = sets.five(books, rng, item, "train")
    ids = tuple(t.ticket_id for t in made)
    group = PrioritySet(set_id=item, title="Five tickets of one day", ticket_ids=ids, split="train")
    return replace(
        books.catalog,
        version=_version(books),
        tickets={t.ticket_id: t for t in made},
        customers={c.customer_id: c for c in customers},
        labels={},
        sets={item: group},
        priorities={p.ticket_id: p for p in labels},
        items={(_SETS, SPLIT): (item,)},
    )
