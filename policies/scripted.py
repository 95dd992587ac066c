"""Scripted policies: keyword (honest, offline), random (seeded), oracle (reads the labels).

`POLICIES` holds them by name, with the retrieval policy, which has a file of its own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from data.schema import PRIORITIES
from env.episode import Episode, case_of
from graders.trace import Case
from policies.base import Policy, action, name_words
from policies.retrieval import RetrievalPolicy
from supportops_env.models import SupportAction, SupportObservation, TicketView

_CATEGORY_WORDS: dict[str, tuple[str, ...]] = {
    "Billing": ("invoice", "charge", "charged", "refund", "payment", "paid", "pay", "card", "vat",
                "price", "seat", "seats", "plan", "discount", "bill", "money", "renewal", "$"),
    "Account": ("login", "log in", "sign in", "password", "two-factor", "2fa", "sso", "owner",
                "admin", "role", "locked", "code", "codes", "account", "e-mail address"),
    "Bug": ("error", "broken", "crash", "blank", "stuck", "wrong", "disappeared", "gone", "stopped",
            "doesn't work", "not working", "fails", "failed", "sync"),
    "Feature Request": ("would be great", "could you add", "wish", "feature", "would love", "it would",
                        "please add", "missing option", "any plans", "roadmap", "suggest", "support for"),
    "General": ("how do", "how long", "question", "where can", "is it possible", "what are", "do you",
                "training", "hours", "policy", "partner", "press", "which"),
}  # fmt: skip
_PRIORITY_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("critical", ("nobody can", "all of us", "everyone", "down", "all users", "losing", "outage",
                  "none of our", "whole office", "whole team", "revenue", "production")),
    ("high", ("broken", "fails", "many", "team", "several", "urgent", "cannot", "can't", "error")),
    ("medium", ("sometimes", "workaround", "slow", "partly", "work around", "instead", "manually")),
    ("low", ("typo", "cosmetic", "colour", "color", "label", "icon", "tiny", "minor", "font")),
    ("minimal", ("question", "how do", "would be nice", "wondering", "request", "could you", "wish")),
)  # fmt: skip
_ESCALATE_WORDS = ("lawyer", "legal", "chargeback", "dispute", "hacked", "stolen", "gdpr", "erase",
                   "data protection", "vulnerability", "court", "all of us", "nobody can", "vanished",
                   "unknown sign", "sole owner", "left the company", "police")  # fmt: skip


class KeywordPolicy:
    """Plays by word lists: the offline baseline. Reads only what an agent sees."""

    name = "keyword"

    def begin(self, observation: SupportObservation) -> None:
        """Forget what was searched and read."""
        self._searched = self._opened = self._escalated = False

    def act(self, observation: SupportObservation) -> SupportAction:
        """Classify, search, open the top hit, escalate on alarm words, reply from the article."""
        task = observation.task_id
        if task == "priority_sorting":
            done = {e.action["payload"]["ticket_id"] for e in observation.history}
            ticket = next(t for t in observation.tickets if t.ticket_id not in done)
            return action("set_priority", ticket_id=ticket.ticket_id, priority=_priority(ticket))
        text = observation.query.casefold()
        if "classify" in observation.available_actions and not observation.history:
            return action("classify", category=_best(text, _words_for(observation)))
        if "search_kb" in observation.available_actions:
            ahead = self._research(observation, text)
            if ahead is not None:
                return ahead
        reply = _template_reply(observation)
        if task == "draft_response":
            drafted = any(e.action["action_type"] == "draft_response" for e in observation.history)
            if drafted:
                return action("mark_resolved", reason="answered")
            return action("draft_response", response_text=reply)
        return action("respond", response_text=reply)

    def _research(self, observation: SupportObservation, text: str) -> SupportAction | None:
        if not self._searched:
            self._searched = True
            return action("search_kb", query=(observation.query or " ")[:2_000])
        if not self._opened and observation.kb_id:
            self._opened = True
            return action("search_kb", query=observation.kb_id)
        alarmed = any(w in text for w in _ESCALATE_WORDS)
        if "escalate" in observation.available_actions and alarmed and not self._escalated:
            self._escalated = True
            return action("escalate", reason="matches an escalation word")
        return None


class RandomPolicy:
    """Chooses among the available actions at random; the same for the same seed and episode."""

    name = "random"

    def __init__(self, seed: int = 42) -> None:
        """`seed` makes the choices; each episode draws its own."""
        self._seed = seed

    def begin(self, observation: SupportObservation) -> None:
        """Draw from seed and episode, so that order of play does not matter."""
        key = (
            self._seed,
            observation.task_id,
            observation.split,
            observation.index,
            observation.seed,
        )
        self._rng = random.Random("|".join(map(str, key)))

    def act(self, observation: SupportObservation) -> SupportAction:
        """Any available action, filled with words of the ticket."""
        kind = self._rng.choice(observation.available_actions)
        if kind == "classify":
            return action("classify", category=self._rng.choice(observation.categories))
        if kind == "set_priority":
            ticket = self._rng.choice(observation.tickets)
            return action(
                "set_priority", ticket_id=ticket.ticket_id, priority=self._rng.choice(PRIORITIES)
            )
        words = re.findall(r"\w+", observation.query) or ["hello"]
        text = " ".join(self._rng.choices(words, k=self._rng.randint(2, 30)))
        key = {"search_kb": "query", "escalate": "reason", "mark_resolved": "reason"}.get(
            kind, "response_text"
        )
        return action(kind, **{key: text})


class OraclePolicy:
    """Knows the labels: finds the articles, decides rightly, sends the reference reply.

    Its grade shows that every episode can be won; it plays in process only.
    """

    name = "oracle"

    def __init__(self, episode: Episode) -> None:
        """Read the labels of the episode to be played."""
        self._plan = iter(_oracle_plan(episode))

    def begin(self, observation: SupportObservation) -> None:
        """Nothing to forget: a plan is made for one episode."""

    def act(self, observation: SupportObservation) -> SupportAction:
        """The next action of the plan."""
        return next(self._plan)


def _oracle_plan(episode: Episode) -> list[SupportAction]:
    case = case_of(episode)
    if case.labels is None:
        return [
            action("set_priority", ticket_id=i, priority=p.priority)
            for i, p in case.priorities.items()
        ]
    labels = case.labels
    task = episode.family.id
    if task == "ticket_classification":
        return [action("classify", category=labels.category)]
    reply = labels.reference_reply or ""
    if task == "easy_classify_respond":
        return [
            action("classify", category=labels.category),
            action("respond", response_text=reply),
        ]
    searches = _oracle_searches(episode, case, reply)
    if task == "draft_response":
        return [
            *searches,
            action("draft_response", response_text=reply),
            action("mark_resolved", reason="answered"),
        ]
    escalate = (
        [action("escalate", reason=labels.escalation_reason)] if labels.requires_escalation else []
    )
    return [*searches, *escalate, action("respond", response_text=reply)]


def _oracle_searches(episode: Episode, case: Case, reply: str) -> list[SupportAction]:
    """Search by title for each expected article, and open what else the reference states facts from.

    Where the episode has no search, there is nothing to plan.
    """
    from graders import values

    assert case.labels is not None and case.ticket is not None
    if "search_kb" not in episode.family.actions:
        return []
    articles = episode.arena.catalog.articles
    found: list[str] = []
    searches = []
    for wanted in case.expected_articles:
        if wanted not in found:
            searches.append(action("search_kb", query=articles[wanted].title))
            found += [h.id for h in episode.arena.knowledge.search(articles[wanted].title)[:3]]
    if case.task_id == "draft_response":
        return searches
    for related in case.labels.related_kb:
        support = case.kb.support(case.ticket.text, tuple(sorted(set(found))))
        if all(support.values.holds(v) for v in values.find(reply)):
            break
        if related not in found:
            searches.append(action("search_kb", query=related))
            found.append(related)
    return searches


def _words_for(observation: SupportObservation) -> dict[str, tuple[str, ...]]:
    """The words that speak for each category on offer; for one that is not ours, those of its name."""
    known = {c: w for c, w in _CATEGORY_WORDS.items() if c in observation.categories}
    return known | {c: name_words(c) for c in observation.categories if c not in known}


def _best(text: str, words: dict[str, tuple[str, ...]]) -> str:
    return max(words, key=lambda name: sum(text.count(w) for w in words[name]))


def _priority(ticket: TicketView) -> str:
    text = f"{ticket.subject} {ticket.body}".casefold()
    return next(
        (name for name, words in _PRIORITY_WORDS if any(w in text for w in words)), "medium"
    )


def _template_reply(observation: SupportObservation) -> str:
    """Greets, apologises, quotes the article's first lines, closes: what a simple bot sends."""
    name = observation.ticket.customer_name.split()[0] if observation.ticket else "there"
    body = next((a.body for a in observation.kb_articles if a.body), None)
    facts = ""
    if body:
        plain = re.sub(r"[#*|>`-]+", " ", body)
        facts = " ".join(re.split(r"(?<=[.!?])\s+", " ".join(plain.split()))[:3])
    subject = observation.ticket.subject if observation.ticket else "your message"
    return (
        f'Hi {name},\n\nThank you for writing about "{subject}". I\'m sorry for the trouble. {facts}\n\n'
        "Please let us know if this does not answer your question.\n\nKind regards,\nBrackenloop Support"
    )


POLICIES: dict[str, Callable[[Episode], Policy]] = {
    "keyword": lambda _: KeywordPolicy(),
    "retrieval": lambda _: RetrievalPolicy(),
    "random": lambda _: RandomPolicy(),
    "oracle": OraclePolicy,
}
"""Scripted policies by name; each makes a policy for one episode."""
