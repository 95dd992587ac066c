from __future__ import annotations

import ast
import base64
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

from env import episode as engine
from policies.base import play
from policies.scripted import POLICIES
from supportops_env.models import RewardLine, Span, SupportAction
from tests.ui.hostile import HOSTILE, hostile_catalog
from tests.ui.test_text import text_of
from ui import texts, views
from ui.service.play import Play
from ui.state import Notice, PlayView
from ui.views.panel import reward_line, rule_name

TASKS = [t.id for t in Play().tasks]
EASY, MEDIUM, SORT = TASKS[0], TASKS[1], "priority_sorting"
EVERY_VIEW = (
    views.queue,
    views.head,
    views.thread,
    views.status,
    views.actions,
    views.tools,
    views.finish,
    views.score,
    views.rewards,
    views.knowledge,
    views.customer,
)


def page(view: PlayView) -> BeautifulSoup:
    return BeautifulSoup("".join(show(view) for show in EVERY_VIEW), "html.parser")


def one(view: PlayView, selector: str) -> Tag:
    found = page(view).select_one(selector)
    assert found is not None, selector
    return found


@cache
def hostile_service() -> Play:
    return Play(engine.arena(hostile_catalog()))


async def played(
    task: str, split: str = "train", policy: str = "keyword", seed: int = 1
) -> PlayView:
    """The last view of an episode that a policy played."""
    service = Play()
    episode = engine.start(task, split, seed)
    done = play(POLICIES[policy](episode), episode)
    view = service.begin("a", task, split, seed)
    for step in done.steps:
        sent = dict(step.action.payload)
        if step.action.action_type != "set_priority":
            sent = {"text": step.action.text}
        view = await service.act("a", step.action.action_type, **sent)
    return view


@pytest.mark.parametrize("phase", ["loading", "empty", "expired"])
def test_phases_without_an_episode(phase: str) -> None:
    html = page(PlayView(phase))  # type: ignore[arg-type]
    scroll = html.select_one(".scroll")
    assert scroll is not None and scroll["data-phase"] == phase
    button = html.select_one('.nothing [data-act="new"]')
    assert (button is None) == (phase == "loading")


@pytest.mark.parametrize("task", TASKS)
async def test_hostile_texts_stay_texts(task: str) -> None:
    service = hostile_service()
    view = service.begin("a", task, "train", 1)
    shown = [page(view)]
    if "search_kb" in (view.obs.available_actions if view.obs else ()):
        view = await service.act("a", "search_kb", text="document title img")
        assert view.obs and view.obs.kb_articles
        view = await service.act("a", "search_kb", text=view.obs.kb_articles[0].id)
        shown.append(page(view))
    if task == SORT:
        for ticket in view.obs.tickets if view.obs else ():
            view = await service.act(
                "a", "set_priority", ticket_id=ticket.ticket_id, priority="low"
            )
    elif task == "ticket_classification":
        view = await service.act("a", "classify", text=HOSTILE)
    else:
        view = await service.write("a", HOSTILE)
        shown.append(page(view))
        if view.phase == "running":
            view = await service.act("a", "mark_resolved", text=HOSTILE)
    shown.append(page(view))
    for html in shown:
        assert not html.find_all(["img", "script", "b", "iframe"])
        assert not [t for t in html.find_all(True) if any(a.startswith("on") for a in t.attrs)]
        assert HOSTILE in html.get_text()
        links = [str(a["href"]) for a in html.find_all("a")]
        assert all(a.startswith(("?task=", "data:application/json;base64,")) for a in links)


async def test_a_notice_is_escaped() -> None:
    view = Play().begin("a", EASY, "train", 0)
    for error in (True, False):
        html = views.status(replace(view, notice=Notice(HOSTILE, error)))
        assert "<img" not in html and ('role="alert"' in html) == error


@pytest.mark.parametrize("task", TASKS)
def test_only_available_actions_are_offered(task: str) -> None:
    view = Play().begin("a", task, "train", 0)
    html = page(view)
    offered = set(view.obs.available_actions) if view.obs else set()
    acts = {str(b["data-act"]) for b in html.select("[data-act]")}
    assert ("classify" in acts) == ("classify" in offered)
    assert ("priority" in acts) == ("set_priority" in offered)
    drawers = {str(b["data-drawer"]) for b in html.select("[data-drawer]")}
    assert ("escalate" in drawers) == ("escalate" in offered)
    assert ("resolve" in drawers) == ("mark_resolved" in offered)


def test_a_card_shows_no_label_and_marks_the_open_one() -> None:
    view = Play().begin("a", EASY, "train", 0)
    html = BeautifulSoup(views.queue(view), "html.parser")
    chosen = html.select('.card[aria-current="true"]')
    assert [c["data-ticket"] for c in chosen] == [view.item_id]
    assert len(html.select(".card")) == len(view.cards)
    words = html.get_text()
    assert view.obs is not None
    assert not [c for c in view.obs.categories if re.search(rf"\b{c}\b", words) and c == "Billing"]


