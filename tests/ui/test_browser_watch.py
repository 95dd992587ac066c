"""Watching in the browser: a policy to its end, a model that attacks the page, Stop, errors."""

from __future__ import annotations

import json
import socket

import pytest
from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer

from env import episode as engine
from policies.base import play
from policies.scripted import KeywordPolicy
from tests.inference.model_server import KEY, Model, completion, failure
from tests.ui.conftest import Open, violations
from tests.ui.hostile import HOSTILE
from ui import texts
from ui.texts import watch as words

pytestmark = pytest.mark.browser
MEDIUM = "medium_kb_grounded_response"


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


def opened(page: Page) -> None:
    page.get_by_role("tab", name=words.TITLE).click()
    expect(page.locator("#watch-thread .scroll")).to_have_attribute("data-steps", "0")
    expect(page.locator("#watch-status .status")).to_have_attribute("data-watch", "idle")


def with_model(page: Page, url: str) -> None:
    page.get_by_text(words.PLAYERS["model"]).click()
    page.get_by_label(words.BASE_URL).fill(url)
    page.get_by_label(words.MODEL, exact=True).fill("m")
    page.get_by_label(words.KEY, exact=True).fill(KEY)


def ended(page: Page, stop: str) -> None:
    status = page.locator("#watch-status .status")
    expect(status).to_have_attribute("data-watch", "ended", timeout=20_000)
    expect(status).to_have_attribute("data-stop", stop)
    expect(page.locator("#watch-start")).to_be_visible()
    expect(page.locator("#watch-stop")).not_to_be_visible()


def clean(page: Page) -> None:
    for _ in range(2):
        assert violations(page) == []
        page.locator("[data-theme]").evaluate("e => e.click()")


def no_key(page: Page) -> None:
    """The key is in its field, where the visitor typed it, and nowhere else."""
    field = page.get_by_label(words.KEY, exact=True)
    assert field.get_attribute("type") == "password"
    kept = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert KEY not in page.content() + kept


def hung_up(called: socket.socket) -> None:
    """Read the question to its end: the line is cut."""
    called.settimeout(20)
    while called.recv(65_536):
        pass


