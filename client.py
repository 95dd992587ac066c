"""The client, under the name that trainers import: `from client import SupportOpsEnv`."""

from supportops_env.client import SupportOpsEnv

__all__ = ["SupportOpsEnv"]
