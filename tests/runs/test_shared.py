"""Run files from elsewhere: graded anew, taken whole or not at all, hostile until shown otherwise."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from data import catalog as catalogs
from data.importing import import_csv
from env import episode as engine
from env.episode import Arena
from policies.base import play
from policies.scripted import POLICIES
from runs.export import jsonl_line
from runs.record import Run, record
from runs.shared import MAX_BYTES, MAX_RUNS, RunFileError, read_shared
from tests.runs.conftest import played
from tests.ui.hostile import HOSTILE
from ui.service.play import Play

ARENA = engine.builtin_arena()


def builtin(run: Run) -> Arena | None:
    return None if "own.csv" in run.data_version or "other.csv" in run.data_version else ARENA


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "runs.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def line(**changes: Any) -> str:
    return json.dumps({**json.loads(jsonl_line(played("keyword", "draft_response"))), **changes})


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(RunFileError) as refused:
        read_shared(write(folder, text), builtin)
    return str(refused.value)


def test_what_was_exported_comes_back(tmp_path: Path, sample: tuple[Any, ...]) -> None:
    file = write(tmp_path, "\n".join(jsonl_line(r) for r in sample) + "\n\n")
    back = read_shared(file, builtin)
    for found, run in zip(back, sample, strict=True):
        assert found.run.run_id.startswith("file-") and found.run.run_id != run.run_id
        # Only the report is made again, which files do not hold.
        same = {"run_id": run.run_id, "report": run.report}
        assert found.run.model_copy(update=same) == run
        assert found.grade_then == run.grade and found.grader_then == run.grader_version
        assert found.run.report is not None
        assert (found.run.report.expected is None) == (run.split == "test")


def test_endless_tickets_come_back_from_their_seed(tmp_path: Path) -> None:
    for task in ("draft_response", "priority_sorting"):
        start = engine.start(task, "endless", 12)
        run = record(play(POLICIES["keyword"](start), start), "e", "policy", "keyword")
        (found,) = read_shared(write(tmp_path, jsonl_line(run)), builtin)
        assert found.run.model_copy(update={"run_id": "e"}) == run
    other = run.model_copy(update={"data_version": "1.0.0+other.csv"})
    assert "at hand" in refusal(tmp_path, jsonl_line(other))


def test_rewards_and_grades_are_made_here(tmp_path: Path) -> None:
    true = played("keyword", "draft_response")
    forged = line(
        grade=1.0, rewards=[1.0] * len(true.actions), partial=True, grader_version="9.9.9"
    )
    (found,) = read_shared(write(tmp_path, forged), builtin)
    assert (found.run.grade, found.run.rewards) == (true.grade, true.rewards)
    assert (found.grade_then, found.grader_then) == (1.0, "9.9.9")
    assert found.run.grader_version == true.grader_version and not found.run.partial
    forged = line(grade=math.nan, parameters={"x": HOSTILE}, error=HOSTILE, usage={"tokens_in": 5})
    (found,) = read_shared(write(tmp_path, forged), builtin)
    assert found.grade_then is None
    assert (found.run.parameters, found.run.error, found.run.usage) == ({}, None, None)


async def test_the_consoles_own_file_comes_back(tmp_path: Path) -> None:
    play = Play()
    play.begin("a", "easy_classify_respond", "train", 3)
    view = await play.write("a", "Hello there.")
    (found,) = read_shared(write(tmp_path, "\ufeff" + view.export), builtin)
    assert found.run.kind == "human" and found.run.policy == "anonymous"
    assert view.obs is not None and view.obs.grade is not None
    assert found.run.grade == view.obs.grade.grade
    assert (found.run.task_id, found.run.seed) == ("easy_classify_respond", 3)
    sent = json.loads(view.export)
    for wrong in ({"format": "something"}, {"version": 2}, {"actions": None}, {"grade_report": 5}):
        assert refusal(tmp_path, json.dumps(sent | wrong)).startswith("Line 1 is no run")


def test_runs_without_an_end_have_no_grade(tmp_path: Path) -> None:
    whole = played("keyword", "draft_response")
    part = {"actions": list(whole.actions[:2]), "rewards": list(whole.rewards[:2])}
    for stop, kept in (("model_error", "model_error"), ("done", "cancelled")):
        (found,) = read_shared(write(tmp_path, line(**part, stop=stop, grade=1.0)), builtin)
        assert (found.run.grade, found.run.stop) == (None, kept) and len(found.run.actions) == 2
    (found,) = read_shared(write(tmp_path, line(**part, stop="refusals", grade=0.9)), builtin)
    assert (found.run.grade, found.run.stop) == (0.0, "refusals")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no run"),
        (" \n\n", "no run"),
        ("hello", "Line 1 is no JSON"),
        ("[1, 2]", "Line 1 is no run"),
        ("null", "Line 1 is no run"),
        ("{}", "Line 1 is no run: run_id"),
        (b"\xff\xfe\x00", "UTF-8"),
        ("[" * 100_000, "Line 1 is no JSON"),
        ('{"a":' * 50_000, "Line 1 is no JSON"),
        ("x" * (MAX_BYTES + 1), "larger than 2 MB"),
        ("1" * 5_000, "Line 1 is no"),
    ],
)
def test_what_is_no_run_file_is_refused(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert said in refusal(tmp_path, text)


@pytest.mark.parametrize(
    "changes",
    [
        {"task_id": HOSTILE},
        {"split": "dev"},
        {"seed": -1},
        {"seed": 2**70},
        {"item_id": HOSTILE},
        {"kind": "robot"},
        {"actions": [{"action_type": "fly"}], "rewards": [0.0]},
        {"actions": [{"action_type": "respond", "content": "x" * 8_001}], "rewards": [0.0]},
        {"actions": [{"action_type": "search_kb", "content": f"{n}"} for n in range(16)]},
        {"actions": [{"action_type": "mark_resolved"}] * 2, "rewards": [0.0, 0.0]},
        {"data_version": "1.0.0+other.csv"},
        {HOSTILE: 1},
        {"actions": "x"},
        {"rewards": {"a": 1}},
        {"policy": ["x"]},
    ],
)
def test_a_bad_run_refuses_the_file_and_names_its_line(tmp_path: Path, changes: Any) -> None:
    good = line()
    said = refusal(tmp_path, f"{good}\n\n{line(**changes)}\n{good}")
    assert said.startswith("Line 3 ") and len(said) < 500 and "\n" not in said


def test_too_many_runs_are_refused(tmp_path: Path) -> None:
    good = jsonl_line(played("keyword", "ticket_classification"))
    assert len(read_shared(write(tmp_path, "\n".join([good] * MAX_RUNS)), builtin)) == MAX_RUNS
    assert "more than" in refusal(tmp_path, "\n".join([good] * (MAX_RUNS + 1)))


def test_names_are_cut_and_cleaned(tmp_path: Path) -> None:
    name = "\u202eevil\x00\n name " + "x" * 300
    (found,) = read_shared(write(tmp_path, line(policy=name, model=name, kind="model")), builtin)
    for shown in (found.run.policy, found.run.model):
        assert shown is not None and len(shown) == 60 and shown.startswith("evil name x")
    (found,) = read_shared(write(tmp_path, line(policy="\u200b")), builtin)
    assert found.run.policy == "unnamed"


def test_own_data_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        "ticket_id,query,difficulty,category,expected_response\n"
        "X1,Wrong invoice,easy,Billing,Your wrong invoice is corrected within 5 days; "
        "open Settings and ask for a new invoice.\n",
        "utf-8",
    )
    arena = engine.arena(import_csv(file, catalogs.builtin())[0])
    text = line(
        task_id="easy_classify_respond",
        item_id="X1",
        data_version=arena.catalog.version,
        actions=[{"action_type": "respond", "content": "Hello"}],
        rewards=[0.0],
    )
    assert "at hand" in refusal(tmp_path, text)
    (found,) = read_shared(write(tmp_path, text), lambda r: arena if r.item_id == "X1" else None)
    assert found.run.data_version == arena.catalog.version and found.run.item_id == "X1"
