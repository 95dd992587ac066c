"""GET /baseline: what the shipped baselines scored, and what others published."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from runs.baselines import summary


def baseline_routes() -> APIRouter:
    """The route over the files under data/baselines/."""
    router = APIRouter(tags=["Environment Info"])

    @router.get("/baseline", summary="Scores of the shipped baselines, and published ones")
    async def baseline() -> dict[str, Any]:
        return summary()

    return router
