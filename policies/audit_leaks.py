"""The audit's check that no label reaches the agent before an episode is over.

Two ways: an arena with other labels must look the same until the end, rewards aside; and no text
that only the labels hold, nor a field of theirs, may show in anything the agent can ask for.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from data import catalog as catalogs
from data.catalog import Catalog
from data.schema import PRIORITIES, Claim, PriorityLabel, TicketLabels
from env.episode import Arena, Episode
from env.view import dump_action
from policies.audit_play import make_policy
from policies.audit_report import AuditRow
from policies.audit_scores import Ground, row
from policies.log import StrictLog
from supportops_env.models import SupportAction, SupportObservation, SupportState

_ITEMS = 8
_PLAYERS = ("oracle", "retrieval", "random", "shot-gun")
_LONG = 25
# Open to the agent by other ways: the ticket's id, its own classification, the article it opened,
# null until the end; and in the grade, which is null until the end too.
_OPEN = frozenset(
    {"ticket_id", "category", "kb_id", "requires_escalation", "reference_reply", "derived"}
)
LABEL_FIELDS = (frozenset(TicketLabels.model_fields) | {"priorities"}) - _OPEN


def no_solution_leakage(ground: Ground) -> Iterator[AuditRow]:
    """Labels change nothing that the agent sees, and nothing of theirs is in it."""
    schema_fields = _fields_in_schemas()
    other = relabelled(ground.subject.arena)
    for task in ground.plan.tasks:
        leaks = [f"schema: {f}" for f in sorted(schema_fields)]
        count = 0
        for split, index in ground.plan.places(ground.subject, task, _ITEMS):
            for name in _PLAYERS:
                count += 1
                leaks += _leaks_of_play(ground, other, name, (task, split, index))
        for split, index in ground.plan.places(ground.subject, task, None):
            leaks += _leaks_at_start(ground, task, split, index)
        yield row(
            "no_solution_leakage", task, not leaks, f"{len(leaks)} leaks in {count} plays", "0",
            leaks[0][:100] if leaks else "",
        )  # fmt: skip


def relabelled(arena: Arena) -> Arena:
    """The same tickets, articles and index; every label that a ticket can have is another."""
    catalog = arena.catalog
    changed = catalogs.build(
        catalog.name,
        catalog.version,
        tickets=catalog.tickets,
        customers=catalog.customers,
        labels={i: _other(x, catalog) for i, x in catalog.labels.items()},
        articles=catalog.articles,
        sets=catalog.sets,
        priorities={i: _lowered(x) for i, x in catalog.priorities.items()},
        concepts=catalog.concepts,
    )
    return replace(arena, catalog=_with_items(changed, catalog))


def _with_items(changed: Catalog, like: Catalog) -> Catalog:
    """The same episodes under the same index: which tickets a task plays may depend on labels."""
    return replace(changed, items=like.items, categories=like.categories)


def _turned(values: Sequence[str], value: str) -> str:
    """Another one of the values."""
    at = values.index(value) + 1 if value in values else 0
    return values[at % len(values)]


def _other(label: TicketLabels, catalog: Catalog) -> TicketLabels:
    articles = sorted(catalog.articles)
    claim = Claim(say="Zebras may cross here.", needs=(("zebra",), ("cross",)))
    changed: dict[str, Any] = {
        "category": _turned(catalog.categories, label.category),
        "category_reason": "Because of the zebras.",
        "near_categories": (),
        "kb_id": label.kb_id and _turned(articles, label.kb_id),
        "related_kb": tuple(articles[:2]),
        "requires_escalation": not label.requires_escalation,
        "escalation_reason": "Zebras go to the zebra team.",
        "draft_articles": tuple(_turned(articles, a) for a in label.draft_articles),
        "draft_steps": label.draft_steps + 3,
        "customer_upset": not label.customer_upset,
        "facts": (claim,),
        "forbidden": (claim,),
        "licensed_commitments": ("refund",),
        "reference_reply": "Hello, zebras may cross here. Let us know how many there are.",
        "derived": not label.derived,
    }
    return label.model_copy(update=changed)


def _lowered(label: PriorityLabel) -> PriorityLabel:
    priority = _turned(PRIORITIES, label.priority)
    return label.model_copy(update={"priority": priority, "reason": "Zebras."})


def _leaks_of_play(
    ground: Ground, other: Arena, name: str, place: tuple[str, str, int]
) -> Iterator[str]:
    """Play once, and the same actions under other labels; look at both before each step."""
    subject, seed = ground.subject, ground.plan.seed
    task, split, index = place
    one = subject.begin(task, split, seed, index)
    two = subject.start(task, split, seed, index, arena=other)
    hidden = _clues(one)
    ended = subject.play(make_policy(name, one, seed), one)
    said = " ".join(s.action.text for s in ended.steps)
    hidden = {c for c in hidden if c not in said}  # what a player says itself is no leak
    for step in (None, *ended.steps):
        if step is not None:
            one, two = subject.step(one, step.action), subject.step(two, step.action)
        if one.done != two.done:
            yield f"{one.item_id}: labels decide when it ends"
        if one.done or two.done:
            return
        if _seen(ground, one) != _seen(ground, two):
            yield f"{one.item_id}: what is seen depends on labels ({name})"
            return
        yield from _told(ground, one, hidden)


def _leaks_at_start(ground: Ground, task: str, split: str, index: int) -> Iterator[str]:
    """What shows before any step, and in the ticket or articles themselves."""
    episode = ground.subject.begin(task, split, ground.plan.seed, index)
    yield from _told(ground, episode, _clues(episode))
    reference = _sentences(episode)
    for article in ground.subject.arena.catalog.articles.values():
        flat = " ".join(article.body.split())
        yield from (f"{episode.item_id}: {article.id} holds {s!r}" for s in reference if s in flat)


def _told(ground: Ground, episode: Episode, hidden: set[str]) -> Iterator[str]:
    """Label texts, label fields or open ends in what can be seen and asked for."""
    observation = ground.subject.observe(episode, "x")
    state = ground.subject.state_of(episode, "x")
    if observation.grade is not None or observation.requires_escalation is not None:
        yield f"{episode.item_id}: grade or decision shows early"
    if any(line.hint is not None for line in observation.reward_breakdown):
        yield f"{episode.item_id}: a hint shows early"
    shown = [observation.model_dump(mode="json"), state.model_dump(mode="json")]
    fields = sorted(_keys(shown) & LABEL_FIELDS)
    yield from (f"{episode.item_id}: field {f}" for f in fields)
    text = " ".join(json.dumps(shown, ensure_ascii=False).split()) + _logged(episode)
    yield from (f"{episode.item_id}: {c[:60]!r}" for c in sorted(hidden) if c in text)


def _seen(ground: Ground, episode: Episode) -> dict[str, Any]:
    """All that can be seen, but for rewards and the lines that fired."""
    observation = ground.subject.observe(episode, "x").model_dump(mode="json")
    for name in ("reward", "score_so_far", "reward_breakdown"):
        observation.pop(name)
    for entry in observation["history"]:
        entry.pop("reward")
    state = ground.subject.state_of(episode, "x").model_dump(mode="json")
    state.pop("cumulative_reward")
    log = re.sub(r" reward=-?\d\.\d\d ", " ", _logged(episode))
    return {"observation": observation, "state": state, "log": log}


def _logged(episode: Episode) -> str:
    out = io.StringIO()
    log = StrictLog(out)
    log.start(episode.family.id, "somebody")
    for number, step in enumerate(episode.steps, 1):
        invalid = any(line.rule == "invalid" for line in step.lines)
        error = step.feedback if invalid else None
        log.step(number, dump_action(step.action), step.reward, episode.done, error)
    return out.getvalue()


def _sentences(episode: Episode) -> set[str]:
    label = episode.arena.catalog.labels.get(episode.item_id)
    reference = " ".join((label.reference_reply or "").split()) if label else ""
    found = re.split(r"(?<=[.!?])\s+", reference)
    return {s for s in found if len(s) > _LONG}


def _clues(episode: Episode) -> set[str]:
    """Texts that only the labels hold: reasons, facts, sentences of the reference."""
    catalog = episode.arena.catalog
    label = catalog.labels.get(episode.item_id)
    if label is None:
        texts = {catalog.priorities[i].reason for i in episode.world.ticket_ids}
    else:
        texts = {label.category_reason, label.escalation_reason, *_sentences(episode)}
        # An article may state a fact in the label's words: that is what articles are for.
        texts |= {c.say for c in (*label.facts, *label.forbidden) if not _published(episode, c.say)}
    return {t for t in texts if len(t) > _LONG}


def _published(episode: Episode, text: str) -> bool:
    articles = episode.arena.catalog.articles.values()
    return any(text in " ".join(a.body.split()) for a in articles)


def _fields_in_schemas() -> set[str]:
    models = (SupportAction, SupportObservation, SupportState)
    return {f for m in models for f in _keys(m.model_json_schema()) & LABEL_FIELDS}


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {k for v in value.values() for k in _keys(v)}
    return {k for v in value for k in _keys(v)} if isinstance(value, list) else set()
