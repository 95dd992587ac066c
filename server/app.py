"""The server under the names that OpenEnv's tools use: `server.app:app` and `server.app:main`."""

import uvicorn

from app import app
from env.settings import get_settings

__all__ = ["app", "main"]


def main(host: str = "0.0.0.0", port: int | None = None) -> None:
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
    main()
