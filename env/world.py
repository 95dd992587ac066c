"""What changes in an episode as actions are applied. Frozen: each step makes a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from data.schema import PRIORITIES
from env.knowledge import TOP, Hit, Knowledge
from env.tasks import Family
from graders import decisions
from graders.trace import Event
from supportops_env.models import SupportAction


@dataclass(frozen=True, slots=True)
class World:
    """The state of the six single-customer families.

    `seen` are articles that appeared in a search, `found` those that count as found, `opened`
    those whose body was read; `last_article` is the one opened last or the top hit of the last
    search, whichever is later. `given` are articles that were open from the start.
    """

    ticket_ids: tuple[str, ...]
    category: str | None = None
    priorities: tuple[tuple[str, str], ...] = ()
    hits: tuple[Hit, ...] = ()
    seen: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    last_article: str | None = None
    escalated: bool = False
    drafts: int = 0
    reply: str | None = None

    @property
    def leaned_on(self) -> tuple[str, ...]:
        """Articles whose words the agent was shown: found or opened."""
        return tuple(dict.fromkeys((*self.found, *self.opened)))


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action did: the new world, what shaping has to know, what the agent is told."""

    world: World
    event: Event
    feedback: str


def apply(world: World, action: SupportAction, family: Family, knowledge: Knowledge) -> Effect:
    """Apply a typed action. Feedback depends on the action and what is visible, never on labels."""
    if action.action_type not in family.actions:
        return _invalid(
            world,
            f"{family.name} does not take {action.action_type}; available: "
            + ", ".join(family.actions),
        )
    return _APPLY[action.action_type](world, action, family, knowledge)


def _invalid(world: World, feedback: str) -> Effect:
    return Effect(world, Event("invalid"), feedback)


def _classify(world: World, action: SupportAction, family: Family, _: Knowledge) -> Effect:
    ends = family.ends_on == "classify"
    if world.category is not None:
        return Effect(
            world,
            Event("classify", category=action.text),
            f"The first classification counts ({world.category[:80]}); this one changes nothing.",
        )
    named = decisions.category_named(action.text, family.categories)
    shown = named or f"{action.text[:80]!r}, which is none of {', '.join(family.categories)}"
    return Effect(
        replace(world, category=action.text),
        Event("classify", first=True, category=action.text, ends=ends),
        f"Classified as {shown}.",
    )


def _set_priority(world: World, action: SupportAction, _: Family, __: Knowledge) -> Effect:
    ticket_id = action.payload["ticket_id"].strip()
    priority = action.payload["priority"].strip().casefold()
    if ticket_id not in world.ticket_ids:
        return _invalid(
            world, f"No ticket {ticket_id[:80]!r} here; tickets: {', '.join(world.ticket_ids)}."
        )
    if priority not in PRIORITIES:
        return _invalid(
            world, f"No priority {priority[:80]!r}; priorities: {', '.join(PRIORITIES)}."
        )
    given = {**dict(world.priorities), ticket_id: priority}
    left = [t for t in world.ticket_ids if t not in given]
    return Effect(
        replace(world, priorities=tuple(given.items())),
        Event("priority", ends=not left),
        f"{ticket_id} is {priority}. " + (f"Left: {', '.join(left)}." if left else "All sorted."),
    )


def _search(world: World, action: SupportAction, _: Family, knowledge: Knowledge) -> Effect:
    article = knowledge.article_named(action.text)
    if article is not None:
        counts = article.id in world.seen and article.id not in world.found
        newly: tuple[str, ...] = (article.id,) if counts else ()
        return Effect(
            replace(
                world,
                opened=tuple(dict.fromkeys((*world.opened, article.id))),
                found=(*world.found, *newly),
                last_article=article.id,
            ),
            Event("open", hits=(article.id,), newly_found=newly),
            f"Opened {article.id}: {article.title}.",
        )
    hits = knowledge.search(action.text)
    top = tuple(h.id for h in hits[:TOP])
    newly = tuple(i for i in top if i not in world.found)
    feedback = (
        f"{len(hits)} article{'s' if len(hits) != 1 else ''} found; search for an id to open it."
        if hits
        else "Nothing found; try other words."
    )
    return Effect(
        replace(
            world,
            hits=hits,
            seen=tuple(dict.fromkeys((*world.seen, *(h.id for h in hits)))),
            found=(*world.found, *newly),
            last_article=hits[0].id if hits else world.last_article,
        ),
        Event("search", hits=top, newly_found=newly),
        feedback,
    )


def _respond(world: World, action: SupportAction, _: Family, __: Knowledge) -> Effect:
    return Effect(replace(world, reply=action.text), Event("reply", ends=True), "Reply sent.")


def _draft(world: World, action: SupportAction, _: Family, __: Knowledge) -> Effect:
    return Effect(
        replace(world, reply=action.text, drafts=world.drafts + 1),
        Event("draft", first=not world.drafts),
        "Draft saved; revise it or mark the ticket resolved."
        if not world.drafts
        else "Draft replaced.",
    )


def _escalate(world: World, _: SupportAction, __: Family, ___: Knowledge) -> Effect:
    if world.escalated:
        return Effect(world, Event("escalate"), "Escalated already; this changes nothing.")
    return Effect(
        replace(world, escalated=True),
        Event("escalate", first=True),
        "Escalated to the responsible team. Now reply to the customer.",
    )


def _resolve(world: World, _: SupportAction, __: Family, ___: Knowledge) -> Effect:
    return Effect(
        world, Event("resolve", has_draft=world.drafts > 0, ends=True), "Marked as resolved."
    )


_APPLY: dict[str, Callable[[World, SupportAction, Family, Knowledge], Effect]] = {
    "classify": _classify,
    "set_priority": _set_priority,
    "search_kb": _search,
    "respond": _respond,
    "draft_response": _draft,
    "escalate": _escalate,
    "mark_resolved": _resolve,
}
