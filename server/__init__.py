"""Where OpenEnv's tools look for the server."""
