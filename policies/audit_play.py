"""The audit's plays: every policy on every item, and the hill-climber, in as many processes as wanted.

What comes back is small: a grade and, where something is wrong with the rewards, what.
"""

from __future__ import annotations

import math
import statistics
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context

from env import episode as engine
from env.episode import Episode
from env.tasks import BY_ID
from policies.adversaries import adversaries
from policies.audit_report import BestReply, PolicyScore
from policies.audit_subject import Plan, Subject, takes_reply
from policies.base import Policy
from policies.hill_climb import climb
from policies.scripted import POLICIES, RandomPolicy

HILL_CLIMBER = "hill-climber"
_TINY = 1e-9

Place = tuple[str, str, int]
"""Task, split and index of an episode."""
Progress = Callable[[int, int, str], None]
"""Called with jobs done, jobs in all, and what was just done."""


@dataclass(frozen=True)
class Played:
    """One episode that a policy played."""

    policy: str
    task: str
    split: str
    index: int
    item: str
    grade: float | None
    partial: bool
    malformed: str = ""
    unattributed: str = ""


@dataclass(frozen=True)
class Job:
    """One policy on some items of a task, or (`edits` > 0) the hill-climber on one ticket.

    A ticket that several tasks play is climbed once for all in which the grader sees the same.
    """

    policy: str
    places: tuple[Place, ...]
    seed: int
    edits: int = 0


@dataclass
class Grades:
    """All that was played."""

    played: list[Played] = field(default_factory=list)
    climbs: list[BestReply] = field(default_factory=list)

    def scores(self, task: str) -> dict[str, PolicyScore]:
        """Each policy's mean and extremes on a task; the hill-climber's too."""
        groups: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for p in self.played:
            if p.task == task and p.grade is not None and not p.partial:
                groups[p.policy].append((p.grade, p.item))
        for c in self.climbs:
            if c.task == task and c.grade is not None and c.value is not None:
                groups[HILL_CLIMBER].append((c.grade, c.item))
        return {name: _score(name, task, found) for name, found in groups.items()}

    def of(self, task: str) -> Iterator[Played]:
        """The episodes of a task."""
        return (p for p in self.played if p.task == task)


def _score(policy: str, task: str, found: Sequence[tuple[float, str]]) -> PolicyScore:
    high, low = max(found, key=lambda f: f[0]), min(found, key=lambda f: f[0])
    return PolicyScore(
        policy=policy,
        task=task,
        mean=statistics.fmean(g for g, _ in found),
        highest=high[0],
        lowest=low[0],
        highest_item=high[1],
        lowest_item=low[1],
        episodes=len(found),
    )


def play_all(subject: Subject, plan: Plan, progress: Progress | None = None) -> Grades:
    """Play all that the plan asks for.

    Other processes help only where the data is the shipped one, which each can build for itself.
    The result does not depend on their number.
    """
    jobs = list(_jobs(subject, plan))
    grades = Grades()
    outcomes = _here(subject, jobs)
    if plan.workers > 1 and subject.is_product:
        outcomes = _spread(jobs, plan.workers)
    for done, (job, played, climbs) in enumerate(outcomes, 1):
        grades.played += played
        grades.climbs += climbs
        if progress is not None:
            progress(done, len(jobs), f"{job.places[0][0]}: {job.policy}")
    grades.played.sort(key=lambda p: (p.task, p.policy, p.split, p.index))
    grades.climbs.sort(key=lambda c: (c.task, c.split, c.index))
    return grades


Outcome = tuple[Job, list[Played], list[BestReply]]


def run_job(subject: Subject, job: Job) -> Outcome:
    """Do one job."""
    starts = [subject.begin(task, split, job.seed, index) for task, split, index in job.places]
    if job.edits:
        return job, [], climb(starts[0], job.edits, job.seed, starts[1:])
    return job, [_play(subject, job, s) for s in starts], []


