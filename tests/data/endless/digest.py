"""A digest of some endless episodes; run as a script it prints it. Imports nothing but the data."""

import hashlib

from pydantic_core import to_json

from data.endless.distractors import distractors
from data.endless.generator import TWISTS, generate

TASKS = ("easy_classify_respond", "hard_escalation_safety", "priority_sorting", "draft_response")


def digest() -> str:
    whole = hashlib.sha256()
    made = [generate(task, seed) for task in TASKS for seed in range(40, 44)]
    made += [generate(TASKS[0], 40, twist) for twist in TWISTS]
    for catalog in made:
        parts = [catalog.tickets, catalog.customers, catalog.labels, catalog.priorities]
        whole.update(to_json(parts))
    whole.update(to_json(distractors(24)))
    return whole.hexdigest()


if __name__ == "__main__":
    print(digest())  # noqa: T201 - what the test reads
