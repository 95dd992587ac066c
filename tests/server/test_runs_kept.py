"""STORE_RUNS: what clients play to its end can be listed, replayed and exported; off by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from env import episode as engine
from env.environment import SupportOpsEnvironment, reporting_to
from env.settings import Settings, get_settings
from runs import cli
from runs.record import identity
from runs.regrade import replay
from runs.rows import Filter
from runs.store import NAME, Store
from supportops_env.client import SupportOpsEnv
from supportops_env.models import SupportAction
from tests.conftest import Serve
from tests.server.wire import http

BUG = SupportAction(action_type="classify", content="Bug")


def play_over_http(url: str, seed: int) -> str:
    with http(url) as client:
        reset = client.post("/reset", json={"task_id": "ticket_classification", "seed": seed})
        episode_id = str(reset.headers["X-Session-ID"])
        done = client.post("/step", json={"action": BUG.model_dump(exclude_defaults=True)})
        assert done.json()["done"] is True
        assert client.post("/step", json={"action": {"action_type": "classify"}}).is_error
    return episode_id


def play_over_websocket(url: str, seed: int) -> None:
    with SupportOpsEnv(base_url=url) as env:
        env.reset(task_id="ticket_classification", seed=seed)
        assert env.step(BUG).done
        env.reset(task_id="draft_response", seed=seed)  # never finished: not kept
        env.step(SupportAction(action_type="search_kb", content="invoices"))


def test_finished_episodes_of_clients_are_runs(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = serve(STORE_RUNS="true", RUNS_KEPT="3", SUPPORTOPS_HOME=str(tmp_path))
    monkeypatch.setenv("SUPPORTOPS_HOME", str(tmp_path))
    ids = [play_over_http(server.url, seed) for seed in (1, 2)]
    play_over_websocket(server.url, 3)
    # The command line reads and writes the file while the server has it open.
    get_settings.cache_clear()
    assert cli.main(["list"]) == 0
    capsys.readouterr()
    play_over_http(server.url, 4)
    server.stop()
    with Store(tmp_path / NAME) as store:
        kept = [s.run for s in store.find(Filter(kind="client"))]
        assert store.count() == 3
    assert [(r.player, r.seed) for r in kept] == [("http", 4), ("websocket", 3), ("http", 2)]
    for run in kept:
        assert run.task_id == "ticket_classification" and run.actions and run.grade is not None
        assert replay(run).differences == ()
        assert not any(i in run.run_id for i in ids)  # an id lets its holder play: it is not shown
    assert cli.main(["export", "--kind", "client", "--format", "grpo"]) == 0
    assert capsys.readouterr().out.count("\n") == 3
    get_settings.cache_clear()


def test_nothing_is_kept_unless_asked_for() -> None:
    assert Settings.model_fields["store_runs"].default is False
    assert reporting_to(None) is SupportOpsEnvironment and SupportOpsEnvironment.on_end is None


def test_what_a_client_needs_to_keep_its_own_run_is_on_the_wire(live_server: str) -> None:
    with SupportOpsEnv(base_url=live_server) as env:
        env.reset(task_id="priority_sorting", split="test", index=1, seed=7)
        state = env.state()
    episode = engine.start("priority_sorting", "test", 7, 1)
    named = {**identity(episode), "knobs": episode.knobs.model_dump()}
    assert named.items() <= state.model_dump().items()
