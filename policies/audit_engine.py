"""The audit's checks on the engine: same arguments, same episode, whatever else goes on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from env.episode import Episode
from env.view import dump_action
from policies.audit_digest import digests
from policies.audit_play import make_policy
from policies.audit_report import AuditRow
from policies.audit_scores import Ground, row, skipped
from policies.audit_subject import Subject, Transcript
from supportops_env.models import SupportAction

_SEEDS = 24
_ITEMS = 3
_PLAYERS = ("oracle", "random", "retrieval")
_HASH_SEEDS = (1, 4_242, 77)


def seed_control(ground: Ground) -> Iterator[AuditRow]:
    """The same seed gives the same episode, and what the seed is: it does choose something."""
    subject = ground.subject
    for task in ground.plan.tasks:
        firsts = [_first(subject, task, seed) for seed in range(_SEEDS)]
        again = [_first(subject, task, seed) for seed in range(_SEEDS)]
        differ = sum(a != b for a, b in zip(firsts, again, strict=True))
        kinds = len(set(firsts))
        yield row(
            "seed_control",
            task,
            not differ and kinds > 1,
            f"{kinds} episodes of {_SEEDS} seeds, {differ} not repeated",
            "> 1, 0",
        )


def episode_determinism(ground: Ground) -> Iterator[AuditRow]:
    """The same play gives the same observations, to the letter."""
    for task in ground.plan.tasks:
        differ = [
            start.item_id
            for start, name in _plays(ground, task)
            if _played(ground, name, start) != _played(ground, name, start)
        ]
        yield _none("episode_determinism", task, differ)


def episode_isolation(ground: Ground) -> Iterator[AuditRow]:
    """Two episodes played in turns do not touch each other, nor does a step touch what was before."""
    for task in ground.plan.tasks:
        plays = list(_plays(ground, task))
        touched = []
        for (one, first), (two, second) in zip(plays, plays[1:] + plays[:1], strict=True):
            alone = _played(ground, first, one), _played(ground, second, two)
            if _in_turns(ground, (one, first), (two, second)) != alone:
                touched.append(one.item_id)
        if ground.subject.is_product:
            touched += [s.item_id for s in _crossed_sessions(ground, plays)]
        yield _none("episode_isolation", task, touched)


def replayability(ground: Ground) -> Iterator[AuditRow]:
    """An episode comes back from its arguments and its actions as JSON: same rewards, same lines."""
    subject = ground.subject
    for task in ground.plan.tasks:
        differ = []
        for start, name in _plays(ground, task):
            ended = subject.play(make_policy(name, start, ground.plan.seed), start)
            stored = json.dumps([dump_action(s.action) for s in ended.steps])
            actions = [SupportAction.model_validate(a) for a in json.loads(stored)]
            again = subject.replay(start, actions)
            if _outcome(ended) != _outcome(again):
                differ.append(start.item_id)
        yield _none("replayability", task, differ)


def verifier_determinism(ground: Ground) -> Iterator[AuditRow]:
    """Other processes, with other hash seeds, grade to the letter the same."""
    check, subject, plan = "verifier_determinism", ground.subject, ground.plan
    if not subject.is_product:
        for task in plan.tasks:
            yield skipped(check, task, "other processes can play the shipped data only")
        return
    seeds = _HASH_SEEDS[: plan.processes]
    with ThreadPoolExecutor(len(seeds)) as pool:
        waiting = [pool.submit(subject.elsewhere, plan.tasks, plan.seed, s) for s in seeds]
        here = digests(subject, plan.tasks, plan.seed)
        try:
            there = [w.result() for w in waiting]
        except (OSError, subprocess.TimeoutExpired) as error:
            for task in plan.tasks:
                yield skipped(check, task, f"no other process could be run: {error}")
            return
        except (RuntimeError, ValueError) as error:
            for task in plan.tasks:
                failed = row(check, task, False, "a process failed", "0")
                yield failed.model_copy(update={"reason": str(error)})
            return
    for task in plan.tasks:
        differ = [str(s) for s, d in zip(seeds, there, strict=True) if d.get(task) != here[task]]
        measured = f"{len(differ)} of {len(seeds)} processes differ"
        worst = f"hash seed {', '.join(differ)}" if differ else ""
        yield row(check, task, not differ, measured, "0", worst)


def _first(subject: Subject, task: str, seed: int) -> str:
    episode = subject.start(task, None, seed, arena=subject.arena)
    return subject.observe(episode, "x").model_copy(update={"seed": 0}).model_dump_json()


def _plays(ground: Ground, task: str) -> Iterator[tuple[Episode, str]]:
    subject, seed = ground.subject, ground.plan.seed
    for split, index in ground.plan.places(subject, task, _ITEMS):
        for name in _PLAYERS:
            yield subject.begin(task, split, seed, index), name


def _played(ground: Ground, name: str, start: Episode) -> Transcript:
    return ground.subject.transcript(make_policy(name, start, ground.plan.seed), start)


def _in_turns(
    ground: Ground, one: tuple[Episode, str], two: tuple[Episode, str]
) -> tuple[Transcript, Transcript]:
    """Both transcripts, taken from every episode value only after all steps of both were played."""
    subject = ground.subject
    values: list[list[Episode]] = [[one[0]], [two[0]]]
    policies = [make_policy(name, start, ground.plan.seed) for start, name in (one, two)]
    going = [subject.moves(p, v[0]) for p, v in zip(policies, values, strict=True)]
    left = [0, 1]
    while left:
        for side in list(left):
            after = next(going[side], None)
            if after is None:
                left.remove(side)
            else:
                values[side].append(after)
    first, second = (tuple(subject.observe(e, "x").model_dump_json() for e in v) for v in values)
    return first, second


def _crossed_sessions(ground: Ground, plays: list[tuple[Episode, str]]) -> Iterator[Episode]:
    """Episodes that two sessions of the OpenEnv adapter, used in turns, do not keep apart."""
    subject = ground.subject
    ends = [subject.play(make_policy(n, s, ground.plan.seed), s) for s, n in plays]
    for one, two in zip(ends, ends[1:] + ends[:1], strict=True):
        sessions = [(subject.make_environment(), e) for e in (one, two)]
        for session, e in sessions:
            session.reset(
                seed=e.seed, episode_id="x", task_id=e.family.id, split=e.split, index=e.index
            )
        for session, e in sessions:
            for action in [s.action for s in e.steps[:-1]]:
                session.step(action)
        last = [session.step(e.steps[-1].action) for session, e in sessions]
        if last != [subject.observe(e, "x") for e in (one, two)]:
            yield one


def _outcome(episode: Episode) -> tuple[object, ...]:
    return episode.grade, tuple((s.reward, s.lines, s.feedback) for s in episode.steps)


def _none(check: str, task: str, differ: list[str]) -> AuditRow:
    worst = ", ".join(dict.fromkeys(differ))[:60]
    return row(check, task, not differ, f"{len(differ)} episodes differ", "0", worst)
