"""A run: who played which episode, what they did, what it was worth. Enough to replay it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from env import episode as engine
from env.episode import Arena, Episode
from env.view import dump_action
from graders.version import GRADER_VERSION
from supportops_env.models import GradeReport, SupportAction

Kind = Literal["model", "policy", "human"]
StopReason = Literal["done", "out_of_steps", "refusals", "model_error", "timeout", "cancelled"]


class Run(BaseModel):
    """One played episode. `actions` and the first fields rebuild it; the rest is what came out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    kind: Kind
    policy: str = Field(description="policy name, or 'llm', or a person's display name")
    model: str | None = None
    task_id: str
    split: str
    seed: int
    index: int
    item_id: str
    data_version: str
    grader_version: str
    actions: tuple[dict[str, Any], ...]
    rewards: tuple[float, ...]
    grade: float | None
    report: GradeReport | None = None
    stop: StopReason = "done"


def record(episode: Episode, run_id: str, kind: Kind, policy: str, model: str | None = None) -> Run:
    """The run of an episode that was played."""
    out_of_steps = len(episode.steps) >= episode.family.max_steps
    return Run(
        run_id=run_id,
        kind=kind,
        policy=policy,
        model=model,
        task_id=episode.family.id,
        split=episode.split,
        seed=episode.seed,
        index=episode.index,
        item_id=episode.item_id,
        data_version=episode.arena.catalog.version,
        grader_version=GRADER_VERSION,
        actions=tuple(dump_action(s.action) for s in episode.steps),
        rewards=tuple(round(s.reward, 6) for s in episode.steps),
        grade=None if episode.grade is None else round(episode.grade, 6),
        stop="out_of_steps" if out_of_steps and not _ended_itself(episode) else "done",
    )


def replay(run: Run, arena: Arena | None = None) -> Episode:
    """Play a run's actions again under the present data and grader."""
    actions = [SupportAction.model_validate(a) for a in run.actions]
    return engine.replay(actions, run.task_id, run.split, run.seed, run.index, arena)


def _ended_itself(episode: Episode) -> bool:
    return bool(episode.steps) and "Out of steps" not in episode.steps[-1].feedback
