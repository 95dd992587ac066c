"""The Data tab: a file is brought, mended, played and left again."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Open, steps, tab, violations
from tests.ui.hostile import HOSTILE
from ui import texts as play_texts
from ui.texts import data as texts

pytestmark = pytest.mark.browser

ANSWERS = (
    "The export stops at 100 rows since Monday: split it into files of 50 rows and try again.",
    "Invoice 12 was paid twice, so 40 euros go back within 5 days; look at the next invoice.",
)


def test_a_file_is_mended_played_and_left(console: Open, tmp_path: Path) -> None:
    path = tmp_path / "own <b>tickets<b>.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(
            [
                ["nr", "they wrote", "category", "subject", "answer"],
                ["1", f"{HOSTILE} The export stops since Monday", "Bug", HOSTILE, ANSWERS[0]],
                ["2", "Invoice 12 was paid twice, can you look?", "Billing", "Twice", ANSWERS[1]],
                ["3", "", "Bug", "Empty", ""],
            ]
        )
    page = console("?task=easy_classify_respond&seed=3")
    title, before = page.title(), page.locator("#head .crumbs code").inner_text()
    tab(page, texts.LABEL)
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_role("alert").filter(has_text="customer's message")).to_be_visible()
    page.get_by_label(texts.FIELDS["body"]).select_option("they wrote")
    page.get_by_role("button", name=texts.READ_AGAIN).click()
    expect(page.locator(".report h3")).to_have_text(
        "own _b_tickets_b_.csv: 2 tickets can be played"
    )
    for _ in range(2):
        assert violations(page) == []
        page.locator("[data-theme]").evaluate("e => e.click()")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})

    page.get_by_role("button", name=texts.PLAY).click()
    banner = page.locator("#head .own-data")
    expect(banner).to_contain_text("own _b_tickets_b_.csv")
    # Reading the file took the tags away; what is left is shown as text.
    for place in (".desk-head h2", ".msg.customer .plain"):
        expect(page.locator(place)).to_contain_text("[x](javascript:alert(1))")
        expect(page.locator(place)).to_contain_text("{{constructor.constructor")
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_role("button", name="Bug", exact=True).click()
    steps(page, 1)
    page.get_by_label("Reply", exact=True).fill("Hello, we look into it. Kind regards")
    page.keyboard.press("Control+Enter")
    steps(page, 2)
    expect(page.locator(".debrief")).to_be_visible()
    assert page.locator("#play img, #play script, #play b, #data img, #data b").count() == 0
    assert page.title() == title
    page.reload(wait_until="domcontentloaded")
    expect(banner).to_be_visible()
    page.get_by_role("button", name=play_texts.BUILT_IN).click()
    expect(page.locator("#head .crumbs code")).to_have_text(before)
    expect(banner).to_have_count(0)
