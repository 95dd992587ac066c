"""The Knowledge base tab, by keyboard and by link."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Open, tab, violations
from ui.texts import library as texts

pytestmark = pytest.mark.browser


def test_search_and_read_by_keyboard(console: Open) -> None:
    page = console()
    tab(page, texts.LABEL)
    keys, title = page.keyboard, page.locator(".reading h2")
    expect(page.locator(".kb-entry")).to_have_count(36)
    keys.press("/")
    expect(page.get_by_label(texts.QUERY)).to_be_focused()
    keys.type("refund yearly plan")
    keys.press("Enter")
    hits = page.locator(".kb-hit")
    expect(hits).to_have_count(5)
    expect(hits.locator(".num")).to_contain_text(["score "] * 5)
    keys.press("Escape")
    keys.press("j")
    keys.press("Enter")
    expect(title).to_be_focused()
    expect(page.locator('.kb-hit[aria-current="true"]')).to_have_count(1)
    assert violations(page) == []
    page.locator(".reading .see").first.click()
    expect(page.locator(".reading")).not_to_have_attribute("data-article", "KB-103")
    page.get_by_role("button", name=texts.ALL).click()
    expect(page.locator(".kb-entry")).to_have_count(36)
    expect(page.get_by_label(texts.QUERY)).to_have_value("")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".kb-entry").last.click()
    expect(title).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_link_opens_an_article(console: Open) -> None:
    page = console("?kb=kb-402", tour=True)
    expect(page.locator(".reading")).to_have_attribute("data-article", "KB-402")
    expect(page.locator(".reading h2")).to_be_visible()
    expect(page.locator("#tour")).not_to_be_visible()
    tab(page, "Play")
    expect(page.locator("#tour")).to_be_visible()
