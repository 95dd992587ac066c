"""A console whose tickets attack the page, and whose clock tests can put forward."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import gradio as gr
from fastapi import FastAPI, Response

from env import episode as engine
from tests.ui.hostile import hostile_catalog, hostile_report, hostile_store
from ui.blocks import LAUNCH, build_ui
from ui.service import Service
from ui.service.audit import Audits


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


report = Path(tempfile.mkdtemp(prefix="supportops-")) / "audit.json"
report.write_text(hostile_report().model_dump_json(), encoding="utf-8")
atexit.register(shutil.rmtree, report.parent, ignore_errors=True)
service = Service.over(
    store=hostile_store(), arena=engine.arena(hostile_catalog()), ttl=100, clock=clock
)
service = replace(service, audits=Audits(service.settings, shipped=report))
gr.mount_gradio_app(app, build_ui(service), path="/web", **LAUNCH)
