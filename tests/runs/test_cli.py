"""`python -m runs`: what it prints, what it refuses, and what it leaves alone."""

from __future__ import annotations

import csv
import io
import json
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from data.command import exit_code_of
from env import episode as engine
from env.settings import get_settings
from policies.base import action
from runs.baselines import FOLDER
from runs.cli import main
from runs.files import read_runs, write_runs
from runs.record import Run, identity
from runs.store import NAME, Store
from tests.conftest import ROOT
from tests.runs.conftest import FORKS, made_up, played


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run_ = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own for the runs."""
    place = tmp_path / "home"
    monkeypatch.setenv("SUPPORTOPS_HOME", str(place))
    get_settings.cache_clear()
    yield place
    get_settings.cache_clear()


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run_:
    def start(*argv: str) -> Ran:
        capsys.readouterr()
        try:
            code = main(argv)
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Ran(code, said.out, said.err)

    return start


@pytest.fixture
def filled(home: Path, sample: tuple[Run, ...]) -> Path:
    """A store with the sample, one unfinished run, and one that failed."""
    with Store(home / NAME) as store:
        store.import_runs(sample)
        episode = engine.start("draft_response", "train", 7, 0)
        store.begin("half", identity(episode), kind="human", policy="Ada")
        episode = engine.step(episode, action("search_kb", query="invoices"))
        step = episode.steps[0]
        store.add_step("half", step.action, step.reward, step.lines)
        store.save(made_up("late", None, stop="timeout", kind="model", policy="llm", model="m"))
    return home / NAME


def test_an_empty_store_says_so(run: Run_) -> None:
    for command in ("list", "stats", "export", "replay", "regrade"):
        ran = run(command)
        assert ran.code == 0, ran.err
    assert "no runs yet" in run("list").err


def test_list(run: Run_, filled: Path, sample: tuple[Run, ...]) -> None:
    ran = run("list")
    lines = ran.out.splitlines()
    assert ran.code == 0 and lines[0].split()[:4] == ["run_id", "state", "kind", "player"]
    assert len(lines) == 1 + len(sample) + 2
    assert any(x.startswith("half ") and "unfinished" in x for x in lines)
    assert run("list", "--unfinished").out.count("\n") == 2
    few = run("list", "--limit", "2", "--offset", "1")
    assert few.out.count("\n") == 3 and f"2 of {len(sample) + 2} runs" in few.err
    as_json = json.loads(run("list", "--json", "--player", "oracle", "--split", "test").out)
    assert [r["policy"] for r in as_json] == ["oracle"] * 3 and as_json[0]["finished"] is True
    as_csv = list(csv.DictReader(io.StringIO(run("list", "--csv", "--failed").out)))
    assert as_csv and all(r["grade"] == "" or float(r["grade"]) < 0.5 for r in as_csv)
    assert "no runs match" in run("list", "--player", "nobody").err


def test_show(run: Run_, filled: Path) -> None:
    ran = run("show", "keyword-draft_response-train-0")
    assert ran.code == 0
    assert "Played by keyword (policy)" in ran.out and "Step 1: search_kb" in ran.out
    assert "Grade 0." in ran.out and "Formula: " in ran.out and "settlement" in ran.out
    half = run("show", "half").out
    assert "Unfinished after 1 steps" in half
    assert "Ended by failure (timeout)" in run("show", "late").out


def test_foreign_text_cannot_steer_the_terminal(run: Run_, home: Path) -> None:
    with Store(home / NAME) as store:
        store.save(made_up("x", policy="\x1b[2Jevil", error="\x1b]0;title\x07", grade=0.0))
    for command in (("list",), ("show", "x"), ("stats",), ("regrade",), ("replay",)):
        ran = run(*command)
        assert "\x1b" not in ran.out + ran.err and "\x07" not in ran.out + ran.err


def test_replay(run: Run_, filled: Path, sample: tuple[Run, ...]) -> None:
    ran = run("replay", "--kind", "policy")
    assert (ran.code, ran.out) == (
        0,
        f"{len(sample)} the same, 0 different, 0 can't be replayed\n",
    )
    with Store(filled) as store:
        first = sample[0].model_copy(update={"grade": 0.123, "run_id": "odd"})
        store.save(first)
        store.save(made_up("gone", item_id="T-9999"))
    ran = run("replay", "odd", "gone")
    assert ran.code == 1 and "odd: grade: 0.1230 then" in ran.out
    assert "gone: can't be replayed: ticket_id 'T-9999'" in ran.out
    assert "0 the same, 1 different, 1 can't be replayed" in ran.out


def test_regrade_reads_only_unless_told_to_save(run: Run_, home: Path) -> None:
    true = played("oracle", "ticket_classification", run_id="a")
    old = true.model_copy(update={"grade": 0.25, "rewards": (0.25,), "grader_version": "0.1.0"})
    with Store(home / NAME) as store:
        store.save(old)
    ran = run("regrade")
    assert ran.code == 0 and "0.250" in ran.out and "+0.750" in ran.out
    assert ran.out.splitlines()[-1].split() == ["all", "all", "1", "1", "0.250", "1.000", "0"]
    with Store(home / NAME) as store:
        stored = store.get("a")
        assert stored is not None and stored.run.grade == 0.25
    assert "1 runs saved" in run("regrade", "a", "--save").err
    with Store(home / NAME) as store:
        stored = store.get("a")
        assert stored is not None and stored.run == true


@pytest.mark.parametrize("form", ["jsonl", "sft", "grpo", "csv"])
def test_export(
    run: Run_, filled: Path, sample: tuple[Run, ...], tmp_path: Path, form: str
) -> None:
    out = tmp_path / "out"
    ran = run(
        "export", "--format", form, "--split", "train", "--min-grade", "0.5", "--out", str(out)
    )
    assert ran.code == 0 and ran.out == ""
    good = [r for r in sample if r.split == "train" and (r.grade or 0) >= 0.5]
    text = out.read_text(encoding="utf-8")
    rows = (
        list(csv.DictReader(io.StringIO(text)))
        if form == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    assert {r["run_id"] for r in rows} == {r.run_id for r in good}
    assert f"{len(good)} runs exported, 0 left out" in ran.err
    assert list(tmp_path.glob("*.part")) == []


def test_training_files_hold_the_train_split_unless_asked(run: Run_, filled: Path) -> None:
    ran = run("export", "--format", "sft", "--player", "oracle")
    assert {json.loads(x)["split"] for x in ran.out.splitlines()} == {"train"}
    assert "only runs on the train split" in ran.err
    ran = run("export", "--format", "grpo", "--split", "test")
    assert {json.loads(x)["reset"]["split"] for x in ran.out.splitlines()} == {"test"}
    assert "late: it has no whole grade" in ran.err


def test_stats(run: Run_, filled: Path, sample: tuple[Run, ...]) -> None:
    ran = run("stats")
    assert ran.code == 0 and "1 unfinished runs are not counted" in ran.err
    assert "grader 1.x, test split" in ran.out and "oracle" in ran.out
    found = json.loads(run("stats", "--json").out)
    (row,) = [r for r in found["rows"] if r["player"] == "m"]
    assert (row["mean"], row["failures"], row["scored"]) == (None, 1, 0)
    rows = list(csv.DictReader(io.StringIO(run("stats", "--csv", "--split", "test").out)))
    assert {r["split"] for r in rows} == {"test"} and "pass^1" in rows[0]
    by_category = json.loads(run("stats", "--by-category", "--json").out)["rows"]
    assert {r["category"] for r in by_category} <= {"Bug", "Feature Request", "Billing", "Account", "General"}  # fmt: skip
    matrix = json.loads(run("stats", "--confusion", "priority", "--json").out)
    assert sum(map(sum, matrix["counts"])) == 5 * matrix["runs"] == 5 * 4
    assert "(none)" in run("stats", "--confusion", "category").out
    *tasks, pair = json.loads(run("stats", "--compare", "oracle", "keyword", "--json").out)[
        "compared"
    ]
    assert pair["episodes"] == 6 == sum(t["episodes"] for t in tasks) and pair["difference"] > 0
    assert [p["task_id"] for p in [*tasks, pair]] == [
        "ticket_classification", "priority_sorting", "draft_response", "all"
    ]  # fmt: skip
    assert "played by" not in run("stats", "--compare", "oracle", "keyword", "--csv").out
    shipped = json.loads(run("stats", "--baselines", "--player", "random", "--json").out)["rows"]
    assert {r["player"] for r in shipped} == {"random"}
    once = sum(r.policy == "keyword" and r.split == "test" for r in sample)
    known = ("stats", "--baselines", "--player", "keyword", "--split", "test", "--json")
    with Store(filled) as store:  # in the store and among the baselines it counts once
        shipped_too = read_runs(FOLDER / "keyword.jsonl")
        store.import_runs(shipped_too)
    (every,) = [r for r in json.loads(run(*known).out)["rows"] if r["task_id"] == "all"]
    assert every["runs"] == len(shipped_too) + once


def test_import_is_whole_or_nothing(run: Run_, home: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    write_runs(good, [made_up("1"), made_up("2")])
    bad.write_text(made_up("3").model_dump_json() + '\n{"run_id": 4}\n', encoding="utf-8")
    ran = run("import", str(good), str(bad))
    assert ran.code == 2 and f"{bad}:2: " in ran.err and ran.err.count("\n") == 1
    assert "no runs yet" in run("list").err
    assert run("import", str(good)).out == "2 runs added, 0 were there already\n"
    assert run("import", str(good)).out == "0 runs added, 2 were there already\n"
    write_runs(good, [made_up("1", 0.0)])
    ran = run("import", str(good))
    assert ran.code == 1 and "1: another run is stored under this id" in ran.err
    out = tmp_path / "out.jsonl"
    assert run("export", "--out", str(out)).code == 0
    assert read_runs(out) == (made_up("1"), made_up("2"))


def test_delete(run: Run_, filled: Path, sample: tuple[Run, ...]) -> None:
    ran = run("delete", "late", "nobody")
    assert ran.code == 2 and "no such run: 'nobody'" in ran.err
    assert run("delete", "late", "half").out == "2 runs deleted\n"
    with Store(filled) as store:
        assert store.count() == len(sample)


def test_appeal(run: Run_, filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "appeal.json"
    assert run("appeal", "keyword-draft_response-test-0", "--out", str(out)).code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["format"] == "supportops-appeal"
    assert "unfinished" in run("appeal", "half", "--out", str(out)).err


def test_another_database(run: Run_, tmp_path: Path) -> None:
    other, file = tmp_path / "other.db", tmp_path / "one.jsonl"
    write_runs(file, [made_up("1")])
    assert run("import", "--db", str(other), str(file)).code == 0
    assert "1 " in run("list", "--db", str(other)).out
    assert "no runs yet" in run("list").err


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no command": ((), "COMMAND"),
    "no such command": (("play",), "invalid choice"),
    "no such task": (("list", "--task", "refunds"), "easy_classify_respond"),
    "two shapes": (("list", "--json", "--csv"), "not allowed with"),
    "a bad number": (("list", "--limit", "-1"), "whole number"),
    "a bad grade": (("export", "--min-grade", "2"), "from 0 to 1"),
    "no such run": (("show", "nobody"), "python -m runs list"),
    "no such file": (("import", "nowhere.jsonl"), "nowhere.jsonl: no such file"),
    "no such database": (("list", "--db", "nowhere.db"), "nowhere.db: no such file"),
    "no database": (("list", "--db", "pyproject.toml"), "no database"),
    "a folder for a file": (("export", "--out", "."), "can't be written"),
    "no such folder": (("export", "--out", "nowhere/x"), "can't be written"),
    "nobody to compare": (("stats", "--compare", "a", "b"), "no finished run of 'a'"),
    "nothing to delete": (("delete",), "RUN_ID"),
    "no such tickets": (("replay", "--csv-data", "nowhere.csv"), "nowhere.csv: no such file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_refused(
    run: Run_, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(ROOT)
    before = (ROOT / "pyproject.toml").read_bytes()
    argv, said = REFUSED[name]
    ran = run(*argv)
    assert (ran.code, ran.out) == (2, "") and said in ran.err
    assert len([x for x in ran.err.splitlines() if "error" in x or "python -m runs:" in x]) == 1
    assert (ROOT / "pyproject.toml").read_bytes() == before


def test_writing_where_nothing_can_be_written(run: Run_, home: Path, tmp_path: Path) -> None:
    home.write_text("a file where the folder should be", encoding="utf-8")
    file = tmp_path / "one.jsonl"
    write_runs(file, [made_up("1")])
    ran = run("import", str(file))
    assert ran.code == 2 and "can't be written" in ran.err and ran.err.count("\n") == 1


@FORKS
def test_a_reader_that_leaves_causes_no_traceback(run: Run_, filled: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    said = tmp_path / "stderr"
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.dup2(writer, 1)
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
            sys.stdout = os.fdopen(1, "w", encoding="utf-8")
            sys.stderr = os.fdopen(2, "w", encoding="utf-8")
            code = exit_code_of(lambda: main(["list"]))
            sys.stdout.close()  # what is left in it must not fail either
            sys.stderr.close()
        finally:
            os._exit(code)
    os.close(writer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 141
    assert said.read_bytes() == b""


def test_it_is_a_module_to_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["runs", "list"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("runs", run_name="__main__")
    assert end.value.code == 0 and "no runs yet" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", "list", "show", "replay", "regrade", "export", "stats",
                                     "import", "delete", "appeal"])  # fmt: skip
def test_help(run: Run_, command: str) -> None:
    ran = run(*filter(None, (command, "--help")))
    assert ran.code == 0 and ran.out.startswith("usage: python -m runs") and os.linesep in ran.out
