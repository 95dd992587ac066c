from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import pytest

from env import episode as engine
from supportops_env.models import SupportAction
from tests.ui.hostile import hostile_catalog
from ui.service.api import Api
from ui.service.play import Play
from ui.state_api import ApiView
from ui.views.api import api, curl, python, socket

TASKS = [t.id for t in Play().tasks]
HERE = "http://127.0.0.1:8000/web"


@pytest.mark.parametrize(
    ("location", "base"),
    [
        ("http://localhost:8000/web/", "http://localhost:8000"),
        ("http://localhost:8000/web?task=x#y", "http://localhost:8000"),
        ("https://somebody-support.example/web/?__theme=dark", "https://somebody-support.example"),
        ("https://hub.example/user/a-b/proxy/8000/web/", "https://hub.example/user/a-b/proxy/8000"),
        ("http://[::1]:8000/web/", "http://[::1]:8000"),
        ("javascript:alert(1)//web", "http://127.0.0.1:8000"),
        ("http://a'; rm -rf ~ #/web", "http://127.0.0.1:8000"),
        ("http://a/$(id)/web/", "http://127.0.0.1:8000"),
        ("http://a/" + "x" * 600, "http://127.0.0.1:8000"),
        (None, "http://127.0.0.1:8000"),
        ({}, "http://127.0.0.1:8000"),
    ],
)
def test_the_address_is_the_browsers_where_it_is_plain(location: Any, base: str) -> None:
    assert Api(Play()).now("a", location, HERE).base == base


@pytest.mark.parametrize("task", TASKS)
def test_the_requests_start_what_is_on_screen_and_take_a_step(task: str) -> None:
    play = Play()
    shown = play.begin("a", task, "test", 3)
    view = Api(play).now("a", None, HERE)
    asked = dict(view.reset)
    episode = engine.start(asked.pop("task_name"), **asked)
    assert shown.obs and episode.item_id == shown.item_id and shown.obs.seed == view.reset["seed"]
    after = engine.step(episode, SupportAction.model_validate(view.action))
    assert not any(line.rule == "invalid" for line in after.steps[0].lines)


def test_without_an_episode_it_is_the_first_one() -> None:
    view = Api(Play()).now(None, None, "odd")
    assert view.reset["task_name"] == TASKS[0] and view.base == "http://localhost:8000"


def test_the_step_knows_no_label() -> None:
    play = Play()
    data = play.ground.catalog
    other = {i: x.model_copy(update={"category": "General"}) for i, x in data.labels.items()}
    blind = Play(engine.arena(replace(data, labels=other)))
    for task in TASKS:
        play.begin("a", task, "train", 1)
        blind.begin("a", task, "train", 1)
        assert Api(play).now("a", None, HERE) == Api(blind).now("a", None, HERE)


@pytest.mark.parametrize(
    "text", ["it's $HOME `id` \"x\" \\ ' '; exit", "\u202e\u2028 é \U0001f600 </pre>"]
)
def test_hostile_texts_stay_within_their_quotes(text: str) -> None:
    action = {"action_type": "search_kb", "content": text}
    view = ApiView("http://localhost:8000", "x", {"task_name": "y", "seed": 1}, action)
    words = shlex.split(curl(view), comments=True)
    sent = [json.loads(words[n + 1]) for n, word in enumerate(words) if word == "-d"]
    assert sent == [view.reset, {"action": action}]
    names: dict[str, Any] = {}
    call = next(line for line in python(view).splitlines() if "env.step" in line)
    exec(
        call.strip().replace("r = env.step(SupportAction(", "names.update(dict("), {"names": names}
    )
    assert names == action
    line = next(line for line in socket(view).splitlines() if '"step"' in line)
    assert json.loads(line[line.index("{") : line.rindex("}") + 1]) == action
    assert all(snippet(view).isascii() for snippet in (curl, python, socket))
    assert "</pre> " not in api(view)


def test_a_hostile_ticket_stays_text() -> None:
    play = Play(engine.arena(hostile_catalog()))
    play.begin("a", "medium_kb_grounded_response", "train", 0)
    html = api(Api(play).now("a", None, HERE))
    assert "<img" not in html and "&lt;img" in html
