"""Runs to watch: played and stored step by step, ended in order, and no key left anywhere."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from env import episode as engine
from env.settings import Settings
from policies.base import play as play_policy
from policies.scripted import POLICIES
from runs.errors import StoreError
from runs.record import replay
from runs.store import Store
from tests.inference.model_server import KEY, Model, completion, failure, good
from tests.ui.hostile import HOSTILE, hostile_catalog
from ui import texts
from ui.service import Service
from ui.service.ground import Ground
from ui.service.watch import PACES, Watch, Wish
from ui.state_watch import WatchView
from ui.texts import watch as words

EASY, MEDIUM, SORT = "easy_classify_respond", "medium_kb_grounded_response", "priority_sorting"
JUNK: list[Any] = [None, 5, True, [], {}, "nope", "<b>", ["play"], "x" * 5_000]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs.db")


@pytest.fixture
def watch(store: Store) -> Watch:
    return over(store)


@pytest.fixture
def model(httpserver: HTTPServer) -> Model:
    return Model(httpserver)


def over(store: Store, **settings: Any) -> Watch:
    return Service.over(Settings(**settings), store).watch


def policy(name: str, task: str = EASY, split: str = "train", **more: Any) -> Wish:
    return Wish("header", task, split, 1, name, "instant", **more)


def mine(model: Model, task: str = EASY, mode: str = "plan", **more: Any) -> Wish:
    asked = {"url": model.server.url_for("/v1"), "model": "m", "key": KEY, **more}
    return Wish("header", task, "train", 1, "model", "instant", mode, **asked)


async def seen(watch: Watch, wish: Wish, visitor: str = "a") -> list[WatchView]:
    return [view async for view in watch.play(visitor, "127.0.0.1", wish)]


def said(view: WatchView) -> str:
    assert view.notice is not None
    return view.notice.text


@pytest.mark.parametrize("name", POLICIES)
async def test_a_policy_plays_and_the_run_is_stored(watch: Watch, store: Store, name: str) -> None:
    wish = policy(name, MEDIUM)
    ahead = watch.look("a", wish)
    assert ahead.phase == "idle" and not ahead.play.steps
    views = await seen(watch, wish)
    last = views[-1]
    assert views[0].phase == "running" and last.phase == "ended" and last.stored
    kept = store.get(last.run_id)
    assert kept and kept.finished and (kept.run.kind, kept.run.policy) == ("policy", name)
    assert None not in kept.lines, "each step's lines are kept"
    episode = replay(kept.run)
    fresh = engine.restart(episode)
    assert play_policy(POLICIES[name](fresh), fresh) == episode
    assert (
        last.play.obs
        and last.play.obs.grade
        and kept.run.grade == pytest.approx(last.play.obs.grade.grade, abs=1e-6)
    )
    assert last.stop == kept.run.stop and last.tokens is None


async def test_the_oracle_keeps_off_the_test_split(watch: Watch, store: Store) -> None:
    (view,) = await seen(watch, policy("oracle", split="test"))
    assert said(view) == words.ORACLE_TEST and view.phase == "idle"
    assert store.count() == 0


async def test_the_episode_open_in_play_is_played_from_its_start(store: Store) -> None:
    service = Service.over(store=store)
    (none,) = await seen(service.watch, Wish("play"))
    assert said(none) == words.NO_EPISODE
    there = service.play.begin("a", EASY, "test", 4, index=3)
    await service.play.act("a", "classify", text="Bug")
    last = (await seen(service.watch, Wish("play", pace="instant")))[-1]
    assert last.play.obs and last.play.obs.ticket == there.obs.ticket  # type: ignore[union-attr]
    now = service.play.now("a")
    assert len(now.steps) == 1 and now.phase == "running", "the visitor's own goes on"
    # Another episode chosen: the run that is over gives way; the same one again: it is back.
    service.play.begin("a", EASY, "test", 4, index=5)
    assert service.watch.look("a", Wish("play")).phase == "idle"
    service.play.begin("a", EASY, "test", 4, index=3)
    assert service.watch.look("a", Wish("play")).run_id == last.run_id


async def test_what_is_played_on_own_data_is_not_stored(store: Store) -> None:
    service = Service.over(store=store)
    service.play.begin("a", EASY, "train", 0)
    service.play.enter("a", Ground(engine.arena(hostile_catalog()), "mine.csv"))
    for wish in (Wish("play", pace="instant"), policy("keyword", MEDIUM)):
        last = (await seen(service.watch, wish))[-1]
        assert last.stop == "done" and not last.kept
        assert last.play.obs and last.play.obs.ticket and last.play.obs.ticket.body.startswith("<")
    (view,) = await seen(service.watch, policy("keyword", split="endless"))
    assert said(view) == texts.NO_ENDLESS and store.count() == 0
    assert service.watch.yourself("a")
    now = service.play.now("a")
    assert now.dataset == "mine.csv" and now.item_id == last.play.item_id and not now.steps


@pytest.mark.parametrize("task", [MEDIUM, SORT])
async def test_endless_tickets_are_watched_too(watch: Watch, store: Store, task: str) -> None:
    last = (await seen(watch, policy("oracle", task, "endless")))[-1]
    assert last.play.obs and last.play.obs.grade and last.play.obs.grade.grade
    kept = store.get(last.run_id)
    assert kept and kept.run.split == "endless" and last.kept and last.stored
    assert watch.look("a", policy("oracle", task, "endless")).run_id == last.run_id
    assert watch.yourself("a") and not watch.yourself("b")


@pytest.mark.parametrize("junk", JUNK, ids=repr)
async def test_what_makes_no_sense_is_refused(watch: Watch, store: Store, junk: Any) -> None:
    good_one: dict[str, Any] = {
        "where": "header", "task": EASY, "split": "train", "seed": 1, "who": "model",
        "pace": "instant", "mode": "plan", "url": "http://127.0.0.1:9/v1", "model": "m", "key": "k",
    }  # fmt: skip
    for field in good_one:
        fits = (field in ("seed", "model", "key") and junk in (5, "nope", "<b>")) or (
            field in ("task", "split") and junk is None
        )
        if fits:
            continue
        (view,) = await seen(watch, Wish(**{**good_one, field: junk}))
        assert said(view) and view.phase == "idle", field
    (nobody,) = await seen(watch, policy("keyword"), visitor="")
    assert said(nobody) == texts.NO_SESSION and store.count() == 0


@pytest.mark.parametrize("mode", ["plan", "agent"])
async def test_a_model_plays(watch: Watch, store: Store, model: Model, mode: str) -> None:
    if mode == "agent":
        plan = iter(
            [
                {"action_type": "classify", "category": "Billing"},
                {"action_type": "respond", "response_text": "Dear customer, thank you."},
            ]
        )
        model.then = lambda _: completion(json.dumps({"action": next(plan)}))
    last = (await seen(watch, mine(model, mode=mode)))[-1]
    assert last.phase == "ended" and last.stop == "done" and len(last.play.steps) == 2
    calls = 1 if mode == "plan" else 2
    assert (last.calls, last.tokens, len(model.asked)) == (calls, 110 * calls, calls)
    kept = store.get(last.run_id)
    assert kept and kept.run.kind == "model" and kept.run.model == last.player == "m"
    assert kept.run.prompt_version == f"{mode}-1.0" and kept.run.parameters["mode"] == mode
    assert kept.run.usage and kept.run.usage.calls == calls


async def test_answers_that_are_no_action_are_shown_and_kept(
    watch: Watch, store: Store, model: Model
) -> None:
    broken = HOSTILE + chr(0xD800)  # half a character: JSON may carry it, UTF-8 can't
    model.script("I'd rather not.", broken)
    last = (await seen(watch, mine(model)))[-1]
    first, second = last.play.troubles
    assert (first.step, first.title, first.text) == (1, words.DECLINED, "I'd rather not.")
    assert second.text == HOSTILE + "?" and last.stop == "done"
    kept = store.get(last.run_id)
    assert kept and [r.text for r in kept.run.refusals] == ["I'd rather not.", HOSTILE + "?"]


async def test_three_in_a_row_end_the_run_with_the_grade_of_what_is_there(
    watch: Watch, store: Store, model: Model
) -> None:
    model.then = lambda _: completion("no")
    last = (await seen(watch, mine(model)))[-1]
    assert last.stop == "refusals" and len(last.play.troubles) == 4
    kept = store.get(last.run_id)
    assert kept and kept.run.grade == 0.0 and kept.run.stop == "refusals" and not kept.run.failed
    assert words.ENDINGS["refusals"][1].format(grade=0.0) in last.play.troubles[-1].why


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), "answered 401"),
        (failure(429, "slow down"), "answered 429: slow down"),
        (failure(500, "oops"), "answered 500"),
        (Response("<html>hello</html>"), "something else than a chat completion"),
        (Response("{", content_type="application/json"), "JSON"),
    ],
    ids=["wrong key", "rate limit", "server error", "no api", "broken json"],
)
async def test_an_error_of_the_model_server_is_shown_and_the_run_kept(
    watch: Watch, store: Store, model: Model, answer: Response, shown: str
) -> None:
    model.then = lambda _: answer
    last = (await seen(watch, mine(model, MEDIUM)))[-1]
    assert last.stop == "model_error" and [s.action_type for s in last.play.steps] == ["search_kb"]
    (trouble,) = last.play.troubles
    assert trouble.step == 2 and shown in trouble.why and KEY not in trouble.why
    kept = store.get(last.run_id)
    assert kept and kept.finished and kept.run.grade is None and len(kept.run.actions) == 1


async def test_a_server_that_is_not_there(watch: Watch, model: Model) -> None:
    wish = mine(model, url="http://127.0.0.1:9/v1")
    last = (await seen(watch, wish))[-1]
    assert "can't be reached" in last.play.troubles[-1].why


async def test_a_redirect_is_not_followed(watch: Watch, httpserver: HTTPServer) -> None:
    elsewhere: list[Any] = []

    def answer(request: Any) -> Response:
        elsewhere.append(request)
        return Response("internal")

    httpserver.expect_request("/internal").respond_with_handler(answer)
    httpserver.expect_request("/v1/chat/completions").respond_with_response(
        Response(status=307, headers={"Location": httpserver.url_for("/internal")})
    )
    model_wish = {"url": httpserver.url_for("/v1"), "model": "m", "key": KEY}
    wish = Wish("header", EASY, "train", 1, "model", "instant", "plan", **model_wish)
    last = (await seen(watch, wish))[-1]
    assert "points elsewhere" in last.play.troubles[-1].why and elsewhere == []


async def test_the_key_is_nowhere_afterwards(
    store: Store,
    model: Model,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    watch = over(store)
    model.script(f"the key is {KEY}", failure(400, f"bad key {KEY}"))
    model.then = lambda _: failure(401, f"Bearer {KEY} is wrong")
    wish = mine(model, MEDIUM)
    views = await seen(watch, wish)
    assert views[-1].stop == "model_error" and any(
        "[key]" in t.text for t in views[-1].play.troubles
    )
    assert KEY not in repr(wish) + repr(views) + repr(watch.__dict__) + caplog.text
    assert KEY not in "".join(capfd.readouterr())
    store.close()
    files = [f for f in tmp_path.rglob("*") if f.is_file()]
    assert files and all(KEY.encode() not in f.read_bytes() for f in files)
    run = watch._runs["a"]
    assert run._player is None and run._players is None, "what held it is gone"


async def test_nothing_of_this_process_is_sent_to_a_visitors_server(
    watch: Watch, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: list[str] = []
    answer = model._answer

    def listen(request: Any) -> Response:
        heads.append(str(request.headers))
        return answer(request)

    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "ours-" + name)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Ours: ours-1\nAuthorization: Bearer ours-2")
    model.server.clear()
    model.server.expect_request("/v1/chat/completions").respond_with_handler(listen)
    assert (await seen(watch, mine(model)))[-1].stop == "done"
    assert heads and all(f"Bearer {KEY}" in h and "ours-" not in h for h in heads)


class Hanging:
    """A model server that takes a question and never answers."""

    def __init__(self) -> None:
        self.asked, self.left = asyncio.Event(), asyncio.Event()
        self.url = ""

    async def hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked.set()
        while await reader.read(65_536):
            pass
        self.left.set()
        writer.close()


@asynccontextmanager
async def hanging() -> AsyncIterator[Hanging]:
    made = Hanging()
    async with await asyncio.start_server(made.hold, "127.0.0.1", 0) as server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        yield made


def never(server: Hanging) -> Wish:
    model = {"url": server.url, "model": "m", "key": KEY}
    return Wish("header", MEDIUM, "train", 1, "model", "instant", "plan", **model)


@pytest.mark.parametrize("way", ["stop", "page closed", "stream lost", "cancelled"])
async def test_whoever_ends_it_the_model_is_hung_up_on_and_the_run_kept(
    watch: Watch, store: Store, way: str
) -> None:
    async with hanging() as server:
        views: list[WatchView] = []
        stream = watch.play("a", "127.0.0.1", never(server))

        async def follow() -> None:
            async for view in stream:
                views.append(view)

        follower = asyncio.create_task(follow())
        await asyncio.wait_for(server.asked.wait(), 10)
        run_id = views[-1].run_id
        before = store.get(run_id)
        assert before and not before.finished and len(before.run.actions) == 1, "step 1 is there"
        (again,) = [v async for v in watch.play("a", "127.0.0.1", policy("keyword"))]
        assert said(again) == words.RUNNING and again.phase == "running"
        if way == "stop":
            view = await watch.stop("a", never(server))
            assert view.phase == "ended" and view.stop == "cancelled"
            assert words.BY_YOU in view.play.troubles[-1].why
        elif way == "page closed":
            watch.close("a")
        else:  # what Gradio does when a stream is stopped or lost: cancel, then close
            follower.cancel()
            if way == "stream lost":
                await asyncio.wait({follower})
                await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.left.wait(), 10)
        await asyncio.wait({follower})
        while watch._tasks:
            await asyncio.wait(watch._tasks)
        after = store.get(run_id)
        assert after and after.finished and after.run.stop == "cancelled"
        assert after.run.grade is None and len(after.run.actions) == 1 and None not in after.lines


async def test_a_run_that_is_stopped_before_it_began_leaves_the_seat(watch: Watch) -> None:
    stream = watch.play("a", "127.0.0.1", policy("keyword"))
    first = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    assert (await seen(watch, policy("keyword")))[-1].stop == "done"
    idle = await over(Store(None)).stop("b", policy("keyword"))
    assert said(idle) == words.STOPPED_EARLY


async def test_a_pause_can_be_broken_off(watch: Watch, store: Store) -> None:
    assert PACES["slow"] > PACES["normal"] > PACES["fast"] > PACES["instant"] == 0
    stream = watch.play("a", "127.0.0.1", Wish("header", SORT, "train", 1, "keyword", "slow"))
    async for view in stream:
        if len(view.play.steps) == 1:
            break
    last = await watch.stop("a", Wish())
    assert last.stop == "cancelled" and len(last.play.steps) == 1
    await stream.aclose()  # type: ignore[attr-defined]
    kept = store.get(last.run_id)
    assert kept and len(kept.run.actions) == 1


async def test_time_and_tokens_are_limited(store: Store, model: Model) -> None:
    async with hanging() as server:
        last = (await seen(over(store, watch_seconds=0.3), never(server)))[-1]
        if server.asked.is_set():  # on a busy machine the time may be up before
            await asyncio.wait_for(server.left.wait(), 10)
    assert last.stop == "timeout" and "longer than 0.3 s" in last.play.troubles[-1].why
    model.then = lambda asked: completion(json.dumps({"action": good(asked)[0]}))
    last = (await seen(over(store, watch_tokens=100), mine(model, mode="agent")))[-1]
    assert last.stop == "cancelled" and len(model.asked) == 1
    assert "100 tokens" in last.play.troubles[-1].why


async def test_this_servers_model_is_offered_only_with_a_key_for_it(
    store: Store, model: Model
) -> None:
    address = model.server.url_for("/v1")
    wish = Wish("header", EASY, "train", 1, "server", "instant", "plan")
    never_ours = over(
        store, api_key="ours", hf_token="ours", openai_api_key="ours", api_base_url=address
    )
    assert never_ours.offered is None
    assert said((await seen(never_ours, wish))[-1]) == words.NO_SERVER_MODEL
    assert not model.asked
    watch = over(
        store,
        watch_api_key=KEY,
        api_base_url=address,
        watch_model="big",
        watch_per_visitor=2,
        watch_per_hour=3,
        space_id="public",
    )
    assert KEY not in repr(watch.settings)
    for visitor in ("a", "b"):
        last = (await seen(watch, wish, visitor))[-1]
        assert last.stop == "done" and last.player == "big"
    capped = (await seen(watch, wish, "c"))[-1]
    assert "one address is reached: 2 an hour" in said(capped) and capped.phase == "idle"
    elsewhere = [v async for v in watch.play("c", "127.0.0.2", wish)]
    assert elsewhere[-1].stop == "done"
    late = [v async for v in watch.play("c", "127.0.0.3", wish)]
    assert "together is reached: 3 an hour" in said(late[-1])
    assert len(model.asked) == 3 and {a["model"] for a in model.asked} == {"big"}
    mine_too = (await seen(watch, mine(model), "d"))[-1]
    assert "https://api.openai.com" in said(mine_too), "a public server names what it allows"


async def test_a_store_that_fails_does_not_stop_the_play(
    watch: Watch, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise StoreError("full")

    for method in ("begin", "add_step", "finish", "save"):
        monkeypatch.setattr(store, method, refuse)
    last = (await seen(watch, policy("keyword")))[-1]
    assert last.stop == "done" and not last.stored and last.play.phase == "done"


async def test_visitors_watch_apart_and_their_runs_are_theirs(store: Store) -> None:
    service = Service.over(store=store)
    watch = service.watch
    for visitor in ("a", "b"):
        service.people.meet(visitor, f"secret-of-{visitor}-0123456789", "")
    one, two = await asyncio.gather(
        seen(watch, policy("keyword"), "a"), seen(watch, policy("random"), "b")
    )
    assert one[-1].run_id != two[-1].run_id
    assert watch.look("a", policy("keyword")).run_id == one[-1].run_id
    assert not store.delete(one[-1].run_id, owner="secret-of-b-0123456789")
    assert store.delete(one[-1].run_id, owner="secret-of-a-0123456789")
