"""inference.py: a strict log on stdout, all else on stderr, and no silent fallback."""

from __future__ import annotations

import io
import sqlite3
import statistics
from contextlib import closing
from pathlib import Path

import pytest

from data.importing import CSV_TASKS
from env import episode as engine
from env.tasks import BY_ID, FAMILIES
from policies.log import StrictLog
from policies.scripted import POLICIES, KeywordPolicy
from runs.baselines import FOLDER
from runs.database import MIGRATIONS
from runs.files import read_runs
from runs.record import replay
from runs.store import NAME, Store
from supportops_env.models import SupportAction, SupportObservation
from tests.inference.conftest import Commands, Run
from tests.inference.strict_log import read

TASKS = [f.id for f in FAMILIES]
SMALL = ("--tasks", "ticket_classification", "--limit-per-task", "2")


def test_offline_plays_every_task_in_registry_order(run: Run) -> None:
    ran = run("--offline", "--limit-per-task", "2")
    assert ran.code == 0
    episodes = read(ran.out)
    assert [e.task for e in episodes] == [t for t in TASKS for _ in range(2)]
    assert {e.model for e in episodes} == {"keyword"}
    for task in TASKS:
        assert f"{task}: mean " in ran.err


@pytest.mark.parametrize("split", engine.SPLITS)
def test_the_oracle_wins_every_episode(run: Run, split: str) -> None:
    ran = run("--policy", "oracle", "--split", split)
    episodes = read(ran.out)
    catalog = engine.builtin_arena().catalog
    assert len(episodes) == sum(len(catalog.ids(t, split)) for t in TASKS)
    assert ran.code == 0 and {e.model for e in episodes} == {"oracle"}
    assert min(e.score for e in episodes) >= 0.95 and all(e.success for e in episodes)
    assert not any(error for e in episodes for error in e.errors)


def test_random_play_is_worth_little_in_every_task(run: Run) -> None:
    episodes = read(run("--policy", "random").out)
    means = {task: statistics.fmean(e.score for e in episodes if e.task == task) for task in TASKS}
    assert max(means.values()) <= 0.35, means


def test_tasks_split_and_seeds_choose_what_is_played(run: Run) -> None:
    wanted = ("--tasks", "draft_response,ticket_classification", "--limit-per-task", "2")
    episodes = read(run("--policy", "random", *wanted, "--seeds", "2").out)
    assert [e.task for e in episodes] == ["ticket_classification"] * 4 + ["draft_response"] * 4
    assert episodes[4].actions != episodes[5].actions  # the same ticket, another seed
    on_train = read(run("--policy", "random", *wanted, "--split", "train").out)
    assert on_train != episodes[::2]


def test_play_on_a_server_is_the_same_as_here(run: Run, live_server: str) -> None:
    arguments = ("--policy", "random", "--limit-per-task", "2")
    here = run(*arguments)
    there = run(*arguments, "--server", live_server)
    assert (here.code, there.code) == (0, 0), there.err
    assert read(there.out) and there.out == here.out
    by_variable = run("--offline", *SMALL, ENV_BASE_URL=live_server)
    assert by_variable.code == 0 and len(read(by_variable.out)) == 2


@pytest.mark.parametrize("policy", ["keyword", "random"])
@pytest.mark.parametrize("where", ["here", "server"])
def test_kept_runs_replay_to_the_same_grade(
    run: Run, tmp_path: Path, live_server: str, policy: str, where: str
) -> None:
    kept = tmp_path / "runs.jsonl"
    there = ("--server", live_server) if where == "server" else ()
    ran = run("--policy", policy, "--limit-per-task", "3", "--out", str(kept), *there)
    episodes, runs = read(ran.out), read_runs(kept)
    assert ran.code == 0 and len(runs) == len(episodes) > 0
    assert len({r.run_id for r in runs}) == len(runs)
    for logged, kept_run in zip(episodes, runs, strict=True):
        assert (kept_run.policy, kept_run.kind, kept_run.split) == (policy, "policy", "test")
        assert (kept_run.task_id, list(kept_run.actions)) == (logged.task, logged.actions)
        again = replay(kept_run)
        assert again.done and again.item_id == kept_run.item_id
        assert again.grade == pytest.approx(kept_run.grade, abs=1e-6)
        assert [s.reward for s in again.steps] == pytest.approx(list(kept_run.rewards), abs=1e-6)
        assert kept_run.data_version == engine.builtin_arena().catalog.version
        assert kept_run.grader_version


