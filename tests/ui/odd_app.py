"""A console whose tickets attack the page, and whose clock tests can put forward."""

from __future__ import annotations

import gradio as gr
from fastapi import FastAPI, Response

from env import episode as engine
from tests.ui.hostile import hostile_catalog, hostile_store
from ui.blocks import LAUNCH, build_ui
from ui.service import Service


class _Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


clock = _Clock()
app = FastAPI()


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "healthy"}


@app.get("/favicon.ico")
async def favicon() -> Response:
    return Response(media_type="image/svg+xml")


@app.get("/later")
async def later(seconds: float) -> float:
    clock.seconds += seconds
    return clock.seconds


gr.mount_gradio_app(
    app,
    build_ui(
        Service.over(
            store=hostile_store(), arena=engine.arena(hostile_catalog()), ttl=100, clock=clock
        )
    ),
    path="/web",
    **LAUNCH,
)
