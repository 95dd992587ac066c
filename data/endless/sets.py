"""Sets of five tickets to be ranked.

Each ticket is told from who is hit and whether there is a way round; its priority follows from
that, by the guidelines.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from data.endless import slots
from data.endless.phrases import Phrase, capitals, one_of
from data.endless.scenarios import Library, Phrases, phrases, read
from data.endless.tickets import people
from data.schema import Customer, Priority, PriorityLabel, Ticket

_MIXES: tuple[tuple[Priority, ...], ...] = (
    ("critical", "high", "medium", "low", "minimal"),
    ("critical", "high", "medium", "low", "minimal"),
    ("critical", "high", "medium", "low", "minimal"),
    ("critical", "critical", "high", "medium", "minimal"),
    ("critical", "critical", "medium", "low", "minimal"),
    ("critical", "high", "high", "medium", "low"),
    ("critical", "high", "medium", "medium", "minimal"),
    ("critical", "medium", "low", "low", "minimal"),
)
_REASONS: Mapping[Priority, str] = {
    "critical": "Everybody is shut out, or money is being lost right now.",
    "high": "A major feature is broken for many people, and there is no way round.",
    "medium": "It is partly broken, and there is a way round.",
    "low": "A blemish that one person sees; nothing is broken.",
    "minimal": "A question or a wish; nothing is broken.",
}
_MOODS = ("terse", "angry", "calm_close", "rambling_open", "terse")
_BANKS = {"out": "shut_out", "many": "hit_many", "noway": "no_way", "few": "hit_few",
          "question": "questions", "wish": "wishes"}  # fmt: skip
_EARNING = {"invoices": "money_invoices", "timers": "money_timers", "the API": "money_api"}
_FEW, _MANY = (3, 4, 6, 7, 9, 11), (14, 17, 23, 31, 38, 44, 58, 76, 120, 180, 260)
_SENTIMENT = {"terse": (-0.4, 0.3), "angry": (-1.0, -0.5), "calm_close": (-0.1, 0.7),
              "rambling_open": (-0.2, 0.6)}  # fmt: skip


@dataclass(frozen=True)
class Texts:
    """What sets are told from."""

    things: tuple[Mapping[str, Phrases], ...]
    names: tuple[str, ...]
    banks: Mapping[str, Phrases]
    frames: Mapping[str, Phrases]


@lru_cache(maxsize=1)
def texts() -> Texts:
    """The file that ships, read once per process."""
    raw: dict[str, Any] = read("priority.yaml")
    things = raw.pop("things")
    frames = raw.pop("frames")
    return Texts(
        tuple({k: phrases(v) for k, v in t.items() if k != "id"} for t in things),
        tuple(t["id"] for t in things),
        {k: phrases(v) for k, v in raw.items()},
        {k: phrases(v) for k, v in frames.items()},
    )


def five(
    library: Library, rng: random.Random, set_id: str, split: str
) -> tuple[Sequence[Ticket], Sequence[Customer], Sequence[PriorityLabel]]:
    """Five tickets of one day, in no order that tells anything, and their priorities."""
    day = date(2026, 1, 12) + timedelta(days=rng.randrange(160))
    mix = list(_MIXES[int(rng.random() * len(_MIXES))])
    rng.shuffle(mix)
    things = rng.sample(range(len(texts().things)), 5)
    tickets, customers, labels = [], [], []
    for place, (priority, thing) in enumerate(zip(mix, things, strict=True), 1):
        ticket_id = f"{set_id}-{place}"
        ticket, customer = _ticket(library, rng, ticket_id, priority, thing, day, split)
        tickets.append(ticket)
        customers.append(customer)
        labels.append(
            PriorityLabel(ticket_id=ticket_id, priority=priority, reason=_REASONS[priority])
        )
    return tickets, customers, labels


def _ticket(
    library: Library,
    rng: random.Random,
    ticket_id: str,
    priority: Priority,
    thing: int,
    day: date,
    split: str,
) -> tuple[Ticket, Customer]:
    tier = rng.choice(("Starter", "Team", "Business", "Enterprise"))
    values = people(library, rng)
    values |= {
        "n": str(rng.choice(_MANY if priority == "high" else (*_FEW, *_MANY))),
        "m": str(rng.randrange(31, 900)),
        "handful": rng.choice(("three", "two", "four", "a handful")),
        "clock": f"{rng.randrange(5, 12):02d}:{5 * rng.randrange(12):02d}",
        "day": slots.day(day - timedelta(days=rng.randrange(1, 5))),
        "today": slots.day(day),
        "thing": texts().names[thing],
    }
    mood = rng.choice(_MOODS)
    body = _told(rng, priority, texts().things[thing], values)
    said = one_of(rng, texts().banks[mood], values)
    body = f"{said} {body}" if mood == "rambling_open" else f"{body} {said}".strip()
    low, high = _SENTIMENT[mood]
    written = datetime.combine(day, datetime.min.time(), UTC) + timedelta(
        minutes=rng.randrange(12 * 60, 18 * 60)
    )
    customer = Customer(
        customer_id=f"C-{ticket_id}",
        name=f"{values['first']} {values['last']}",
        company=values["company"],
        tier=tier,
        since=f"{rng.randrange(2021, 2026)}-{rng.randrange(1, 13):02d}",
    )
    ticket = Ticket(
        ticket_id=ticket_id,
        subject=one_of(rng, texts().banks["subjects"], values),
        body=capitals(body),
        customer_id=customer.customer_id,
        created_at=written.strftime("%Y-%m-%dT%H:%M:%SZ"),
        sentiment_score=round(low + (high - low) * rng.random(), 1),
        sla_hours=library.company["plans"][tier]["sla"],
        channel=rng.choice(library.company["channels"]),
        split=split,
    )
    return ticket, customer


def _told(
    rng: random.Random, priority: Priority, thing: Mapping[str, Phrases], values: dict[str, str]
) -> str:
    banks = texts().banks
    frames = texts().frames[priority]
    frame = frames[int(rng.random() * len(frames))]
    if priority == "critical":
        frame = _alarm(rng, values["thing"])
    own = dict(values)
    pair = int(rng.random() * 3)  # what is broken in part and the way round it belong together
    for part in sorted(frame.names() - values.keys()):
        name = _EARNING[values["thing"]] if part == "money" else _BANKS.get(part, part)
        bank = thing.get(part) or banks[name]
        if part in ("question", "wish"):
            own["ask"] = _small(one_of(rng, thing["ask"], values))
        told = bank[pair % len(bank)] if part in ("partly", "round") else None
        own[part] = _small(told.say(rng, own) if told else one_of(rng, bank, own))
    return frame.say(rng, own)


def _alarm(rng: random.Random, thing: str) -> Phrase:
    """Money that is being lost where the thing earns it; else everybody is shut out."""
    frames = texts().frames["money" if thing in _EARNING else "critical"]
    return frames[int(rng.random() * len(frames))]


def _small(text: str) -> str:
    """A text as it stands inside a sentence; sentences get their capitals at the end."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
