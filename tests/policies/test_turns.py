"""One episode turn by turn, and how it can end."""

from __future__ import annotations

import pytest

from env import episode as engine
from policies.base import play
from policies.bench import Assignment
from policies.game import LocalGame
from policies.model_errors import GaveUp, ModelError, ModelTimeout, OutOfBudget
from policies.scripted import KeywordPolicy
from policies.turns import ScriptedPlayer, ending, turns

DRAFT = "draft_response"


async def test_each_turn_is_there_right_after_its_step() -> None:
    game, player = LocalGame(), ScriptedPlayer(KeywordPolicy())
    for _ in range(2):  # the second time it starts afresh
        seen = []
        async for action, observation in turns(game, player, Assignment(DRAFT, "train", 3, 0)):
            assert game.episode and game.episode.steps[-1].action == action
            seen.append((len(game.episode.steps), observation.done))
        assert [n for n, _ in seen] == list(range(1, len(seen) + 1))
        assert [done for _, done in seen] == [False] * (len(seen) - 1) + [True]
        assert game.episode == play(KeywordPolicy(), engine.start(DRAFT, "train", 3, 0))


@pytest.mark.parametrize(
    ("error", "ended"),
    [
        (GaveUp("3 answers"), ("refusals", "3 answers")),
        (OutOfBudget("spent"), ("cancelled", "spent")),
        (ModelTimeout("no answer"), ("timeout", "no answer")),
        (TimeoutError(), ("timeout", "the episode took longer than 9 s")),
        (ModelError("answered 500"), ("model_error", "answered 500")),
        (ValueError("with a-secret-key"), ("model_error", "ValueError: with [key]")),
    ],
)
def test_how_it_ended_and_why(error: Exception, ended: tuple[str, str]) -> None:
    assert ending(error, 9.0, "a-secret-key") == ended
