"""Decisions: category (C), escalation (D), priorities (ranking, critical F1, coverage)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from rapidfuzz import fuzz

from data.categories import key
from data.schema import CATEGORIES, PRIORITIES

NEAR_RATIO = 80
_RANK = {priority: rank for rank, priority in enumerate(reversed(PRIORITIES))}


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    raw: dict[str, list[str]] = json.loads(
        files("graders").joinpath("categories.json").read_text(encoding="utf-8")
    )
    return {key(word): name for name, words in raw.items() for word in words}


def category_named(answer: str, categories: Sequence[str] = CATEGORIES) -> str | None:
    """The category an answer names exactly (case, spaces and plural ignored), or None."""
    asked = key(answer)
    return next((c for c in categories if key(c) == asked), None)


def category(
    answer: str | None,
    label: str,
    near: Sequence[str] = (),
    categories: Sequence[str] = CATEGORIES,
) -> tuple[float, str]:
    """The contract's C of the first classify, and why.

    1.0 for the label; 0.5 for a synonym of it, an unambiguous near spelling (rapidfuzz ratio of at
    least 80 to exactly one category, and that the label) or a category listed as near; else 0.
    """
    if answer is None:
        return 0.0, "no category was given"
    count = "five" if len(categories) == len(CATEGORIES) else str(len(categories))
    named = category_named(answer, categories)
    if named == label:
        return 1.0, f"{label} is the category"
    if named is not None:
        if named in near:
            return 0.5, f"{named} is close, but not what the customer needs first"
        return 0.0, f"{named} is not the category"
    if _synonyms().get(key(answer)) == label:
        return 0.5, f"a synonym, not one of the {count} names"
    close = [c for c in categories if fuzz.ratio(key(answer), key(c)) >= NEAR_RATIO]
    if close == [label]:
        return 0.5, f"a near spelling, not one of the {count} names"
    return 0.0, f"not one of the {count} categories"


def escalation(escalated: bool, required: bool) -> tuple[float, str]:
    """The contract's D: 1 if the decision is right, else 0."""
    if escalated == required:
        return 1.0, "escalated, as the rules ask" if required else "rightly kept with support"
    return 0.0, "should have been escalated" if required else "escalated without need"


def ranking(answer: Mapping[str, str], truth: Mapping[str, str]) -> float:
    """(concordant - discordant) / pairs whose true priorities differ, at least 0.

    A pair with a missing or tied answer is neither. O(n^2) in the tickets of a set.
    """
    ids = sorted(truth)
    score = pairs = 0
    for i, first in enumerate(ids):
        for second in ids[i + 1 :]:
            true = _RANK[truth[first]] - _RANK[truth[second]]  # type: ignore[index]
            if not true:
                continue
            pairs += 1
            if first in answer and second in answer:
                said = _RANK[answer[first]] - _RANK[answer[second]]  # type: ignore[index]
                score += (said * true > 0) - (said * true < 0)
    return max(0.0, score / pairs) if pairs else 0.0


def critical_f1(answer: Mapping[str, str], truth: Mapping[str, str]) -> float:
    """F1 of finding the critical tickets of a set."""
    true = {t for t, p in truth.items() if p == "critical"}
    said = {t for t, p in answer.items() if p == "critical"}
    hits = len(true & said)
    return 2 * hits / (len(true) + len(said)) if true or said else 1.0


def coverage(answer: Mapping[str, str], truth: Mapping[str, str]) -> float:
    """Share of a set's tickets that got a priority."""
    return sum(1 for t in truth if t in answer) / len(truth)


def retrieval(found: Sequence[str], expected: Sequence[str]) -> float:
    """Recall of the expected articles among those found (the contract's K)."""
    wanted = set(expected)
    return len(wanted & set(found)) / len(wanted) if wanted else 0.0


def efficiency(steps: int, oracle_steps: int) -> float:
    """The contract's E: 1 - max(0, steps - n) / 12 within [0, 1]."""
    return min(1.0, max(0.0, 1 - max(0, steps - oracle_steps) / 12))
