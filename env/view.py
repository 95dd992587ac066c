"""What an agent sees of an episode: the observation and the state. No label before `done`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from data.schema import Customer, KbArticle, Ticket
from env.episode import Episode, StepRecord
from graders.version import GRADER_VERSION
from supportops_env.models import (
    ArticleView,
    HistoryEntry,
    SupportAction,
    SupportObservation,
    SupportState,
    TicketView,
)

_CUT = 200


def observe(episode: Episode, episode_id: str) -> SupportObservation:
    """The observation after the last step (or after the start)."""
    ticket, tickets, history = _who(episode)
    world = episode.world
    last = episode.steps[-1] if episode.steps else None
    over = episode.done and episode.split != "test"
    articles = _articles(episode)
    return SupportObservation(
        done=episode.done,
        reward=last.reward if last else 0.0,
        episode_id=episode_id,
        task_id=episode.family.id,
        task_name=episode.family.name,
        difficulty=episode.family.difficulty,
        split=episode.split,
        seed=episode.seed,
        index=episode.index,
        knobs=episode.knobs,
        task_description=episode.family.description,
        step_context=_context(episode),
        available_actions=() if episode.done else episode.family.actions,
        categories=episode.family.categories,
        steps_remaining=0 if episode.done else episode.family.max_steps - len(episode.steps),
        score_so_far=episode.score_so_far,
        query=f"{ticket.subject}\n\n{ticket.body}" if ticket else "",
        ticket=ticket,
        tickets=tickets,
        ticket_id=ticket.ticket_id if ticket else None,
        customer_history=history,
        kb_results=tuple(f"{a.id}: {a.title} — {a.snippet}" for a in articles),
        kb_articles=articles,
        kb_id=world.last_article,
        requires_escalation=_required(episode) if over else None,
        history=tuple(_entry(s) for s in episode.steps),
        feedback=last.feedback if last else "",
        reward_breakdown=last.lines if last else (),
        grade=episode.report,
    )


def state_of(episode: Episode, episode_id: str) -> SupportState:
    """Where the episode stands, without labels."""
    return SupportState(
        episode_id=episode_id,
        step_count=len(episode.steps),
        task_id=episode.family.id,
        split=episode.split,
        seed=episode.seed,
        index=episode.index,
        item_id=episode.item_id,
        data_version=episode.arena.catalog.version,
        grader_version=GRADER_VERSION,
        knobs=episode.knobs,
        cumulative_reward=episode.score_so_far,
        done=episode.done,
        actions=tuple(dump_action(s.action) for s in episode.steps),
    )


def dump_action(action: SupportAction) -> dict[str, Any]:
    """An action as plain data, whole, without empty fields."""
    return action.model_dump(mode="json", exclude_defaults=True, exclude={"metadata"})


def _required(episode: Episode) -> bool | None:
    labels = episode.arena.catalog.labels.get(episode.item_id)
    return labels.requires_escalation if labels else None


def _who(
    episode: Episode,
) -> tuple[TicketView | None, tuple[TicketView, ...], tuple[str, ...]]:
    catalog = episode.arena.catalog
    views = tuple(
        _ticket(t, catalog.customers[t.customer_id])
        for t in (catalog.tickets[i] for i in episode.world.ticket_ids)
    )
    if episode.family.id == "priority_sorting":
        return None, views, ()
    customer = catalog.customers[catalog.tickets[episode.item_id].customer_id]
    return views[0], (), customer.history


@lru_cache(maxsize=8_192)
def _ticket_view(*fields: Any) -> TicketView:
    return TicketView(**dict(zip(TicketView.model_fields, fields, strict=True)))


def _ticket(ticket: Ticket, customer: Customer) -> TicketView:
    return _ticket_view(
        ticket.ticket_id,
        ticket.subject,
        ticket.body,
        customer.name,
        customer.tier,
        ticket.created_at,
        ticket.sentiment_score,
        ticket.sla_hours,
        ticket.channel,
        ticket.language,
    )


def _articles(episode: Episode) -> tuple[ArticleView, ...]:
    """The hits of the last search, with the bodies of opened ones; an article opened last leads.

    Where articles are given there is no search, and they stand here from the start.
    """
    world, articles = episode.world, episode.arena.catalog.articles
    if world.given:
        return _given_views(world.given, articles)
    views = [
        ArticleView(
            id=h.id,
            title=h.title,
            snippet=h.snippet,
            score=h.score,
            body=articles[h.id].body if h.id in world.opened else None,
        )
        for h in world.hits
    ]
    last = world.last_article
    if last is not None and last in world.opened and all(v.id != last for v in views):
        article = articles[last]
        lead = ArticleView(
            id=last, title=article.title, snippet="opened", score=0.0, body=article.body
        )
        views.insert(0, lead)
    return tuple(views)


def _given_views(
    given: tuple[str, ...], articles: Mapping[str, KbArticle]
) -> tuple[ArticleView, ...]:
    return tuple(
        ArticleView(
            id=i, title=articles[i].title, snippet="given", score=0.0, body=articles[i].body
        )
        for i in given
    )


def _context(episode: Episode) -> str:
    done = len(episode.steps)
    limit = episode.family.max_steps
    if episode.done:
        return f"The episode is over after {done} of {limit} steps."
    parts = [f"Step {done + 1} of {limit}."]
    world = episode.world
    if world.priorities:
        parts.append("Set so far: " + ", ".join(f"{t} {p}" for t, p in world.priorities) + ".")
    if world.category is not None:
        parts.append(f"Classified as {world.category[:80]}.")
    if world.escalated:
        parts.append("Escalated.")
    if world.drafts:
        parts.append(f"Drafts: {world.drafts}.")
    return " ".join(parts)


@lru_cache(maxsize=8_192)
def _short(action_type: str, content: str | None, payload: tuple[tuple[str, str], ...]) -> Any:
    shown: dict[str, Any] = {"action_type": action_type}
    if content is not None:
        shown["content"] = _cut(content)
    if payload:
        shown["payload"] = {k: _cut(v) for k, v in payload}
    return shown


def _entry(step: StepRecord) -> HistoryEntry:
    action = step.action
    short = _short(action.action_type, action.content, tuple(action.payload.items()))
    return HistoryEntry(action=dict(short), reward=step.reward, feedback=step.feedback)


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
