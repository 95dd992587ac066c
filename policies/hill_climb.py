"""The hill-climber: edits a reply at random and keeps what the grader likes better.

It knows nothing but R. Its decisions are the adversaries' constants, its words sentences of the
knowledge base, of the ticket and of a stock of polite phrases, whole or torn: words left out,
sentences cut, joined and spliced. What it reaches shows how far R can be pushed without an answer,
as a policy in training would push it; the reply it ends with is kept word for word.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from env import episode as engine
from env.episode import Episode
from env.view import observe
from graders import criteria
from graders.text import read
from graders.trace import Case, Trace
from policies.adversaries import Replier
from policies.audit_report import BestReply
from policies.base import action
from policies.rewording import verbatim_sentences

POLITE = (
    "Hello and thank you for writing to us.",
    "Dear customer,",
    "I am sorry for the trouble this has caused you.",
    "I understand how frustrating that is.",
    "Please let us know if this helps.",
    "You can reply to this message at any time.",
    "We are happy to help you with this.",
    "Please let me know if there is anything else.",
    "Thank you for your patience.",
    "Here is what you need to know about it.",
    "This is how it works in our product.",
    "Please check your settings and try again.",
    "Kind regards, Brackenloop Support",
)
_START = (POLITE[0], POLITE[2], POLITE[4])
_MOST_SENTENCES = 14
_LONGEST = 60  # words, of a sentence that gets another one joined to it
_LINKS = ("", "and", "so", "because", "but", "which means")
# How often a new sentence comes from: articles found, all other articles, the ticket, politeness.
_SHARES = (45, 15, 25, 15)


@dataclass(frozen=True)
class Bank:
    """The sentences to draw from, in four drawers."""

    drawers: tuple[tuple[str, ...], ...]

    def draw(self, rng: random.Random) -> str:
        """A sentence of a drawer that is not empty."""
        full = [(d, s) for d, s in zip(self.drawers, _SHARES, strict=True) if d]
        drawer = rng.choices([d for d, _ in full], [s for _, s in full])[0]
        return rng.choice(drawer)


def climb(start: Episode, edits: int, seed: int, also: Sequence[Episode] = ()) -> list[BestReply]:
    """Edit a reply `edits` times and keep what raises R; the same for the same arguments.

    Args:
        start: A fresh episode of a task that takes a reply.
        edits: Edits to try; each costs one grading.
        seed: Makes the choices, together with the ticket.
        also: Fresh episodes of the same ticket in other tasks; the reply is graded there too, where
            it gets the same R.

    Returns:
        The best reply as `start` grades it, then as each of `also` does.
    """
    before = _decided(start)
    case, trace = engine.case_of(before), engine.trace_of(before)
    bank = _bank(before)
    rng = random.Random(f"{seed}|{start.item_id}")
    best = list(_START)
    value = _value(case, trace, best)
    accepted = 0
    for _ in range(edits if value is not None else 0):
        tried = _edit(best, bank, rng)
        reached = _value(case, trace, tried) if tried is not None else None
        if tried is not None and reached is not None and value is not None and reached > value:
            best, value = tried, reached
            accepted += 1
    reply = " ".join(best)
    ends = [_sent(before, reply), *(_sent(_decided(e), reply) for e in also)]
    return [_as_found(ended, reply, edits, accepted) for ended in ends]


def _as_found(ended: Episode, reply: str, edits: int, accepted: int) -> BestReply:
    return BestReply(
        task=ended.family.id,
        split=ended.split,
        index=ended.index,
        item=ended.item_id,
        edits=edits,
        accepted=accepted,
        value=ended.reply_score.value if ended.reply_score else None,
        grade=ended.grade,
        reply=reply,
    )


def _decided(episode: Episode) -> Episode:
    """The episode with every decision taken by rote, just before the reply."""
    rote = Replier("hill-climber", lambda _: "")
    rote.begin(observe(episode, ""))
    while True:
        chosen = rote.act(observe(episode, ""))
        if chosen.action_type in ("respond", "draft_response"):
            return episode
        episode = engine.step(episode, chosen)


def _sent(episode: Episode, reply: str) -> Episode:
    if "draft_response" not in episode.family.actions:
        return engine.step(episode, action("respond", response_text=reply))
    drafted = engine.step(episode, action("draft_response", response_text=reply))
    return engine.step(drafted, action("mark_resolved", reason="done"))


def _value(case: Case, trace: Trace, sentences: Sequence[str]) -> float | None:
    return criteria.score_reply(case, replace(trace, reply=" ".join(sentences))).value


def _bank(episode: Episode) -> Bank:
    articles = episode.arena.catalog.articles
    found = {i for i in episode.world.seen if i in articles}
    ticket = episode.arena.catalog.tickets[episode.item_id].body
    own = tuple(
        _ended(ticket[s.start : s.end]) for s in read(ticket).sentences if len(s.tokens) > 2
    )
    return Bank(
        (
            _drawer(articles[i].body for i in sorted(found)),
            _drawer(articles[i].body for i in articles if i not in found),
            own,
            POLITE,
        )
    )


def _drawer(bodies: Iterable[str]) -> tuple[str, ...]:
    return tuple(_ended(s) for body in bodies for s in verbatim_sentences(body))


def _ended(sentence: str) -> str:
    """With a full stop, so that what is put after it is a sentence of its own."""
    flat = " ".join(sentence.split())
    return flat if flat.endswith((".", "!", "?")) else f"{flat}."


def _edit(sentences: list[str], bank: Bank, rng: random.Random) -> list[str] | None:
    """One change: to which sentences there are, or within one; None where it changes nothing."""
    changed = list(sentences)
    edit = rng.choice(_EDITS)
    return changed if edit(changed, bank, rng) and changed != sentences else None


def _add(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    sentence = bank.draw(rng)
    if sentence in sentences or len(sentences) >= _MOST_SENTENCES:
        return False
    sentences.insert(rng.randrange(len(sentences) + 1), sentence)
    return True


def _replace(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    sentence = bank.draw(rng)
    if sentence in sentences:
        return False
    sentences[rng.randrange(len(sentences))] = sentence
    return True


def _drop(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    if len(sentences) == 1:
        return False
    del sentences[rng.randrange(len(sentences))]
    return True


def _swap(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    a, b = rng.randrange(len(sentences)), rng.randrange(len(sentences))
    sentences[a], sentences[b] = sentences[b], sentences[a]
    return True


def _leave_out(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    """A word less: what was copied is no longer word for word."""
    place = rng.randrange(len(sentences))
    words = sentences[place].split()
    if len(words) < 4:
        return False
    del words[rng.randrange(len(words))]
    sentences[place] = _ended(" ".join(words))
    return True


def _cut(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    """The beginning or the end of a sentence."""
    place = rng.randrange(len(sentences))
    words = sentences[place].split()
    if len(words) < 5:
        return False
    at = rng.randrange(2, len(words) - 1)
    sentences[place] = _ended(" ".join(rng.choice((words[:at], words[at:]))))
    return True


def _join(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    """Another sentence behind one, with or without a word between."""
    place = rng.randrange(len(sentences))
    kept, other = sentences[place].rstrip(".!?").split(), bank.draw(rng)
    if len(kept) > _LONGEST:
        return False
    sentences[place] = _ended(" ".join([*kept, rng.choice(_LINKS), other]))
    return True


def _splice(sentences: list[str], bank: Bank, rng: random.Random) -> bool:
    """The beginning of one sentence with the end of another."""
    place = rng.randrange(len(sentences))
    words, other = sentences[place].split(), bank.draw(rng).split()
    head, tail = rng.randrange(1, len(words) + 1), rng.randrange(len(other))
    sentences[place] = _ended(" ".join(words[:head] + other[tail:]))
    return True


_EDITS = (
    _add,
    _add,
    _replace,
    _replace,
    _drop,
    _swap,
    _leave_out,
    _leave_out,
    _cut,
    _join,
    _splice,
)