def test_the_board_shows_what_is_set() -> None:
    view = Play().begin("a", SORT, "train", 0)
    assert view.obs is not None
    first = view.obs.tickets[0].ticket_id
    html = page(replace(view, chosen={first: "high"}))
    pressed = html.select('.board [aria-pressed="true"]')
    assert [(b["data-ticket"], b["data-value"]) for b in pressed] == [(first, "high")]
    assert len(html.select(".board [aria-pressed]")) == 25


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("split", ["train", "test"])
async def test_the_debrief(task: str, split: str) -> None:
    view = await played(task, split)
    assert view.obs and view.obs.grade and view.obs.grade.grade is not None
    html = page(view)
    assert one(view, ".ring output").get_text() == f"{view.obs.grade.grade:.3f}"
    assert one(view, ".formula code").get_text() == view.obs.grade.formula
    assert len(html.select(".criteria li")) == len(view.obs.grade.criteria)
    assert len(html.select(".rewards .line")) == sum(len(s.lines) for s in view.steps)
    text = html.get_text()
    assert (texts.TEST_SPLIT in text) == (split == "test")
    assert (texts.REFERENCE_REPLY in text) == (
        split == "train" and task not in (SORT, "ticket_classification")
    )
    file = base64.b64decode(str(one(view, "a[download]")["href"]).partition(",")[2])
    assert json.loads(file)["grade_report"]["grade"] == view.obs.grade.grade


async def test_notes_stand_where_the_reply_earned_or_lost() -> None:
    view = await played(EASY, policy="oracle")
    noted = [line for line in view.steps[-1].lines if line.spans]
    html = page(view)
    assert noted and len(html.select(".notes li")) == len(noted)
    refs = {b["data-jump"] for b in html.select(".marked .ref")}
    assert refs == {f"note-{n}" for n in range(1, len(noted) + 1)}
    paper = views.thread(view).partition('class="paper">')[2].partition("</div></div>")[0]
    assert text_of(paper) == view.reply


async def test_sorting_is_compared_with_what_was_expected() -> None:
    rows = page(await played(SORT)).select(".wide-table tbody tr")
    assert len(rows) == 5 and all(len(r.select("td")) == 3 for r in rows)
    rows = page(await played(SORT, "test")).select(".wide-table tbody tr")
    assert len(rows) == 5 and all(len(r.select("td")) == 1 for r in rows)


async def test_deductions_are_listed() -> None:
    service = Play()
    service.begin("a", MEDIUM, "train", 1)
    for _ in range(2):
        await service.act("a", "search_kb", text="zebra giraffe")
    view = await service.write("a", "Hello")
    assert texts.RULES["repeat"] in one(view, ".plain-list").get_text()


def test_a_reward_line_says_what_why_and_how_much() -> None:
    line = RewardLine(
        rule="reply.fact.2",
        points=-0.1,
        kind="criterion",
        reason="<why>",
        evidence="<seen>",
        spans=(Span(start=0, end=1),),
    )
    text = BeautifulSoup(reward_line(line, 0.2), "html.parser").get_text()
    assert "Fact 2" in text and "−0.100" in text and "<why>." in text and "<seen>" in text
    assert "width:50%" in reward_line(line, 0.2)


def test_rules_have_words() -> None:
    assert rule_name("article.found.KB-101") == "Article found KB-101"
    assert rule_name("some.new_rule") == "Some new rule"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("policy", ["keyword", "oracle", "random"])
async def test_every_rule_that_fires_has_words_of_its_own(task: str, policy: str) -> None:
    view = await played(task, policy=policy)
    for line in (line for step in view.steps for line in step.lines):
        stem = line.rule.rpartition(".")[0]
        assert line.rule in texts.RULES or stem in texts.RULES, line.rule


def test_every_rule_that_graders_know_has_words() -> None:
    ids = re.compile(r"(classify|article|draft|escalate|search|resolve|reply)\.[a-z_]+")
    root = Path(__file__).parent.parent.parent / "graders"
    known = {
        node.value
        for path in root.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if ids.fullmatch(node.value)
    }
    assert "reply.unsupported_value" in known and known <= {*texts.RULES}


def test_macros_state_nothing() -> None:
    arena = engine.builtin_arena()
    bad = {"unsupported_value", "commitment", "forbidden", "secret", "grader", "rude", "ungrounded"}
    for ticket_id in arena.catalog.ids(EASY, "train"):
        for _, opening in texts.OPENINGS:
            text = opening.format(first="Sam", name="Sam Lee") + texts.CLOSINGS[0][1]
            episode = engine.start(EASY, "train", ticket_id=ticket_id)
            done = engine.step(episode, SupportAction(action_type="respond", content=text))
            earned = [x for x in done.steps[0].lines if x.rule.startswith("reply.fact.")]
            assert not [x for x in earned if x.points > 0], (ticket_id, opening)
            assert not bad & {x.rule.removeprefix("reply.") for x in done.steps[0].lines}
