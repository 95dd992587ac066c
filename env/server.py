"""The environment's server without the console: OpenEnv's routes, with ours in place of some."""

from __future__ import annotations

from fastapi import FastAPI
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.types import ConcurrencyConfig

from env import episode as engine
from env.environment import DESCRIPTION, VERSION, EndHook, reporting_to
from env.http import BodyLimit, SocketGuard, add_error_handlers
from env.info_routes import info_routes
from env.routes import episode_routes
from env.sessions import EpisodeStore
from env.settings import Settings
from env.task_api import task_api_routes
from supportops_env.models import SupportAction, SupportObservation

# Upstream's own, which are stateless (/reset, /step, /state), show the base State (/schema), or
# exist in one openenv line only (the Task API). Ours replace them, so that no id is there twice.
_REPLACED = {
    "/reset",
    "/step",
    "/state",
    "/schema",
    "/list_environments",
    "/{env_name}/splits",
    "/{env_name}/tasks",
    "/{env_name}/num_tasks",
    "/{env_name}/task",
    "/{env_name}/task_range",
}


def create_server(settings: Settings, on_end: EndHook | None = None) -> FastAPI:
    """Build the server and read the data, so that the first request finds it ready.

    Args:
        settings: How it is set.
        on_end: Told of every episode that is played to its end, over HTTP or WebSocket.
    """
    engine.default_arena()
    app: FastAPI = create_fastapi_app(
        reporting_to(on_end),
        SupportAction,
        SupportObservation,
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=settings.max_sessions, session_timeout=settings.session_timeout
        ),
    )
    app.title, app.version, app.description = "SupportOps-Env", VERSION, DESCRIPTION
    app.router.routes[:] = [r for r in app.router.routes if getattr(r, "path", "") not in _REPLACED]
    store = EpisodeStore(settings.max_episodes, settings.episode_timeout)
    app.state.episodes = store
    app.include_router(episode_routes(store, settings, on_end))
    app.include_router(info_routes(store))
    app.include_router(task_api_routes())
    add_error_handlers(app)
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes, exempt=("/web",))
    app.add_middleware(SocketGuard, limit=settings.max_body_bytes)
    return app
