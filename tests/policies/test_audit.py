"""The audit as a whole: its command, its report, and that nothing passes by default."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import pytest

from data.errors import DataError
from env.episode import builtin_arena
from env.errors import UnknownName
from env.tasks import BY_ID
from env.view import dump_action
from graders.version import GRADER_VERSION
from policies.adversaries import REPLY_TASKS
from policies.audit import CHECKS, main, run_audit, run_check
from policies.audit_report import RENEW, SHIPPED, AuditReport, AuditRow, read_report, table
from policies.audit_scores import Ground
from policies.audit_subject import ROOT, Plan
from policies.trajectories import CANARIES, ORACLE, Trajectory, read_trajectories
from policies.validation_files import FOLDER, RUNTIME_PLAN, play_on, write
from tests.policies.rigged import CLASSIFYING, ground, product

NAMED = {
    "seed_control", "episode_determinism", "episode_isolation", "replayability",
    "verifier_determinism", "oracle_max", "canary_floor", "no_solution_leakage",
    "reward_well_formed", "reward_attribution", "rubric_introspectable",
    "task_declaration_accuracy", "floor_gap", "adversarial_floor", "gameability_gap",
    "difficulty_separation", "headroom",
}  # fmt: skip


@pytest.mark.timeout(600)  # half a minute on two idle cores; busy ones must not fail it
def test_the_quick_audit_passes() -> None:
    command = [sys.executable, "-m", "policies.audit", "--quick", "--json"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    report = AuditReport.model_validate_json(ended.stdout)
    assert {r.check for r in report.rows} == NAMED == set(CHECKS)
    failed = [r for r in report.rows if r.status == "FAIL"]
    assert (ended.returncode, failed) == (0, [])
    assert {r.status for r in report.rows} <= {"PASS", "WARN", "SKIP"}
    assert all(r.reason for r in report.rows if r.status == "SKIP")
    assert report.climbs and all(c.reply for c in report.climbs)


def test_one_task_can_be_audited_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "audit.json"
    code = main(["--quick", "--task", CLASSIFYING, "--workers", "1", "--out", str(out)])
    kept = AuditReport.model_validate_json(out.read_text(encoding="utf-8"))
    printed = capsys.readouterr().out
    assert code == (0 if kept.passed else 1)
    assert {r.task for r in kept.rows} <= {CLASSIFYING, "all"}
    assert printed == table(kept.rows) + "\n"


def test_lines_are_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--task", CLASSIFYING, "--workers", "1", "--lines"])
    *told, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [t["done"] for t in told] == list(range(1, told[0]["total"] + 1))
    report = AuditReport.model_validate(last["report"])
    assert (report.quick, report.tasks) == (True, (CLASSIFYING,))


def test_the_shipped_audit_is_of_the_present_versions() -> None:
    report = read_report(SHIPPED)
    present = (builtin_arena().catalog.version, GRADER_VERSION)
    stale = f"{SHIPPED} is not of the present versions; this renews it: {RENEW}"
    assert (report.data_version, report.grader_version) == present, stale
    assert (report.quick, report.tasks) == (False, tuple(BY_ID)), stale
    assert list(dict.fromkeys(r.check for r in report.rows)) == list(CHECKS), stale
    assert report.passed, stale
    assert {c.task for c in report.climbs} == set(REPLY_TASKS), stale


def test_a_report_that_is_not_there_or_of_another_kind_is_named(tmp_path: Path) -> None:
    for text in (None, "[]", '{"rows": []}', "\udcff"):
        path = tmp_path / "odd.json"
        if text is not None:
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(DataError, match=r"odd\.json"):
            read_report(path)


def test_an_unknown_task_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--task", "nonsense"]) == 2
    assert CLASSIFYING in capsys.readouterr().err
    with pytest.raises(UnknownName):
        run_audit(task="nonsense")


@pytest.mark.parametrize("asked", [["--seed", "-1"], ["--out", "/nowhere/at/all.json"]])
def test_what_can_not_be_done_is_refused_at_once(
    asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--task", CLASSIFYING, *asked]) == 2
    assert asked[1] in capsys.readouterr().err


def test_progress_is_told_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    run_audit(
        True,
        CLASSIFYING,
        progress=lambda done, total, _: told.append((done, total)),
        subject=product(elsewhere=lambda *_: {}),
    )
    assert told == [(n, told[0][1]) for n in range(1, told[0][1] + 1)]


def test_a_check_that_crashes_fails() -> None:
    def crashing(_: Ground) -> Iterator[AuditRow]:
        raise ZeroDivisionError("by zero")
        yield

    (row,) = run_check("headroom", (crashing,), ground(CLASSIFYING))
    assert (row.status, row.reason) == ("FAIL", "ZeroDivisionError: by zero")


def test_one_failed_row_fails_the_audit() -> None:
    row = AuditRow(check="x", status="PASS")
    report = AuditReport(
        rows=(row,), scores=(), climbs=(), quick=True, tasks=(CLASSIFYING,), seed=1, data_version="1",
        grader_version="1", measured=date(2026, 1, 2),
    )  # fmt: skip
    assert report.passed
    for status, passed in (("SKIP", True), ("WARN", True), ("FAIL", False)):
        other = row.model_copy(update={"status": status})
        assert report.model_copy(update={"rows": (row, other)}).passed is passed


def test_the_table_has_a_line_for_each_row() -> None:
    rows = [AuditRow(check="x", status="SKIP", reason="a\nb"), AuditRow(check="y", status="PASS")]
    lines = table(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert lines[2].endswith("a b")


def test_fewer_items_are_spread_over_both_splits() -> None:
    places = Plan((CLASSIFYING,)).places(product(), CLASSIFYING, 6)
    assert len(places) == len(set(places)) == 6
    assert {split for split, _ in places} == {"train", "test"}


def named(trajectories: Iterable[Trajectory]) -> list[tuple[str, str, str, int]]:
    return [(t.task_id, t.name, t.split, t.index) for t in trajectories]


def test_files_that_are_written_anew_hold_what_the_shipped_ones_hold(tmp_path: Path) -> None:
    write(tmp_path)
    for name in (CANARIES, ORACLE):
        new, shipped = (read_trajectories(f / name) for f in (tmp_path, FOLDER))
        assert named(new) == named(shipped)
        assert {t.task_id for t in shipped} == set(BY_ID)
        assert all((t.max_grade is None) == (name == ORACLE) for t in shipped)


def test_the_runtime_plan_is_a_trajectory_of_the_oracle() -> None:
    plan = json.loads((FOLDER / RUNTIME_PLAN).read_text(encoding="utf-8"))
    assert set(plan) == {"plan_schema_version", "reset", "actions"}
    assert plan["actions"] in [
        [dump_action(a) for a in t.actions] for t in read_trajectories(FOLDER / ORACLE)
    ]


def test_the_oracle_wins_on_a_server(live_server: str) -> None:
    graded = play_on(live_server)
    assert len(graded) == 12
    assert all(grade >= 0.95 for _, grade in graded)