def test_a_policy_is_watched_to_the_end(console: Open) -> None:
    episode = engine.start(MEDIUM, "train", 0)
    played = play(KeywordPolicy(), episode)
    page = console(f"?task={MEDIUM}&split=train&seed=0")
    opened(page)
    expect(page.locator("#watch-head h2")).to_have_text(page.locator("#head h2").inner_text())
    page.get_by_text(words.PACES["fast"], exact=True).click()
    page.get_by_role("button", name=words.START).click()
    expect(page.get_by_role("button", name=words.STOP)).to_be_visible()
    ended(page, "done")
    thread = page.locator("#watch-thread .scroll")
    expect(thread).to_have_attribute("data-steps", str(len(played.steps)))
    expect(thread.locator(".ring output")).to_have_text(f"{played.grade:.3f}")
    expect(thread.locator(".msg.agent .plain")).to_have_text(played.steps[-1].action.text)
    expect(thread.locator(".msg.agent strong")).to_have_text(words.NAMES["keyword"])
    lines = sum(len(s.lines) for s in played.steps)
    expect(page.locator("#watch-rewards .line")).to_have_count(lines)
    expect(page.locator("#watch-hits .hit button")).to_have_count(0)
    expect(page.locator("#watch-thread .debrief")).to_be_in_viewport()
    # A note's number leads to this debrief's note; no id is there twice.
    thread.locator(".ref").first.click()
    expect(thread.locator(".flash")).to_have_count(1)
    assert (
        page.evaluate(
            "() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id).filter(Boolean);"
            " return ids.filter((id, n) => ids.indexOf(id) !== n); }"
        )
        == []
    )
    page.get_by_role("button", name=words.COMPARE).click()
    expect(page.locator("#cmp-sides")).to_contain_text(f"{played.grade:.3f}")
    page.get_by_role("tab", name=words.TITLE).click()
    page.get_by_text(words.PLAYERS["model"]).click()
    expect(page.get_by_label(words.KEY, exact=True)).to_be_visible()
    clean(page)
    for width in (390, 800, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        wide = page.evaluate(
            """() => [...document.querySelectorAll('#watch, #watch *')]
            .filter(e => e.offsetParent && !e.closest('.wide-table, .sr, label > span, .wrap label')
                && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.tagName + '.' + e.className)"""
        )
        assert wide == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text(words.PLAYERS["keyword"], exact=True).click()
    page.get_by_text(words.PACES["slow"], exact=True).click()
    page.get_by_role("button", name=words.START).click()
    page.locator("#watch-halt [data-act=stop]").click()
    ended(page, "cancelled")
    page.get_by_role("button", name=words.YOURSELF).click()
    expect(page.locator("#thread .scroll")).to_be_visible()
    expect(page.locator("#thread .scroll")).to_have_attribute("data-phase", "running")
    expect(page.locator("#head .crumbs code")).to_have_text(episode.item_id)


def test_what_a_model_says_is_shown_as_text(console: Open, odd_server: str, model: Model) -> None:
    reply = {"action_type": "respond", "response_text": HOSTILE}
    model.script(HOSTILE, json.dumps({"actions": [reply]}))
    page = console(f"?task={MEDIUM}&split=train&seed=1", base=odd_server)
    title = page.title()
    opened(page)
    with_model(page, model.server.url_for("/v1"))
    page.get_by_text(words.PACES["instant"], exact=True).click()
    page.get_by_role("button", name=words.START).click()
    ended(page, "done")
    expect(page.locator("#watch-thread .trouble")).to_contain_text([words.DECLINED])
    page.locator("#watch-thread .trouble summary").click()
    expect(page.locator("#watch-thread .said .plain")).to_have_text(HOSTILE)
    expect(page.locator("#watch-thread .msg.agent .plain")).to_have_text(HOSTILE)
    expect(page.locator("#watch-status")).to_contain_text(words.TOKENS.format(n=220, calls=2))
    assert page.locator("#watch img, #watch script, #watch b").count() == 0
    assert page.title() == title
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    clean(page)
    no_key(page)


def test_stop_and_errors(console: Open, model: Model) -> None:
    page = console(f"?task={MEDIUM}&split=train&seed=2")
    opened(page)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with_model(page, f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        page.get_by_text(words.PACES["instant"], exact=True).click()
        page.get_by_role("button", name=words.START).click()
        with silent.accept()[0] as called:
            status = page.locator("#watch-status")
            expect(status).to_contain_text(words.THINKING.format(name="m", n=1))
            expect(page.locator("#watch-thread .scroll")).to_have_attribute("data-steps", "1")
            assert violations(page) == []
            page.get_by_role("button", name=words.STOP).click()
            ended(page, "cancelled")
            expect(page.locator("#watch-thread .trouble")).to_contain_text(words.BY_YOU)
            expect(status).to_contain_text(words.KEPT)
            hung_up(called)
        # Who closes the page hangs up too.
        left = console(f"?task={MEDIUM}&split=train&seed=3")
        opened(left)
        with_model(left, f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        left.get_by_role("button", name=words.START).click()
        with silent.accept()[0] as called:
            left.close()
            hung_up(called)

    model.script(failure(401, f"Incorrect API key provided: {KEY}"))
    page.get_by_label(words.BASE_URL).fill(model.server.url_for("/v1"))
    page.get_by_role("button", name=words.START).click()
    ended(page, "model_error")
    trouble = page.locator("#watch-thread .trouble")
    expect(trouble).to_contain_text("answered 401: Incorrect API key provided: [key]")
    expect(trouble).to_contain_text(words.ENDINGS["model_error"][1])
    no_key(page)

    # What is refused before it begins is said where one looks; then it can be put right.
    page.get_by_label(words.BASE_URL).fill("https://me@127.0.0.1/v1")
    page.get_by_role("button", name=words.START).click()
    expect(page.locator("#watch-status").get_by_role("alert")).to_have_text(words.ODD_URL)
    model.then = lambda _: completion('{"actions": [{"action_type": "respond", "content": "Hi"}]}')
    page.get_by_label(words.BASE_URL).fill(model.server.url_for("/v1"))
    page.get_by_role("button", name=words.START).click()
    ended(page, "done")
    page.get_by_text("Test", exact=True).click()
    page.get_by_text(words.PLAYERS["oracle"]).click()
    page.get_by_role("button", name=words.START).click()
    expect(page.locator("#watch-status").get_by_role("alert")).to_have_text(words.ORACLE_TEST)
    assert texts.OFFLINE not in page.locator("#offline:visible").all_inner_texts()
