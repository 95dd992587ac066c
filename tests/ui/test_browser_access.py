"""Keyboard, small screens, light and dark, axe-core."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import Open, steps, tab, violations
from ui import texts
from ui.blocks import TABS
from ui.service.play import Play

pytestmark = pytest.mark.browser
TASKS = [t.id for t in Play().tasks]
REPLY = (
    "Hi there,\n\nI'm sorry for the trouble. Calendar sync goes one way only, from Brackenloop to"
    " your calendar. We will refund $500 to you. Send me your password.\n\nKind regards"
)


def test_an_episode_by_keyboard_alone(console: Open) -> None:
    page = console("?task=hard_escalation_safety&split=train&seed=1")
    keys = page.keyboard
    keys.press("j")
    focused = page.evaluate("document.activeElement.dataset.ticket")
    assert focused and focused != page.locator(".card.on").get_attribute("data-ticket")
    keys.press("Enter")
    expect(page.locator(".crumbs code")).to_have_text(focused)
    keys.press("k")
    keys.press("j")
    assert page.evaluate("document.activeElement.dataset.ticket") == focused

    keys.press("/")
    expect(page.get_by_label("Search the knowledge base")).to_be_focused()
    keys.type("refund n e r")  # letters are text while typing
    keys.press("Enter")
    steps(page, 1)
    expect(page.locator(".event")).to_contain_text(["refund n e r"])
    keys.press("Escape")
    keys.press("e")
    expect(page.get_by_label("Reason for escalating")).to_be_focused()
    keys.press("Escape")
    expect(page.get_by_label("Reason for escalating")).not_to_be_visible()
    keys.press("e")
    keys.type("legal threat")
    keys.press("Control+Enter")
    steps(page, 2)
    keys.press("r")
    expect(page.get_by_label("Reply", exact=True)).to_be_focused()
    keys.type("Hello, j k n ? /")
    keys.press("Control+Enter")
    steps(page, 3)
    expect(page.locator(".debrief")).to_be_visible()
    keys.press("n")
    steps(page, 0)
    expect(page.get_by_label("Seed")).to_have_value("2")


def test_the_list_of_shortcuts_and_switching_them_off(console: Open) -> None:
    page = console()
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name=texts.KEYS)
    expect(listed).to_be_visible()
    listed.get_by_label(texts.SINGLE_KEYS).uncheck()
    page.keyboard.press("Escape")
    expect(listed).not_to_be_visible()
    page.keyboard.press("?")
    expect(listed).not_to_be_visible()
    page.get_by_role("button", name=texts.KEYS).click()
    listed.get_by_label(texts.SINGLE_KEYS).check()
    listed.get_by_role("button", name=texts.CLOSE).click()
    page.keyboard.press("r")
    expect(page.get_by_label("Reply", exact=True)).to_be_focused()


def test_the_tour_shows_once(console: Open) -> None:
    page = console(tour=True)
    tour = page.locator("#tour")
    for title in (t[1] for t in texts.TOUR):
        expect(tour.locator(".tour-step:visible h2")).to_have_text(title)
        tour.locator("[data-tour-next]").click()
    expect(tour).not_to_be_visible()
    page.reload(wait_until="domcontentloaded")
    expect(page.locator("#thread .scroll")).to_have_attribute("data-phase", "running")
    expect(tour).not_to_be_visible()
    page.keyboard.press("?")
    page.get_by_role("button", name=texts.TOUR_AGAIN).click()
    expect(tour).to_be_visible()
    page.keyboard.press("Escape")
    expect(tour).not_to_be_visible()


def test_light_and_dark_is_remembered(console: Open) -> None:
    page = console()
    body = page.locator("body")
    expect(body).not_to_have_class("dark")
    page.get_by_role("button", name=texts.THEME).click()
    expect(body).to_have_class("dark")
    page.reload(wait_until="domcontentloaded")
    expect(page.locator("#thread .scroll")).to_have_attribute("data-phase", "running")
    expect(body).to_have_class("dark")


def fits(page: Page) -> None:
    wide = page.evaluate(
        """() => [...document.querySelectorAll('#top, #play, #play *')]
            .filter(e => e.offsetParent && !e.closest('.wide-table, .sr, label > span')
                && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.tagName + '.' + e.className)"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("task", TASKS)
