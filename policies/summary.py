"""What a bench comes to: means per task, one score over all of them, and an exit code."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from env.choice import ENDLESS
from policies.bench import Played

OK, FAILED = 0, 1


def task_means(results: Sequence[Played]) -> dict[str, tuple[float, int]]:
    """Mean score and number of episodes by task, in order of play, without failures."""
    scores: dict[str, list[float]] = {}
    for played in results:
        if not played.failed:
            scores.setdefault(played.assignment.task_id, []).append(played.score)
    return {task: (statistics.fmean(own), len(own)) for task, own in scores.items()}


def overall(results: Sequence[Played]) -> float | None:
    """The mean of the tasks' means, so that each task weighs the same; None without a score."""
    means = [mean for mean, _ in task_means(results).values()]
    return statistics.fmean(means) if means else None


def lines(results: Sequence[Played], planned: int, stopped: str) -> list[str]:
    """The summary for people."""
    said = []
    for played in results:
        if played.error:
            a = played.assignment
            place = a.seed if a.split == ENDLESS else a.index
            said.append(f"{a.task_id} {place}: {played.stop}: {played.error}")
    for task, (mean, count) in task_means(results).items():
        said.append(f"{task}: mean {mean:.3f} over {count} episodes")
    score = overall(results)
    if score is not None and len(task_means(results)) > 1:
        said.append(f"all tasks: mean {score:.3f}")
    failed = sum(p.failed for p in results)
    if failed:
        said.append(f"{failed} episodes failed; they are in no mean")
    resumed = sum(p.resumed for p in results)
    if resumed:
        said.append(f"{resumed} of {len(results)} episodes had been played before")
    if stopped:
        said.append(f"{stopped}; {len(results)} of {planned} episodes were begun")
    return said


def exit_code(results: Sequence[Played], planned: int, min_score: float | None) -> int:
    """0: all was played. 1: something failed, was left out, or scored too low."""
    score = overall(results)
    low = min_score is not None and (score is None or score < min_score)
    return FAILED if low or len(results) < planned or any(p.failed for p in results) else OK
