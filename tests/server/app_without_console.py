"""The server without the console: what tests start while `ui` can't be imported, and faster."""

from __future__ import annotations

from fastapi_standalone_docs import StandaloneDocs

from env.server import create_server
from env.settings import get_settings
from runs.routes import baseline_routes

app = create_server(get_settings())
app.include_router(baseline_routes())
StandaloneDocs(app=app, with_google_fonts=False)