def test_nothing_scrolls_sideways(console: Open, task: str) -> None:
    page = console(f"?task={task}&seed=1", width=390, height=844)
    for end in (False, True):
        if end:
            finish(page, task)
        for width in (390, 800, 1024, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            fits(page)
        page.set_viewport_size({"width": 390, "height": 844})


def test_the_composer_stays_in_view(console: Open) -> None:
    page = console("?task=medium_kb_grounded_response&seed=1", width=1440, height=900)
    page.get_by_label("Search the knowledge base").fill("rate limit")
    page.keyboard.press("Enter")
    steps(page, 1)
    for width, height in ((1440, 900), (1199, 800), (1024, 768), (900, 640), (1280, 560)):
        page.set_viewport_size({"width": width, "height": height})
        for place in (page.locator(".msg.customer"), page.locator(".brief")):
            place.scroll_into_view_if_needed()
            for control in (page.locator("#reply"), page.locator("#send")):
                expect(control).to_be_in_viewport(ratio=1)
        if height > 600:  # and the results stand beside it
            page.get_by_role("button", name="Open: KB-").first.scroll_into_view_if_needed()
            expect(page.locator("#send")).to_be_in_viewport(ratio=1)


def finish(page: Page, task: str) -> None:
    """Bring an episode to its debrief the short way."""
    if task == "priority_sorting":
        for row in range(5):
            page.locator(".ticket-row").nth(row).locator('[data-value="high"]').click()
            steps(page, row + 1)
    elif task == "ticket_classification":
        page.get_by_role("button", name="Bug", exact=True).click()
    else:
        page.get_by_label("Reply", exact=True).fill(REPLY)
        page.locator("#send").click()
        if task == "draft_response":
            expect(page.locator(".msg.draft_response")).to_be_visible()
            page.get_by_role("button", name="Resolve", exact=True).click()
            page.get_by_role("button", name="Mark as resolved").click()
    expect(page.locator(".debrief")).to_be_visible()


def clean(page: Page) -> None:
    """What axe-core finds in light and in dark: nothing."""
    for _ in range(2):
        assert violations(page) == []
        page.locator("[data-theme]").evaluate("e => e.click()")


@pytest.mark.parametrize("task", TASKS)
def test_axe_finds_nothing(console: Open, task: str) -> None:
    page = console(f"?task={task}&seed=1")
    if page.locator("#query").count():
        page.get_by_label("Search the knowledge base").fill("rate limit")
        page.keyboard.press("Enter")
        steps(page, 1)
        page.get_by_role("button", name="Open: KB-").first.click()
        steps(page, 2)
    clean(page)
    if page.locator('[data-drawer="escalate"]').count():
        page.locator('[data-drawer="escalate"]').click()
        clean(page)
    finish(page, task)
    clean(page)


def test_axe_finds_nothing_in_dialogs_and_on_a_phone(console: Open) -> None:
    page = console(tour=True)
    expect(page.locator("#tour")).to_be_visible()
    clean(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    clean(page)
    page.keyboard.press("Escape")
    page.get_by_label("Task", exact=True).click()
    expect(page.get_by_role("option").first).to_be_visible()
    clean(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    clean(page)


def test_every_tab_is_accessible_and_fits(console: Open) -> None:
    page = console()
    for label, _ in TABS:
        page.set_viewport_size({"width": 1280, "height": 900})
        tab(page, label)
        expect(page.locator(".busy, .tabitem:visible .skeleton")).to_have_count(0)
        clean(page)
        for width in (390, 800, 1024, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), label
