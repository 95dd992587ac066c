"""A real browser on a really running console. Every page is watched while a test uses it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.conftest import ROOT, Server, clean_environ

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The console has to work offline: no other host can be found.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# A new page is a new visitor: it finds nothing that another one stored, but keeps what it stores.
_FIRST_VISIT = """
if (!sessionStorage.getItem("visited")) { sessionStorage.setItem("visited", 1); localStorage.clear(); }
"""
_NO_TOUR = "localStorage.setItem('supportops.tour', 'seen');"

_SETTLED = """() => Promise.allSettled(document.getAnimations()
    .filter((a) => Number.isFinite(a.effect.getComputedTiming().endTime)).map((a) => a.finished))"""

# Gradio's client says so when a page is left while one of its streams is open.
_LEFT = "AbortError: signal is aborted without reason"

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Per module: its event loop must not run beside the asynchronous tests."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=ARGS
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One cache for the pages of a module; what they store is theirs alone (see `console`)."""
    with browser.new_context(reduced_motion="reduce", accept_downloads=True) as shared:
        yield shared


@pytest.fixture
def console(context: BrowserContext, live_server: str) -> Iterator[Open]:
    """Open the console as a new visitor: `console(path, width, height, dark, tour, base)`.

    At the end of the test nothing may have gone wrong on any page: no error on the console, no
    response of 400 or more, no request to another host.
    """
    bad: list[str] = []

    def start(
        path: str = "",
        width: int = 1440,
        height: int = 900,
        dark: bool = False,
        tour: bool = False,
        base: str = "",
    ) -> Page:
        home = base or live_server
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.add_init_script(_FIRST_VISIT + ("" if tour else _NO_TOUR))
        page.on(
            "console",
            lambda m: (
                bad.append(m.text) if m.type == "error" and not m.text.startswith(_LEFT) else None
            ),
        )
        page.on("pageerror", lambda e: bad.append(f"page error: {e}"))
        page.on(
            "response", lambda r: bad.append(f"{r.status} {r.url}") if r.status >= 400 else None
        )
        page.on(
            "request",
            lambda r: None if r.url.startswith((home, "data:", "blob:")) else bad.append(r.url),
        )
        page.goto(f"{home}/web/{path}", wait_until="domcontentloaded")
        expect(page.locator("#thread .scroll")).to_have_attribute(
            "data-phase", "running", timeout=60_000
        )
        return page

    yield start
    for page in context.pages:
        page.close()
    assert bad == []


@pytest.fixture(scope="session")
def odd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a console over hostile data whose clock can be put forward: see odd_app.py."""
    log = tmp_path_factory.mktemp("odd") / "log"
    command = [sys.executable, "-m", "uvicorn", "tests.ui.odd_app:app", "--port", "0"]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--no-access-log", "--timeout-graceful-shutdown", "2"],
            cwd=ROOT,
            env=clean_environ(),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    server = Server(process, log)
    yield server.url
    server.stop()


def steps(page: Page, number: int) -> None:
    """Wait until an episode has taken that many steps."""
    expect(page.locator("#thread .scroll")).to_have_attribute(
        "data-steps", str(number), timeout=20_000
    )


def tab(page: Page, label: str) -> None:
    """Go to a tab by its label."""
    page.get_by_role("tab", name=label, exact=True).click()


def violations(page: Page) -> list[str]:
    """What axe-core finds against WCAG A and AA on a page."""
    page.evaluate(_SETTLED)  # what fades in has too little contrast until it is there
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", WCAG)
    return [
        f"{v['id']}: {n['target']} {n['html']}" for v in found["violations"] for n in v["nodes"]
    ]
