"""The scenario files, read once: what can happen to a customer, in whose words, with which answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from data import catalog as catalogs
from data.catalog import Catalog
from data.endless.phrases import Phrase
from data.errors import DataError
from data.schema import Claim, Polarity

FOLDER = Path(__file__).parent

Phrases = tuple[Phrase, ...]


@dataclass(frozen=True, eq=False)
class Fact:
    """A claim with gaps, and sentences that state it. `kb` is the article it stands in."""

    kb: str
    claim: Claim
    said: Phrases
    open: bool  # whether the claim has gaps, so that each ticket needs its own

    def filled(self, values: Mapping[str, str]) -> Claim:
        """The claim of one ticket."""
        return fill(self.claim, values) if self.open else self.claim


@dataclass(frozen=True, eq=False)
class Outcome:
    """One way in which a scenario can be true, and what follows from it."""

    scenario: Scenario
    kb: str
    related: tuple[str, ...]
    near: tuple[str, ...]
    tiers: tuple[str, ...]
    draw: Mapping[str, Any]
    tell: Phrases
    ack: Phrases
    next: Phrases
    facts: tuple[Fact, ...]
    forbidden: tuple[Claim, ...]
    escalate: str | None
    why: Phrase
    licensed: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Scenario:
    """A kind of problem: its words by voice, and its outcomes."""

    id: str
    category: str
    subject: Phrases
    bodies: Mapping[str, Phrases]
    sorry: str
    topic: str | None
    exception: str | None
    outcomes: list[Outcome]

    @property
    def borderline(self) -> bool:
        """Whether some of its outcomes are escalated and some are not."""
        return len({o.escalate is None for o in self.outcomes}) == 2


@dataclass(frozen=True)
class Voice:
    """How a kind of customer writes."""

    name: str
    mood: tuple[float, float]
    upset: bool
    open: Phrases
    close: Phrases
    p_open: float
    p_close: float
    noise: Mapping[str, float]


@dataclass(frozen=True)
class Library:
    """All that tickets are made from."""

    catalog: Catalog
    facts: Mapping[str, Fact]
    forbidden: Mapping[str, Claim]
    scenarios: tuple[Scenario, ...]
    voices: tuple[Voice, ...]
    company: Mapping[str, Any]
    greeting: Phrases
    sorry: Phrases
    sign_off: Phrases

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes of all scenarios."""
        return tuple(o for s in self.scenarios for o in s.outcomes)


@lru_cache(maxsize=1)
def library() -> Library:
    """The files that ship, read once per process.

    Raises:
        DataError: a file is malformed or names something that does not exist.
    """
    catalog = catalogs.builtin()
    facts = {k: _fact(catalog, k, v) for k, v in read("facts.yaml").items()}
    forbidden = {k: read_claim(catalog, k, v, "affirm") for k, v in read("forbidden.yaml").items()}
    replies = read("replies.yaml")
    files = sorted((FOLDER / "scenarios").glob("*.yaml"))
    raw = [s for f in files for s in read(f"scenarios/{f.name}")]
    return Library(
        catalog,
        facts,
        forbidden,
        tuple(read_scenario(s, facts, forbidden) for s in raw),
        tuple(_voice(name, v) for name, v in read("voices.yaml").items()),
        read("company.yaml"),
        phrases(replies["greeting"]),
        phrases(replies["sorry"]),
        phrases(replies["sign_off"]),
    )


def read(name: str) -> Any:
    """One YAML file of this folder.

    Raises:
        DataError: it is no YAML.
    """
    # libyaml where the wheel has it: the pure reader takes seconds for these files.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load((FOLDER / name).read_text(encoding="utf-8"), Loader=loader)
    except yaml.YAMLError as error:
        raise DataError(str(FOLDER / name), " ".join(str(error).split())) from error


def phrases(raw: list[str]) -> Phrases:
    """Texts, read."""
    return tuple(Phrase(text) for text in raw)


def fill(claim: Claim, values: Mapping[str, str]) -> Claim:
    """A claim with its gaps filled."""

    def text(raw: str) -> str:
        return re.sub(r"<([a-z_]+)>", lambda m: values[m.group(1)], raw) if "<" in raw else raw

    needs = tuple(tuple(text(a) for a in group) for group in claim.needs)
    return Claim(say=text(claim.say), needs=needs, polarity=claim.polarity, weight=claim.weight)


def _fact(catalog: Catalog, name: str, raw: dict[str, Any]) -> Fact:
    if raw["kb"] not in catalog.articles:
        raise DataError("facts.yaml", f"{name}: no article {raw['kb']}")
    claim = read_claim(catalog, name, raw, raw["sign"])
    gaps = "<" in claim.say or any("<" in a for group in claim.needs for a in group)
    return Fact(raw["kb"], claim, phrases(raw["said"]), gaps)


def read_claim(catalog: Catalog, name: str, raw: dict[str, Any], sign: Polarity) -> Claim:
    """A claim as the files write it, with the alternatives of the labels it is `like`.

    Raises:
        DataError: it names a concept that does not exist.
    """
    needs = [dict.fromkeys(str(a) for a in group) for group in raw["needs"]]
    for like in raw.get("like", ()):
        ticket, _, place = str(like).partition(".")
        theirs = catalog.labels[f"T-{ticket}"].facts[int(place)].needs
        if len(theirs) != len(needs):
            raise DataError("facts.yaml", f"{name}: like {like}, which has {len(theirs)} groups")
        for group, more in zip(needs, theirs, strict=True):
            group.update(dict.fromkeys(more))
    unknown = [a for group in needs for a in group if a[0] == "@" and a[1:] not in catalog.concepts]
    if unknown:
        raise DataError("facts.yaml", f"{name}: no concept {unknown[0]}")
    return Claim(
        say=raw["say"],
        needs=tuple(tuple(group) for group in needs),
        polarity=sign,
        weight=raw.get("weight", 1),
    )


def read_scenario(
    raw: dict[str, Any], facts: Mapping[str, Fact], forbidden: Mapping[str, Claim]
) -> Scenario:
    """A scenario as the files write it.

    Raises:
        KeyError: a key is missing, or a fact or forbidden claim is not listed.
    """
    made = Scenario(
        raw["id"],
        raw["category"],
        phrases(raw["subject"]),
        {voice: phrases(texts) for voice, texts in raw["bodies"].items()},
        raw["sorry"],
        raw.get("topic"),
        raw.get("exception"),
        [],
    )
    for case in raw["cases"]:
        whole = {**raw, **case}
        made.outcomes.append(
            Outcome(
                made,
                whole["kb"],
                tuple(whole["related"]),
                tuple(whole.get("near", ())),
                tuple(whole["tiers"]),
                {**raw["draw"], **case.get("draw", {})},
                phrases(case.get("tell", [])),
                phrases(whole["ack"]),
                phrases(whole["next"]),
                tuple(facts[f] for f in case["facts"]),
                tuple(forbidden[f] for f in (*raw.get("forbid", ()), *case.get("forbid", ()))),
                case.get("escalate"),
                Phrase(case.get("why", "None of the reasons for an escalation applies.")),
                tuple(case.get("licensed", ())),
            )
        )
    return made


def _voice(name: str, raw: dict[str, Any]) -> Voice:
    low, high = raw["mood"]
    return Voice(
        name,
        (low, high),
        raw.get("upset", False),
        phrases(raw["open"]),
        phrases(raw["close"]),
        raw["p_open"],
        raw["p_close"],
        raw["noise"],
    )
