"""What makes a ticket harder; each twist changes the draft of an ordinary one, text and labels alike.

A second problem, a missing detail, a contradiction, a plea for an exception, an instruction to the
machine, personal data, a threat; and people who are not honest.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from data.endless.phrases import Phrase, capitals, one_of
from data.endless.scenarios import (
    Fact,
    Library,
    Outcome,
    Phrases,
    Scenario,
    fill,
    library,
    phrases,
    read,
    read_claim,
    read_scenario,
)
from data.endless.tickets import Draft
from data.schema import CATEGORIES, Claim

_BACK = {"my": "your", "our": "your", "your": "our", "I": "you"}
_PERSON = re.compile(r"\b(?:my|our|your|I)\b")
PLANS = ("Starter", "Team", "Business", "Enterprise")


@dataclass(frozen=True)
class Side:
    """A second matter that can be asked along with any other."""

    kb: str
    category: str
    tiers: tuple[str, ...]
    ask: Phrases
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Twists:
    """The texts of the twists, and the scenarios that only a twist plays."""

    sides: tuple[Side, ...]
    texts: Mapping[str, Mapping[str, Any]]
    dishonest: Mapping[str, tuple[Scenario, ...]]


@lru_cache(maxsize=1)
def twists() -> Twists:
    """The files that ship, read once per process."""
    books = library()
    sides = tuple(
        Side(
            raw["kb"],
            raw["category"],
            tuple(raw.get("tiers", PLANS)),
            phrases(raw["ask"]),
            tuple(books.facts[f] for f in raw["facts"]),
        )
        for raw in read("sides.yaml")
    )
    texts = {name: _texts(name, raw) for name, raw in read("twists.yaml").items()}
    dishonest = {
        name: tuple(read_scenario(s, books.facts, books.forbidden) for s in raw)
        for name, raw in read("scenarios_twist.yaml").items()
    }
    return Twists(sides, texts, dishonest)


def outcomes(books: Library, twist: str | None) -> Sequence[Outcome]:
    """What a twist can be put on; all outcomes without one."""
    if twist in ("account_takeover", "refund_fraud"):
        return tuple(o for s in twists().dishonest[twist] for o in s.outcomes)
    return _fitting(twist) if twist in _FITS else books.outcomes


def apply(twist: str, draft: Draft, rng: random.Random) -> None:
    """Change a draft; nothing to do for those that have scenarios of their own."""
    if twist in _APPLY:
        _APPLY[twist](draft, rng)


def add_side(draft: Draft, rng: random.Random) -> str:
    """Ask one more thing, about another article; returns that article's id."""
    taken = {draft.kb, *draft.articles}
    said = {f.say for f in draft.facts}
    open_to = [
        s
        for s in twists().sides
        if s.kb not in taken
        and draft.tier in s.tiers
        and not any(f.claim.say in said for f in s.facts)
    ]
    side = open_to[int(rng.random() * len(open_to))]
    draft.asked.append(one_of(rng, side.ask, draft.values))
    draft.near.append(side.category)
    for fact in side.facts:
        draft.state(fact, rng)
    return side.kb


@lru_cache(maxsize=128)
def common(scenario: Scenario) -> tuple[Fact, ...]:
    """The facts that every outcome of a scenario has, where none is escalated and none has gaps."""
    if any(o.escalate for o in scenario.outcomes):
        return ()
    first, *rest = scenario.outcomes
    return tuple(f for f in first.facts if not f.open and all(f in o.facts for o in rest))


def _two_problems(draft: Draft, rng: random.Random) -> None:
    add_side(draft, rng)


def _missing_detail(draft: Draft, rng: random.Random) -> None:
    texts = twists().texts["missing_detail"]
    scenario = draft.outcome.scenario
    values = {**draft.values, "topic": scenario.topic or ""}
    draft.body = one_of(rng, texts["lead"], values)
    draft.subject = one_of(rng, texts["subject"], values)
    back = _PERSON.sub(lambda m: _BACK[m.group()], values["topic"])
    draft.ack = one_of(rng, texts["ack"], {**values, "topic": back})
    draft.facts, draft.said, draft.articles = [], [], []
    for fact in common(scenario):
        draft.state(fact, rng)
    draft.facts.append(texts["fact"])
    draft.said.append(one_of(rng, texts["said"], values))


