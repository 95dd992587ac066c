"""The baselines that ship, and the one that a measured model replaces."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from data.errors import DataError
from env.tasks import BY_ID
from runs.baselines import (
    FOLDER,
    default_baseline,
    play_baseline,
    shipped,
    summary,
)
from runs.files import read_runs, write_runs
from runs.record import Run
from tests.runs.conftest import made_up

FAKE: dict[str, Any] = {"kind": "model", "policy": "llm", "model": "test-only-not-measured"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FOLDER / "keyword.jsonl", tmp_path)
    return tmp_path


def test_the_keyword_policy_stands_in(folder: Path) -> None:
    for place in (folder, FOLDER):
        found = default_baseline(place)
        if (place / "gpt-4o-mini.jsonl").is_file():
            continue
        assert (found.player, found.kind) == ("keyword", "policy") and found.runs
        assert "inference.py --out data/baselines/gpt-4o-mini.jsonl" in found.note


def test_a_measured_model_becomes_the_default_at_once(folder: Path) -> None:
    assert default_baseline(folder).player == "keyword"
    write_runs(folder / "gpt-4o-mini.jsonl", [made_up("test-only", **FAKE)])
    found = default_baseline(folder)
    assert (found.player, found.kind) == ("test-only-not-measured", "model")
    assert found.runs == (made_up("test-only", **FAKE),)
    assert any(row["player"] == "test-only-not-measured" for row in summary(folder)["measured"])


BAD = {
    "no model's run": (made_up("x").model_dump_json() + "\n", "no model played"),
    "nothing": ("\n", "holds no runs"),
    "no run": ('{"run_id": "x"}\n', "gpt-4o-mini.jsonl:1: kind"),
    "no text": ("\x00\n", "gpt-4o-mini.jsonl:1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_named_and_changes_nothing(folder: Path, name: str) -> None:
    text, said = BAD[name]
    (folder / "gpt-4o-mini.jsonl").write_text(text, encoding="utf-8")
    found = default_baseline(folder)
    assert found.player == "keyword" and said in found.note
    assert any(row["player"] == "keyword" for row in summary(folder)["measured"])


def test_the_summary_names_what_it_could_not_read(folder: Path) -> None:
    assert summary(folder)["unreadable"] == []
    (folder / "odd.jsonl").write_text("{}\n", encoding="utf-8")
    (problem,) = summary(folder)["unreadable"]
    assert problem.startswith("odd.jsonl: run_id")


def test_what_ships_is_whole() -> None:
    known = summary()
    assert {"keyword", "oracle", "random"} <= {row["player"] for row in known["measured"]}
    assert known["published"]["label"] == "published, not measured here"
    assert all(row["mean_score"] is not None for row in known["measured"])


def test_failures_are_not_in_a_mean(folder: Path) -> None:
    runs = [made_up("1", 1.0, **FAKE), made_up("2", None, stop="timeout", **FAKE)]
    write_runs(folder / "gpt-4o-mini.jsonl", runs)
    (row,) = (r for r in summary(folder)["measured"] if r["kind"] == "model")
    assert (row["episodes"], row["scored"], row["mean_score"]) == (2, 1, 1.0)


def test_runs_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    odd = "a line\u2028in a line, \u0085 and a \\u0000-free \N{PERSEVERING FACE}"
    action = {"action_type": "respond", "payload": {"response_text": odd}}
    runs = (
        made_up("1", task_id="easy_classify_respond", actions=(action,), error=odd),
        made_up("2", parameters={"temperature": 0, "seed": None}, started_at="2026-01-01"),
    )
    write_runs(path, runs)
    assert read_runs(path) == runs


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    good = made_up().model_dump_json()
    for bad, said in [
        ("{", "runs.jsonl:3"),
        (good.replace('"seed":42', '"seed":"x"'), "runs.jsonl:3: seed"),
        (good.replace('"rewards":[1.0]', '"rewards":[1.0,0.0]'), "runs.jsonl:3: rewards: 2, but"),
    ]:
        path.write_text(f"{good}\n\n{bad}\n", encoding="utf-8")
        with pytest.raises(DataError, match=said):
            read_runs(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        read_runs(path)
    with pytest.raises(DataError, match="can't be read"):
        read_runs(tmp_path)


def test_playing_a_baseline_again_gives_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.baselines.FAMILIES", [BY_ID["priority_sorting"]])
    runs: tuple[Run, ...] = play_baseline("oracle", progress=False)
    assert runs and all(r.grade == pytest.approx(1.0) and r.report for r in runs)


def test_all_files_that_can_be_read_are_shipped(folder: Path) -> None:
    before = shipped(folder)
    assert before and {r.policy for r in before} == {"keyword"}
    write_runs(folder / "more.jsonl", [made_up("test-only", **FAKE)])
    (folder / "broken.jsonl").write_text("{}\n", encoding="utf-8")
    assert [r.run_id for r in shipped(folder)] == [*(r.run_id for r in before), "test-only"]
