"""Data sets of one's own: the starter is whole, and whatever is wrong is named with file and line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from data import template
from data.authored import reader
from data.authored.check import NEEDS
from data.check import check
from data.errors import DataError
from data.folders import open_folder

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    template.write(tmp_path / "mine")
    return tmp_path / "mine"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_starter_is_whole(folder: Path) -> None:
    found = reader.inspect(folder)
    assert found.problems == () and found.notes == ()
    catalog = open_folder(folder)
    for task in NEEDS:
        assert catalog.ids(task, "train") and catalog.ids(task, "test"), task
    assert run("data.check", str(folder)).returncode == 0
    assert all(label.reference_reply for label in catalog.labels.values())


def test_a_folder_in_use_is_left_alone(folder: Path) -> None:
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    ran = run("data.template", str(folder))
    assert ran.returncode == 2 and "not empty" in ran.stderr and "Traceback" not in ran.stderr
    assert before == {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    with pytest.raises(DataError, match="not empty"):
        template.write(folder / "README.md")
    with pytest.raises(DataError, match="can't be written"):
        template.write(folder / "README.md" / "below")


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def add(name: str, line: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as out:
            out.write(line + "\n")

    return change


def remove(*names: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def bytes_of(name: str, data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


SET = "\n".join(
    f"S-{n},Set ticket {n},The gate at dock {n} does not open for anybody of us,,,,,,,,one,{p}"
    for n, p in enumerate(("critical", "high", "medium", "low"), 1)
)

BROKEN: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "no tickets": (remove("tickets.csv"), "mine", "no tickets; add a file tickets.csv"),
    "no articles": (remove("kb/R-1.md", "kb/R-2.md", "kb/R-3.md"), "kb", "no articles"),
    "manifest is no YAML": (bytes_of("dataset.yaml", b"name: [a\n"), "dataset.yaml:2", "not YAML"),
    "manifest is a list": (bytes_of("dataset.yaml", b"- a\n"), "dataset.yaml", "keys and values"),
    "manifest is empty": (bytes_of("dataset.yaml", b""), "dataset.yaml", "keys and values"),
    "manifest is deep": (bytes_of("dataset.yaml", b"[" * 9_000), "dataset.yaml", "not YAML"),
    "unknown key": (add("dataset.yaml", "colour: red"), "dataset.yaml:", "colour"),
    "bad name": (edit("dataset.yaml", "starter", "My Data"), "dataset.yaml:", "name"),
    "unknown field": (
        edit("dataset.yaml", "columns: {}", "columns: {bodi: x}"),
        "dataset.yaml:",
        "no field 'bodi'",
    ),
    "unknown category": (
        edit("tickets.csv", "Bug,R-3", "Defect,R-3"),
        "tickets.csv:",
        "category 'Defect' is none of Bug",
    ),
    "unknown article": (
        edit("tickets.csv", "Bug,R-3", "Bug,R-9"),
        "tickets.csv:",
        "no article R-9",
    ),
    "neither yes nor no": (
        edit("tickets.csv", "R-1,yes", "R-1,perhaps"),
        "tickets.csv:",
        "neither yes nor no",
    ),
    "neither train nor test": (
        edit("tickets.csv", "R-3,train", "R-3,dev"),
        "tickets.csv:",
        "neither train nor test",
    ),
    "labels are no JSON": (add("labels.jsonl", "{"), "labels.jsonl:", "not JSON"),
    "labels are deep": (add("labels.jsonl", "[" * 90_000), "labels.jsonl:", "not JSON"),
    "labels of nobody": (
        add("labels.jsonl", '{"ticket_id": "HB-99"}'),
        "labels.jsonl:",
        "HB-99, which is no ticket",
    ),
    "labels twice": (add("labels.jsonl", '{"ticket_id": "HB-4"}'), "labels.jsonl:", "second time"),
    "unknown label": (
        add("labels.jsonl", '{"ticket_id": "HB-2", "mood": 1}'),
        "labels.jsonl:",
        "no label 'mood'",
    ),
    "label of a wrong type": (
        add("labels.jsonl", '{"ticket_id": "HB-2", "facts": 7}'),
        "labels.jsonl:",
        "facts",
    ),
    "label names no article": (
        add("labels.jsonl", '{"ticket_id": "HB-2", "related_kb": ["R-9"]}'),
        "labels.jsonl:",
        "no article R-9",
    ),
    "a set of four": (
        lambda folder: [
            edit("tickets.csv", "articles,split", "articles,split,set,priority")(folder),
            add("tickets.csv", SET)(folder),
            None,
        ][2],
        "tickets.csv:",
        "has 4 tickets, not 5",
    ),
    "the built-in ids": (
        lambda folder: [
            edit("dataset.yaml", "extends: nothing", "extends: builtin")(folder),
            edit("tickets.csv", "HB-2,", "T-1001,")(folder),
            None,
        ][2],
        "tickets.csv:",
        "one of the built-in tickets",
    ),
    "two ticket files": (add("tickets.jsonl", "{}"), "mine", "which of them?"),
}


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_what_is_wrong_is_named(folder: Path, kind: str) -> None:
    change, where, what = BROKEN[kind]
    change(folder)
    _, results = check(folder)
    faults = [f for r in results if not r.passed for f in r.faults]
    assert any(where in f and what in f for f in faults), faults
    with pytest.raises(DataError) as raised:
        open_folder(folder)
    assert str(folder) in str(raised.value)


def test_the_check_exits_with_1(folder: Path) -> None:
    BROKEN["unknown category"][0](folder)
    ran = run("data.check", str(folder))
    assert ran.returncode == 1 and "'Defect'" in ran.stdout and "Traceback" not in ran.stderr
    assert ran.stdout.count("tickets.csv:") >= 1


def test_what_a_task_misses_is_told_with_lines(folder: Path) -> None:
    edit("tickets.csv", "Bug,R-3", "Bug,")(folder)
    edit("tickets.csv", "R-3,train", ",train")(folder)
    _, results = check(folder)
    by_name = {r.name: r for r in results}
    assert all(r.passed for r in results)
    lines = (folder / "tickets.csv").read_text(encoding="utf-8").split("\n")
    number = next(n for n, line in enumerate(lines, 1) if line.startswith("HB-2,"))
    for task in ("medium_kb_grounded_response", "draft_response"):
        (line,) = by_name[task].details
        assert f"tickets.csv:{number}: HB-2 needs" in line, line
    assert "sets" in by_name["priority_sorting"].details[0]


def test_an_id_twice_is_kept_and_told(folder: Path) -> None:
    edit("tickets.csv", "HB-2,", "HB-1,")(folder)
    _, results = check(folder)
    assert len(open_folder(folder).tickets) == 6
    assert any("HB-1 is there twice" in note for note in results[0].details)


def test_it_joins_the_built_in_tickets(folder: Path) -> None:
    alone = open_folder(folder)
    edit("dataset.yaml", "extends: nothing", "extends: builtin")(folder)
    joined = open_folder(folder)
    assert set(alone.tickets) < set(joined.tickets) and len(joined.tickets) > 60
    assert joined.version != alone.version
    assert {"R-1", "KB-101"} <= set(joined.articles)
