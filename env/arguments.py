"""What `reset` takes, checked the same way over HTTP, WebSocket and in Python."""

from __future__ import annotations

import secrets
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from env import episode as engine
from env.episode import MAX_SEED, Arena, Episode
from env.errors import UnknownName
from supportops_env.models import Knobs

EPISODE_ID = r"^[A-Za-z0-9._:-]{1,255}$"


class ResetArguments(BaseModel):
    """Arguments of reset. Same arguments, same episode; a seed that is left out is drawn."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [
                {"task_name": "ticket_classification", "seed": 42},
                {"task_id": "priority_sorting", "split": "test", "index": 0, "seed": 7},
                {
                    "split": "endless",
                    "seed": 7,
                    "knobs": {"distractors": 200, "twist": "injection"},
                },
                {},
            ]
        },
    )

    task_name: str | None = Field(default=None, max_length=80, description="a task's id")
    task_id: str | None = Field(default=None, max_length=80, description="the same")
    seed: StrictInt | None = Field(default=None, ge=0, le=MAX_SEED)
    episode_id: str | None = Field(
        default=None,
        pattern=EPISODE_ID,
        description="letters, digits, . _ : - ; restarts the episode if it is live",
    )
    split: str | None = Field(
        default=None, max_length=20, description="train (default), test or endless"
    )
    index: StrictInt | None = Field(
        default=None,
        ge=0,
        description="item within the task, or over all tasks if none is named; in the endless split"
        " the seed names the episode, and index is 0 or left out",
    )
    ticket_id: str | None = Field(default=None, max_length=80, description="play this ticket")
    knobs: Knobs = Field(default=Knobs(), description="what makes it harder or easier")

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, raw: Any) -> Any:
        if isinstance(raw, dict):
            unknown = sorted(str(k)[:80] for k in raw if k not in cls.model_fields)
            if unknown:
                raise PydanticCustomError(
                    "unknown_reset_key",
                    "unknown reset key '{key}'; valid: {valid}",
                    {"key": unknown[0], "valid": ", ".join(cls.model_fields)},
                )
        return raw

    @model_validator(mode="after")
    def _one_task(self) -> Self:
        if self.task_name and self.task_id and self.task_name != self.task_id:
            raise PydanticCustomError(
                "two_tasks", "task_name and task_id differ; send one of them", {}
            )
        return self

    @property
    def names_nothing(self) -> bool:
        """Whether no task, seed, split, index or ticket is named: restart what is there."""
        given = self.model_dump(exclude={"episode_id", "knobs"}, exclude_none=True)
        return not given and not self.knobs.changed


def begin(arguments: ResetArguments, arena: Arena | None = None) -> Episode:
    """Start the episode that the arguments name.

    Raises:
        pydantic.ValidationError: a task, split, index or ticket that does not exist; the error
            lists the valid ones.
    """
    seed = arguments.seed if arguments.seed is not None else secrets.randbelow(2**31)
    try:
        return engine.start(
            arguments.task_id or arguments.task_name,
            arguments.split,
            seed,
            arguments.index,
            arguments.ticket_id,
            arena,
            arguments.knobs,
        )
    except UnknownName as error:
        detail = PydanticCustomError("unknown_name", "{problem}", {"problem": str(error)})
        field = "task_id" if error.what == "task" else error.what
        loc = ("knobs", field) if field in Knobs.model_fields else (field,)
        raise ValidationError.from_exception_data(
            "ResetArguments",
            [InitErrorDetails(type=detail, loc=loc, input=error.name)],
        ) from error


def new_episode_id() -> str:
    """An id that can't be guessed: who knows it may play the episode."""
    return secrets.token_urlsafe(18)