def _contradiction(draft: Draft, rng: random.Random) -> None:
    texts = twists().texts["contradiction"]
    others = [p for p in PLANS if p != draft.tier]
    draft.values["other"] = others[int(rng.random() * len(others))]
    draft.asked.append(one_of(rng, texts["claim"], draft.values))
    draft.facts.insert(0, fill(texts["fact"], draft.values))
    draft.said.insert(0, one_of(rng, texts["said"], draft.values))


def _exception(draft: Draft, rng: random.Random) -> None:
    texts = twists().texts["exception"]
    values = {**draft.values, "exception": draft.outcome.scenario.exception or ""}
    draft.asked.append(one_of(rng, texts["plea"], values))
    draft.forbidden.append(texts["forbidden"])
    draft.facts.append(library().facts["no_exception"].claim)
    draft.said.append(one_of(rng, texts["said"], values))


def _injection(draft: Draft, rng: random.Random) -> None:
    texts = twists().texts["injection"]
    wrong = [c for c in CATEGORIES if c != draft.outcome.scenario.category]
    values = {
        **draft.values,
        "wrong": wrong[int(rng.random() * len(wrong))],
        "sum": f"${rng.randrange(901, 9900)}",
    }
    draft.asked.append(one_of(rng, texts["text"], values))
    draft.forbidden.append(fill(texts["forbidden"], values))


def _personal_data(draft: Draft, rng: random.Random) -> None:
    texts = twists().texts["personal_data"]
    a, b, c, d = (str(rng.randrange(3000, 9999)) for _ in range(4))
    end = f"0{rng.randrange(100, 999)} {rng.randrange(100, 999)}"
    values = {
        **draft.values,
        "digits": f"{a} {b} {c} {d}",
        "digits_a": a,
        "digits_b": b,
        "digits_c": c,
        "birth": f"{rng.randrange(1, 28)} March {rng.randrange(1955, 2001)}",
        "street": f"{rng.randrange(2, 90)} {draft.values['last']} Row",
        "phone": f"555 {end}",
        "phone_end": end,
    }
    draft.asked.append(one_of(rng, texts["text"], values))
    draft.forbidden.append(fill(texts["forbidden"], values))


def _legal_threat(draft: Draft, rng: random.Random) -> None:
    texts = twists().texts["legal_threat"]
    values = {**draft.values, "deadline": "the end of the month"}
    draft.asked.append(one_of(rng, texts["threat"], values))
    draft.escalate, draft.why = "legal", texts["why"].raw
    main = draft.kb
    draft.kb = "KB-409"
    draft.facts, draft.said, draft.articles = [], [], [main]
    for fact in texts["facts"]:
        draft.state(fact, rng)
    draft.forbidden += texts["forbid"]
    draft.near.append("General")
    draft.closing = capitals(one_of(rng, texts["next"], values))


_APPLY: Mapping[str, Callable[[Draft, random.Random], None]] = {
    "two_problems": _two_problems,
    "missing_detail": _missing_detail,
    "contradiction": _contradiction,
    "exception": _exception,
    "injection": _injection,
    "personal_data": _personal_data,
    "legal_threat": _legal_threat,
}
_FITS: Mapping[str, Callable[[Outcome], bool]] = {
    "missing_detail": lambda o: bool(o.scenario.topic) and bool(common(o.scenario)),
    "contradiction": lambda o: any("<plan>" in f.claim.say for f in o.facts),
    "exception": lambda o: o.escalate is None and bool(o.scenario.exception),
    "legal_threat": lambda o: o.escalate is None and o.scenario.id != "lawyer_letter",
}


@lru_cache(maxsize=8)
def _fitting(twist: str) -> tuple[Outcome, ...]:
    return tuple(o for o in library().outcomes if _FITS[twist](o))


def _texts(name: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    books = library()
    for key, value in raw.items():
        if key in ("fact", "forbidden"):
            made[key] = read_claim(books.catalog, name, value, value.get("sign", "affirm"))
        elif key == "facts":
            made[key] = tuple(books.facts[f] for f in value)
        elif key == "forbid":
            made[key] = tuple[Claim, ...](books.forbidden[f] for f in value)
        elif isinstance(value, list):
            made[key] = phrases(value)
        else:
            made[key] = Phrase(value)
    return made
