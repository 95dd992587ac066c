"""The store keeps each finished step, whatever happens to the process that played it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from env import episode as engine
from env.episode import StepRecord
from env.settings import Settings
from policies.base import action
from runs.errors import NoSuchRun, RunExists, StoreError
from runs.record import Run, identity, record, replay
from runs.rows import Filter
from runs.store import Store, open_store
from supportops_env.models import RewardLine
from tests.runs.conftest import FORKS, made_up, played

LINE = RewardLine(rule="search.hit", points=0.05, kind="advance", reason="found", evidence="KB-101")


def begin(store: Store, run_id: str, task: str = "draft_response", **more: str) -> engine.Episode:
    episode = engine.start(task, "train", 7, 0)
    store.begin(run_id, identity(episode), kind="human", policy="Ada", **more)  # type: ignore[arg-type]
    return episode


def last(episode: engine.Episode) -> StepRecord:
    return episode.steps[-1]


def test_a_run_is_kept_step_by_step_and_finished(store: Store) -> None:
    episode = begin(store, "a")
    for query in ("refund of an invoice", "two-factor codes"):
        episode = engine.step(episode, action("search_kb", query=query))
        step = last(episode)
        store.add_step("a", step.action, step.reward, step.lines)
    halfway = store.get("a")
    assert halfway is not None and not halfway.finished and halfway.run.grade is None
    assert replay(halfway.run).steps == episode.steps  # it can be taken up again
    assert [s.finished for s in store.find(Filter(finished=False))] == [False]

    episode = engine.step(episode, action("draft_response", response_text="Hello, thank you."))
    store.add_step("a", last(episode).action, last(episode).reward, last(episode).lines, number=3)
    episode = engine.step(episode, action("mark_resolved", reason="done"))
    run = record(episode, "a", "human", "Ada")
    store.finish(run)
    whole = store.get("a")
    assert whole is not None and whole.finished
    begun = halfway.run.started_at
    assert begun and whole.run == run.model_copy(update={"started_at": begun})
    assert whole.run.report == episode.report
    assert whole.lines[:3] == tuple(s.lines for s in episode.steps[:3])
    assert whole.lines[3] is None  # that step was never added by itself
    assert store.count(Filter(finished=False)) == 0


def test_what_does_not_fit_is_refused_and_changes_nothing(store: Store) -> None:
    begin(store, "a")
    with pytest.raises(RunExists, match="another id"):
        begin(store, "a")
    with pytest.raises(NoSuchRun, match="'b'"):
        store.add_step("b", {"action_type": "classify", "content": "Bug"}, 0.0)
    with pytest.raises(NoSuchRun):
        store.finish(made_up("b"))
    store.add_step("a", {"action_type": "search_kb", "content": "x"}, 0.05, [LINE], number=1)
    with pytest.raises(RunExists, match="step 2, not 1"):
        store.add_step("a", {"action_type": "search_kb", "content": "y"}, 0.05, number=1)
    store.finish(made_up("a"))
    with pytest.raises(RunExists, match="finished"):
        store.add_step("a", {"action_type": "search_kb", "content": "y"}, 0.05)
    with pytest.raises(StoreError):
        store.save(made_up("c", seed=2**80))
    with pytest.raises(StoreError, match="1 actions but 2 rewards"):
        store.save(made_up("c", rewards=(0.0, 1.0)))
    with pytest.raises(ValueError, match="valid: task_id"):
        store.counts("grade; DROP TABLE runs")
    assert store.count() == 1


def test_runs_are_found_by_what_they_are(store: Store) -> None:
    store.save(made_up("1"))
    store.save(made_up("2", grade=0.4, model="gpt", kind="model", policy="llm"))
    store.save(made_up("3", grade=None, stop="timeout", split="train"))
    store.save(made_up("4", task_id="priority_sorting", item_id="S-01", seed=1))
    store.save(made_up("5", grader_version="2.1.0", data_version="1.1.0"), owner="secret")
    expected: list[tuple[Filter, str]] = [
        (Filter(), "54321"),
        (Filter(task="priority_sorting"), "4"),
        (Filter(player="gpt"), "2"),
        (Filter(player="llm"), ""),
        (Filter(kind="model", split="test"), "2"),
        (Filter(split="train"), "3"),
        (Filter(item="S-01", seed=1, index=0), "4"),
        (Filter(grader_major="1"), "4321"),
        (Filter(data_version="1.1.0"), "5"),
        (Filter(failed_only=True), "32"),
        (Filter(min_grade=0.4), "5421"),
        (Filter(owner="secret"), "5"),
        (Filter(owner="guess"), ""),
        (Filter(player="' OR 1=1 --"), ""),
    ]
    for where, ids in expected:
        assert "".join(s.run.run_id for s in store.find(where)) == ids, where
        assert "".join(s.run.run_id for s in store.each(where)) == ids[::-1], where
        assert store.count(where) == len(ids)
    assert [s.run.run_id for s in store.find(limit=2, offset=1)] == ["4", "3"]
    assert store.counts("player") == {"made-up": 4, "gpt": 1}


def test_many_runs_are_read_a_page_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.store._PAGE", 3)
    store.import_runs(made_up(str(n)) for n in range(10))
    assert [s.run.run_id for s in store.each()] == [str(n) for n in range(10)]


def test_only_the_owner_deletes_where_an_owner_is_asked_for(store: Store) -> None:
    begin(store, "mine", owner="secret")
    store.add_step("mine", {"action_type": "search_kb", "content": "my own words"}, 0.0)
    store.finish(made_up("mine"))
    assert not store.delete("mine", owner="guess")
    assert store.delete("mine", owner="secret")
    assert store.get("mine") is None and not store.delete("mine")
    assert store.path is not None
    store.close()
    assert b"my own words" not in store.path.read_bytes()


def test_an_import_is_idempotent_and_keeps_what_is_there(store: Store) -> None:
    runs = [made_up("1"), made_up("2", grade=0.5)]
    assert store.import_runs(runs).added == 2
    again = store.import_runs([*runs, made_up("1", grade=0.0), made_up("3")])
    assert (again.added, again.known, again.conflicts) == (1, 2, ("1",))
    assert store.count() == 3

    def broken() -> Iterator[Run]:
        yield made_up("4")
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        store.import_runs(broken())
    with pytest.raises(StoreError):
        store.import_runs([made_up("5"), made_up("6", seed=2**80)])
    assert store.count() == 3


def test_a_saved_run_is_replaced_whole(store: Store) -> None:
    long = played("oracle", "draft_response", run_id="x")
    store.save(long, owner="secret")
    store.save(made_up("x"))
    found = store.get("x")
    assert found is not None and found.run == made_up("x") and len(found.lines) == 1
    assert store.count(Filter(owner="secret")) == 1


def write_until_killed(path: Path, run_id: str, ready: int) -> None:
    """In a forked child: keep steps for ever, and tell of each once it is kept."""
    store = Store(path)
    begin(store, run_id)
    for n in range(1_000_000):
        store.add_step(run_id, {"action_type": "search_kb", "content": f"step {n}"}, 0.01, [LINE])
        os.write(ready, b".")


@FORKS
def test_each_finished_step_outlives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    for round_ in range(10):
        told, ready = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                write_until_killed(path, f"run-{round_}", ready)
            finally:
                os._exit(1)
        os.close(ready)
        seen = len(os.read(told, 1))
        time.sleep(0.003 * round_)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while got := os.read(told, 65_536):
            seen += len(got)
        os.close(told)
        with Store(path) as store:
            found = store.get(f"run-{round_}")
            assert store.durable and not store.warning
        assert found is not None and not found.finished
        # The step that was being written when the signal came may be there or not.
        assert seen <= len(found.run.actions) <= seen + 1
        assert [a["content"] for a in found.run.actions] == [
            f"step {n}" for n in range(len(found.run.actions))
        ]
        assert all(lines == (LINE,) for lines in found.lines)
    with Store(path) as store:
        assert store.count(Filter(finished=False)) == 10


def in_children(work: Callable[[int], None], count: int) -> list[int]:
    """Exit codes of forked children that each do some work."""
    children = []
    for n in range(count):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                work(n)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]


@FORKS
def test_processes_share_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    def work(n: int) -> None:
        with Store(path) as store:
            for i in range(10):
                begin(store, f"{n}-{i}")
                store.add_step(f"{n}-{i}", {"action_type": "search_kb", "content": "x"}, 0.0)
                store.finish(made_up(f"{n}-{i}"))

    assert in_children(work, 3) == [0, 0, 0]
    with Store(path) as store:
        assert store.durable and store.count(Filter(finished=True)) == 30


def test_threads_share_a_store(store: Store) -> None:
    problems: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for i in range(10):
                store.save(made_up(f"{n}-{i}"))
                store.find(limit=5)
                for _ in store.each():
                    break
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems and store.count() == 40


def test_the_place_comes_from_the_settings(tmp_path: Path) -> None:
    home = tmp_path / "here"
    named = open_store(Settings(supportops_home=str(home)))
    assert named.path == home / "runs.db" and not home.exists()  # nothing is made before it is used
    with named:
        assert named.durable and named.path.is_file()


@pytest.mark.parametrize(("data_home", "durable"), [("there", True), ("", False)])
def test_without_a_setting_it_is_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data_home: str, durable: bool
) -> None:
    def folder(*_: object, **__: object) -> str:
        return str(tmp_path / data_home) if data_home else "~/.local/share/supportops-env"

    monkeypatch.setattr("runs.store.platformdirs.user_data_dir", folder)
    monkeypatch.chdir(tmp_path)
    with open_store(Settings(supportops_home="", space_id=None)) as store:
        assert store.durable is durable
        assert not Path("~").exists()


def test_a_space_says_that_its_disk_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.store.platformdirs.user_data_dir", lambda *_, **__: str(tmp_path))
    with open_store(Settings(space_id="someone/space", supportops_home=None)) as store:
        assert store.kept == "file" and not store.durable and "SUPPORTOPS_HOME" in store.reason
    with open_store(Settings(space_id="s/s", supportops_home=str(tmp_path))) as store:
        assert store.durable


def test_readers_do_not_see_what_others_played_on_their_own_data(store: Store) -> None:
    own: dict[str, Any] = {"kind": "human", "policy": "Ada", "data_version": "1.0.0+mine.csv"}
    store.save(made_up("built-in", kind="human", policy="Ada"), owner="ada")
    store.save(made_up("own", **own), owner="ada")
    store.save(made_up("model", **(own | {"kind": "model"})), owner="ada")
    store.save(made_up("nobody's", **own))
    endless: dict[str, Any] = {
        "kind": "human",
        "split": "endless",
        "data_version": "1.0.0-endless.1",
    }
    store.save(made_up("endless", **endless), owner="ada")

    def seen(**where: object) -> set[str]:
        return {s.run.run_id for s in store.find(Filter(**where))}  # type: ignore[arg-type]

    assert seen(reader="ada") == seen() == {"built-in", "own", "model", "nobody's", "endless"}
    for other in ("", "eve"):
        assert seen(reader=other) == {"built-in", "nobody's", "endless"}
    assert seen(dataset="") == {"built-in", "endless"} and seen(dataset="other.csv") == set()
    assert seen(dataset="mine.csv", reader="") == {"nobody's"}


def test_runs_that_reveal_labels_can_be_left_out(store: Store) -> None:
    for n, (split, kind, policy) in enumerate(
        [("test", "policy", "oracle"), ("train", "policy", "oracle"), ("test", "human", "oracle")]
    ):
        store.save(made_up(f"{n}", split=split, kind=kind, policy=policy))
    assert [s.run.reveals_labels for s in store.find()] == [False, False, True]
    assert {s.run.run_id for s in store.find(Filter(unrevealing=True))} == {"1", "2"}


def test_what_was_played_is_listed_last_first(store: Store) -> None:
    for run_id, item, version in (
        ("a", "T-1", "1.0.0"),
        ("b", "T-2", "1.0.0"),
        ("c", "T-1", "1.1.0"),
        ("d", "T-1", "1.0.0+x.csv"),
    ):
        store.save(made_up(run_id, item_id=item, data_version=version))
    found = [(p.item_id, p.dataset, p.runs) for p in store.played()]
    assert found == [("T-1", "x.csv", 1), ("T-1", "", 2), ("T-2", "", 1)]
    assert len(store.played(limit=1)) == 1
    assert [p.item_id for p in store.played(Filter(item="T-2"))] == ["T-2"]
