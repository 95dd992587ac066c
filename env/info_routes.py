"""What the environment tells about itself: tasks, schemas, the Task API, and grading on request."""

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
from env.tasks import FAMILIES, Family, family
from supportops_env.models import (
    GradeReport,
    RewardLine,
    SupportAction,
    SupportObservation,
    SupportState,
)

ENVIRONMENT = "supportops_env"
_MAX_ACTIONS = 64


class TaskInfo(BaseModel):
    """One task family as /tasks shows it."""

    id: str
    name: str
    difficulty: str
    description: str
    actions: tuple[str, ...]
    ends_on: str
    max_steps: int
    formula: str
    episodes: dict[str, int] = Field(description="how many items each split has")
    notes: str = Field(description="description, action space, observation space, reward, end")
    action_schema: dict[str, Any]


class GraderBody(BaseModel):
    """A finished episode by id, or the trajectory of a train episode."""

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
    split: str = Field(default="train", max_length=20)
    seed: StrictInt = Field(default=0, ge=0)
    index: StrictInt | None = Field(default=None, ge=0)
    actions: list[SupportAction] = Field(default_factory=list, max_length=_MAX_ACTIONS)


class GraderAnswer(BaseModel):
    """The grade; score 0 and no detail while the episode is not done."""

    score: float
    done: bool
    task_id: str | None = None
    grade: GradeReport | None = None
    breakdown: tuple[RewardLine, ...] = ()


class SplitBody(BaseModel):
    """Body of the Task API's listings."""

    split: str = Field(max_length=20, examples=["train"])


class TaskBody(SplitBody):
    """Body of the Task API's look-up."""

    index: StrictInt = Field(examples=[0])


class RangeBody(SplitBody):
    """Body of the Task API's range: start inclusive, stop exclusive."""

    start: StrictInt | None = Field(default=None, examples=[0])
    stop: StrictInt | None = Field(default=None, examples=[3])


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
    async def grader(body: GraderBody) -> GraderAnswer:
        if body.episode_id is not None:
            return _graded(store.get(body.episode_id))
        if not body.actions:
            return GraderAnswer(score=0.0, done=False, task_id=body.task_id)
        if body.split != "train":
            raise HTTPException(422, "only trajectories of the train split can be posted")
        arguments = ResetArguments(
            task_id=body.task_id, split="train", seed=body.seed, index=body.index
        )
        episode = begin(arguments)
        for action in body.actions:
            if episode.done:
                break
            episode = engine.step(episode, action)
        return _graded(episode)

    @router.get("/schema", tags=["Schema"], summary="JSON schemas of action, observation, state")
    async def schema() -> SchemaResponse:
        return SchemaResponse(
            action=SupportAction.model_json_schema(),
            observation=SupportObservation.model_json_schema(),
            state=SupportState.model_json_schema(),
        )

    return router


def task_api_routes() -> APIRouter:
    """The Task API of openenv 0.10, served under either openenv line."""
    router = APIRouter(tags=["Task API"])

    @router.get("/list_environments", summary="The one environment served here")
    async def list_environments() -> list[str]:
        return [ENVIRONMENT]

    @router.get("/{env_name}/splits", summary="The splits")
    async def splits(env_name: str) -> list[dict[str, str]]:
        _check(env_name)
        return [{"name": s, "type": s} for s in engine.SPLITS]

    @router.post("/{env_name}/tasks", summary="All tasks of a split")
    async def tasks(env_name: str, body: SplitBody) -> dict[str, Any]:
        _check(env_name)
        return {"tasks": _specs(body.split), "env_name": ENVIRONMENT}

    @router.post("/{env_name}/num_tasks", summary="How many tasks a split has")
    async def num_tasks(env_name: str, body: SplitBody) -> dict[str, int]:
        _check(env_name)
        return {"num_tasks": len(_specs(body.split))}

    @router.post("/{env_name}/task", summary="One task by its place in the flat list")
    async def task(env_name: str, body: TaskBody) -> dict[str, Any]:
        _check(env_name)
        specs = _specs(body.split)
        if not 0 <= body.index < len(specs):
            raise HTTPException(400, f"no task {body.index}; valid: 0 to {len(specs) - 1}")
        return {"task": specs[body.index]}

    @router.post("/{env_name}/task_range", summary="Tasks start to stop (exclusive)")
    async def task_range(env_name: str, body: RangeBody) -> dict[str, Any]:
        _check(env_name)
        start, stop = body.start or 0, body.stop
        if start < 0 or (stop is not None and stop < start):
            raise HTTPException(400, "start must be 0 or more, stop at least start")
        return {"tasks": _specs(body.split)[start:stop]}

    return router


def _check(env_name: str) -> None:
    if env_name.casefold() not in (ENVIRONMENT, "supportops"):
        raise HTTPException(404, f"unknown environment {env_name[:80]!r}; valid: {ENVIRONMENT}")


def _specs(split: str) -> list[dict[str, Any]]:
    """What to reset with for each task of a split; the place in this list is the flat index."""
    if split not in engine.SPLITS:
        raise HTTPException(422, str(UnknownName("split", split, engine.SPLITS)))
    catalog = engine.builtin_arena().catalog
    specs = []
    for known in FAMILIES:
        for index in range(len(catalog.ids(known.id, split))):
            specs.append(
                {
                    "id": f"{known.id}/{split}/{index}",
                    "task_id": known.id,
                    "split": split,
                    "index": index,
                    "difficulty": known.difficulty,
                    "flat_index": len(specs),
                }
            )
    return specs


def _info(known: Family) -> TaskInfo:
    catalog = engine.builtin_arena().catalog
    return TaskInfo(
        id=known.id,
        name=known.name,
        difficulty=known.difficulty,
        description=known.description,
        actions=known.actions,
        ends_on=known.ends_on,
        max_steps=known.max_steps,
        formula=known.formula,
        episodes={s: len(catalog.ids(known.id, s)) for s in engine.SPLITS},
        notes=known.notes,
        action_schema=SupportAction.model_json_schema(),
    )


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
