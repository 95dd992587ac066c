"""The hill-climber: the same for the same seed, never worse for more edits, and only the reply is its."""

from __future__ import annotations

import random

import pytest

from env import episode as engine
from env.episode import Episode
from env.tasks import BY_ID
from policies.adversaries import REPLY_TASKS, Replier
from policies.base import play
from policies.hill_climb import Bank, climb

EDITS = 40


def fresh(task: str, index: int = 0) -> Episode:
    return engine.start(task, "train", 42, index)


@pytest.mark.parametrize("task", REPLY_TASKS)
def test_the_same_seed_climbs_the_same_way(task: str) -> None:
    assert climb(fresh(task), EDITS, 7) == climb(fresh(task), EDITS, 7)


def test_more_edits_are_never_worse() -> None:
    values = [climb(fresh(REPLY_TASKS[1]), edits, 7)[0].value or 0.0 for edits in (0, 20, 60)]
    assert values == sorted(values)


@pytest.mark.parametrize("task", REPLY_TASKS)
def test_the_string_that_is_kept_gets_what_is_said(task: str) -> None:
    best = climb(fresh(task), EDITS, 3)[0]
    rote = Replier("rote", lambda _: best.reply)
    ended = play(rote, fresh(task))
    assert ended.grade == best.grade
    assert ended.reply_score is not None
    assert ended.reply_score.value == best.value


def test_words_come_from_the_bank_only() -> None:
    best = climb(fresh(REPLY_TASKS[1]), EDITS, 7)[0]
    assert best.edits == EDITS
    assert best.accepted <= EDITS
    assert best.reply


def test_an_empty_drawer_is_passed_over() -> None:
    bank = Bank(((), ("One.",), (), ()))
    assert {bank.draw(random.Random(i)) for i in range(20)} == {"One."}


def test_a_ticket_is_climbed_once_for_the_tasks_that_search() -> None:
    searching = [t for t in REPLY_TASKS if "search_kb" in BY_ID[t].actions]
    catalog = engine.builtin_arena().catalog
    shared = set.intersection(*(set(catalog.ids(t, "train")) for t in searching))
    item = min(shared)
    starts = [engine.start(t, "train", 42, ticket_id=item) for t in searching]
    together = climb(starts[0], EDITS, 7, starts[1:])
    assert [b.task for b in together] == searching
    assert len({b.value for b in together}) == len({b.reply for b in together}) == 1
    for start, best in zip(starts, together, strict=True):
        assert climb(start, EDITS, 7) == [best]
