"""The audit: plays known policies on every task and says in one table whether the grades hold.

`python -m policies.audit` takes minutes, `--quick` under a minute on two cores. It exits with 1 if
any check failed, with 2 if it was asked for something that does not exist.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from data.command import exit_code_of
from env import episode as engine
from env.errors import UnknownName
from env.tasks import BY_ID, FAMILIES, family
from graders.version import GRADER_VERSION
from policies import audit_engine, audit_leaks, audit_rewards, audit_scores
from policies.audit_play import Progress, play_all
from policies.audit_report import AuditReport, AuditRow, table
from policies.audit_scores import Ground
from policies.audit_subject import Plan, Subject

SEED = 42
_QUICK: dict[str, int] = {"items": 8, "edits": 250, "climbs": 4, "processes": 1}

Check = Callable[[Ground], Iterator[AuditRow]]

CHECKS: dict[str, tuple[Check, ...]] = {
    "seed_control": (audit_engine.seed_control,),
    "episode_determinism": (audit_engine.episode_determinism,),
    "episode_isolation": (audit_engine.episode_isolation,),
    "replayability": (audit_engine.replayability,),
    "verifier_determinism": (audit_engine.verifier_determinism,),
    "oracle_max": (audit_scores.oracle_max, audit_rewards.oracle_shipped),
    "canary_floor": (audit_rewards.canary_floor,),
    "no_solution_leakage": (audit_leaks.no_solution_leakage,),
    "reward_well_formed": (audit_rewards.reward_well_formed,),
    "reward_attribution": (audit_rewards.reward_attribution,),
    "rubric_introspectable": (audit_rewards.rubric_introspectable,),
    "task_declaration_accuracy": (audit_rewards.task_declaration_accuracy,),
    "floor_gap": (audit_scores.floor_gap,),
    "adversarial_floor": (audit_scores.adversarial_floor,),
    "gameability_gap": (audit_scores.gameability_gap,),
    "difficulty_separation": (audit_scores.difficulty_separation,),
    "headroom": (audit_scores.headroom,),
}
"""All checks by name, in the order of the table."""


def run_audit(
    quick: bool = False,
    task: str | None = None,
    seed: int = SEED,
    workers: int = 1,
    progress: Progress | None = None,
    subject: Subject | None = None,
) -> AuditReport:
    """Audit the environment. Blocks all the while: call it from a thread without an event loop.

    Args:
        quick: Fewer items, and fewer and shorter climbs; the oracle still plays every item.
        task: Only this task.
        seed: Seeds episodes, the random policy and the hill-climber.
        workers: Processes to play in; the result does not depend on it.
        progress: Called after each step of the work with steps done, steps in all, and its name.
        subject: What to audit; the product by default.

    Raises:
        UnknownName: there is no such task or seed.
    """
    tasks = (family(task).id,) if task is not None else tuple(f.id for f in FAMILIES)
    audited = subject or Subject(engine.builtin_arena())
    plan = Plan(tasks, seed, workers=workers, **_QUICK if quick else {})
    audited.start(tasks[0], None, seed, arena=audited.arena)  # refuses a bad seed at once

    def told(done: int, total: int, what: str) -> None:
        if progress is not None:
            progress(done, total + len(CHECKS), what)

    jobs = 0

    def counted(done: int, total: int, what: str) -> None:
        nonlocal jobs
        jobs = total
        told(done, total, what)

    ground = Ground(audited, plan, play_all(audited, plan, counted))
    rows: list[AuditRow] = []
    for number, (name, checks) in enumerate(CHECKS.items(), 1):
        rows += run_check(name, checks, ground)
        told(jobs + number, jobs, name)
    return AuditReport(
        measured=datetime.now(UTC).date(),
        quick=quick,
        tasks=tasks,
        seed=seed,
        data_version=audited.arena.catalog.version,
        grader_version=GRADER_VERSION,
        rows=tuple(rows),
        scores=tuple(s for t in tasks for s in ground.grades.scores(t).values()),
        climbs=tuple(ground.grades.climbs),
    )


def run_check(name: str, checks: Sequence[Check], ground: Ground) -> list[AuditRow]:
    """The rows of a check. One that crashes fails: nothing passes by default."""
    rows: list[AuditRow] = []
    for check in checks:
        try:
            rows += check(ground)
        except Exception as crash:
            reason = f"{type(crash).__name__}: {crash}"[:200]
            rows.append(AuditRow(check=name, status="FAIL", measured="crashed", reason=reason))
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Audit, print the table (or JSON), and return the exit code."""
    arguments = _parser().parse_args(argv)
    bar: tqdm[Any] | None = None

    def show(done: int, total: int, what: str) -> None:
        nonlocal bar
        if arguments.lines:
            _print_line({"done": done, "total": total, "what": what})
            return
        if bar is None:  # after the processes were made: its thread must not be forked
            bar = tqdm(total=total, desc="audit", unit="job", file=sys.stderr)
        bar.set_postfix_str(what, refresh=False)
        bar.update(done - bar.n)

    if arguments.out is not None and not arguments.out.parent.is_dir():
        return _refuse(
            f"--out {arguments.out} can't be written: name a file in a folder that exists"
        )
    try:
        report = run_audit(arguments.quick, arguments.task, arguments.seed, arguments.workers, show)
    except UnknownName as error:
        return _refuse(str(error))
    finally:
        if bar is not None:
            bar.close()
    if arguments.out is not None:
        arguments.out.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    if arguments.lines:
        _print_line({"report": report.model_dump(mode="json")})
        return 0 if report.passed else 1
    text = report.model_dump_json(indent=1) if arguments.json else table(report.rows)
    sys.stdout.write(text + "\n")
    return 0 if report.passed else 1


def _print_line(content: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(content) + "\n")
    sys.stdout.flush()


def _refuse(text: str) -> int:
    sys.stderr.write(f"policies.audit: {text}\n")
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m policies.audit", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer items and edits")
    parser.add_argument("--task", metavar="ID", help=f"one of {', '.join(BY_ID)}; default: all")
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes to play in"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with scores and replies")
    parser.add_argument(
        "--lines",
        action="store_true",
        help="print JSON lines instead: one after each step of the work, then the report",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the JSON to a file too")
    return parser


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
