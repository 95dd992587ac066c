"""The Leaderboard tab in a browser: filters, figures that fit, published scores, deleting one's runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Serve
from tests.ui.conftest import Open, tab, violations
from tests.ui.hostile import HOSTILE, OWNER
from ui.texts import leaderboard as texts

pytestmark = pytest.mark.browser
FIT = """count => {
    const charts = [...document.querySelectorAll('#board .chart')].filter(c => c.offsetParent);
    const drawn = charts.map(c => c.querySelector('.main-svg'));
    return charts.length === count
        && drawn.every((d, n) => d && Math.abs(d.clientWidth - charts[n].clientWidth) < 2);
}"""


def fill_their_places(page: Page, count: int = 5) -> None:
    """Wait until so many figures show, each as wide as its place."""
    page.wait_for_function(FIT, arg=count)


def test_filters_figures_and_published_scores(console: Open, serve: Serve) -> None:
    page = console(base=serve().url)  # its own: the runs that other tests store would be counted
    tab(page, texts.LABEL)
    board = page.locator("#board")
    table, means = page.locator("#board-table table"), page.locator("#board-means")
    expect(table.locator("tbody tr").first).to_contain_text("oracle", timeout=20_000)
    fill_their_places(page)

    # Figures that a tab changes under, or that are drawn while they are hidden, fit all the same.
    tab(page, "Play")
    page.set_viewport_size({"width": 900, "height": 800})
    tab(page, texts.LABEL)
    fill_their_places(page)
    board.get_by_label(texts.TASK, exact=True).select_option("draft_response")
    tab(page, "Play")
    tab(page, texts.LABEL)
    fill_their_places(page, 3)  # drafting asks for neither category nor priority
    published = table.locator("tfoot tr")
    expect(published).to_contain_text("0.42")
    expect(published).to_contain_text(texts.PUBLISHED)
    expect(means.locator(".legendtext").last).to_have_text(
        "gpt-4o-mini 0.42: published, not measured here"
    )
    expect(page.locator("#board-command")).to_contain_text(
        "python inference.py --out data/baselines"
    )

    board.get_by_label(texts.TASK, exact=True).select_option("")
    fill_their_places(page)
    board.get_by_label(texts.PLAYER, exact=True).select_option(label="keyword")
    board.get_by_label(texts.AGAINST).focus()
    board.get_by_label(texts.AGAINST).select_option(label="random")
    expect(page.locator(".versus")).to_contain_text("keyword")
    expect(page.locator(".versus")).to_contain_text("random")
    expect(board.get_by_label(texts.AGAINST)).to_be_focused()  # a new page keeps it

    board.get_by_label(texts.KIND, exact=True).select_option("model")
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(page.locator("#board-costs table")).to_contain_text("smollm2-135m-instruct")
    board.get_by_label(texts.SPLIT, exact=True).select_option("train")
    expect(page.get_by_role("heading", name=texts.NOBODY["model"][0])).to_be_visible()
    expect(page.locator("#board .js-plotly-plot:visible")).to_have_count(0)
    assert violations(page) == []


def test_hostile_names_are_text_and_ones_own_runs_can_go(console: Open, odd_server: str) -> None:
    page = console(base=odd_server)
    page.evaluate("owner => localStorage.setItem('supportops.owner', owner)", OWNER)
    title, board = page.title(), page.locator("#board")
    tab(page, texts.LABEL)
    expect(page.locator("#board-table tbody tr").first).to_be_visible(timeout=20_000)
    board.get_by_label(texts.TASK, exact=True).select_option("ticket_classification")
    names = page.locator("#board-table tbody bdi")
    expect(names.filter(has_text=HOSTILE[:30])).to_have_count(2)
    assert HOSTILE in names.all_inner_texts()
    ticks = page.locator("#board-means .ytick text", has_text=HOSTILE[:10])
    expect(ticks).to_have_count(2, timeout=20_000)
    assert page.locator("#board :is(a, b:not(td b), img, script)").count() == 0
    page.locator("#board-means .scatterlayer .point").first.hover(force=True)
    expect(page.locator("#board-means .hoverlayer text").first).to_be_visible()
    assert page.title() == title

    own = page.locator("#board-own")
    expect(own).to_contain_text(texts.OWN_MANY.format(n=3))
    own.get_by_role("button", name=texts.DELETE).click()
    own.get_by_role("button", name=texts.NO).click()
    own.get_by_role("button", name=texts.DELETE).click()
    expect(own.get_by_role("alert")).to_contain_text("3 runs")
    own.get_by_role("button", name=texts.YES).click()
    expect(own.get_by_role("status")).to_have_text("Deleted: 3 runs.")
    expect(names.filter(has_text=HOSTILE[:30])).to_have_count(1)  # the model's is not theirs
