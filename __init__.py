"""SupportOps-Env. `openenv push` asks for this file; the code is in the packages beside it."""
