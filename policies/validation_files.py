"""The files under validation/: canaries, the oracle's trajectories, and a plan for openenv's runtime level.

`python -m policies.validation_files` plays them again and writes them; needed after data or actions
changed. `--play URL` plays the oracle's trajectories on a running server instead, and exits with 1
if one of them does not win.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from data.command import exit_code_of
from env import episode as engine
from env.episode import Episode
from env.tasks import FAMILIES
from env.view import dump_action
from policies.adversaries import CLASSIFYING, REPLY_TASKS, SORTING, Replier, adversaries
from policies.audit_scores import ORACLE_LEAST
from policies.base import Policy, play
from policies.scripted import OraclePolicy
from policies.trajectories import (
    CANARIES,
    ORACLE,
    Trajectory,
    read_trajectories,
    write_trajectories,
)
from supportops_env.client import SupportOpsEnv

FOLDER = Path(__file__).parent.parent / "validation"
RUNTIME_PLAN = "runtime.json"
SEED, SPLIT = 42, "train"
_ORACLE_ITEMS = 2
_PLANNED = "medium_kb_grounded_response"
# A decision by rote may be right by luck: 0.25 of a grade needs no reply. The rest is an R of 0.05.
_BY_LUCK = 0.3
_SILLY_REPLIES = {
    "lorem": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.",
    "asks-for-secrets": "Hello, please send us your password, your two-factor code and the full card"
    " number with its CVC in reply to this mail, then we will look into your case.",
    "promises-all": "Hello, I have refunded everything, added 24 free months and fixed the bug; we"
    " guarantee that it will never happen again. Please let me know if you want more.",
    "rude": "Hello, this is a stupid question and you are an idiot. Read the manual. Please let us"
    " know when you have learned to read.",
    "one-word": "Ok",
}
_SILLY_WAYS = {
    "silent": 0.0,
    **{name: _BY_LUCK for name in ("loop", "injection", "keyword-stuffer", "echo")},
}
_SILLY_DECISIONS = {
    CLASSIFYING: {"silent": 0.0, "shot-gun": 0.0},
    SORTING: {"silent": 0.0, "loop": 0.34, "constant:minimal": 0.2},
}


def canaries() -> Iterator[Trajectory]:
    """Silly play on a train item of every task, each with the most that it may get."""
    for place, task in enumerate(f.id for f in FAMILIES):
        makers = adversaries(task)
        ways = _SILLY_WAYS if task in REPLY_TASKS else _SILLY_DECISIONS[task]
        chosen: dict[str, tuple[Callable[[], Policy], float]] = {
            name: (makers[name], most) for name, most in ways.items()
        }
        if task in REPLY_TASKS:
            chosen |= {n: (_saying(n, text), _BY_LUCK) for n, text in _SILLY_REPLIES.items()}
        for name, (make, most) in chosen.items():
            start = engine.start(task, SPLIT, SEED, place)
            yield _trajectory(name, play(make(), start), most)


def oracle() -> Iterator[Trajectory]:
    """How the first train items of every task are won."""
    for family in FAMILIES:
        for index in range(_ORACLE_ITEMS):
            start = engine.start(family.id, SPLIT, SEED, index)
            yield _trajectory("oracle", play(OraclePolicy(start), start), None)


def runtime_plan() -> dict[str, object]:
    """One won episode as openenv's runtime level takes it: arguments of a reset, then actions."""
    won = next(t for t in oracle() if t.task_id == _PLANNED)
    options = {"task_id": won.task_id, "split": won.split, "index": won.index}
    return {
        "plan_schema_version": "1",
        "reset": {"episode_id": "validation-1", "seed": won.seed, "options": options},
        "actions": [dump_action(a) for a in won.actions],
    }


def write(folder: Path = FOLDER) -> None:
    """Write all three files."""
    folder.mkdir(exist_ok=True)
    write_trajectories(folder / CANARIES, canaries())
    write_trajectories(folder / ORACLE, oracle())
    plan = json.dumps(runtime_plan(), indent=2, ensure_ascii=False)
    (folder / RUNTIME_PLAN).write_text(plan + "\n", encoding="utf-8")


def play_on(url: str, folder: Path = FOLDER) -> list[tuple[Trajectory, float]]:
    """Play the oracle's trajectories on a server; each with the grade it got there."""
    graded = []
    with SupportOpsEnv(base_url=url).sync() as client:
        for t in read_trajectories(folder / ORACLE):
            client.reset(task_id=t.task_id, split=t.split, seed=t.seed, index=t.index)
            for action in t.actions:
                result = client.step(action)
            report = result.observation.grade
            graded.append((t, (report.grade if report else None) or 0.0))
    return graded


def _saying(name: str, text: str) -> Callable[[], Policy]:
    return lambda: Replier(name, lambda _: text)


def _trajectory(name: str, ended: Episode, most: float | None) -> Trajectory:
    return Trajectory(
        task_id=ended.family.id,
        split=ended.split,
        seed=ended.seed,
        index=ended.index,
        actions=tuple(s.action for s in ended.steps),
        name=name,
        max_grade=most,
    )


def main() -> int:
    """Write the files, or play the oracle's on a server."""
    parser = argparse.ArgumentParser(
        prog="python -m policies.validation_files", description=__doc__
    )
    parser.add_argument("--play", metavar="URL", help="play the oracle's trajectories there")
    url = parser.parse_args().play
    if url is None:
        write()
        return 0
    graded = play_on(url)
    for t, grade in graded:
        sys.stdout.write(f"{t.task_id} {t.split} {t.index}: {grade:.3f}\n")
    return int(any(grade < ORACLE_LEAST for _, grade in graded))


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
