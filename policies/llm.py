"""A language model as a player: a plan in one call, or one call per step. Never another policy.

An answer that is no action is a refusal: it is kept, and the model is told why and asked again.
Three in a row end the run, and so does a plan that is used up before the episode is done. Such a
run is the model's own doing: it counts, with the grade of what is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from policies.base import action
from policies.budget import Budget
from policies.chat_model import Answer, ChatModel, Message
from policies.model_errors import GaveUp
from policies.parsing import parse
from policies.prompt import Prompt, describe, schema
from supportops_env.models import SupportAction, SupportObservation

REFUSALS = 3
_KEPT = 2_000
_QUERY = 200


@dataclass(frozen=True, slots=True)
class Declined:
    """An answer that was no action: before which step (from 1), why, its first words."""

    step: int
    why: str
    text: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What an episode cost: calls, tokens, US dollars (None: no price is known), seconds waited."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0

    def plus(self, answer: Answer, cost: float | None) -> Spent:
        """With one more call."""
        return Spent(
            calls=self.calls + 1,
            tokens_in=self.tokens_in + answer.tokens_in,
            tokens_out=self.tokens_out + answer.tokens_out,
            cost_usd=None if cost is None else (self.cost_usd or 0.0) + cost,
            latency_s=round(self.latency_s + answer.latency_s, 3),
        )


@dataclass
class LlmPlayer:
    """Plays one episode. `declined` and `spent` tell what came up on the way."""

    model: ChatModel
    prompt: Prompt
    budget: Budget
    declined: list[Declined] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    _plan: list[SupportAction] | None = None

    async def act(self, observation: SupportObservation) -> SupportAction:
        """The next action.

        Raises:
            GaveUp: the model has none.
            OutOfBudget: it may not be asked any more.
            ModelError: its server failed.
        """
        if self.prompt.mode == "agent":
            return (await self._ask(observation))[0]
        if self._plan is None:
            query = _subject(observation)
            if "search_kb" in observation.available_actions and not observation.history and query:
                return action("search_kb", query=query)
            self._plan = await self._ask(observation)
        if not self._plan:
            step = len(observation.history) + 1
            self.declined.append(Declined(step, "the plan ends before the episode does", ""))
            raise GaveUp("the plan ended before the episode did")
        return self._plan.pop(0)

    async def _ask(self, observation: SupportObservation) -> list[SupportAction]:
        """One answer's actions, at least one; asks again after a refusal."""
        messages: list[Message] = [
            {"role": "system", "content": self.prompt.text},
            {"role": "user", "content": describe(observation)},
        ]
        form = schema(observation, self.prompt.mode)
        for _ in range(REFUSALS):
            answer = await self._call(messages, form)
            actions, problems = _read(answer, observation)
            step = len(observation.history) + 1
            text = (answer.text or answer.refused)[:_KEPT]
            self.declined += [Declined(step, why, text) for why in problems]
            if actions:
                return actions
            again = f"That can't be used: {problems[0]}. Answer with the JSON object alone."
            messages = [
                *messages[:2],
                {"role": "assistant", "content": text or "(nothing)"},
                {"role": "user", "content": again},
            ]
        raise GaveUp(f"{REFUSALS} answers in a row held no action")

    async def _call(self, messages: list[Message], form: dict[str, Any]) -> Answer:
        self.budget.check()
        answer = await self.model.ask(messages, form)
        self.budget.spend(answer.tokens_in, answer.tokens_out)
        cost = self.budget.price(answer.tokens_in, answer.tokens_out)
        self.spent = self.spent.plus(answer, cost)
        return answer


@dataclass
class LlmPlayers:
    """Makes the players of a bench, one per episode, and says what all of them have in common."""

    model: ChatModel
    prompt: Prompt
    budget: Budget

    def player(self) -> LlmPlayer:
        """For one episode."""
        return LlmPlayer(self.model, self.prompt, self.budget)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the runs keep of how the model was asked."""
        return {"mode": self.prompt.mode, **self.model.parameters}


def _read(answer: Answer, observation: SupportObservation) -> tuple[list[SupportAction], list[str]]:
    if answer.refused:
        return [], [f"the model refused: {' '.join(answer.refused.split())[:200]}"]
    parsed = parse(answer.text, observation.available_actions, whole=not answer.cut)
    problems = list(parsed.problems)
    if not parsed.actions and not problems:
        problems.append("it holds no action")
    return list(parsed.actions), problems


def _subject(observation: SupportObservation) -> str:
    ticket = observation.ticket
    return (ticket.subject.strip() if ticket else "")[:_QUERY]
