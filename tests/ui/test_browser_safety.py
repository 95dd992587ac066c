"""Visitors are kept apart, what they write is shown as text, nothing that they wrote is lost."""

from __future__ import annotations

import urllib.request

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Open, steps
from tests.ui.hostile import HOSTILE
from ui import texts

pytestmark = pytest.mark.browser


def test_two_visitors_are_isolated(console: Open) -> None:
    one = console("?task=medium_kb_grounded_response&seed=1")
    two = console("?task=medium_kb_grounded_response&seed=1")
    one.get_by_label("Search the knowledge base").fill("refund")
    one.keyboard.press("Enter")
    steps(one, 1)
    two.get_by_label("Reply", exact=True).fill("mine")
    two.locator("#send").click()
    steps(two, 1)
    expect(two.locator("#thread .scroll")).to_have_attribute("data-phase", "done")
    expect(one.locator("#thread .scroll")).to_have_attribute("data-phase", "running")
    expect(one.locator(".msg.agent")).to_have_count(0)
    one.get_by_role("button", name="Open: KB-").first.click()
    steps(one, 2)
    steps(two, 1)


def test_a_hostile_reply_is_shown_as_text(console: Open) -> None:
    page = console("?task=easy_classify_respond&seed=1")
    title = page.title()
    page.get_by_label("Reply", exact=True).fill(HOSTILE)
    page.locator("#send").click()
    steps(page, 1)
    expect(page.locator(".msg.agent .plain")).to_have_text(HOSTILE)
    expect(page.locator(".debrief .paper").first).to_contain_text("${document.title='owned'}")
    assert page.locator("#play img, #play script, #play b").count() == 0
    assert page.title() == title


@pytest.mark.parametrize("task", ["medium_kb_grounded_response", "priority_sorting"])
def test_hostile_tickets_and_articles_are_shown_as_text(
    console: Open, odd_server: str, task: str
) -> None:
    page = console(f"?task={task}&seed=1", base=odd_server)
    title = page.title()
    expect(page.locator(".card.on")).to_contain_text("<img src=x")
    if task == "priority_sorting":
        expect(page.locator(".ticket-row strong").first).to_have_text(HOSTILE)
    else:
        expect(page.locator(".desk-head h2")).to_have_text(HOSTILE)
        page.get_by_label("Search the knowledge base").fill("document title")
        page.keyboard.press("Enter")
        steps(page, 1)
        page.get_by_role("button", name="Open: KB-").first.click()
        steps(page, 2)
        expect(page.locator(".hit.opened .doc h4")).to_have_text(HOSTILE)
    assert page.locator("#play img, #play script, #play b").count() == 0
    assert page.title() == title
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_reply_that_is_too_long_is_kept(console: Open) -> None:
    page = console("?task=easy_classify_respond&seed=1")
    reply = page.get_by_label("Reply", exact=True)
    reply.fill("x" * 8123)
    expect(page.locator("#counter")).to_have_text("8,123 / 8,000: 123 too many")
    expect(reply).to_have_attribute("aria-invalid", "true")
    page.locator("#send").click()
    expect(page.get_by_role("alert")).to_contain_text("123 characters too many")
    steps(page, 0)
    expect(reply).to_have_value("x" * 8123)
    reply.fill("x" * 8000)
    page.locator("#send").click()
    steps(page, 1)


def test_an_empty_reply_is_not_sent(console: Open) -> None:
    page = console("?task=easy_classify_respond&seed=1")
    page.locator("#send").click()
    expect(page.get_by_role("alert")).to_have_text(texts.EMPTY_TEXT["respond"])
    steps(page, 0)


def test_a_reload_goes_on_where_it_was(console: Open) -> None:
    page = console("?task=medium_kb_grounded_response&seed=1")
    page.get_by_label("Search the knowledge base").fill("refund")
    page.keyboard.press("Enter")
    steps(page, 1)
    page.get_by_label("Reply", exact=True).fill("half a rep")
    page.reload(wait_until="domcontentloaded")
    steps(page, 1)
    expect(page.locator(".event")).to_contain_text(["refund"])
    expect(page.get_by_label("Reply", exact=True)).to_have_value("half a rep")


def test_a_reload_goes_on_when_the_server_kept_nothing_in_memory(
    console: Open, odd_server: str
) -> None:
    page = console("?task=medium_kb_grounded_response&seed=1", base=odd_server)
    page.get_by_label("Search the knowledge base").fill("refund")
    page.keyboard.press("Enter")
    steps(page, 1)
    page.get_by_label("Reply", exact=True).fill("half a rep")
    with urllib.request.urlopen(f"{odd_server}/later?seconds=1000", timeout=10):
        page.reload(wait_until="domcontentloaded")
    steps(page, 1)
    expect(page.locator(".event")).to_contain_text(["refund"])
    expect(page.get_by_label("Reply", exact=True)).to_have_value("half a rep")
    page.locator("#send").click()
    steps(page, 2)
    # The run gets a name, which the browser remembers.
    page.get_by_label(texts.NAME_LABEL).fill("<b>Mira</b>")
    page.get_by_role("button", name=texts.NAME_SAVE).click()
    expect(page.locator("#status")).to_contain_text("“<b>Mira</b>”")
    page.reload(wait_until="domcontentloaded")
    steps(page, 2)
    expect(page.get_by_label(texts.NAME_LABEL)).to_have_value("<b>Mira</b>")
    assert page.locator("#play b").count() == 0


def test_a_text_waits_for_its_ticket(console: Open) -> None:
    page = console("?task=easy_classify_respond&seed=1")
    reply = page.get_by_label("Reply", exact=True)
    here = page.locator(".card.on").get_attribute("data-ticket")
    reply.fill("half a reply")
    page.locator(".card:not(.on)").first.click()
    expect(page.locator(".crumbs code")).not_to_have_text(here or "")
    expect(reply).to_have_value("")
    page.locator(f'.card[data-ticket="{here}"]').click()
    expect(reply).to_have_value("half a reply")


def test_an_expired_session_says_so_and_goes_on(console: Open, odd_server: str) -> None:
    page = console("?task=medium_kb_grounded_response&split=test&seed=3", base=odd_server)
    with urllib.request.urlopen(f"{odd_server}/later?seconds=1000", timeout=10):
        page.get_by_label("Search the knowledge base").fill("refund")
        page.keyboard.press("Enter")
    expect(page.locator(".nothing h3")).to_have_text(texts.EXPIRED[0])
    expect(page.locator("#reply")).not_to_be_visible()
    page.locator(".nothing").get_by_role("button", name=texts.NEW_EPISODE).click()
    expect(page.locator(".crumbs")).to_contain_text("test split")
    expect(page.locator(".crumbs")).to_contain_text("seed 3")


@pytest.mark.parametrize("link", ["?task=nope", "?task=easy_classify_respond&index=9999"])
def test_a_bad_link_opens_the_first_episode_and_says_why(console: Open, link: str) -> None:
    page = console(link)
    expect(page.get_by_role("alert")).to_contain_text("unknown")
