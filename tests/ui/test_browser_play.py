"""Whole episodes of every family, played in the browser as a person plays them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from env import episode as engine
from env.episode import Episode
from policies.base import play
from policies.scripted import OraclePolicy
from supportops_env.models import SupportAction
from tests.ui.conftest import Open, steps
from ui import texts
from ui.service.play import Play

pytestmark = pytest.mark.browser
TASKS = [t.id for t in Play().tasks]


def oracle(task: str, split: str = "train", seed: int = 1) -> Episode:
    episode = engine.start(task, split, seed)
    return play(OraclePolicy(episode), episode)


def classify(page: Page, action: SupportAction) -> None:
    page.get_by_role("group", name="Category").get_by_role("button", name=action.text).click()


def prioritise(page: Page, action: SupportAction) -> None:
    group = page.get_by_role("group", name=f"Priority of {action.payload['ticket_id']}")
    group.get_by_role("button", name=action.payload["priority"].capitalize()).click()


def search(page: Page, action: SupportAction) -> None:
    opener = page.get_by_role("button", name=f"Open: {action.text}", exact=True)
    if opener.count():
        opener.click()
        return
    page.get_by_label("Search the knowledge base").fill(action.text)
    page.get_by_role("button", name="Search", exact=True).click()


def write(page: Page, action: SupportAction) -> None:
    page.get_by_label("Reply", exact=True).fill(action.text)
    page.locator("#send").click()


def escalate(page: Page, action: SupportAction) -> None:
    page.get_by_role("button", name="Escalate e").click()
    page.get_by_label("Reason for escalating").fill(action.text)
    page.get_by_role("button", name="Escalate now").click()


def resolve(page: Page, action: SupportAction) -> None:
    page.get_by_role("button", name="Resolve", exact=True).click()
    page.get_by_label("Closing note").fill(action.text)
    page.get_by_role("button", name="Mark as resolved").click()


HANDS: dict[str, Callable[[Page, SupportAction], None]] = {
    "classify": classify,
    "set_priority": prioritise,
    "search_kb": search,
    "respond": write,
    "draft_response": write,
    "escalate": escalate,
    "mark_resolved": resolve,
}


def take(page: Page, episode: Episode) -> None:
    for number, step in enumerate(episode.steps, 1):
        HANDS[step.action.action_type](page, step.action)
        steps(page, number)


def only_what_is_available(page: Page, offered: set[str]) -> None:
    for selector, actions in (
        ("#actions .seg", {"classify"}),
        (".board .seg button:enabled", {"set_priority"}),
        ("#query", {"search_kb"}),
        ("#reply", {"respond", "draft_response"}),
        ('[data-drawer="escalate"]', {"escalate"}),
        ('[data-drawer="resolve"]', {"mark_resolved"}),
    ):
        place = page.locator(selector).first
        if offered & actions:
            expect(place).to_be_visible()
        else:
            expect(place).not_to_be_visible()


@pytest.mark.parametrize("task", TASKS)
def test_a_whole_episode(console: Open, task: str) -> None:
    played = oracle(task)
    page = console(f"?task={task}&split=train&seed=1")
    only_what_is_available(page, set(played.family.actions))
    take(page, played)
    expect(page.locator(".debrief")).to_be_visible()
    shown = f"{played.grade:.3f}"
    expect(page.locator(".ring output")).to_have_text(shown)
    expect(page.locator("#score output")).to_have_text(shown)
    expect(page.locator("#rewards .line")).to_have_count(sum(len(s.lines) for s in played.steps))
    expect(page.locator(".card.on .chip.done")).to_have_text(f"{played.grade:.2f}")
    expect(page.locator("#debrief-title")).to_be_focused()
    only_what_is_available(page, set())


def test_rewards_show_the_moment_they_are_earned(console: Open) -> None:
    page = console("?task=medium_kb_grounded_response&seed=1")
    expect(page.locator("#rewards .line")).to_have_count(0)
    played = oracle("medium_kb_grounded_response")
    search(page, played.steps[0].action)
    steps(page, 1)
    expect(page.locator("#rewards .line")).to_contain_text(["Article found"])
    expect(page.locator("#score output")).to_have_text("0.050")


def test_an_article_opens_in_place_and_its_reference_goes_into_the_reply(console: Open) -> None:
    page = console("?task=medium_kb_grounded_response&seed=1")
    page.get_by_label("Search the knowledge base").fill("invoice refund")
    page.keyboard.press("Enter")
    steps(page, 1)
    page.get_by_label("Reply", exact=True).fill("Please see")
    page.get_by_role("button", name="Open: KB-").first.click()
    steps(page, 2)
    article = page.locator(".hit.opened")
    expect(article.locator(".doc")).to_be_visible()
    # Closing what was read costs nothing, and a later step does not open it again.
    article.locator("summary").click()
    expect(article.locator(".doc")).not_to_be_visible()
    article.get_by_role("button", name="Insert reference").click()
    name = article.locator("h3 code").inner_text()
    expect(page.get_by_label("Reply", exact=True)).to_have_value(
        f"Please see “{title(page)}” ({name})"
    )
    steps(page, 2)
    page.get_by_role("button", name="Escalate e").click()
    page.get_by_role("button", name="Escalate now").click()
    steps(page, 3)
    expect(article.locator(".doc")).not_to_be_visible()


def title(page: Page) -> str:
    heading = page.locator(".hit.opened h3")
    return str(heading.evaluate("e => e.firstChild.textContent.trim()"))


def test_openings_and_closings_are_inserted_by_mouse_and_by_keyboard(console: Open) -> None:
    page = console("?task=easy_classify_respond&seed=1")
    name = page.locator(".msg.customer strong").first.inner_text()
    opening, closing = texts.OPENINGS[0][1].format(first=name.split()[0]), texts.CLOSINGS[0][1]
    reply = page.get_by_label("Reply", exact=True)
    reply.fill("One thing.")
    page.get_by_role("button", name="Greeting").click()
    expect(reply).to_have_value(f"{opening}One thing.")
    page.get_by_role("button", name="Closing").click()
    expect(reply).to_have_value(f"{opening}One thing.{closing}")
    page.keyboard.press("Escape")
    for key in ("m", "Tab", "Tab", "Enter"):  # another opening takes the first one's place
        page.keyboard.press(key)
    expect(reply).to_be_focused()
    page.keyboard.type("Here it is. ")
    opening = texts.OPENINGS[2][1].format(name=name)
    expect(reply).to_have_value(f"{opening}Here it is. One thing.{closing}")
    expect(page.locator("#counter")).to_have_text("")
    steps(page, 0)


def test_priorities_may_change_until_the_fifth(console: Open) -> None:
    page = console("?task=priority_sorting&seed=1")
    rows = page.locator(".ticket-row")
    expect(rows).to_have_count(5)
    for number, value in enumerate(["low", "high"], 1):
        rows.first.locator(f'[data-value="{value}"]').click()
        steps(page, number)
        pressed = rows.first.locator('[aria-pressed="true"]')
        expect(pressed).to_have_count(1)
        expect(pressed).to_have_attribute("data-value", value)
    rows.nth(3).locator("summary").click()
    expect(rows.nth(3).locator(".row-body")).to_be_visible()
    for row in range(1, 5):
        rows.nth(row).locator('[data-value="medium"]').click()
        steps(page, 2 + row)
    expect(page.locator(".debrief .wide-table tbody tr")).to_have_count(5)


def test_the_test_split_keeps_what_was_expected_to_itself(console: Open) -> None:
    played = oracle("easy_classify_respond", "test")
    page = console("?task=easy_classify_respond&split=test&seed=1")
    take(page, played)
    debrief = page.locator(".debrief")
    expect(debrief).to_contain_text(texts.TEST_SPLIT)
    expect(debrief).not_to_contain_text(texts.REFERENCE_REPLY)


def test_again_next_and_new(console: Open) -> None:
    page = console("?task=ticket_classification&seed=1")
    here = page.locator(".crumbs code").inner_text()
    classify(page, SupportAction(action_type="classify", content="Bug"))
    steps(page, 1)
    page.get_by_role("button", name=texts.AGAIN).click()
    steps(page, 0)
    expect(page.locator(".crumbs code")).to_have_text(here)
    classify(page, SupportAction(action_type="classify", content="Billing"))
    steps(page, 1)
    page.get_by_role("button", name=texts.NEXT).click()
    expect(page.locator(".crumbs code")).not_to_have_text(here)
    steps(page, 0)
    page.get_by_role("button", name=texts.NEW_EPISODE).click()
    expect(page.get_by_label("Seed")).to_have_value("2")


def test_a_card_starts_its_ticket_and_the_header_follows_the_visitor(console: Open) -> None:
    page = console()
    card = page.locator(".card:not(.on)").nth(2)
    name = card.get_attribute("data-ticket") or ""
    card.click()
    expect(page.locator(".crumbs code")).to_have_text(name)
    page.get_by_label("Task", exact=True).click()
    page.get_by_role("option", name="Draft a response").click()
    expect(page.locator(".crumbs")).to_contain_text("Draft a response")
    page.get_by_text("Test", exact=True).click()
    expect(page.locator(".crumbs")).to_contain_text("test split")
    page.get_by_label("Seed").fill("41")
    page.keyboard.press("Enter")
    expect(page.locator(".crumbs")).to_contain_text("seed 41")
    page.get_by_label("Seed").fill("-3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(texts.BAD_SEED)


def test_the_download_holds_the_episode(console: Open, tmp_path: Path) -> None:
    page = console("?task=ticket_classification&seed=1")
    classify(page, SupportAction(action_type="classify", content="Bug"))
    steps(page, 1)
    with page.expect_download() as started:
        page.get_by_role("link", name=" ".join(texts.DOWNLOAD)).click()
    file = tmp_path / "episode.json"
    started.value.save_as(file)
    sent = json.loads(file.read_text(encoding="utf-8"))
    assert started.value.suggested_filename.endswith(".json")
    assert (sent["task_id"], sent["split"], sent["seed"]) == ("ticket_classification", "train", 1)
    assert sent["actions"] == [{"action_type": "classify", "payload": {"category": "Bug"}}]
    assert sent["grade_report"]["grade"] == sum(sent["rewards"])


def test_pressing_twice_sends_once(console: Open) -> None:
    page = console("?task=draft_response&seed=1")
    page.get_by_label("Reply", exact=True).fill("A first draft of a reply.")
    page.locator("#send").dblclick()
    steps(page, 1)
    page.get_by_label("Search the knowledge base").fill("invoice")
    page.get_by_role("button", name="Search", exact=True).click()
    steps(page, 2)
    expect(page.locator(".msg.draft_response")).to_have_count(1)
