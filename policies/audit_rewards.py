"""The audit's checks on rewards and on what is declared about them and about the tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from data.errors import DataError
from env.episode import SPLITS
from env.info_routes import info_routes
from env.sessions import EpisodeStore
from env.tasks import BY_ID, FAMILIES, Family
from graders.criteria import CRITERIA
from policies.audit_play import Played, make_policy
from policies.audit_report import AuditRow
from policies.audit_scores import ORACLE_LEAST, Ground, row, skipped
from policies.trajectories import CANARIES, ORACLE, Trajectory, read_trajectories

_TINY = 1e-9


def reward_well_formed(ground: Ground) -> Iterator[AuditRow]:
    """Rewards are finite, lie in [-1, 1] and add up to a grade in [0, 1], in all that was played."""
    yield from _faults(ground, "reward_well_formed", lambda p: p.malformed)


def reward_attribution(ground: Ground) -> Iterator[AuditRow]:
    """Every point of every reward has a line with a rule and a reason."""
    yield from _faults(ground, "reward_attribution", lambda p: p.unattributed)


def _faults(ground: Ground, check: str, fault: Callable[[Played], str]) -> Iterator[AuditRow]:
    for task in ground.plan.tasks:
        played = list(ground.grades.of(task))
        if not played:
            yield skipped(check, task, "nothing was played")
            continue
        wrong = [p for p in played if fault(p)]
        found = row(
            check, task, not wrong, f"{len(wrong)} of {len(played)} episodes", "0",
            f"{wrong[0].policy} {wrong[0].item}" if wrong else "",
        )  # fmt: skip
        yield found.model_copy(update={"reason": fault(wrong[0])}) if wrong else found


def rubric_introspectable(ground: Ground) -> Iterator[AuditRow]:
    """The rubric tree names every criterion of a task and shows the report's values."""
    if not ground.subject.is_product:
        for task in ground.plan.tasks:
            yield skipped("rubric_introspectable", task, "the adapter plays the shipped data only")
        return
    for task in ground.plan.tasks:
        start = ground.subject.begin(task, "train", ground.plan.seed, 0)
        ended = ground.subject.play(make_policy("retrieval", start, ground.plan.seed), start)
        session = ground.subject.make_environment()
        session.reset(seed=start.seed, task_id=task, split="train", index=0)
        for step in ended.steps:
            observation = session.step(step.action)
        named = dict(session.rubric.named_rubrics())
        values = {c.id: c.value for c in observation.grade.criteria}
        wrong = [
            c
            for c in CRITERIA[task]
            if (r := named.get(f"{task}.{c}")) is None
            or abs((r.last_score or 0.0) - (values.get(c) or 0.0)) > _TINY
        ]
        yield row(
            "rubric_introspectable", task, not wrong,
            f"{len(CRITERIA[task]) - len(wrong)} of {len(CRITERIA[task])} criteria", "all",
            ", ".join(wrong),
        )  # fmt: skip


def task_declaration_accuracy(ground: Ground) -> Iterator[AuditRow]:
    """openenv.yaml and /tasks say of each task what the registry says, in its order."""
    check, path = "task_declaration_accuracy", ground.subject.manifest
    try:
        declared: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        listed = {t["id"]: t for t in declared["tasks"]}
        counts = declared["validation"]["capabilities"]["declared_task_count"]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        why = f"{path.name} can't be read: {type(error).__name__} {error}"
        for task in ground.plan.tasks:
            yield row(check, task, False, "nothing", "all", why)
        return
    served = {t.id: t for t in _served()}
    for task in ground.plan.tasks:
        family = BY_ID[task]
        wrong = [*_differences(listed.get(task), family), *_misserved(ground, served, family)]
        yield row(check, task, not wrong, f"{len(wrong)} differences", "0", "; ".join(wrong))
    if set(ground.plan.tasks) == set(BY_ID):
        order = [f.id for f in FAMILIES]
        wrong = [] if list(listed) == order == list(served) else ["another order or other tasks"]
        for split in SPLITS:
            real = sum(len(ground.subject.arena.catalog.ids(t, split)) for t in order)
            if counts.get(split) != real:
                wrong.append(f"{split}: {counts.get(split)} declared, {real} there")
        yield row(check, "all", not wrong, f"{len(wrong)} differences", "0", "; ".join(wrong))


def _served() -> list[Any]:
    """What /tasks answers, asked without a server."""
    router = info_routes(EpisodeStore(1, 60.0))
    route = next(r for r in router.routes if getattr(r, "path", "") == "/tasks")
    answer: list[Any] = asyncio.run(route.endpoint())  # type: ignore[attr-defined]
    return answer


def _differences(listed: dict[str, Any] | None, family: Family) -> Iterator[str]:
    if listed is None:
        yield "not in openenv.yaml"
        return
    for field in ("difficulty", "max_steps"):
        if listed.get(field) != getattr(family, field):
            yield f"{field} {listed.get(field)!r} in openenv.yaml, {getattr(family, field)!r} here"


def _misserved(ground: Ground, served: dict[str, Any], family: Family) -> Iterator[str]:
    info = served.get(family.id)
    if info is None:
        yield "not in /tasks"
        return
    for field in ("name", "difficulty", "max_steps", "formula", "actions", "ends_on"):
        if getattr(info, field) != getattr(family, field):
            yield f"{field} {getattr(info, field)!r} in /tasks, {getattr(family, field)!r} here"
    counts = {s: len(ground.subject.arena.catalog.ids(family.id, s)) for s in SPLITS}
    if ground.subject.is_product and info.episodes != counts:
        yield f"episodes {info.episodes} in /tasks, {counts} here"


def canary_floor(ground: Ground) -> Iterator[AuditRow]:
    """Shipped trajectories of silly play stay at or below what each is allowed."""
    for task in ground.plan.tasks:
        yield _shipped(ground, "canary_floor", task, CANARIES)


def oracle_shipped(ground: Ground) -> Iterator[AuditRow]:
    """Shipped trajectories of the oracle still win."""
    for task in ground.plan.tasks:
        yield _shipped(ground, "oracle_max", task, ORACLE)


def _shipped(ground: Ground, check: str, task: str, name: str) -> AuditRow:
    path = ground.subject.validation / name
    try:
        own = [t for t in read_trajectories(path) if t.task_id == task]
    except DataError as error:
        return skipped(check, task, f"{path.parent.name}/{name}: {error.what}")
    if not own:
        return skipped(check, task, f"{path.name} has no trajectory of this task")
    graded = [(_grade(ground, t), t) for t in own]
    silly = check == "canary_floor"
    over = [(g, t) for g, t in graded if (g > t.most if silly else g < ORACLE_LEAST)]
    worst = (max if silly else min)(over or graded, key=lambda x: x[0])
    return row(
        check,
        task,
        not over,
        f"{len(graded)} shipped, {'highest' if silly else 'lowest'} {worst[0]:.3f}",
        f"<= {worst[1].most}" if silly else f">= {ORACLE_LEAST}",
        f"{worst[1].name} {worst[1].split} {worst[1].index}",
    )


def _grade(ground: Ground, trajectory: Trajectory) -> float:
    t = trajectory
    start = ground.subject.begin(t.task_id, t.split, t.seed, t.index)
    return ground.subject.replay(start, t.actions).grade or 0.0
