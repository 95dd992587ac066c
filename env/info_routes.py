"""What the environment tells about itself: tasks and schemas, and grading on request."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from openenv.core.env_server.types import SchemaResponse
from pydantic import BaseModel, ConfigDict, Field, StrictInt

from env import episode as engine
from env.arguments import EPISODE_ID, ResetArguments, begin
from env.episode import Episode
from env.errors import UnknownName
from env.sessions import EpisodeStore
from env.tasks import FAMILIES, Family, family, with_categories
from supportops_env.models import (
    GradeReport,
    Knobs,
    RewardLine,
    SupportAction,
    SupportObservation,
    SupportState,
)

_MAX_ACTIONS = 64


class TaskInfo(BaseModel):
    """One task family as /tasks shows it."""

    id: str
    name: str
    difficulty: str
    description: str
    actions: tuple[str, ...]
    categories: tuple[str, ...] = Field(
        description="what a classify may name, of the stored splits; none where there is none"
    )
    ends_on: str
    max_steps: int
    formula: str
    episodes: dict[str, int] = Field(description="how many items each stored split has")
    endless: bool = Field(
        default=True,
        description="whether it is also played in the split 'endless', where every seed is a new"
        " item and there is no number of them",
    )
    notes: str = Field(description="description, action space, observation space, reward, end")
    action_schema: dict[str, Any]


class GraderBody(BaseModel):
    """A finished episode by id, or the trajectory of a train or endless episode."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "task_id": "ticket_classification",
                    "split": "train",
                    "seed": 42,
                    "index": 0,
                    "actions": [{"action_type": "classify", "content": "Billing"}],
                }
            ]
        },
    )

    episode_id: str | None = Field(default=None, pattern=EPISODE_ID)
    task_id: str | None = Field(default=None, max_length=80)
    split: str = Field(default="train", max_length=20, description="train or endless")
    seed: StrictInt = Field(default=0, ge=0)
    index: StrictInt | None = Field(default=None, ge=0)
    knobs: Knobs = Knobs()
    actions: list[SupportAction] = Field(default_factory=list, max_length=_MAX_ACTIONS)


class GraderAnswer(BaseModel):
    """The grade; score 0 and no detail while the episode is not done."""

    score: float
    done: bool
    task_id: str | None = None
    grade: GradeReport | None = None
    breakdown: tuple[RewardLine, ...] = ()


def info_routes(store: EpisodeStore) -> APIRouter:
    """Routes that change nothing."""
    router = APIRouter()

    @router.get("/tasks", tags=["Environment Info"], summary="All task families")
    async def tasks() -> list[TaskInfo]:
        return [_info(f) for f in FAMILIES]

    @router.get(
        "/tasks/{task_id}",
        tags=["Environment Info"],
        summary="One task family",
        responses={404: {"description": "No such task; the answer lists the tasks"}},
    )
    async def task(
        task_id: Annotated[str, Path(max_length=80, examples=["ticket_classification"])],
    ) -> TaskInfo:
        try:
            return _info(family(task_id))
        except UnknownName as error:
            raise HTTPException(404, str(error)) from error

    @router.post("/grader", tags=["Environment Info"], summary="Grade an episode or a trajectory")
    async def grader(body: GraderBody | None = None) -> GraderAnswer:
        return _grade(body or GraderBody(), store)

    @router.get("/schema", tags=["Schema"], summary="JSON schemas of action, observation, state")
    async def schema() -> SchemaResponse:
        return SchemaResponse(
            action=SupportAction.model_json_schema(),
            observation=SupportObservation.model_json_schema(),
            state=SupportState.model_json_schema(),
        )

    return router


def _info(known: Family) -> TaskInfo:
    catalog = engine.default_arena().catalog
    known = with_categories(known, catalog.categories)
    return TaskInfo(
        id=known.id,
        name=known.name,
        difficulty=known.difficulty,
        description=known.description,
        actions=known.actions,
        categories=known.categories,
        ends_on=known.ends_on,
        max_steps=known.max_steps,
        formula=known.formula,
        episodes={s: len(catalog.ids(known.id, s)) for s in engine.SPLITS},
        notes=known.notes,
        action_schema=SupportAction.model_json_schema(),
    )


def _grade(body: GraderBody, store: EpisodeStore) -> GraderAnswer:
    if body.episode_id is not None:
        return _graded(store.get(body.episode_id))
    if not body.actions:
        return GraderAnswer(score=0.0, done=False, task_id=body.task_id)
    if body.split not in ("train", engine.ENDLESS):
        raise HTTPException(
            422, "only trajectories of the train split and the endless one can be posted"
        )
    arguments = ResetArguments(
        task_id=body.task_id,
        split=body.split,
        seed=body.seed,
        index=body.index,
        knobs=body.knobs,
    )
    episode = begin(arguments)
    for action in body.actions:
        if episode.done:
            break
        episode = engine.step(episode, action)
    return _graded(episode)


def _graded(episode: Episode) -> GraderAnswer:
    if not episode.done:
        return GraderAnswer(score=0.0, done=False, task_id=episode.family.id)
    return GraderAnswer(
        score=episode.grade or 0.0,
        done=True,
        task_id=episode.family.id,
        grade=episode.report,
        breakdown=episode.steps[-1].lines,
    )
