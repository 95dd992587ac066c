"""The whole product in one process: environment, runs and console. It composes and holds no logic."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
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
