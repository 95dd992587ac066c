"""A language model as a player, and the small one that really plays."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest

from env import episode as engine
from env.tasks import FAMILIES
from env.view import observe
from policies import small_model
from policies.budget import Budget
from policies.chat_model import Answer, ChatModel
from policies.llm import LlmPlayer
from policies.model_errors import GaveUp, OutOfBudget, redact
from policies.prompt import MODES, describe, load, schema
from tests.inference.conftest import Run, run
from tests.inference.strict_log import read

__all__ = ["run"]


class Scripted(ChatModel):
    """Says what it is told to, without a server."""

    def __init__(self, *answers: str) -> None:
        super().__init__("http://127.0.0.1:9/v1", "a-test-key", "m")
        self.answers = list(answers)
        self.heard: list[list[dict[str, str]]] = []

    async def ask(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> Answer:
        self.heard.append(messages)
        return Answer(self.answers.pop(0), tokens_in=10, tokens_out=1)


def player(model: ChatModel, mode: Any = "plan", budget: Budget | None = None) -> LlmPlayer:
    return LlmPlayer(model, load(mode), budget or Budget())


def test_a_plan_begins_with_a_search_and_asks_once() -> None:
    reply = {"action_type": "respond", "response_text": "Hi"}
    model = Scripted(json.dumps({"actions": [reply]}))
    mind = player(model)

    async def play() -> engine.Episode:
        episode = engine.start("medium_kb_grounded_response", "train", 42, 0)
        while not episode.done:
            episode = engine.step(episode, await mind.act(observe(episode, "")))
        return episode

    episode = asyncio.run(play())
    seen = observe(engine.start("medium_kb_grounded_response", "train", 42, 0), "")
    assert [s.action.action_type for s in episode.steps] == ["search_kb", "respond"]
    assert seen.ticket and episode.steps[0].action.text == seen.ticket.subject
    assert len(model.heard) == 1 and "Found in the knowledge base" in model.heard[0][1]["content"]
    assert (mind.spent.calls, mind.spent.tokens_in) == (1, 10)


def test_three_refusals_give_up_and_a_fourth_is_never_asked() -> None:
    model = Scripted("a", "b", "c", "d")
    mind = player(model, "agent")
    seen = observe(engine.start("ticket_classification", "train", 42, 0), "")
    with pytest.raises(GaveUp):
        asyncio.run(mind.act(seen))
    assert [d.text for d in mind.declined] == ["a", "b", "c"] and model.answers == ["d"]


def test_no_call_is_made_beyond_the_budget() -> None:
    model = Scripted("x")
    seen = observe(engine.start("ticket_classification", "train", 42, 0), "")
    with pytest.raises(OutOfBudget):
        asyncio.run(player(model, budget=Budget(max_tokens=5, tokens_in=5)).act(seen))
    assert not model.heard


# A run names the prompt's version, so each text has a version of its own: raise it with a change.
PROMPTS = {
    "plan-1.0": "6d0e93fa8fece439",
    "agent-1.0": "90b688d69c634277",
}


@pytest.mark.parametrize("mode", MODES)
def test_each_text_of_a_prompt_has_a_version(mode: Any) -> None:
    prompt = load(mode)
    assert prompt.version.startswith(f"{mode}-") and not prompt.text.startswith("---")
    assert hashlib.sha256(prompt.text.encode()).hexdigest()[:16] == PROMPTS[prompt.version]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.id)
def test_schemas_are_strict_and_prompts_show_no_label(family: Any) -> None:
    episode = engine.start(family.id, "train", 42, 0)
    seen = observe(episode, "")

    def check(part: Any) -> None:
        if isinstance(part, dict):
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
            for inner in part.values():
                check(inner)
        elif isinstance(part, list):
            for inner in part:
                check(inner)

    for mode in MODES:
        check(schema(seen, mode))
    changed = seen.model_copy(update={"reward": 0.77, "score_so_far": 0.77, "kb_id": "KB-999"})
    assert describe(changed) == describe(seen)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("key abcdefgh", "key [key]"),
        ("Bearer zzzzzzzzzz", "Bearer [key]"),
        ("sk-proj-123456", "sk-[key]"),
        ("http://me:pass@host/v1", "http://host/v1"),
        ("http://host/v1?v=1&api-key=abc", "http://host/v1?v=1&api-key=[key]"),
        ("nothing", "nothing"),
        ("half \ud800 a sign", "half ? a sign"),
    ],
)
def test_keys_are_taken_out(text: str, clean: str) -> None:
    assert redact(text, "abcdefgh") == clean
    assert "a-test-key" not in repr(Scripted())


def test_what_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(small_model, "missing", lambda: ["xllamacpp"])
    assert small_model.main(["--check"]) == 2
    assert "make small-model" in capsys.readouterr().err


@pytest.mark.llm
@pytest.mark.skipif(bool(small_model.missing()), reason="not installed: make small-model")
def test_the_small_model_plays(run: Run, tmp_path: Any) -> None:
    with small_model.served() as address:
        ran = run(
            "--tasks", "ticket_classification", "--limit-per-task", "1", "--timeout", "120",
            "--mode", "agent", "--max-tokens", "40",
            API_BASE_URL=address, MODEL_NAME=small_model.NAME, API_KEY="local",
            SUPPORTOPS_HOME=str(tmp_path),
        )  # fmt: skip
    (episode,) = read(ran.out, finished=False)
    assert ran.code == 0 and episode.model == small_model.NAME, ran.err
    assert episode.done and episode.actions[0]["action_type"] == "classify"
