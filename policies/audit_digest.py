"""Digests of a fixed play, one for each task: the same in every process, or grading is not fixed.

`python -m policies.audit_digest --seed N TASK...` prints them as JSON; the audit runs it in processes
with other hash seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from data.command import exit_code_of
from env import episode as engine
from policies.audit_play import make_policy
from policies.audit_subject import Plan, Subject, digest

_POLICIES = ("oracle", "retrieval", "random", "shot-gun")
_ITEMS = 4


def digests(subject: Subject, tasks: Sequence[str], seed: int) -> dict[str, str]:
    """For each task one digest over all that some policies see on some items, grades included."""
    found = {}
    for task in tasks:
        parts: list[str] = []
        for split, index in Plan((task,)).places(subject, task, _ITEMS):
            for name in _POLICIES:
                start = subject.begin(task, split, seed, index)
                parts += subject.transcript(make_policy(name, start, seed), start)
        found[task] = digest(parts)
    return found


def main() -> None:
    """Print the digests of the shipped data."""
    parser = argparse.ArgumentParser(prog="python -m policies.audit_digest", description=__doc__)
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    found = digests(Subject(engine.builtin_arena()), arguments.tasks, arguments.seed)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
