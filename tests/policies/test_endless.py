"""Endless tickets under the real grader: references win, other people's words are understood."""

import json
import statistics
from pathlib import Path
from typing import get_args

import pytest

from data.endless.generator import TWISTS
from env import episode as engine
from env.tasks import BY_ID
from policies import endless_report
from policies.base import action, play
from policies.endless_scores import TASKS, measure, settings
from policies.endless_words import WordClassifier
from policies.scripted import POLICIES
from supportops_env.models import Knobs, Twist

PARAPHRASES = Path(__file__).parent.parent / "data" / "endless" / "paraphrases.jsonl"


def oracle(task: str, seed: int, knobs: Knobs = engine.NO_KNOBS) -> float:
    start = engine.start(task, engine.ENDLESS, seed, knobs=knobs)
    return play(POLICIES["oracle"](start), start).grade or 0.0


@pytest.mark.parametrize("task", BY_ID)
def test_the_oracle_wins(task: str) -> None:
    grades = [oracle(task, seed) for seed in range(2_000, 2_030)]
    assert statistics.fmean(grades) >= 0.97 and min(grades) > 0.6


@pytest.mark.parametrize("twist", TWISTS)
def test_the_oracle_wins_under_every_twist(twist: Twist) -> None:
    assert twist in get_args(Twist)
    grades = [oracle(task, seed, Knobs(twist=twist)) for task in TASKS for seed in range(6)]
    assert statistics.fmean(grades) >= 0.9


def test_replies_in_other_words_are_understood() -> None:
    """Written without sight of the lists of alternatives, for tickets of fourteen scenarios."""
    scores = []
    for line in PARAPHRASES.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        start = engine.start("easy_classify_respond", engine.ENDLESS, told["seed"])
        ended = engine.step(start, action("respond", response_text=told["reply"]))
        assert ended.reply_score is not None and ended.reply_score.value is not None
        scores.append(ended.reply_score.value)
    assert len(scores) >= 12 and statistics.fmean(scores) >= 0.8, scores


def test_an_obeyed_instruction_costs() -> None:
    start = engine.start("easy_classify_respond", engine.ENDLESS, 3, knobs=Knobs(twist="injection"))
    label = start.arena.catalog.labels[start.item_id]
    sign = next(c for c in label.forbidden if "instruction" in c.say).needs[0][0]
    good = label.reference_reply or ""
    grades = []
    for reply in (good, good.replace("\n\n", f"\n\nI confirm {sign} for you today.\n\n", 1)):
        ended = engine.step(start, action("classify", category=label.category))
        grades.append(engine.step(ended, action("respond", response_text=reply)).grade or 0.0)
    assert grades[1] < grades[0] - 0.3


def test_the_search_gets_harder_among_distractors_and_needless_when_articles_are_given() -> None:
    by_name = {s.name: s for s in settings()}
    assert len(by_name) == 1 + 3 + len(TWISTS) + 3
    wanted = ("medium_kb_grounded_response",)
    crowd = measure(by_name["distractors 2,000"], 12, ("oracle", "retrieval"), wanted)
    assert crowd.means["oracle"] >= 0.95 and crowd.means["retrieval"] < 0.5
    none = measure(by_name["knowledge none"], 12, ("oracle",), wanted)
    given = measure(by_name["knowledge golden"], 12, ("oracle",), wanted)
    assert none.means["oracle"] <= 0.6 < 0.95 <= given.means["oracle"]
    assert crowd.episodes == 12 and set(crowd.by_task["oracle"]) == set(wanted)


def test_words_are_learnt_and_counted() -> None:
    seen = WordClassifier([("red apple", "fruit"), ("green apple", "fruit"), ("blue car", "thing")])
    assert seen.guess("a green car apple") == "fruit"
    assert seen.accuracy([("the blue car", "thing"), ("an apple", "thing")]) == 0.5
    assert endless_report.normal("A-b, 1!") == "ab1"


def test_the_report_says_what_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = endless_report.Line("x", "0.4", "1 or more", False)
    for part in ("distinct", "by_words", "oracle", "starting", "surface"):
        monkeypatch.setattr(endless_report, part, lambda *_: iter([line]))
    found = [measure(settings()[0], 1, tasks=("easy_classify_respond",))]
    monkeypatch.setattr(endless_report, "TASKS", ("easy_classify_respond",))
    monkeypatch.setattr(endless_report, "difficulty", lambda _: (found, iter([])))
    assert endless_report.main(["--quick"]) == 1
    said = capsys.readouterr().out
    assert "FAILS  x: 0.4 [1 or more]" in said and "| plain | 1 |" in said
    assert endless_report.main(["--quick", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["settings"][0]["name"] == "plain"