def _jobs(subject: Subject, plan: Plan) -> Iterator[Job]:
    """Long jobs first, so that no process is left with one at the end."""
    for places in _tickets_to_climb(subject, plan):
        yield Job(HILL_CLIMBER, places, plan.seed, plan.edits)
    for task in plan.tasks:
        for name in (*POLICIES, *adversaries(task)):
            # The oracle has to win every single item, however quick the audit is.
            most = None if name == "oracle" else plan.items
            own = tuple((task, *p) for p in plan.places(subject, task, most))
            yield Job(name, own, plan.seed)


def _tickets_to_climb(subject: Subject, plan: Plan) -> Iterator[tuple[Place, ...]]:
    """Where each ticket is climbed: together in all tasks that search, alone in one that doesn't."""
    together: dict[tuple[str, bool], list[Place]] = defaultdict(list)
    for task in plan.tasks:
        if takes_reply(task):
            for split, index in plan.places(subject, task, plan.climbs):
                item = subject.arena.catalog.ids(task, split)[index]
                together[item, "search_kb" in BY_ID[task].actions].append((task, split, index))
    return (tuple(places) for places in together.values())


def _here(subject: Subject, jobs: Iterable[Job]) -> Iterator[Outcome]:
    return (run_job(subject, job) for job in jobs)


def _spread(jobs: Sequence[Job], workers: int) -> Iterator[Outcome]:
    # A fork has the data read already; beside other threads (a server) it is not safe.
    alone = threading.active_count() == 1 and "fork" in get_all_start_methods()
    context = get_context("fork" if alone else "spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for future in as_completed([pool.submit(_run_shipped, job) for job in jobs]):
            yield future.result()


def _run_shipped(job: Job) -> Outcome:
    return run_job(Subject(engine.builtin_arena()), job)


def make_policy(name: str, episode: Episode, seed: int) -> Policy:
    """A scripted policy or an adversary, for one episode."""
    if name == "random":
        return RandomPolicy(seed)
    makers = adversaries(episode.family.id)
    return makers[name]() if name in makers else POLICIES[name](episode)


def _play(subject: Subject, job: Job, start: Episode) -> Played:
    ended = subject.play(make_policy(job.policy, start, job.seed), start)
    report = ended.report
    return Played(
        job.policy,
        start.family.id,
        start.split,
        start.index,
        start.item_id,
        ended.grade,
        bool(report and report.partial),
        malformed(ended),
        unattributed(ended),
    )


def malformed(episode: Episode) -> str:
    """What is wrong with an ended episode's rewards as numbers; "" if nothing."""
    for number, step in enumerate(episode.steps, 1):
        if not math.isfinite(step.reward) or abs(step.reward) > 1:
            return f"step {number} pays {step.reward}"
    if episode.report is None:
        return "no grade at the end"
    grade = episode.grade
    if grade is not None and not (math.isfinite(grade) and 0 <= grade <= 1):
        return f"grade {grade}"
    total = sum(s.reward for s in episode.steps)
    if abs(total - (grade or 0.0)) > _TINY:
        return f"rewards add up to {total:.6f}, the grade is {grade}"
    return ""


def unattributed(episode: Episode) -> str:
    """Which points of an ended episode no line explains; "" if every point has one."""
    for number, step in enumerate(episode.steps, 1):
        explained = sum(line.points for line in step.lines)
        if abs(explained - step.reward) > _TINY:
            return f"step {number} pays {step.reward:.6f}, its lines {explained:.6f}"
        for line in step.lines:
            if not (line.rule and line.reason and math.isfinite(line.points)):
                return f"step {number}: line {line.rule!r} gives no reason or no number"
            if any(not 0 <= s.start <= s.end <= len(episode.world.reply or "") for s in line.spans):
                return f"step {number}: line {line.rule!r} points outside the reply"
    if episode.report is not None and episode.report.raw is not None:
        lines = episode.steps[-1].lines
        criteria = sum(line.points for line in lines if line.kind == "criterion")
        if abs(criteria - episode.report.raw) > _TINY:
            return f"criteria {episode.report.raw:.6f}, their lines {criteria:.6f}"
    return ""
