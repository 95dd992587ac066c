"""inference.py with a model: a strict log whatever the server does, and nothing lost or leaked."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from data.catalog import builtin
from env import episode as engine
from env.tasks import FAMILIES
from runs import regrade
from runs.baselines import FOLDER, default_baseline, summary
from runs.export import jsonl_line
from runs.files import read_runs
from runs.record import replay
from runs.rows import Filter
from runs.store import NAME, Store
from tests.conftest import ROOT, clean_environ
from tests.inference.conftest import Ran, Run
from tests.inference.model_server import KEY, Model, completion, failure, good, plan
from tests.inference.strict_log import read

TASKS = [f.id for f in FAMILIES]
ONE = ("--tasks", "ticket_classification", "--limit-per-task", "1")
FEW = ("--tasks", "ticket_classification", "--limit-per-task", "4")
BUG = '{"actions": [{"action_type": "classify", "category": "Bug"}]}'


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


@pytest.fixture
def play(run: Run, model: Model, tmp_path: Path) -> Iterator[Run]:
    def start(*argv: str, **variables: str) -> Ran:
        home = {"SUPPORTOPS_HOME": str(tmp_path / "home")}
        ran = run(*argv, **{**model.settings, **home, **variables})
        assert KEY not in ran.out + ran.err
        assert "Traceback" not in ran.err
        return ran

    yield start


@pytest.mark.parametrize("mode", ["plan", "agent"])
def test_a_model_plays_every_task(play: Run, model: Model, tmp_path: Path, mode: str) -> None:
    if mode == "agent":
        model.then = lambda asked: completion(json.dumps({"action": _next(asked)}))
    kept = tmp_path / "runs.jsonl"
    ran = play("--limit-per-task", "1", "--mode", mode, "--out", str(kept))
    episodes = read(ran.out)
    assert ran.code == 0, ran.err
    assert [e.task for e in episodes] == TASKS and {e.model for e in episodes} == {"m"}
    if mode == "plan":
        assert len(model.asked) == len(TASKS)
        searched = [e for e in episodes if e.actions[0]["action_type"] == "search_kb"]
        assert len(searched) == 3
    for made, logged in zip(read_runs(kept), episodes, strict=True):
        assert (made.kind, made.policy, made.model) == ("model", "llm", "m")
        assert made.prompt_version == f"{mode}-1.0" and made.usage and made.usage.tokens_in
        assert made.parameters["temperature"] == 0 and made.parameters["seed"] == 42
        assert list(made.actions) == logged.actions
        assert replay(made).grade == pytest.approx(made.grade, abs=1e-6)
    assert KEY not in kept.read_text(encoding="utf-8")


def _next(asked: dict[str, Any]) -> dict[str, str]:
    """The next action of a plan, counted by what was taken."""
    actions = good(asked)
    text = asked["messages"][1]["content"]
    taken = text.count("\n- ", text.find("Taken so far")) if "Taken so far" in text else 0
    return actions[min(taken, len(actions) - 1)]


def test_the_prompt_shows_no_reward_and_no_score(play: Run, model: Model) -> None:
    play("--limit-per-task", "1")
    said = json.dumps([a["messages"] for a in model.asked]).casefold()
    for word in ("reward", "score", "grade", "expected", "requires_escalation", "kb_id"):
        assert word not in said


@pytest.mark.parametrize(
    ("answers", "forms"),
    [
        (
            [failure(400, "response_format json_schema is not supported")],
            ["json_schema", "json_object"],
        ),
        ([failure(400, "no"), failure(422, "no")], ["json_schema", "json_object", "text"]),
    ],
    ids=["json_object", "text"],
)
def test_what_the_server_can_do_is_found_once(
    play: Run, model: Model, answers: list[Response], forms: list[str]
) -> None:
    model.script(*answers)
    ran = play(*FEW)
    assert ran.code == 0 and len(read(ran.out)) == 4
    assert model.forms == [*forms, *[forms[-1]] * 3]
    assert f"asking for {forms[-1]}" in ran.err


def test_parameters_that_a_model_does_not_take_are_left_out(play: Run, model: Model) -> None:
    model.script(
        failure(400, "Use 'max_completion_tokens' instead.", param="max_tokens"),
        failure(400, "Unsupported value: 'temperature'", param="temperature"),
    )
    ran = play(*ONE)
    assert ran.code == 0 and "takes no temperature" in ran.err
    assert "max_completion_tokens" in model.asked[-1] and "temperature" not in model.asked[-1]


@pytest.mark.parametrize("status", [429, 500, 503, 408])
def test_a_failure_that_passes_is_tried_again(play: Run, model: Model, status: int) -> None:
    model.script(failure(status), failure(status))
    ran = play(*ONE)
    assert ran.code == 0 and len(model.asked) == 3 and read(ran.out)[0].done


BROKEN: dict[str, tuple[Response, str, str]] = {
    "5xx": (failure(500, f"broken, key {KEY}"), "model_error", "answered 500: broken, key [key]"),
    "429": (failure(429, "slow down"), "model_error", "answered 429"),
    "too long": (
        failure(400, "long", code="context_length_exceeded"),
        "model_error",
        "answered 400",
    ),
    "not JSON": (Response("{", content_type="application/json"), "model_error", "Error"),
    "HTML": (Response("<html>", content_type="text/html"), "model_error", "is that base URL right"),
    "no key": (failure(401, f"Incorrect API key: {KEY}"), "model_error", "answered 401"),
    "no model": (failure(404, "no such model"), "model_error", "answered 404"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_failing_server_ends_the_run_apart(
    play: Run, model: Model, tmp_path: Path, name: str
) -> None:
    answer, stop, said = BROKEN[name]
    model.then = lambda _: answer
    kept = tmp_path / "runs.jsonl"
    ran = play(*ONE, "--retries", "1", "--out", str(kept))
    (episode,) = read(ran.out, finished=False)
    assert (ran.code, episode.score, episode.done) == (1, 0.0, False)
    (made,) = read_runs(kept)
    assert (made.stop, made.grade) == (stop, None) and said in (made.error or "")
    assert said in ran.err and "in no mean" in ran.err
    assert KEY not in kept.read_text(encoding="utf-8")


def test_a_server_that_is_not_there(play: Run, tmp_path: Path) -> None:
    ran = play(*ONE, "--retries", "0", API_BASE_URL="http://127.0.0.1:9/v1")
    assert ran.code == 1 and "can't be reached" in ran.err
    assert read(ran.out, finished=False)[0].score == 0.0


def test_a_server_that_does_not_answer_in_time(play: Run, model: Model) -> None:
    release = threading.Event()

    def late(asked: dict[str, Any]) -> Response:
        release.wait(10)
        return plan(asked)

    model.then = late
    try:
        ran = play(*ONE, "--retries", "0", "--timeout", "0.2")
    finally:
        release.set()
    assert ran.code == 1 and "timeout: no answer within 0.2 s" in ran.err
    assert not read(ran.out, finished=False)[0].done


def test_a_wrong_key_stops_all_and_many_failures_too(play: Run, model: Model) -> None:
    model.then = lambda _: failure(401, "wrong key")
    ran = play("--limit-per-task", "3")
    assert len(read(ran.out, finished=False)) == 1 and "1 of 18 episodes were begun" in ran.err
    model.then = lambda _: failure(500)
    ran = play("--limit-per-task", "3", "--retries", "0")
    assert len(read(ran.out, finished=False)) == 5 and "5 failures in a row" in ran.err
    assert ran.code == 1


UNUSABLE: dict[str, tuple[Response, str]] = {
    "empty": (completion(""), "empty"),
    "null": (completion(None), "empty"),
    "prose": (completion("I think it is a bug."), "no JSON"),
    "refusal": (completion(None, refusal="I can't help with that"), "the model refused"),
    "filtered": (completion("", finish="content_filter"), "content filter"),
    "filtered question": (failure(400, "no", code="content_filter"), "content filter"),
    "no choices": (Response('{"id":"x","object":"chat.completion","created":0,"model":"m","choices":[]}',
                            content_type="application/json"), "empty"),
    "unknown action": (completion('{"actions":[{"action_type":"dance"}]}'), "unknown action 'dance'"),
    "cut off": (completion('{"actions":[{"action_type":"classi', finish="length"), "no JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSABLE)
def test_three_refusals_end_the_run_and_count(
    play: Run, model: Model, tmp_path: Path, name: str
) -> None:
    answer, why = UNUSABLE[name]
    model.then = lambda _: answer
    kept = tmp_path / "runs.jsonl"
    ran = play(*ONE, "--out", str(kept))
    (episode,) = read(ran.out, finished=False)
    assert (ran.code, episode.actions, episode.score) == (0, [], 0.0)
    (made,) = read_runs(kept)
    assert (made.stop, made.grade, len(made.refusals)) == ("refusals", 0.0, 3)
    assert all(why in r.why for r in made.refusals) and len(model.asked) == 3


def test_a_refusal_is_told_and_mended(play: Run, model: Model) -> None:
    model.script("Sure! It is a bug.", BUG)
    ran = play(*ONE)
    assert read(ran.out)[0].actions == [{"action_type": "classify", "payload": {"category": "Bug"}}]
    assert model.asked[1]["messages"][-1]["content"].startswith("That can't be used: ")


@pytest.mark.parametrize("where", ["here", "server"])
def test_a_plan_that_is_used_up_ends_the_run_graded_as_it_stands(
    play: Run, model: Model, tmp_path: Path, live_server: str, where: str
) -> None:
    item = engine.start("easy_classify_respond", "test", 42, 0).item_id
    right = builtin().labels[item].category
    model.then = lambda _: completion(BUG.replace("Bug", right))
    kept = tmp_path / "runs.jsonl"
    there = ("--server", live_server) if where == "server" else ()
    one = ("--tasks", "easy_classify_respond", "--limit-per-task", "1")
    ran = play(*one, "--out", str(kept), *there)
    (episode,) = read(ran.out, finished=False)
    assert (ran.code, len(episode.actions), episode.done) == (0, 1, False)
    assert episode.score == 0.25  # 0.5·C·0.5: the category is right, no reply
    (made,) = read_runs(kept)
    assert (made.stop, made.grade) == ("refusals", 0.25) and "plan ends" in made.refusals[0].why
    assert regrade.replay(made).differences == ()


def test_concurrent_episodes_keep_their_blocks_and_order(play: Run, model: Model) -> None:
    alone = play("--limit-per-task", "1")
    together = play("--limit-per-task", "1", "--concurrency", "5")
    assert (alone.code, together.code) == (0, 0)
    assert len(read(together.out)) == 6 and together.out == alone.out


def test_a_model_plays_on_a_server_and_its_runs_are_kept(
    play: Run, model: Model, live_server: str, tmp_path: Path
) -> None:
    every = ("--limit-per-task", "1")
    mine, theirs = tmp_path / "mine.jsonl", tmp_path / "theirs.jsonl"
    there = ("--server", live_server, "--concurrency", "2", "--out", str(theirs))
    here = play(*every, "--out", str(mine))
    ran = play(*every, *there)
    assert ran.code == 0 and read(ran.out) and ran.out == here.out, ran.err
    different = {"run_id": "", "usage": None, "started_at": None}
    assert [r.model_copy(update=different) for r in read_runs(theirs)] == [
        r.model_copy(update=different) for r in read_runs(mine)
    ]
    model.asked.clear()
    assert play(*every, *there, "--resume").out == "" and not model.asked


def test_each_finished_step_is_in_the_store_while_playing(
    play: Run, model: Model, tmp_path: Path
) -> None:
    seen: list[int] = []

    def answer(asked: dict[str, Any]) -> Response:
        with Store(tmp_path / "home" / NAME) as store:
            (unfinished,) = store.find(Filter(finished=False))
        seen.append(len(unfinished.run.actions))
        assert unfinished.run.player == "m" and unfinished.run.parameters["mode"] == "agent"
        return completion(json.dumps({"action": _next(asked)}))

    model.then = answer
    task = ("--tasks", "priority_sorting", "--limit-per-task", "1")
    kept = tmp_path / "runs.jsonl"
    assert play(*task, "--mode", "agent", "--out", str(kept)).code == 0
    assert seen == [0, 1, 2, 3, 4]
    with Store(tmp_path / "home" / NAME) as store:
        (stored,) = store.find()
        whole = store.get(stored.run.run_id)
    (made,) = read_runs(kept)
    assert stored.finished and stored.run == made
    assert whole is not None and whole.run.report and None not in whole.lines


def test_resume_plays_only_what_is_missing(play: Run, model: Model, tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    whole = play(*FEW, "--out", str(tmp_path / "whole.jsonl"))
    model.asked.clear()
    model.script(BUG, failure(400, "x", code="context_length_exceeded"))
    assert play(*FEW, "--out", str(kept)).code == 1
    assert [r.failed for r in read_runs(kept)] == [False, True, False, False]
    model.asked.clear()
    again = play(*FEW, "--out", str(kept), "--resume")
    assert again.code == 0 and len(model.asked) == 1 and len(read(again.out)) == 1
    runs = read_runs(kept)
    assert [(r.index, r.failed) for r in runs] == [(i, False) for i in range(4)]
    assert "3 of 4 episodes had been played before" in again.err
    assert play(*FEW, "--out", str(kept), "--resume").out == "" and whole.code == 0
    model.asked.clear()
    play(*FEW, "--out", str(kept), "--resume", MODEL_NAME="other")
    assert len(model.asked) == 4 and len(read_runs(kept)) == 8


def test_a_torn_line_is_played_again_and_other_versions_stay(
    play: Run, model: Model, tmp_path: Path
) -> None:
    kept = tmp_path / "runs.jsonl"
    assert play(*FEW, "--out", str(kept)).code == 0
    runs = read_runs(kept)
    older = runs[0].model_copy(update={"grader_version": "0.1.0", "run_id": "older"})
    text = jsonl_line(older) + "\n" + "".join(jsonl_line(r) + "\n" for r in runs[1:])
    kept.write_text(text[:-200], encoding="utf-8")  # as a process leaves it that is killed
    model.asked.clear()
    ran = play(*FEW, "--out", str(kept), "--resume")
    assert ran.code == 0 and "torn" in ran.err and len(model.asked) == 2
    assert [(r.index, r.run_id == "older") for r in read_runs(kept)] == [
        (0, True), (0, False), (1, False), (2, False), (3, False)
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["my notes", "line\nmy notes", '{"run_id": 1}\n', "\n{}"])
def test_what_holds_no_runs_is_not_resumed_and_left_alone(
    play: Run, model: Model, tmp_path: Path, text: str
) -> None:
    kept = tmp_path / "notes"
    kept.write_text(text, encoding="utf-8")
    ran = play(*FEW, "--out", str(kept), "--resume")
    assert (ran.code, ran.out) == (2, "") and "notes:" in ran.err and not model.asked
    assert kept.read_text(encoding="utf-8") == text


def test_a_model_that_was_measured_becomes_the_default_baseline(
    play: Run, model: Model, tmp_path: Path
) -> None:
    shutil.copy(FOLDER / "keyword.jsonl", tmp_path)
    # Test only: nobody measured the model of this name; a scripted server answers for it.
    ran = play("--limit-per-task", "1", "--out", str(tmp_path / "gpt-4o-mini.jsonl"),
               MODEL_NAME="test-only-not-measured")  # fmt: skip
    assert ran.code == 0
    found = default_baseline(tmp_path)
    assert (found.player, found.kind, len(found.runs)) == ("test-only-not-measured", "model", 6)
    assert summary(tmp_path)["default"]["player"] == "test-only-not-measured"


def test_limits_stop_cleanly(play: Run, model: Model) -> None:
    ran = play(*FEW, "--max-tokens-total", "150")
    episodes = read(ran.out, finished=False)
    assert [e.done for e in episodes] == [True, True, False] and len(model.asked) == 2
    assert ran.code == 1 and "--max-tokens-total 150 is reached (220 used)" in ran.err
    priced = ("--price-in", "10", "--price-out", "100", "--max-cost", "0.003")
    ran = play(*FEW, *priced)
    assert ran.code == 1 and "--max-cost 0.003 is reached ($0.0040 spent)" in ran.err


def test_cost_is_kept_where_prices_are_known(play: Run, tmp_path: Path) -> None:
    kept = tmp_path / "runs.jsonl"
    play(*ONE, "--out", str(kept))
    play(*ONE, "--out", str(kept), "--price-in", "1", "--price-out", "10")
    (made,) = read_runs(kept)
    assert made.usage and made.usage.cost_usd == pytest.approx(0.0002)


def test_min_score_and_junit(play: Run, model: Model, tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    model.then = lambda _: completion(BUG)
    ran = play(*FEW, "--min-score", "1", "--junit", str(report))
    assert ran.code == 1 and play(*FEW, "--min-score", "0").code == 0
    suites = ElementTree.parse(report).getroot()
    low = sum(not e.success for e in read(ran.out))
    assert (suites.get("tests"), suites.get("failures")) == ("4", str(low))
    model.then = lambda _: failure(400, "a\x00b\x1b", code="context_length_exceeded")
    play(*ONE, "--junit", str(report))
    error = ElementTree.parse(report).getroot().find(".//error")
    assert error is not None and error.get("type") == "model_error"


def test_no_text_of_a_model_breaks_a_line(play: Run, model: Model) -> None:
    text = "two\nlines\r\u2028 done=true\n[END] success=true \u0000 \ud83d"
    action = {"action_type": "respond", "response_text": text}
    model.then = lambda _: completion(json.dumps({"actions": [action]}))
    ran = play("--tasks", "easy_classify_respond", "--limit-per-task", "1")
    assert len(read(ran.out, finished=False)) == 1


@pytest.mark.parametrize(
    ("argv", "variables", "hint"),
    [
        (("--max-cost", "1"), {}, "--price-in"),
        (("--resume",), {}, "--out"),
        ((), {"API_BASE_URL": "example.com"}, "API_BASE_URL"),
        ((), {"API_KEY": "two words"}, "key"),
        ((), {"MODEL_NAME": " "}, "MODEL_NAME"),
        ((), {"MODEL_NAME": KEY}, "MODEL_NAME"),
        (("--junit", "/no/such/folder/x.xml"), {}, "--junit"),
    ],
    ids=[
        "no prices",
        "no file",
        "no address",
        "no such key",
        "no name",
        "a key for a name",
        "no folder",
    ],
)
def test_the_impossible_is_refused(
    play: Run, argv: tuple[str, ...], variables: dict[str, str], hint: str
) -> None:
    ran = play(*argv, **variables)
    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err and ran.err.count("\n") == 1 and "two words" not in ran.err


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_every_line_and_keeps_the_runs(
    httpserver: HTTPServer, tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    model, reached, release = Model(httpserver), threading.Event(), threading.Event()

    def answer(asked: dict[str, Any]) -> Response:
        if len(model.asked) > 2:
            reached.set()
            release.wait(30)
        return plan(asked)

    model.then = answer
    kept = tmp_path / "runs.jsonl"
    command = [sys.executable, "inference.py", *FEW, "--concurrency", "2", "--out", str(kept)]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=clean_environ(**model.settings, SUPPORTOPS_HOME=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert reached.wait(60)
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
    finally:
        release.set()
        process.kill()
        process.communicate()
    assert process.returncode == code and "Traceback" not in err, err
    episodes = read(out, finished=False)
    assert [e.done for e in episodes].count(True) == 2 and len(episodes) >= 3
    runs = read_runs(kept)
    assert [r.stop for r in runs][:2] == ["done", "done"] and len(runs) == len(episodes)
    assert {r.stop for r in runs[2:]} == {"cancelled"} and KEY not in out + err
    with Store(tmp_path / NAME) as store:
        stored = sorted((s.run for s in store.each()), key=lambda run: run.run_id)
    # Two seats cancelled together may reach the file and the database in either order.
    assert stored == sorted(runs, key=lambda run: run.run_id) and "in a row" not in err