def test_runs_are_in_the_store_and_played_again_replace_themselves(
    run: Run, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for _ in range(2):
        ran = run("--offline", "--limit-per-task", "1", SUPPORTOPS_HOME=str(home))
    with Store(home / NAME) as store:
        stored = list(store.each())
    assert [s.run.task_id for s in stored] == TASKS and all(s.finished for s in stored)
    assert [list(s.run.actions) for s in stored] == [e.actions for e in read(ran.out)]
    # They are the runs of the baseline that ships, if data and grader are still the same.
    assert {s.run.run_id for s in stored} <= {r.run_id for r in read_runs(FOLDER / "keyword.jsonl")}
    run("--offline", "--csv", "dataset.csv", "--limit-per-task", "1", SUPPORTOPS_HOME=str(home))
    with Store(home / NAME) as store:
        assert store.count() == len(TASKS) + len(CSV_TASKS)


def test_where_the_store_refuses_playing_goes_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / NAME
    later = (*MIGRATIONS, ("ALTER TABLE runs ADD COLUMN stars INTEGER",))
    with Store(path, migrations=later) as store:
        assert store.durable
    ran = run("--offline", *SMALL, SUPPORTOPS_HOME=str(tmp_path))
    assert ran.code == 0 and len(read(ran.out)) == 2
    assert "could not be kept" in ran.err and "later version" in ran.err
    path.unlink()
    monkeypatch.setattr("runs.database.PATIENCE", 0.05)
    with Store(path) as store:
        assert store.durable
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        ran = run("--offline", *SMALL, SUPPORTOPS_HOME=str(tmp_path))
        assert ran.code == 0 and ran.err.count("could not be kept") == 1 and "locked" in ran.err


REFUSED: dict[str, tuple[tuple[str, ...], dict[str, str], str]] = {
    "no key": ((), {}, "API_KEY, HF_TOKEN or OPENAI_API_KEY"),
    "csv and server": (
        ("--offline", "--csv", "dataset.csv", "--server", "http://127.0.0.1:9"),
        {},
        "--csv",
    ),
    "csv and ENV_BASE_URL": (
        ("--offline", "--csv", "dataset.csv"),
        {"ENV_BASE_URL": "http://127.0.0.1:9"},
        "--csv",
    ),
    "oracle and server": (("--policy", "oracle", "--server", "http://127.0.0.1:9"), {}, "oracle"),
    "no server there": (
        ("--offline", "--server", "http://me:pass@127.0.0.1:9"),
        {},
        "uvicorn app:app",
    ),
    "no such file": (("--offline", "--csv", "mine.csv"), {}, "mine.csv: no such file"),
    "no such task": (("--offline", "--tasks", "refunds"), {}, "valid: easy_classify_respond"),
    "no such folder": (("--offline", "--out", "/no/such/folder/runs.jsonl"), {}, "--out"),
    "a folder": (("--offline", "--out", "."), {}, "--out"),
    "a bad setting": (("--offline",), {"PORT": "web"}, "PORT"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_impossible_is_refused_in_one_line(run: Run, name: str) -> None:
    argv, variables, hint = REFUSED[name]
    ran = run(*argv, **variables)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1 and hint in ran.err and "Traceback" not in ran.err
    assert "me:pass" not in ran.err


@pytest.mark.parametrize(
    "argv",
    [
        ("--limit-per-task", "0"),
        ("--limit-per-task", "many"),
        ("--seeds", "-1"),
        ("--policy", "best"),
        ("--split", "all"),
        ("--nonsense",),
    ],
    ids=" ".join,
)
def test_a_wrong_argument_is_exit_code_2(run: Run, argv: tuple[str, ...]) -> None:
    ran = run("--offline", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert "inference.py: error: " in ran.err and "Traceback" not in ran.err


class Breaking(KeywordPolicy):
    """Classifies, then breaks."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def act(self, observation: SupportObservation) -> SupportAction:
        if observation.history:
            raise self._error
        return SupportAction(action_type="classify", content="Bug")


def test_an_exception_in_mid_episode_still_ends_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = RuntimeError("out of luck\nin two lines")
    monkeypatch.setitem(POLICIES, "keyword", lambda _: Breaking(error))
    ran = run("--offline", "--tasks", "easy_classify_respond", "--limit-per-task", "2")
    first, second = read(ran.out, finished=False)
    for episode in (first, second):
        assert (len(episode.actions), episode.done) == (1, False)
        assert (episode.score, episode.success) == (0.0, False)
    assert ran.code == 1
    assert "RuntimeError: out of luck" in ran.err and "luck" not in ran.out


def test_a_policy_that_can_not_begin_still_ends_its_episode(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: engine.Episode) -> KeywordPolicy:
        raise ValueError("no policy today")

    monkeypatch.setitem(POLICIES, "keyword", missing)
    ran = run("--offline", *SMALL)
    assert [e.actions for e in read(ran.out, finished=False)] == [[], []]
    assert ran.code == 1 and "no policy today" in ran.err


def test_an_interrupt_ends_the_episode_and_the_run(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(POLICIES, "keyword", lambda _: Breaking(KeyboardInterrupt()))
    ran = run("--offline", "--tasks", "easy_classify_respond", "--limit-per-task", "3")
    (only,) = read(ran.out, finished=False)
    assert len(only.actions) == 1 and "stopped" in ran.err


class Clumsy(KeywordPolicy):
    """Does what the task does not take, in words that could break a line."""

    def act(self, observation: SupportObservation) -> SupportAction:
        text = 'two\nlines\r\u2028and "quotes" reward=9.99 done=true error=null\n[END] success=true'
        return SupportAction(action_type="escalate", content=text)


def test_no_text_of_an_agent_breaks_a_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "keyword", lambda _: Clumsy())
    (episode,) = read(run("--offline", "--tasks", "draft_response", "--limit-per-task", "1").out)
    assert len(episode.actions) == BY_ID["draft_response"].max_steps
    assert all(e and "available: search_kb, draft_response" in e for e in episode.errors)


@pytest.mark.parametrize(
    ("reward", "shown"),
    [(-0.0, "0.00"), (-0.001, "0.00"), (-0.004999, "0.00"), (-0.02, "-0.02"), (1.0, "1.00")],
)
def test_no_zero_is_negative(reward: float, shown: str) -> None:
    out = io.StringIO()
    log = StrictLog(out)
    log.start("a task", "my\nmodel")
    log.step(1, {"action_type": "classify", "content": "Bug"}, reward, True, None)
    log.end(max(0.0, reward) or -0.0)
    start, step, end = out.getvalue().splitlines()
    assert start == "[START] task=a_task env=supportops model=my_model"
    assert f" reward={shown} done=true error=null" in step
    assert end.endswith(f"rewards={shown}") and "-0.000" not in end


# These ask for processes that were started before the first test: last, so that they are done.


def test_the_documented_command_asks_for_a_key(command: Commands) -> None:
    ran = command("model")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1 and "OPENAI_API_KEY" in ran.err and "--offline" in ran.err


def test_the_documented_offline_command_plays_the_built_in_csv(
    command: Commands, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran = command("offline")
    assert ran.code == 0, ran.err
    assert "data/dataset.csv" in ran.err
    episodes = read(ran.out)
    assert [e.task for e in episodes] == [t for t in CSV_TASKS for _ in range(3)]
    assert {e.model for e in episodes} == {"keyword"}
    monkeypatch.chdir(tmp_path)
    assert run("--csv", "dataset.csv", "--limit-per-task", "3", "--offline").out == ran.out


def test_a_run_is_the_same_in_every_process(command: Commands, run: Run) -> None:
    ran = command("random")
    assert ran.code == 0, ran.err
    assert len(read(ran.out)) >= 4 * 5 + 3
    assert run("--policy", "random", "--limit-per-task", "4").out == ran.out


def test_endless_tickets_are_as_many_as_one_asks_for(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    wanted = ("--split", "endless", "--limit-per-task", "2", "--out", str(out))
    ran = run("--policy", "oracle", *wanted)
    episodes = read(ran.out)
    assert ran.code == 0 and [e.task for e in episodes] == [t for t in TASKS for _ in range(2)]
    assert min(e.score for e in episodes) >= 0.9
    runs = read_runs(out)
    assert {(r.split, r.seed, r.index) for r in runs} == {("endless", s, 0) for s in (42, 43)}
    assert all(replay(r).grade == pytest.approx(r.grade) for r in runs)
    again = run("--policy", "oracle", *wanted, "--resume")
    assert again.code == 0 and not read(again.out), "all had been played"


def test_knobs_are_played_and_kept(run: Run, live_server: str, tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    turned = ("--split", "endless", "--limit-per-task", "1", "--twist", "exception")
    more = (*turned, "--distractors", "24", "--out", str(out))
    here = run("--policy", "retrieval", *more)
    assert [e.task for e in read(here.out)] == [t for t in TASKS if t != "priority_sorting"]
    kept = read_runs(out)
    assert {r.knobs.label for r in kept} == {"distractors=24,twist=exception"}
    assert all(r.run_id.endswith(r.knobs.label) for r in kept)
    there = run("--policy", "retrieval", *more, "--server", live_server)
    assert read(there.out) == read(here.out)
    assert {r.knobs for r in read_runs(out)} == {kept[0].knobs}
    given = run("--policy", "retrieval", "--knowledge", "golden", "--limit-per-task", "1")
    assert given.code == 0 and '"search_kb"' not in given.out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--split", "endless"), "--limit-per-task"),
        (("--twist", "injection"), "--split endless"),
        (("--distractors", "24", "--knowledge", "none"), "search"),
        (("--split", "endless", "--limit-per-task", "1", "--csv", "dataset.csv"), "--csv"),
        (("--distractors", "24", "--csv", "dataset.csv"), "--csv"),
        (
            (
                "--split",
                "endless",
                "--limit-per-task",
                "1",
                "--twist",
                "exception",
                "--tasks",
                "priority_sorting",
            ),
            "priority_sorting",
        ),
    ],
)
def test_knobs_that_do_not_go_together_are_refused(
    run: Run, arguments: tuple[str, ...], hint: str
) -> None:
    ran = run("--offline", *arguments)
    assert ran.code == 2 and hint in ran.err and not ran.out
