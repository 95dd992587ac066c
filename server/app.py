"""The server under the names that OpenEnv's tools use: `server.app:app` and `server.app:main`."""

from app import app, serve

__all__ = ["app", "main"]


def main(host: str = "0.0.0.0", port: int | None = None) -> None:
    """Serve the environment and its console until interrupted, as `app.serve` does."""
    serve(host, port)


if __name__ == "__main__":
    main()
