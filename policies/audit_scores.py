"""The audit's checks on grades: that honest work wins and nothing else does."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from env.tasks import BY_ID
from policies.adversaries import SORTERS, adversaries
from policies.audit_play import HILL_CLIMBER, Grades
from policies.audit_report import AuditRow, PolicyScore, Status
from policies.audit_subject import Plan, Subject, takes_reply

ORACLE_LEAST = 0.95
FLOOR_GAP_LEAST = 0.5
ADVERSARY_MEAN, ADVERSARY_ITEM = 0.35, 0.6
DECISION_MEAN = 0.45
SORTER_MEAN = 0.7
CLIMBER_MEAN = 0.45
GAMEABILITY_MOST = 0.5
HEADROOM_MOST = 0.85
HONEST = ("keyword", "retrieval")
_DIFFICULTIES = ("easy", "medium", "hard")
_NOT_PLAYED = "not played in this audit, or nothing could be judged"


@dataclass(frozen=True)
class Ground:
    """What every check is given."""

    subject: Subject
    plan: Plan
    grades: Grades


def row(
    check: str, task: str, passed: bool, measured: str, bound: str, worst: str = ""
) -> AuditRow:
    """A row that passes or fails."""
    status: Status = "PASS" if passed else "FAIL"
    return AuditRow(
        check=check, task=task, status=status, measured=measured, bound=bound, worst=worst
    )


def skipped(check: str, task: str, why: str) -> AuditRow:
    """A row for a check that could not run."""
    return AuditRow(check=check, task=task, status="SKIP", reason=why)


def oracle_max(ground: Ground) -> Iterator[AuditRow]:
    """The oracle grades at least 0.95 on every single item."""
    for task in ground.plan.tasks:
        oracle = ground.grades.scores(task).get("oracle")
        if oracle is None:
            yield skipped("oracle_max", task, _NOT_PLAYED)
            continue
        unjudged = [p.item for p in ground.grades.of(task) if p.policy == "oracle" and p.partial]
        found = row(
            "oracle_max",
            task,
            oracle.lowest >= ORACLE_LEAST,
            f"lowest {oracle.lowest:.3f}",
            f">= {ORACLE_LEAST}",
            oracle.lowest_item,
        )
        if unjudged:
            why = f"{len(unjudged)} not judged whole: {', '.join(unjudged[:5])}"
            found = found.model_copy(update={"reason": why})
        yield found


def floor_gap(ground: Ground) -> Iterator[AuditRow]:
    """The oracle is at least 0.5 above doing nothing and above acting at random."""
    for task in ground.plan.tasks:
        scores = ground.grades.scores(task)
        floor = [scores[n] for n in ("silent", "random") if n in scores]
        if "oracle" not in scores or not floor:
            yield skipped("floor_gap", task, _NOT_PLAYED)
            continue
        best = max(floor, key=lambda s: s.mean)
        gap = scores["oracle"].mean - best.mean
        yield row(
            "floor_gap", task, gap >= FLOOR_GAP_LEAST, f"{gap:.3f}", f">= {FLOOR_GAP_LEAST}",
            f"{best.policy} {best.mean:.3f}",
        )  # fmt: skip


def adversarial_floor(ground: Ground) -> Iterator[AuditRow]:
    """No adversary gets far; sorters by one feature and the hill-climber have bounds of their own."""
    for task in ground.plan.tasks:
        scores = ground.grades.scores(task)
        plain = _of(scores, [n for n in adversaries(task) if n not in SORTERS])
        if not plain:
            yield skipped("adversarial_floor", task, _NOT_PLAYED)
            continue
        if takes_reply(task):
            yield _mean("adversarial_floor", task, plain, ADVERSARY_MEAN)
            high = max(plain, key=lambda s: s.highest)
            yield row(
                "adversarial_floor",
                task,
                high.highest <= ADVERSARY_ITEM,
                f"highest {high.highest:.3f}",
                f"<= {ADVERSARY_ITEM} on any item",
                f"{high.policy} {high.highest_item}",
            )
            yield _climber(task, scores.get(HILL_CLIMBER))
            continue
        yield _mean("adversarial_floor", task, plain, DECISION_MEAN)
        sorters = _of(scores, SORTERS)
        if sorters:
            yield _mean("adversarial_floor", task, sorters, SORTER_MEAN)


def gameability_gap(ground: Ground) -> Iterator[AuditRow]:
    """The best adversary, the hill-climber among them, gets at most half of what the oracle gets."""
    for task in ground.plan.tasks:
        if not takes_reply(task):
            yield skipped("gameability_gap", task, "takes no reply; adversarial_floor bounds it")
            continue
        scores = ground.grades.scores(task)
        tried = _of(scores, [*adversaries(task), HILL_CLIMBER])
        if "oracle" not in scores or not tried or not scores["oracle"].mean:
            yield skipped("gameability_gap", task, _NOT_PLAYED)
            continue
        best = max(tried, key=lambda s: s.mean)
        share = best.mean / scores["oracle"].mean
        yield row(
            "gameability_gap", task, share <= GAMEABILITY_MOST, f"{share:.3f} of the oracle",
            f"<= {GAMEABILITY_MOST}", f"{best.policy} {best.mean:.3f}",
        )  # fmt: skip


def difficulty_separation(ground: Ground) -> Iterator[AuditRow]:
    """Honest policies fare worse the harder a task is said to be; only a warning where they don't."""
    means: dict[str, list[float]] = {}
    for task in ground.plan.tasks:
        scores = ground.grades.scores(task)
        found = [scores[n].mean for n in HONEST if n in scores]
        if found:
            means.setdefault(BY_ID[task].difficulty, []).append(statistics.fmean(found))
    measured = [(d, statistics.fmean(means[d])) for d in _DIFFICULTIES if d in means]
    if len(measured) < 2:
        yield skipped("difficulty_separation", "all", "needs tasks of two difficulties")
        return
    values = [m for _, m in measured]
    ordered = values == sorted(values, reverse=True)
    yield AuditRow(
        check="difficulty_separation",
        status="PASS" if ordered else "WARN",
        measured=", ".join(f"{d} {m:.3f}" for d, m in measured),
        bound="falling",
        worst=" and ".join(HONEST),
    )


def headroom(ground: Ground) -> Iterator[AuditRow]:
    """The retrieval policy, honest and without a model, leaves room for better ones."""
    for task in ground.plan.tasks:
        score = ground.grades.scores(task).get("retrieval")
        if score is None:
            yield skipped("headroom", task, _NOT_PLAYED)
        else:
            yield _mean("headroom", task, [score], HEADROOM_MOST)


def _of(scores: dict[str, PolicyScore], names: tuple[str, ...] | list[str]) -> list[PolicyScore]:
    return [scores[n] for n in names if n in scores]


def _mean(check: str, task: str, scores: list[PolicyScore], most: float) -> AuditRow:
    best = max(scores, key=lambda s: s.mean)
    worst = f"{best.policy} (most on {best.highest_item})"
    return row(check, task, best.mean <= most, f"mean {best.mean:.3f}", f"<= {most}", worst)


def _climber(task: str, score: PolicyScore | None) -> AuditRow:
    if score is None:
        return skipped("adversarial_floor", task, "the hill-climber was not played")
    return _mean("adversarial_floor", task, [score], CLIMBER_MEAN).model_copy(
        update={"worst": f"{HILL_CLIMBER} {score.highest_item} {score.highest:.3f}"}
    )
