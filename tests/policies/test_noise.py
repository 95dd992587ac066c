"""Robust truth: how a ticket looks changes neither its labels nor what honest policies score."""

import random
import statistics
from dataclasses import replace

import pytest

from data import catalog as catalogs
from data import noise
from env import episode as engine
from env.tasks import FAMILIES
from policies.base import play
from policies.scripted import POLICIES

PLAIN = engine.builtin_arena()
HONEST = [name for name in POLICIES if name not in ("oracle", "random")]


def noisy(kind: str) -> engine.Arena:
    catalog = catalogs.builtin()
    tickets = {
        i: t.model_copy(update={"body": noise.KINDS[kind](t.body, random.Random(f"{kind}|{i}"))})
        for i, t in catalog.tickets.items()
    }
    return replace(PLAIN, catalog=replace(catalog, tickets=tickets))


def mean(policy: str, arena: engine.Arena) -> float:
    grades = []
    for family in FAMILIES:
        for index in range(len(arena.catalog.ids(family.id, "train"))):
            episode = engine.start(family.id, "train", 42, index, arena=arena)
            grades.append(play(POLICIES[policy](episode), episode).grade or 0.0)
    return statistics.fmean(grades)


@pytest.fixture(scope="module")
def plain() -> dict[str, float]:
    return {p: mean(p, PLAIN) for p in [*HONEST, "oracle"]}


@pytest.mark.parametrize("kind", sorted(noise.KINDS))
def test_noise_changes_the_look_only(kind: str, plain: dict[str, float]) -> None:
    arena = noisy(kind)
    assert arena.catalog.labels == PLAIN.catalog.labels
    assert arena.catalog.tickets != PLAIN.catalog.tickets
    for policy in HONEST:
        assert abs(mean(policy, arena) - plain[policy]) <= 0.05, policy


@pytest.mark.parametrize("kind", sorted(noise.KINDS))
def test_noise_is_seeded(kind: str) -> None:
    text = catalogs.builtin().tickets["T-1001"].body
    one, two = (noise.KINDS[kind](text, random.Random(3)) for _ in range(2))
    assert one == two
