"""HTTP episodes: /reset, /step and /state that keep an episode between requests.

An episode is named by the X-Session-ID header, `episode_id` in the query or body, or the cookie
that /reset set. A request that names none continues the last episode reset from the same client
address, unless that is switched off.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Cookie, Header, Query, Request
from fastapi.responses import Response
from openenv.core.env_server.types import ResetResponse, StepResponse
from pydantic import BaseModel, ConfigDict, Field

from env import episode as engine
from env.addresses import client_address
from env.arguments import EPISODE_ID, ResetArguments, begin, new_episode_id
from env.environment import EndHook
from env.episode import Episode
from env.errors import EpisodeIdMissing
from env.sessions import EpisodeStore
from env.settings import Settings
from env.view import observe, state_of
from supportops_env.models import SupportAction, SupportState

COOKIE = "supportops_episode"
_Id = Annotated[str | None, Header(pattern=EPISODE_ID)]


class StepBody(BaseModel):
    """Body of /step. `timeout_s` and `request_id` are taken for OpenEnv's sake."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [{"action": {"action_type": "classify", "content": "Billing"}}]
        },
    )

    action: SupportAction
    episode_id: str | None = Field(default=None, pattern=EPISODE_ID)
    timeout_s: float | None = Field(default=None, gt=0)
    request_id: str | None = Field(default=None, max_length=255)


def episode_routes(
    store: EpisodeStore, settings: Settings, on_end: EndHook | None = None
) -> APIRouter:
    """The three routes over a store of episodes."""
    router = APIRouter(tags=["Environment Control"])

    def client_of(request: Request) -> str:
        return client_address(request, settings.proxies)

    def named(request: Request, *ids: str | None) -> str:
        given = next((i for i in ids if i), None)
        if given is None and settings.anonymous:
            given = store.last_of(client_of(request))
        if given is None:
            raise EpisodeIdMissing(settings.anonymous)
        return given

    @router.post(
        "/reset",
        response_model=ResetResponse,
        summary="Start an episode (or restart one by its id)",
    )
    async def reset(
        request: Request,
        arguments: Annotated[ResetArguments | None, Body()] = None,
        x_session_id: _Id = None,
    ) -> Response:
        arguments = arguments or ResetArguments()
        wanted = arguments.episode_id or x_session_id
        live = store.peek(wanted) if wanted and arguments.names_nothing else None
        episode = engine.restart(live) if live is not None else begin(arguments)
        episode_id = wanted or new_episode_id()
        store.put(episode_id, episode, client_of(request))
        return _answer(episode, episode_id)

    @router.post(
        "/step",
        response_model=StepResponse,
        summary="Take a step in an episode",
        responses={
            404: {"description": "No such episode: reset first"},
            409: {"description": "The episode is over; nothing changed"},
            422: {"description": "The action was refused; nothing changed"},
        },
    )
    async def step(
        request: Request,
        body: StepBody,
        x_session_id: _Id = None,
        episode_id: Annotated[str | None, Query(pattern=EPISODE_ID)] = None,
        supportops_episode: Annotated[str | None, Cookie(pattern=EPISODE_ID)] = None,
    ) -> Response:
        found = named(request, x_session_id, episode_id, body.episode_id, supportops_episode)
        episode = engine.step(store.get(found), body.action)
        store.update(found, episode)
        if on_end is not None and episode.done:
            on_end(episode, "http")
        return _answer(episode, found)

    @router.get(
        "/state",
        response_model=SupportState,
        tags=["State Management"],
        summary="Where an episode stands",
        responses={404: {"description": "No such episode: reset first"}},
    )
    async def state(
        request: Request,
        x_session_id: _Id = None,
        episode_id: Annotated[str | None, Query(pattern=EPISODE_ID)] = None,
        supportops_episode: Annotated[str | None, Cookie(pattern=EPISODE_ID)] = None,
    ) -> Response:
        found = named(request, x_session_id, episode_id, supportops_episode)
        content = state_of(store.get(found), found).model_dump_json()
        return Response(content, media_type="application/json", headers={"X-Session-ID": found})

    return router


def _answer(episode: Episode, episode_id: str) -> Response:
    """An observation in OpenEnv's envelope, dumped once, with the id in header and cookie."""
    observation = observe(episode, episode_id)
    body = observation.model_dump_json(exclude={"reward", "done", "metadata"})
    reward: Any = float(observation.reward or 0.0)
    done = "true" if observation.done else "false"
    response = Response(
        f'{{"observation":{body},"reward":{reward!r},"done":{done}}}',
        media_type="application/json",
        headers={"X-Session-ID": episode_id},
    )
    response.set_cookie(COOKIE, episode_id, httponly=True, samesite="lax")
    return response
