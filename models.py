"""The wire models, under the name that trainers import: `from models import SupportAction`."""

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
    "SupportState",
]
