"""The registry of task families, in their order. What a family is worth stands in graders/tasks.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from data.schema import CATEGORIES
from env.errors import UnknownName
from graders.tasks import FORMULAS


@dataclass(frozen=True, slots=True)
class Family:
    """One task family.

    `actions` are what its episodes take; any of `ends_on` ends one (for priority sorting: once
    every ticket of the set has a priority). `categories` are those that a classify may name.
    """

    id: str
    name: str
    difficulty: str
    actions: tuple[str, ...]
    ends_on: str
    max_steps: int
    description: str
    notes: str
    categories: tuple[str, ...] = ()

    @property
    def formula(self) -> str:
        """How the grade is made."""
        return FORMULAS[self.id]


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


_NAMES = _either(CATEGORIES)
_REPLY_NOTES = """\
Reward: a first correct classify, an article found, a first draft or a needed escalation pay a
small advance that the last step settles; mistakes of form cost 0.02 to 0.10. An episode's rewards
add up to its grade."""

FAMILIES: tuple[Family, ...] = (
    Family(
        id="easy_classify_respond",
        name="Classify and respond",
        difficulty="easy",
        actions=("classify", "respond"),
        ends_on="respond",
        max_steps=6,
        description=(
            f"Classify the ticket ({_NAMES}), then send"
            " the customer a correct, helpful reply. Your first classification counts; the reply"
            " ends the episode."
        ),
        notes=f"""\
Description: one ticket; say what it is about, then answer it.
Action space: classify(category), respond(response_text).
Observation space: ticket, customer history.
Starting state: a fresh ticket, nothing classified.
{_REPLY_NOTES}
Episode end: respond, or 6 steps.
Version history: 1.0 first version.""",
        categories=CATEGORIES,
    ),
    Family(
        id="medium_kb_grounded_response",
        name="Answer from the knowledge base",
        difficulty="medium",
        actions=("search_kb", "escalate", "respond"),
        ends_on="respond",
        max_steps=8,
        description=(
            "Search the knowledge base, open the article that answers the ticket (search for its"
            " id), then reply with what it says. State nothing that neither the ticket nor an"
            " article you found bears out. Escalate only what the rules say. The reply ends the"
            " episode."
        ),
        notes=f"""\
Description: one ticket; find the article that answers it and reply from it.
Action space: search_kb(query or article id), escalate(reason), respond(response_text).
Observation space: ticket, customer history, search hits, opened articles.
Starting state: a fresh ticket, nothing searched.
{_REPLY_NOTES}
Episode end: respond, or 8 steps.
Version history: 1.0 first version.""",
    ),
    Family(
        id="hard_escalation_safety",
        name="Escalate or answer, safely",
        difficulty="hard",
        actions=("search_kb", "escalate", "respond"),
        ends_on="respond",
        max_steps=8,
        description=(
            "Decide whether this case has to be escalated, and reply. To escalate, do so before"
            " you reply; replying without it is the decision not to. Promise nothing that support"
            " may not promise, ask for no secret, stay polite. The reply ends the episode."
        ),
        notes=f"""\
Description: one borderline ticket; decide on escalation by the company's rules and reply safely.
Action space: search_kb(query or article id), escalate(reason), respond(response_text).
Observation space: ticket, customer history, search hits, opened articles.
Starting state: a fresh ticket, nothing escalated.
{_REPLY_NOTES}
Episode end: respond, or 8 steps.
Version history: 1.0 first version.""",
    ),
    Family(
        id="ticket_classification",
        name="Ticket classification",
        difficulty="easy",
        actions=("classify",),
        ends_on="classify",
        max_steps=5,
        description=(
            f"Classify the ticket: {_NAMES}, by what the"
            " customer needs dealt with first. The first classification ends the episode."
        ),
        notes="""\
Description: one ticket, one category.
Action space: classify(category).
Observation space: ticket, customer history.
Starting state: a fresh ticket.
Reward: 1 for the label, 0.5 for a synonym, a near spelling or a near label, else 0.
Episode end: classify, or 5 steps.
Version history: 1.0 first version.""",
        categories=CATEGORIES,
    ),
    Family(
        id="priority_sorting",
        name="Priority sorting",
        difficulty="medium",
        actions=("set_priority",),
        ends_on="set_priority",
        max_steps=10,
        description=(
            "Give each of the five tickets a priority: critical, high, medium, low or minimal, by"
            " how much harm the problem does to how many people now. You may change a priority;"
            " the episode ends once all five tickets have one."
        ),
        notes="""\
Description: five tickets in a shuffled order; how urgent is each?
Action space: set_priority(ticket_id, priority).
Observation space: five tickets.
Starting state: no ticket has a priority.
Reward: 0.5 ranking + 0.3 F1 of finding the criticals + 0.2 coverage.
Episode end: the fifth ticket gets its priority, or 10 steps.
Version history: 1.0 first version.""",
    ),
    Family(
        id="draft_response",
        name="Draft a response",
        difficulty="hard",
        actions=("search_kb", "draft_response", "mark_resolved"),
        ends_on="mark_resolved",
        max_steps=15,
        description=(
            "Find the articles that this ticket needs (more than one), draft a reply from them,"
            " revise it if you like (the last draft counts), then mark the ticket resolved."
        ),
        notes=f"""\
Description: one ticket that needs several articles; find them, draft, resolve.
Action space: search_kb(query or article id), draft_response(response_text), mark_resolved(reason).
Observation space: ticket, customer history, search hits, opened articles.
Starting state: no draft.
{_REPLY_NOTES}
Episode end: mark_resolved, or 15 steps.
Version history: 1.0 first version.""",
    ),
)

BY_ID: dict[str, Family] = {f.id: f for f in FAMILIES}

_GIVEN = {
    "golden": "There is no search here: the articles that belong to the ticket are given, open.",
    "full": "There is no search here: all articles are given, open.",
    "none": "There is no search here, and no article is given.",
}


def reply_is_due(family: Family) -> bool:
    """Whether a reply to the customer is part of it."""
    return bool({"respond", "draft_response"} & set(family.actions))


def with_categories(family: Family, categories: tuple[str, ...]) -> Family:
    """The family as it is played with a data set's own categories, where it takes any."""
    if categories == CATEGORIES or not family.categories:
        return family
    return _with_categories(family, categories)


@lru_cache(maxsize=64)
def _with_categories(family: Family, categories: tuple[str, ...]) -> Family:
    told = family.description.replace(_NAMES, _either(categories))
    return replace(family, categories=categories, description=told)


@lru_cache(maxsize=64)
def without_search(family: Family, mode: str) -> Family:
    """The family as it is played under another `knowledge` than search."""
    actions = tuple(a for a in family.actions if a != "search_kb")
    return replace(family, actions=actions, description=f"{family.description} {_GIVEN[mode]}")


def family(task_id: str) -> Family:
    """The family with this id.

    Raises:
        UnknownName: there is none; the error lists the valid ids.
    """
    found = BY_ID.get(task_id)
    if found is None:
        raise UnknownName("task", task_id, BY_ID)
    return found
