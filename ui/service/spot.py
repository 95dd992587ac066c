"""Policies that play an episode on the spot. What they do follows from the episode alone."""

from __future__ import annotations

import re

from env import episode as engine
from env.choice import EVERY_SPLIT
from env.episode import Arena, Episode
from env.errors import UnknownName
from env.tasks import FAMILIES
from policies.base import play
from policies.scripted import POLICIES
from runs.record import Run, record
from ui.service.known import is_own, place_of

ORACLE = "oracle"
_NAMED = re.compile(
    f"({'|'.join(POLICIES)})-({'|'.join(f.id for f in FAMILIES)})-({'|'.join(EVERY_SPLIT)})"
    r"-([0-9]{1,19})-([0-9]{1,6})",
    re.ASCII,
)


def names(split: str) -> tuple[str, ...]:
    """The policies that may be seen: on test the oracle's actions would be the labels."""
    return tuple(n for n in POLICIES if n != ORACLE or split != "test")


def played(name: str, start: Episode) -> Run:
    """A policy's run of an episode. But for somebody's own data its id names it: see `named`."""
    run_id = f"{name}-{start.family.id}-{start.split}-{start.seed}-{start.index}"
    run = record(play(POLICIES[name](start), start), run_id, "policy", name)
    return run.model_copy(update={"run_id": f"{run_id}-own"}) if is_own(place_of(run)) else run


def named(run_id: str, arena: Arena) -> Run | None:
    """The run that an id names, played now; None where there is no such episode or policy."""
    found = _NAMED.fullmatch(run_id)
    if found is None:
        return None
    name, task, split, seed, index = found.groups()
    if name not in names(split):
        return None
    try:
        return played(name, engine.start(task, split, int(seed), int(index), arena=arena))
    except UnknownName:
        return None


def alike(run: Run, name: str, start: Episode) -> bool:
    """Whether a run is what a policy would do now. The seed matters to sets, and to chance."""
    now = record(start, "", "policy", name)
    for name_of in ("data_version", "grader_version", "knobs"):
        if getattr(run, name_of) != getattr(now, name_of):
            return False
    seeded = len(start.world.ticket_ids) > 1 or name == "random"
    return run.seed == start.seed or not seeded
