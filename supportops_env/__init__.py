"""What a trainer installs: the wire models and the client of SupportOps-Env."""

from supportops_env.client import SupportOpsEnv
from supportops_env.models import (
    GradeReport,
    RewardLine,
    SupportAction,
    SupportObservation,
    SupportState,
)

__all__ = [
    "GradeReport",
    "RewardLine",
    "SupportAction",
    "SupportObservation",
    "SupportOpsEnv",
    "SupportState",
]
