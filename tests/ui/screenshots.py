"""`python -m tests.ui.screenshots [FOLDER]`: pictures of every tab, of episodes that are really played.

Starts a server with a store of its own, plays in the browser as a person does, and writes
`<tab>.png` and `<tab>-dark.png` for each tab, `debrief` and `board` (both ways), and `phone.png`,
into docs/images by default. Progress goes to stderr.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect, sync_playwright
from tqdm import tqdm

from tests.conftest import ROOT, TARGET, clean_environ, launch
from tests.ui.conftest import ARGS, steps, tab
from tests.ui.test_browser_play import HANDS, oracle
from ui.blocks import TABS
from ui.texts import audit, compare, data, library, watch

WIDTH, HEIGHT = 1280, 800
PHONE: ViewportSize = {"width": 390, "height": 844}
MOST_BYTES = 250_000
_NO_TOUR = "localStorage.setItem('supportops.tour', 'seen');"


def play(page: Page, task: str, seed: int, most: int = 99) -> None:
    """Play an episode as the oracle does, up to a number of steps."""
    open_console(page, f"?task={task}&split=train&seed={seed}")
    for number, step in enumerate(oracle(task, seed=seed).steps[:most], 1):
        HANDS[step.action.action_type](page, step.action)
        steps(page, number)


def open_console(page: Page, link: str = "") -> None:
    """Open the console and wait for its episode."""
    address = page.url.partition("?")[0]
    page.goto(address + link, wait_until="domcontentloaded")
    expect(page.locator("#thread .scroll")).to_have_attribute("data-phase", "running")


def half_played(page: Page) -> None:
    """The Play tab: an article found and opened, a reply begun."""
    task = "medium_kb_grounded_response"
    play(page, task, seed=4, most=1)
    page.get_by_role("button", name="Open: KB-").first.click()
    steps(page, 2)
    reply = oracle(task, seed=4).steps[-1].action.text
    page.get_by_label("Reply", exact=True).fill("\n\n".join(reply.split("\n\n")[:2]))
    page.locator("#thread .scroll").evaluate("e => e.scrollTo(0, 0)")


def compared(page: Page) -> None:
    """The Compare tab: what the policies make of the episode that is on the Play tab."""
    page.get_by_role("button", name=compare.PLAY_BASELINES).click()
    page.locator(".cmp-side").nth(3).wait_for()
    page.locator("#cmp-rewards .trace").nth(3).wait_for()


def read_article(page: Page) -> None:
    """The Knowledge base tab: a search and the best article."""
    page.get_by_label(library.QUERY).fill("refund for a yearly plan")
    page.get_by_role("button", name=library.GO, exact=True).click()
    page.locator(".kb-hit").first.click()
    expect(page.locator(".reading")).to_be_visible()


def watch_oracle(page: Page) -> None:
    """The Watch tab: the oracle has played, and its debrief is there."""
    page.get_by_text(watch.PLAYERS["oracle"], exact=True).click()
    page.get_by_text(watch.PACES["instant"], exact=True).click()
    page.get_by_role("button", name=watch.START, exact=True).click()
    expect(page.locator("#watch-status .status")).to_have_attribute("data-watch", "ended")
    expect(page.locator("#watch-thread .debrief")).to_be_in_viewport()


def bring_file(page: Page) -> None:
    """The Data tab: the built-in tickets as somebody's file."""
    page.locator(".tabitem:visible input[type=file]").set_input_files(ROOT / "data" / "dataset.csv")
    page.locator(".report").wait_for()


def figures(page: Page) -> None:
    """The Audit tab: its figures are there."""
    page.locator("#audit-table tbody").first.wait_for()


#: What is done in a tab before its picture is taken. Other tabs are shown as they open.
PREPARE: dict[str, Callable[[Page], None]] = {
    "Play": half_played,
    watch.TITLE: watch_oracle,
    "Compare": compared,
    library.LABEL: read_article,
    data.LABEL: bring_file,
    audit.LABEL: figures,
}


def picture(page: Page, path: Path) -> None:
    """Write what the page shows, with fewer colours where that would be too large a file."""
    page.mouse.move(0, 0)
    expect(page.locator("body.busy, .tabitem:visible .skeleton")).to_have_count(0)
    page.wait_for_timeout(700)  # plots draw themselves after they are there
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    for colours in (0, 256, 128, 64):
        out = io.BytesIO()
        drawn = image.quantize(colours, dither=Image.Dither.NONE) if colours else image
        drawn.save(out, "PNG", optimize=True)
        if out.tell() <= MOST_BYTES:
            break
    path.write_bytes(out.getvalue())


def both(page: Page, folder: Path, name: str, bar: tqdm[Any]) -> None:
    """A picture in light and one in dark."""
    for suffix, scheme in (("", "light"), ("-dark", "dark")):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        picture(page, folder / f"{name}{suffix}.png")
        bar.update()
    page.emulate_media(color_scheme="light")


def take_all(context: BrowserContext, address: str, folder: Path) -> None:
    """Play, and take every picture."""
    page = context.new_page()
    page.add_init_script(_NO_TOUR)
    page.goto(f"{address}/web/", wait_until="domcontentloaded")
    bar: tqdm[Any]
    with tqdm(total=2 * len(TABS) + 5, unit="picture", file=sys.stderr) as bar:
        bar.set_description("playing")
        play(page, "ticket_classification", seed=2)
        play(page, "hard_escalation_safety", seed=3)
        play(page, "easy_classify_respond", seed=1)
        page.locator("#debrief-title").wait_for()
        both(page, folder, "debrief", bar)
        play(page, "priority_sorting", seed=1, most=3)
        page.locator("#thread .scroll").evaluate("e => e.scrollTo(0, 0)")
        both(page, folder, "board", bar)
        for label, _ in TABS:
            bar.set_description(label)
            tab(page, label)
            if label in PREPARE:
                PREPARE[label](page)
            both(page, folder, re.sub(r"\W+", "-", label.casefold()), bar)
        page.set_viewport_size(PHONE)
        tab(page, TABS[0][0])
        open_console(page, "?task=easy_classify_respond&split=train&seed=1")
        page.locator(".desk-head").scroll_into_view_if_needed()
        picture(page, folder / "phone.png")
        bar.update()


def main() -> int:
    """Take the pictures; the exit code."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="supportops-") as home:
        command = [sys.executable, "-m", "uvicorn", TARGET, "--port", "0", "--no-access-log"]
        sys.stderr.write("starting the server\n")
        server = launch(command, Path(home) / "log", clean_environ(SUPPORTOPS_HOME=home))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
                    args=ARGS,
                )
                context = browser.new_context(
                    viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce"
                )
                context.set_default_timeout(60_000)
                take_all(context, server.url, folder)
                browser.close()
        finally:
            server.stop()
    sys.stderr.write(f"written to {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
