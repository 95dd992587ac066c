"""What the clients of a measured server say: whole episodes, none like another.

Half of them classify and reply, half search and reply; replies are the reference with a sentence
of its own, so that all of the grading is done and nothing of it was done before.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from env import episode as engine
from supportops_env.models import SupportAction

Json = dict[str, Any]
Script = tuple[Json, tuple[Json, ...]]
"""The arguments of reset, and the actions that end the episode."""

TASKS = ("easy_classify_respond", "medium_kb_grounded_response")


def episodes(seed: int = 0) -> Iterator[Script]:
    """Episodes without end."""
    rng = random.Random(seed)
    catalog = engine.builtin_arena().catalog
    words = sorted({w for a in catalog.articles.values() for w in a.body.split() if w.isalpha()})
    while True:
        task, number = rng.choice(TASKS), rng.randrange(2**31)
        episode = engine.start(task, "train", number)
        labels = catalog.labels[episode.item_id]
        own = " ".join(rng.sample(words, 8))
        reply = f"{labels.reference_reply} We noted {own}."
        subject = catalog.tickets[episode.item_id].subject.split()
        rng.shuffle(subject)
        first = (
            {"action_type": "classify", "content": labels.category}
            if task == TASKS[0]
            else {
                "action_type": "search_kb",
                "content": " ".join((*subject, *rng.sample(words, 2))),
            }
        )
        yield (
            {"task_id": task, "seed": number},
            (
                first,
                {"action_type": "respond", "content": reply},
            ),
        )


def echoes(seed: int = 0) -> Iterator[Script]:
    """The same texts for the echo environment, as messages."""
    for _, actions in episodes(seed):
        yield {"seed": 1}, tuple({"message": a["content"]} for a in actions)


def check() -> float:
    """The mean grade of these episodes: that they are worth something shows that all is graded."""
    grades = []
    source = episodes()
    for _ in range(40):
        arguments, actions = next(source)
        played = engine.replay(
            (SupportAction.model_validate(a) for a in actions),
            arguments["task_id"],
            "train",
            arguments["seed"],
        )
        grades.append(played.grade or 0.0)
    return sum(grades) / len(grades)


def compact(value: Json) -> bytes:
    """JSON without spaces."""
    return json.dumps(value, separators=(",", ":")).encode()
