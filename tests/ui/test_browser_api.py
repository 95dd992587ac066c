"""The API tab's snippets, taken from the page and run as a person would run them."""

from __future__ import annotations

import io
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from env import episode as engine
from supportops_env.models import SupportAction
from tests.conftest import clean_environ
from tests.ui.conftest import Open, tab
from ui.texts import api as texts

pytestmark = pytest.mark.browser


def test_the_snippets_play_the_episode_on_screen_and_follow_it(
    console: Open, live_server: str, tmp_path: Path
) -> None:
    page = console("?task=medium_kb_grounded_response&split=test&seed=5&index=2")
    tab(page, "API")
    expect(page.locator("#snippet-curl")).to_contain_text('"seed": 5')
    shown = {n: page.locator(f"#snippet-{n}").inner_text() for n in texts.SNIPPETS}
    assert all(live_server.removeprefix("http") in text for text in shown.values())

    episode = engine.start("medium_kb_grounded_response", "test", 5, 2)
    subject = episode.arena.catalog.tickets[episode.item_id].subject
    wanted = engine.step(episode, SupportAction(action_type="search_kb", content=subject))
    reward, feedback = wanted.steps[0].reward, wanted.steps[0].feedback

    said = run(["bash", "-euc", shown["curl"]], tmp_path)
    decoder, answers = json.JSONDecoder(), []
    while said.strip():
        answer, end = decoder.raw_decode(said.lstrip())
        answers.append(answer)
        said = said.lstrip()[end:]
    start, step, state = answers
    assert start["observation"]["ticket"]["subject"] == subject
    assert step["reward"] == reward and step["observation"]["feedback"] == feedback
    assert state["step_count"] == 1 and state["task_id"] == "medium_kb_grounded_response"

    lines = run_here(shown["python"]).splitlines()
    assert lines[0] == episode.family.description
    assert lines[1] == f"{reward} False {feedback}"
    assert len(lines) == 2 + len(wanted.steps[0].lines)

    with page.expect_console_message(lambda m: feedback in m.text) as heard:
        page.evaluate("(text) => { (0, eval)(text); }", shown["socket"])
    assert heard.value.text == f"{reward} false {feedback}"
    follow_copy_and_read_on(page)


def follow_copy_and_read_on(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("Seed").fill("9")
    page.keyboard.press("Enter")
    curl = page.locator("#snippet-curl")
    expect(curl).to_contain_text('"seed": 9')
    page.get_by_role("button", name="Copy curl").click()
    expect(page.get_by_role("button", name=f"{texts.COPIED} curl")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == curl.inner_text().strip()
    for name in (texts.DOCS, texts.SPEC):
        with page.context.expect_page() as opened:
            page.get_by_role("link", name=name).click()
        expect(opened.value.locator("body")).to_contain_text("SupportOps-Env")


def run_here(source: str) -> str:
    """What a Python program prints. Its own process would spend seconds on importing only."""
    printed = io.StringIO()
    with redirect_stdout(printed), ThreadPoolExecutor(1) as thread:
        thread.submit(exec, source, {"__name__": "__main__"}).result(timeout=60)
    return printed.getvalue()


def run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=clean_environ(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
