"""One ticket with its labels, made from an outcome of a scenario by a seeded generator."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from data import noise
from data.endless import slots
from data.endless.phrases import capitals, one_of
from data.endless.scenarios import Fact, Library, Outcome, Voice
from data.schema import Claim, Customer, Ticket, TicketLabels

_FIRST_DAY = date(2026, 1, 12)
_DAYS = 160
_WORD = re.compile(r"[^\W\d_]{4,}")
_VALUE = re.compile(r"\d[\d:,]*")
_HISTORY = (0, 0, 1, 1, 2)


@dataclass
class Draft:
    """A ticket that is being made: what was drawn so far, and what it will say.

    `asked` are sentences that come on top of the body, `facts` and `said` belong together: what
    the reply has to state and the sentence that states it.
    """

    outcome: Outcome
    voice: Voice
    values: dict[str, str]
    tier: str
    written: datetime
    body: str = ""
    subject: str = ""
    asked: list[str] = field(default_factory=list)
    facts: list[Claim] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    forbidden: list[Claim] = field(default_factory=list)
    articles: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    escalate: str | None = None
    why: str = ""
    ack: str = ""
    closing: str = ""
    kb: str = ""
    draft_articles: tuple[str, ...] = ()

    def state(self, fact: Fact, rng: random.Random) -> None:
        """Add a fact: what the reply has to state, how the reference says it, where it stands."""
        self.facts.append(fact.filled(self.values))
        self.said.append(capitals(one_of(rng, fact.said, self.values)))
        self.articles.append(fact.kb)


def begin(library: Library, outcome: Outcome, rng: random.Random) -> Draft:
    """Draw who writes, when, and all that the scenario leaves open; write body and subject."""
    voice = library.voices[int(rng.random() * len(library.voices))]
    written = datetime.combine(
        _FIRST_DAY + timedelta(days=rng.randrange(_DAYS)), datetime.min.time(), UTC
    ) + timedelta(minutes=5 * rng.randrange(12 * 5, 12 * 22))
    tier = outcome.tiers[int(rng.random() * len(outcome.tiers))]
    values = people(library, rng)
    plan = library.company["plans"][tier]
    values |= {k: str(v) for k, v in plan.items() if k != "sla"}
    values["plan"] = tier
    slots.draw(outcome.draw, rng, written.date(), values, outcome.scenario.id)
    draft = Draft(outcome, voice, values, tier, written)
    draft.subject = one_of(rng, outcome.scenario.subject, values)
    draft.body = _body(outcome, voice, rng, values)
    draft.escalate, draft.why = outcome.escalate, outcome.why.say(rng, values)
    draft.kb = outcome.kb
    draft.ack = _ack(outcome, rng, values, f"{draft.subject} {draft.body}")
    draft.forbidden += outcome.forbidden
    draft.near += outcome.near
    draft.closing = capitals(one_of(rng, outcome.next, values))
    for fact in outcome.facts:
        draft.state(fact, rng)
    return draft


def finish(
    library: Library, draft: Draft, rng: random.Random, ticket_id: str, split: str
) -> tuple[Ticket, Customer, TicketLabels]:
    """The ticket as it came in, who wrote it, and what is true of it."""
    voice, values = draft.voice, draft.values
    low, high = voice.mood
    customer = Customer(
        customer_id=f"C-{ticket_id}",
        name=f"{values['first']} {values['last']}",
        company=values["company"],
        tier=draft.tier,
        since=f"{rng.randrange(2021, 2026)}-{rng.randrange(1, 13):02d}",
        history=_history(library, draft, rng),
    )
    channels = library.company["channels"]
    ticket = Ticket(
        ticket_id=ticket_id,
        subject=_subject(draft.subject, voice, rng),
        body=_letter(draft, rng),
        customer_id=customer.customer_id,
        created_at=draft.written.strftime("%Y-%m-%dT%H:%M:%SZ"),
        sentiment_score=round(low + (high - low) * rng.random(), 1),
        sla_hours=library.company["plans"][draft.tier]["sla"],
        channel=channels[int(rng.random() * len(channels))],
        split=split,
    )
    related = dict.fromkeys((*draft.articles, *draft.outcome.related))
    licensed = draft.outcome.licensed + (("escalate",) if draft.escalate else ())
    labels = TicketLabels(
        ticket_id=ticket_id,
        category=draft.outcome.scenario.category,
        category_reason=library.company["reasons"][draft.outcome.scenario.category],
        near_categories=tuple(
            dict.fromkeys(c for c in draft.near if c != draft.outcome.scenario.category)
        ),
        kb_id=draft.kb,
        related_kb=tuple(a for a in related if a != draft.kb),
        requires_escalation=draft.escalate is not None,
        escalation_reason=draft.why,
        in_escalation_set=True,
        draft_articles=draft.draft_articles,
        draft_steps=len(draft.draft_articles) + 2 if draft.draft_articles else 0,
        customer_upset=voice.upset,
        facts=tuple(draft.facts),
        forbidden=tuple(draft.forbidden),
        licensed_commitments=licensed,
        reference_reply=_reply(library, draft, rng),
    )
    return ticket, customer, labels


def people(library: Library, rng: random.Random) -> dict[str, str]:
    """Who writes and for whom, as values to fill in: first, last, colleague, trade, company."""
    company = library.company
    first = rng.sample(company["first"], 3)
    last = rng.sample(company["last"], 3)
    trades = company["trades"]
    trade = list(trades)[int(rng.random() * len(trades))]
    return {
        "first": first[0],
        "last": last[0],
        "colleague": first[1],
        "trade": trade,
        "company": f"{last[1]} & {last[2]} {trades[trade]}",
    }


def _body(outcome: Outcome, voice: Voice, rng: random.Random, values: Mapping[str, str]) -> str:
    texts = outcome.scenario.bodies[voice.name]
    chosen = texts[int(rng.random() * len(texts))]
    told = one_of(rng, outcome.tell, values) if outcome.tell else ""
    text = chosen.say(rng, {**values, "tell": told})
    if told and "tell" not in chosen.names():
        text += " " + told
    return text


def _ack(outcome: Outcome, rng: random.Random, values: Mapping[str, str], ticket: str) -> str:
    """The acknowledgement that takes up most words of the ticket and no value that is not in it."""
    low = ticket.casefold()
    roots = {w[:5] for w in _WORD.findall(low)}

    def fit(said: str) -> int:
        strange = sum(1 for v in _VALUE.findall(said) if v not in ticket)
        return len(roots & {w[:5] for w in _WORD.findall(said.casefold())}) - 10 * strange

    offers = [phrase.say(rng, values) for phrase in outcome.ack]
    return capitals(max(offers, key=fit))


def _letter(draft: Draft, rng: random.Random) -> str:
    voice = draft.voice
    parts = [draft.body]
    if draft.asked:
        parts.append(" ".join(draft.asked))
    opened = rng.random() < voice.p_open
    if opened:
        parts.insert(0, one_of(rng, voice.open, draft.values))
    text = capitals("\n\n".join(parts))
    for kind, chance in voice.noise.items():
        if rng.random() < chance:
            text = noise.KINDS[kind](text, rng)
    if rng.random() < voice.p_close:
        text += "\n\n" + one_of(rng, voice.close, draft.values)
    return text


def _subject(subject: str, voice: Voice, rng: random.Random) -> str:
    if voice.name == "angry" and rng.random() < 0.25:
        return subject.upper()
    return capitals(subject) if rng.random() < 0.6 else subject


def _history(library: Library, draft: Draft, rng: random.Random) -> tuple[str, ...]:
    lines: list[str] = library.company["history"]
    count = _HISTORY[int(rng.random() * len(_HISTORY))]
    days = sorted((rng.randrange(20, 400) for _ in range(count)), reverse=True)
    told = rng.sample(lines, count)
    return tuple(
        f"{(draft.written - timedelta(days=d)).date().isoformat()} email: {line}"
        for d, line in zip(days, told, strict=True)
    )


def _reply(library: Library, draft: Draft, rng: random.Random) -> str:
    values = {**draft.values, "sorry": draft.outcome.scenario.sorry}
    lead = draft.ack
    if draft.voice.upset:
        lead = f"{one_of(rng, library.sorry, values)} {lead}"
    half = (len(draft.said) + 1) // 2 if len(draft.said) > 3 else len(draft.said)
    facts = [" ".join(draft.said[:half]), " ".join(draft.said[half:])]
    parts = [
        one_of(rng, library.greeting, values),
        lead,
        *(f for f in facts if f),
        draft.closing,
        one_of(rng, library.sign_off, values) + "\nBrackenloop Support",
    ]
    return "\n\n".join(parts)
