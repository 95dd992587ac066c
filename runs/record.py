"""A run: who played which episode, what they did, what it was worth. Enough to replay it."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from env import episode as engine
from env.episode import Arena, Episode
from env.view import dump_action
from graders.version import GRADER_VERSION
from supportops_env.models import GradeReport, Knobs, SupportAction

Kind = Literal["model", "policy", "human", "client"]
"""Who played: a client is somebody on a server, which can't know who it is."""
StopReason = Literal["done", "out_of_steps", "refusals", "model_error", "timeout", "cancelled"]


class Refusal(BaseModel):
    """A model's answer that was no action: before which step (from 1), why, and its first words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(ge=1)
    why: str
    text: str = Field(default="", max_length=2_000)


class Usage(BaseModel):
    """What a run cost: tokens, US dollars (None where no price is known), seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    calls: int = 0


class Run(BaseModel):
    """One played episode. `actions` and the first fields rebuild it; the rest is what came out.

    A run that an infrastructure failure ended (`model_error`, `timeout`, `cancelled`) has no grade
    and counts apart: it is not scored 0.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    kind: Kind
    policy: str = Field(
        description="policy name, 'llm', a person's display name, or how a client came"
    )
    model: str | None = None
    task_id: str
    split: str
    seed: int
    index: int
    knobs: Knobs = Knobs()
    item_id: str
    data_version: str
    grader_version: str
    actions: tuple[dict[str, Any], ...]
    rewards: tuple[float, ...]
    grade: float | None
    report: GradeReport | None = None
    partial: bool = False
    stop: StopReason = "done"
    prompt_version: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    usage: Usage | None = None
    error: str | None = None
    started_at: str | None = Field(default=None, description="ISO 8601, UTC")

    @property
    def player(self) -> str:
        """Who played: the model, or else the policy or the person."""
        return self.model or self.policy

    @property
    def failed(self) -> bool:
        """Whether an infrastructure failure ended it: then it has no grade and counts apart."""
        return self.stop in ("model_error", "timeout", "cancelled")

    @property
    def reveals_labels(self) -> bool:
        """Whether its actions are labels of the test split: then people are not shown it."""
        return (self.split, self.kind, self.policy) == ("test", "policy", "oracle")


class Identity(TypedDict):
    """What names an episode, and the versions it is played under."""

    task_id: str
    split: str
    seed: int
    index: int
    knobs: Knobs
    item_id: str
    data_version: str
    grader_version: str


def identity(episode: Episode) -> Identity:
    """What names an episode: the fields of a run that are known when it begins."""
    return Identity(
        task_id=episode.family.id,
        split=episode.split,
        seed=episode.seed,
        index=episode.index,
        knobs=episode.knobs,
        item_id=episode.item_id,
        data_version=episode.arena.catalog.version,
        grader_version=GRADER_VERSION,
    )


def grader_major(version: str) -> str:
    """The part of a grader version within which scores compare."""
    return version.partition(".")[0]


def record(episode: Episode, run_id: str, kind: Kind, policy: str, model: str | None = None) -> Run:
    """The run of an episode that was played; one that was left before its end is "cancelled"."""
    return Run(
        run_id=run_id,
        kind=kind,
        policy=policy,
        model=model,
        **identity(episode),
        actions=tuple(dump_action(s.action) for s in episode.steps),
        rewards=tuple(round(s.reward, 6) for s in episode.steps),
        grade=None if episode.grade is None else round(episode.grade, 6),
        report=episode.report,
        partial=bool(episode.report and episode.report.partial),
        stop=_stop(episode),
    )


def replay(run: Run, arena: Arena | None = None) -> Episode:
    """Play a run's actions again under the present data and grader."""
    actions = [SupportAction.model_validate(a) for a in run.actions]
    return engine.replay(actions, run.task_id, run.split, run.seed, run.index, arena, run.knobs)


def _stop(episode: Episode) -> StopReason:
    if not episode.done:
        return "cancelled"
    ran_out = episode.steps[-1].feedback.endswith(engine.OUT_OF_STEPS)
    return "out_of_steps" if ran_out else "done"
