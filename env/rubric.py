"""The grade as an openenv Rubric tree: every criterion with its last score."""

from __future__ import annotations

from typing import Any

from openenv.core.rubrics import Rubric

from env.tasks import FAMILIES
from graders.criteria import CRITERIA
from supportops_env.models import SupportObservation


class CriterionRubric(Rubric):
    """One criterion; its score is read from the report of a finished episode."""

    def __init__(self, criterion: str) -> None:
        """`criterion` is the id used in reports."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.criterion = criterion

    def forward(self, action: Any, observation: SupportObservation) -> float:
        """The criterion's value in [0, 1]; 0 while it is not judged."""
        criteria = observation.grade.criteria if observation.grade else ()
        value = next((c.value for c in criteria if c.id == self.criterion), None)
        return value if value is not None else 0.0


class FamilyRubric(Rubric):
    """All criteria of one task family."""

    def __init__(self, task_id: str) -> None:
        """Hold the criteria of the family's formula."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.task_id = task_id
        for criterion in CRITERIA[task_id]:
            setattr(self, criterion, CriterionRubric(criterion))

    def forward(self, action: Any, observation: SupportObservation) -> float:
        """The grade in [0, 1]; 0 while the episode runs."""
        if observation.grade is None:
            return 0.0
        for child in self.children():
            child(action, observation)
        return observation.grade.grade or 0.0


class SupportRubric(Rubric):
    """All families; calling it gives the reward of the observation's step."""

    def __init__(self) -> None:
        """Hold one rubric per family, by task id."""
        super().__init__()  # type: ignore[no-untyped-call]
        for family in FAMILIES:
            setattr(self, family.id, FamilyRubric(family.id))

    def forward(self, action: Any, observation: SupportObservation) -> float:
        """The step's reward; scores the family's criteria when the episode is over."""
        if observation.done:
            self.get_rubric(observation.task_id)(action, observation)
        return float(observation.reward or 0.0)
