"""The Task API of openenv 0.10, served under either openenv line: tasks by place in a flat list."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, Field, StrictInt

from env import episode as engine
from env.errors import UnknownName
from env.tasks import FAMILIES

ENVIRONMENT = "supportops_env"
_EnvName = Annotated[str, Path(max_length=80, examples=[ENVIRONMENT])]


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


def task_api_routes() -> APIRouter:
    """The Task API of openenv 0.10, served under either openenv line."""
    router = APIRouter(tags=["Task API"])

    @router.get("/list_environments", summary="The one environment served here")
    async def list_environments() -> list[str]:
        return [ENVIRONMENT]

    @router.get("/{env_name}/splits", summary="The splits")
    async def splits(env_name: _EnvName) -> list[dict[str, str]]:
        _check(env_name)
        return [{"name": s, "type": s} for s in engine.SPLITS]

    @router.post("/{env_name}/tasks", summary="All tasks of a split")
    async def tasks(env_name: _EnvName, body: SplitBody) -> dict[str, Any]:
        _check(env_name)
        return {"tasks": _specs(body.split), "env_name": ENVIRONMENT}

    @router.post("/{env_name}/num_tasks", summary="How many tasks a split has")
    async def num_tasks(env_name: _EnvName, body: SplitBody) -> dict[str, int]:
        _check(env_name)
        return {"num_tasks": len(_specs(body.split))}

    @router.post("/{env_name}/task", summary="One task by its place in the flat list")
    async def task(env_name: _EnvName, body: TaskBody) -> dict[str, Any]:
        _check(env_name)
        specs = _specs(body.split)
        if not 0 <= body.index < len(specs):
            raise HTTPException(400, f"no task at this index; valid: 0 to {len(specs) - 1}")
        return {"task": specs[body.index]}

    @router.post("/{env_name}/task_range", summary="Tasks start to stop (exclusive)")
    async def task_range(env_name: _EnvName, body: RangeBody) -> dict[str, Any]:
        _check(env_name)
        start, stop = body.start or 0, body.stop
        if start < 0 or (stop is not None and stop < start):
            raise HTTPException(400, "start must be 0 or more, stop at least start")
        return {"tasks": _specs(body.split)[start:stop]}

    return router


def _check(env_name: str) -> None:
    if env_name.casefold() not in (ENVIRONMENT, "supportops"):
        raise HTTPException(404, f"unknown environment {env_name!r}; valid: {ENVIRONMENT}")


def _specs(split: str) -> list[dict[str, Any]]:
    """What to reset with for each task of a split; the place in this list is the flat index."""
    if split not in engine.SPLITS:
        raise HTTPException(422, str(UnknownName("split", split, engine.SPLITS)))
    catalog = engine.builtin_arena().catalog
    specs: list[dict[str, Any]] = []
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
