"""The Audit tab in a browser: the shipped figures, filters, a quick audit that is really played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from policies.audit_report import read_report
from tests.ui.conftest import Open, tab, violations
from tests.ui.hostile import HOSTILE
from ui.texts import audit as texts

pytestmark = pytest.mark.browser
TASK = "ticket_classification"


def sheet(page: Page) -> None:
    tab(page, texts.LABEL)
    expect(page.locator("#audit-table tbody").first).to_be_visible(timeout=20_000)


def test_figures_filters_and_the_file(console: Open, tmp_path: Path) -> None:
    page = console()
    sheet(page)
    report = read_report()
    audit, figures = page.locator("#audit"), page.get_by_role("region", name=texts.TABLE)
    expect(page.locator(".verdict-box h3")).to_have_text(texts.PASSED)
    alike = {(r.check, r.status, r.measured, r.bound, r.worst, r.reason) for r in report.rows}
    expect(figures.locator("tr:not(.check) .pill")).to_have_count(len(alike))
    with page.expect_download() as taken:
        audit.get_by_role("button", name=texts.DOWNLOAD).click()
    path = tmp_path / taken.value.suggested_filename
    taken.value.save_as(path)
    assert read_report(path) == report

    task = audit.get_by_label(texts.TASK, exact=True)
    task.focus()
    task.select_option("priority_sorting")
    expect(audit.get_by_role("heading", name=texts.CLIMBER)).to_be_visible()
    expect(page.locator("#audit-table")).to_contain_text(texts.CLIMBER_NONE)
    expect(task).to_be_focused()
    audit.get_by_label(texts.RESULT).select_option("SKIP")
    expect(figures.locator("tbody tr:not(.check)")).to_have_count(
        sum(r.status == "SKIP" and r.task in ("priority_sorting", "all") for r in report.rows)
    )
    audit.get_by_label(texts.RESULT).select_option("")
    task.select_option("draft_response")
    best = audit.locator("details.how")
    expect(best).to_have_count(1)
    best.locator("summary").press("Enter")
    expect(best.locator(".climbed")).to_be_visible()

    for dark in (False, True):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        page.set_viewport_size({"width": 1280, "height": 900})
        assert violations(page) == []


def test_a_quick_audit_by_keyboard_while_another_visitor_looks_on(console: Open) -> None:
    page, other = console(), console()
    sheet(page)
    run = page.get_by_role("button", name=texts.START)
    run.press("Enter")  # every task: to be cancelled
    cancel = page.get_by_role("button", name=texts.CANCEL, exact=True)
    expect(cancel).to_be_focused()
    bar = page.get_by_role("progressbar", name=texts.BAR)
    expect(bar).to_have_attribute("value", re.compile("[1-9]"), timeout=60_000)
    assert violations(page) == []
    sheet(other)
    expect(other.locator("#audit-here [role=status]")).to_have_text(
        texts.GOING[False].format(scope=texts.EVERY_TASK)
    )
    expect(other.get_by_role("button", name=texts.START)).to_have_count(0)
    expect(other.get_by_role("button", name=texts.CANCEL, exact=True)).to_have_count(0)
    cancel.press("Enter")
    for seen in (page, other):
        expect(seen.locator("#audit-here")).to_contain_text(texts.CANCELLED)
        expect(seen.get_by_role("button", name=texts.START)).to_be_visible()

    page.get_by_label(texts.SCOPE).select_option(TASK)
    run.press("Enter")
    expect(page.get_by_role("button", name=texts.CANCEL, exact=True)).to_be_visible()
    expect(page.locator("#audit-here [role=status]")).to_have_text(texts.MEASURED, timeout=90_000)
    expect(page.locator("#audit-head")).to_contain_text(texts.HERE_KIND.format(kind=texts.QUICK))
    assert page.get_by_label(texts.SOURCE).input_value() == "here"
    tab(other, "API")
    sheet(other)  # seen by everybody, when they choose it
    other.get_by_label(texts.SOURCE).select_option("here")
    expect(other.locator("#audit-head")).to_contain_text(texts.QUICK_NOTE)
    page.get_by_role("button", name=texts.START).click()
    expect(page.locator("#audit-here [role=status]")).to_contain_text("again", ignore_case=True)
    assert violations(page) == []


def test_a_hostile_report_is_text(console: Open, odd_server: str) -> None:
    page = console(base=odd_server)
    title = page.title()
    sheet(page)
    expect(page.locator(".verdict-box h3")).to_have_text(texts.FAILED)
    expect(page.locator("#audit-head .note")).to_contain_text(HOSTILE)
    page.locator("details.how summary").click()
    expect(page.locator(".climbed")).to_have_text(HOSTILE)
    assert page.locator("#audit-table :is(img, script, a, b)").count() == 0
    assert page.title() == title
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
