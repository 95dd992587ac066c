"""Which item an episode plays: by index, by ticket, or by the seed where nothing is said."""

from __future__ import annotations

import random

from data.catalog import Catalog
from env.errors import UnknownName
from env.tasks import FAMILIES, Family, family

ENDLESS = "endless"
SPLITS = ("train", "test")
"""The splits whose tickets stand in files and can be counted."""
EVERY_SPLIT = (*SPLITS, ENDLESS)
"""These, and the one whose tickets are made from the seed."""


def rng(*key: object) -> random.Random:
    """A generator for a key. Strings go through SHA-512: the same in every process and machine."""
    return random.Random("|".join(str(k) for k in key))


def choose(
    catalog: Catalog, task: str | None, split: str, index: int | None, seed: int
) -> tuple[Family, int]:
    """The family and the place of its item in a split.

    Raises:
        UnknownName: the split, task or index does not exist.
    """
    playable = [f for f in FAMILIES if catalog.ids(f.id, split)]
    if not playable:
        raise UnknownName("split", split, [])
    if task is None:
        if index is None:
            chosen = rng("task", split, seed).choice(playable)
            return chosen, rng(chosen.id, split, seed).randrange(len(catalog.ids(chosen.id, split)))
        return _flat(catalog, playable, split, index)
    chosen = family(task)
    count = len(catalog.ids(chosen.id, split))
    if not count:
        raise UnknownName("task", task, (f.id for f in playable))
    if index is None:
        return chosen, rng(chosen.id, split, seed).randrange(count)
    if not 0 <= index < count:
        raise UnknownName("index", index, (f"0 to {count - 1} in {task}, split {split}",))
    return chosen, index


def _flat(catalog: Catalog, playable: list[Family], split: str, index: int) -> tuple[Family, int]:
    left = index
    for known in playable:
        count = len(catalog.ids(known.id, split))
        if 0 <= left < count:
            return known, left
        left -= count
    total = sum(len(catalog.ids(f.id, split)) for f in playable)
    raise UnknownName("index", index, (f"0 to {total - 1} over all tasks, split {split}",))


def with_ticket(
    catalog: Catalog,
    task: str | None,
    split: str | None,
    index: int | None,
    ticket_id: str,
    seed: int,
) -> tuple[Family, str, int]:
    """The family, split and place of a ticket (or set); the seed decides between families.

    Raises:
        UnknownName: no family plays it; the error lists the tickets.
    """
    families = (family(task),) if task else FAMILIES
    splits = (split,) if split else SPLITS
    places = [
        (f, s, catalog.ids(f.id, s).index(ticket_id))
        for f in families
        for s in splits
        if ticket_id in catalog.ids(f.id, s)
    ]
    if index is not None:
        places = [p for p in places if p[2] == index]
    if not places:
        known = [i for f in families for s in splits for i in catalog.ids(f.id, s)]
        raise UnknownName("ticket_id", ticket_id, dict.fromkeys(known))
    return rng("ticket", ticket_id, seed).choice(places)
