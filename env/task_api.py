"""The Task API of openenv 0.10, served under either openenv line: tasks by place in a flat list."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, Field, StrictInt

from env import endless
from env import episode as engine
from env.errors import UnknownName
from env.tasks import FAMILIES

ENVIRONMENT = "supportops_env"
_PREVIEW = 1_000
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
        return [
            *({"name": s, "type": s} for s in engine.SPLITS),
            {"name": engine.ENDLESS, "type": "train"},
        ]

    @router.post("/{env_name}/tasks", summary="All tasks of a split; of the endless one the first")
    async def tasks(env_name: _EnvName, body: SplitBody) -> dict[str, Any]:
        _check(env_name)
        return {"tasks": _range(body.split, 0, None), "env_name": ENVIRONMENT}

    @router.post("/{env_name}/num_tasks", summary="How many tasks a split has")
    async def num_tasks(env_name: _EnvName, body: SplitBody) -> dict[str, int]:
        _check(env_name)
        return {"num_tasks": _count(body.split)}

    @router.post("/{env_name}/task", summary="One task by its place in the flat list")
    async def task(env_name: _EnvName, body: TaskBody) -> dict[str, Any]:
        _check(env_name)
        count = _count(body.split)
        if not 0 <= body.index < count:
            raise HTTPException(400, f"no task at this index; valid: 0 to {count - 1}")
        return {"task": _range(body.split, body.index, body.index + 1)[0]}

    @router.post("/{env_name}/task_range", summary="Tasks start to stop (exclusive)")
    async def task_range(env_name: _EnvName, body: RangeBody) -> dict[str, Any]:
        _check(env_name)
        start, stop = body.start or 0, body.stop
        if start < 0 or (stop is not None and stop < start):
            raise HTTPException(400, "start must be 0 or more, stop at least start")
        return {"tasks": _range(body.split, start, stop)}

    return router


def _check(env_name: str) -> None:
    if env_name.casefold() not in (ENVIRONMENT, "supportops"):
        raise HTTPException(404, f"unknown environment {env_name!r}; valid: {ENVIRONMENT}")


def _count(split: str) -> int:
    """How many tasks are listed. The endless split goes on beyond what is counted here."""
    if split == engine.ENDLESS:
        return endless.LISTED * len(FAMILIES)
    return len(_specs(split))


def _range(split: str, start: int, stop: int | None) -> list[dict[str, Any]]:
    """Specs from `start` to before `stop`; of the endless split at most `_PREVIEW` at once."""
    if split != engine.ENDLESS:
        return _specs(split)[start:stop]
    last = min(_count(split), start + _PREVIEW, start + _PREVIEW if stop is None else stop)
    return [_endless_spec(flat) for flat in range(start, last)]


def _endless_spec(flat: int) -> dict[str, Any]:
    """The families take turns, so that any stretch of the list is mixed; the seed names the task."""
    known, seed = FAMILIES[flat % len(FAMILIES)], flat // len(FAMILIES)
    return {
        "id": f"{known.id}/{engine.ENDLESS}/{seed}",
        "task_id": known.id,
        "split": engine.ENDLESS,
        "seed": seed,
        "index": 0,
        "difficulty": known.difficulty,
        "flat_index": flat,
    }


def _specs(split: str) -> list[dict[str, Any]]:
    """What to reset with for each task of a split; the place in this list is the flat index."""
    if split not in engine.SPLITS:
        raise HTTPException(422, str(UnknownName("split", split, engine.EVERY_SPLIT)))
    catalog = engine.default_arena().catalog
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
