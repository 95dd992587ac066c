"""The environment: six task families, the pure engine, and its OpenEnv and HTTP surfaces."""
