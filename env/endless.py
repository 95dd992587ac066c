"""What an episode stands on where that is not the shipped data as it is.

An endless ticket has a catalog of its own; distractors stand among the shipped articles.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from data import catalog as catalogs
from data.catalog import Catalog
from data.endless.distractors import distractors
from data.endless.generator import generate
from data.schema import KbArticle
from env.choice import ENDLESS, rng
from env.errors import UnknownName
from env.knowledge import Knowledge
from env.tasks import FAMILIES, Family, family
from supportops_env.models import Knobs

LISTED = 1_000_000
"""How many seeds of each family the Task API counts and lists. Higher ones play as well."""
_NO_TICKET = "priority_sorting"


def choose(task: str | None, index: int | None, seed: int, knobs: Knobs) -> Family:
    """The family of an endless episode; the seed chooses where none is named.

    Raises:
        UnknownName: the task does not exist or takes no twist, or an index other than 0.
    """
    if index:
        raise UnknownName(
            "index", index, ("0 or none: in the endless split the seed is the index",)
        )
    open_to = [f for f in FAMILIES if knobs.twist is None or f.id != _NO_TICKET]
    if task is None:
        return rng("task", ENDLESS, seed).choice(open_to)
    chosen = family(task)
    if chosen not in open_to:
        raise UnknownName("twist", knobs.twist, (f"none: {chosen.id} plays sets of tickets",))
    return chosen


def catalog(task_id: str, seed: int, knobs: Knobs) -> Catalog:
    """The catalog of one endless episode: one ticket (or set) and the shipped articles."""
    made = generate(task_id, seed, knobs.twist)
    if knobs.distractors:
        made = replace(made, articles=_articles(knobs.distractors))
    return made


def crowded(shipped: Catalog, count: int) -> Catalog:
    """The shipped catalog with distractors among its articles."""
    return replace(shipped, articles=_articles(count))


@lru_cache(maxsize=4)
def _articles(count: int) -> dict[str, KbArticle]:
    whole = {**catalogs.builtin().articles, **distractors(count)}
    return dict(sorted(whole.items()))


@lru_cache(maxsize=4)
def knowledge(count: int) -> Knowledge:
    """The search over the shipped articles among `count` distractors.

    Built once per process, which takes about a third of a second for 2,000.
    """
    return Knowledge(_articles(count))
