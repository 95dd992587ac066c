"""The whole product in one process: environment, runs and console. It composes and holds no logic."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, RedirectResponse
from fastapi_standalone_docs import StandaloneDocs

from data.errors import DataError
from env.server import create_server
from env.settings import get_settings
from runs.recorder import Recorder
from runs.routes import baseline_routes
from runs.store import open_store
from ui.blocks import LAUNCH, build_ui
from ui.service import Service

_FAVICON = Path(__file__).parent / "ui" / "assets" / "favicon.svg"


def create_app() -> FastAPI:
    """Build the app: the API at /, the console at /web."""
    settings = get_settings()
    store = open_store(settings)
    recorder = Recorder(store, settings.runs_kept) if settings.store_runs else None
    app = create_server(settings, recorder)
    if recorder is not None:
        app.router.on_shutdown.append(recorder.close)
    app.include_router(baseline_routes())
    StandaloneDocs(app=app, with_google_fonts=False)

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def root(request: Request) -> RedirectResponse:
        return RedirectResponse("./web/")

    @app.get("/favicon.ico", include_in_schema=False)
    async def favicon() -> FileResponse:
        return FileResponse(_FAVICON, media_type="image/svg+xml")

    console = build_ui(Service.over(settings, store))
    mounted: FastAPI = gr.mount_gradio_app(
        app, console, path="/web", **LAUNCH, max_file_size=settings.max_upload_bytes
    )
    return mounted


try:
    app = create_app()
except DataError as error:
    raise SystemExit(f"the data set can't be played: {error}") from error


def serve(host: str = "0.0.0.0", port: int | None = None) -> None:
    """Serve the environment and its console until interrupted.

    Args:
        host: Address to listen on.
        port: Port to listen on; without one, the setting `PORT`.
    """
    uvicorn.run(
        app,
        host=host,
        port=get_settings().port if port is None else port,
        # Observations are small: compressing each costs more time and memory than it saves.
        ws_per_message_deflate=False,
        # An open console page keeps its connection; do not wait for it.
        timeout_graceful_shutdown=3,
        # Forwarded addresses count only from the proxies in the setting TRUSTED_PROXIES.
        proxy_headers=False,
    )


if __name__ == "__main__":
    serve()
