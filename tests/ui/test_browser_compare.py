"""Compare in a real browser: from an episode to its baselines, links, files, a whole task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from runs.export import jsonl_line
from tests.runs.conftest import played
from tests.ui.conftest import Open, steps, violations
from tests.ui.hostile import HOSTILE
from ui import texts as common
from ui.texts import compare as texts

pytestmark = pytest.mark.browser
EASY = "easy_classify_respond"


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """Charts load a library of their own, and policies play: that takes its time."""
    expect.set_options(timeout=20_000)
    yield
    expect.set_options(timeout=5_000)


def clean(page: Page) -> None:
    """axe finds nothing in light and in dark; nothing scrolls sideways, however narrow."""
    for _ in range(2):
        assert violations(page) == []
        page.locator("[data-theme]").evaluate("e => e.click()")
    for width in (390, 800, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1280, "height": 900})


def select_tab(page: Page) -> None:
    page.get_by_role("tab", name="Compare", exact=True).click()
    expect(page.locator("#compare .skeleton")).to_have_count(0)


def send_file(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=texts.OPEN_FILE).click()
    chooser.value.set_files(file)


def test_from_an_episode_to_its_baselines_and_a_link(console: Open, tmp_path: Path) -> None:
    page = console(f"?task={EASY}&split=train&seed=5")
    page.get_by_label("Reply", exact=True).fill("Hello, we will look into it.")
    page.locator("#send").click()
    steps(page, 1)
    page.get_by_label(common.NAME_LABEL).fill("Mira")
    page.get_by_role("button", name=common.NAME_SAVE).click()
    expect(page.locator("#status")).to_contain_text("Mira")
    page.get_by_role("button", name=common.COMPARE_RUN).click()

    sides = page.locator(".cmp-side")
    expect(sides).to_have_count(4)
    expect(sides.locator(".who strong")).to_have_text(["Mira", "keyword", "retrieval", "oracle"])
    expect(sides.nth(3).locator("output")).to_have_text("1.000")
    expect(sides.nth(3).locator(".cmp-delta")).to_contain_text("against keyword")
    # The charts are as wide as their boxes, and have a line and a colour for each run.
    expect(page.locator("#cmp-rewards .scatterlayer .trace")).to_have_count(4)
    expect(page.locator("#cmp-criteria .barlayer .trace")).to_have_count(4)
    wide = "e => Math.abs(e.querySelector('.main-svg').clientWidth - e.clientWidth) < 24"
    assert page.locator("#cmp-rewards .js-plotly-plot").evaluate(wide)

    # Where the runs part is marked, in words too.
    expect(page.locator("tr.differs")).to_have_count(1)
    expect(page.locator("tr.differs th")).to_contain_text(texts.PARTED)
    expect(page.locator(".parted")).to_have_text(texts.PARTED_AT.format(n=1))

    # Replaying by keyboard: rows after the step are gone, and the sums are what they were then.
    rows = page.locator("tr[data-step]")
    most = rows.count()
    slider = page.get_by_label(texts.REPLAY)
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator("tr[data-step]:visible")).to_have_count(1)
    first = rows.first.locator("td").last.get_attribute("data-total") or ""
    expect(page.locator("[data-sum]").last).to_have_text(first)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cmp-replay output")).to_have_text(f"step 2 of {most}")
    page.keyboard.press("End")
    expect(page.locator("tr[data-step]:visible")).to_have_count(most)
    clean(page)

    with page.expect_download() as started:
        page.get_by_role("button", name=texts.DOWNLOAD).click()
    file = tmp_path / "runs.jsonl"
    started.value.save_as(file)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [r.get("policy") for r in lines] == ["Mira", "keyword", "retrieval", "oracle"]

    # The link leads another visitor to the same run, who can't delete it.
    link = page.get_by_role("link", name=texts.LINK_NAME.format(name="Mira")).get_attribute("href")
    other = console(link or "")
    expect(other.locator(".cmp-side .who strong").first).to_have_text("Mira")
    expect(other.get_by_role("tab", name="Compare", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(other.locator("#cmp-rewards .scatterlayer .trace")).not_to_have_count(0)
    expect(other.get_by_role("button", name=texts.DELETE)).to_have_count(0)
    assert other.locator("#cmp-rewards .js-plotly-plot").evaluate(wide)

    delete = page.get_by_role("button", name=texts.DELETE_NAME.format(name="Mira"))
    delete.click()
    expect(sides).to_have_count(4)
    page.locator("button.sure").click()
    expect(page.locator("#cmp-notice")).to_contain_text(texts.DELETED)
    expect(page.locator(".runs")).not_to_contain_text("stored here")


def test_a_shared_file_opens_marked_and_a_hostile_one_stays_text(
    console: Open, tmp_path: Path
) -> None:
    page = console()
    select_tab(page)
    title = page.title()
    file = tmp_path / "runs.jsonl"
    for bad, said in (
        ("<script>document.title='owned'</script>", "Line 1 is no JSON"),
        (json.dumps({HOSTILE: HOSTILE}), "Line 1 is no run"),
        ("x" * 2_000_001, "larger than 2 MB"),
    ):
        file.write_text(bad, encoding="utf-8")
        send_file(page, file)
        expect(page.locator("#cmp-notice").get_by_role("alert")).to_contain_text(said)
        expect(page.locator(".chip.again")).to_have_count(0)

    run = played("random", EASY, split="train")
    reply = {"action_type": "respond", "content": HOSTILE}
    changes = {"policy": HOSTILE, "grade": 0.9, "actions": (reply,), "rewards": (0.9,)}
    file.write_text(jsonl_line(run.model_copy(update=changes)), encoding="utf-8")
    send_file(page, file)
    expect(page.locator(".cmp-side strong")).to_contain_text(["<img src=x onerror="])
    expect(page.locator(".cmp-side .chip.again")).to_contain_text(texts.REGRADED)
    expect(page.locator(".cmp-side .chip.again")).to_contain_text("Its file says 0.900")
    expect(page.locator(".cmp-text")).to_contain_text("${document.title='owned'}")
    page.get_by_role("button", name=texts.PLAY_BASELINES).click()
    expect(page.locator(".cmp-side")).to_have_count(4)
    # The hover label of a chart is text too.
    page.locator("#cmp-rewards .scatterlayer .points path").first.hover(force=True)
    assert page.locator("#compare img, #compare script, #compare b").count() == 0
    assert page.title() == title
    clean(page)


def test_a_whole_task_and_back_to_one_of_its_episodes(console: Open) -> None:
    page = console()
    select_tab(page)
    expect(page.locator(".cmp-side")).not_to_have_count(0)
    page.get_by_role("button", name=texts.MODES["task"]).click()
    table = page.locator(".grades")
    expect(table.locator("tbody tr")).not_to_have_count(0)
    expect(page.locator("#cmp-charts")).not_to_be_visible()
    page.locator("#cmp-table").get_by_label(texts.TASK).select_option(label="Draft a response")
    expect(table.locator("tbody tr")).to_have_count(6)
    expect(table.locator("thead th").nth(1)).to_contain_text("keyword")
    expect(table.locator("thead")).not_to_contain_text("oracle")
    page.get_by_role("button", name="random", exact=True).click()
    expect(table.locator("thead")).not_to_contain_text("random")
    page.get_by_role("button", name=texts.FAILED_ONLY).click()
    expect(page.get_by_role("button", name=texts.FAILED_ONLY)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(table).to_be_visible()
    clean(page)
    row = table.locator("button.link").first
    item = row.locator("code").inner_text()
    row.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".cmp-ticket code")).to_have_text(item)
    expect(page.locator(".cmp-side")).not_to_have_count(0)
    page.get_by_role("button", name=texts.GO_PLAYING).click()
    expect(page.locator(".cmp-card .nothing")).to_be_visible()
    page.get_by_label(texts.KIND).select_option(label="People")
    expect(page.locator(".cmp-card .nothing")).to_contain_text(texts.NO_RUNS_FILTERED[0])
