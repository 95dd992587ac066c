"""What playing may cost: tokens counted, prices that the user names, limits that end it."""

from __future__ import annotations

from dataclasses import dataclass

from policies.model_errors import OutOfBudget

_MILLION = 1_000_000


@dataclass
class Budget:
    """Tokens and US dollars of all episodes together. Prices are per million tokens."""

    max_tokens: int | None = None
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0

    def price(self, tokens_in: int, tokens_out: int) -> float | None:
        """What these tokens cost, None where no price is known."""
        if self.price_in is None or self.price_out is None:
            return None
        return (tokens_in * self.price_in + tokens_out * self.price_out) / _MILLION

    @property
    def cost(self) -> float | None:
        """What was spent."""
        return self.price(self.tokens_in, self.tokens_out)

    def spend(self, tokens_in: int, tokens_out: int) -> None:
        """Count the tokens of a call."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def check(self) -> None:
        """Ask before a call.

        Raises:
            OutOfBudget: a limit is reached; calls that are under way may exceed it.
        """
        total, cost = self.tokens_in + self.tokens_out, self.cost
        if self.max_tokens is not None and total >= self.max_tokens:
            raise OutOfBudget(f"--max-tokens-total {self.max_tokens} is reached ({total} used)")
        if self.max_cost is not None and cost is not None and cost >= self.max_cost:
            raise OutOfBudget(f"--max-cost {self.max_cost:g} is reached (${cost:.4f} spent)")

    def __str__(self) -> str:
        """Tokens and cost so far, for people."""
        tokens = f"{self.tokens_in}+{self.tokens_out} tokens"
        return tokens if self.cost is None else f"{tokens}, ${self.cost:.4f}"
