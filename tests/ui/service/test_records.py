"""What people play is in the store, step by step; the store never stops play."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from data import catalog as catalogs
from data.importing import import_csv
from env import episode as engine
from runs.errors import StoreError
from runs.rows import Filter
from runs.store import Store
from supportops_env.models import SupportAction
from tests.ui.hostile import HOSTILE
from ui import texts
from ui.service import Service
from ui.service.people import ANONYMOUS, MAX_NAME, clean_name
from ui.state import PlayView

MEDIUM, EASY, CLASSIFY = (
    "medium_kb_grounded_response",
    "easy_classify_respond",
    "ticket_classification",
)
OWNER, OTHER = "o" * 32, "p" * 32


class Broken(Store):
    """A store whose writing can be switched off."""

    broken = False

    def _write(self) -> Any:
        if self.broken:
            raise StoreError("the disk is full")
        return super()._write()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def console(store: Store, visitor: str = "a", owner: str = OWNER, name: str = "") -> Service:
    service = Service.over(store=store)
    service.people.meet(visitor, owner, name)
    return service


def only(store: Store, **where: Any) -> Any:
    (found,) = store.find(Filter(**where))
    return store.get(found.run.run_id)


async def test_a_step_is_stored_when_it_is_answered(file: Path) -> None:
    store = Store(file)
    service = console(store)
    begun = service.play.begin("a", MEDIUM, "test", 7)
    assert store.count() == 0  # looking is no run
    await service.play.act("a", "search_kb", text="refund")
    with Store(file) as other:  # as another process sees it
        kept = only(other)
    assert not kept.finished and kept.run.run_id == begun.run_id and kept.run.kind == "human"
    assert kept.run.policy == ANONYMOUS and kept.run.grade is None and kept.run.started_at
    started = kept.run.started_at
    view = await service.play.write("a", HOSTILE)
    kept = only(store)
    assert kept.finished and kept.run.stop == "done" and kept.run.started_at == started
    assert kept.run.actions == tuple(json.loads(view.export)["actions"])
    assert kept.run.grade == pytest.approx(
        view.obs.grade.grade if view.obs and view.obs.grade else None
    )
    assert sum(kept.run.rewards) == pytest.approx(kept.run.grade, abs=1e-5)
    assert kept.lines[-1] == view.steps[-1].lines
    # On the test split nothing of what was expected is kept.
    assert kept.run.report.expected is None and kept.run.report.reference_reply is None
    assert not [line for own in kept.lines for line in own if line.hint]


async def test_each_attempt_is_a_run_of_its_own() -> None:
    store = Store(None)
    play = console(store).play
    play.begin("a", CLASSIFY, "train", 1)
    for again in (False, True):
        if again:
            play.again("a")
        await play.act("a", "classify", text="Bug")
    play.new("a", CLASSIFY, "train", 1)
    await play.act("a", "classify", text="Bug")
    assert sorted(s.run.seed for s in store.find()) == [1, 1, 2]
    assert store.count(Filter(finished=True, owner=OWNER)) == 3


@pytest.mark.parametrize("ended", [False, True])
async def test_a_restarted_server_goes_on_with_the_run(file: Path, ended: bool) -> None:
    play = console(Store(file)).play
    play.begin("a", MEDIUM, "train", 3)
    before = await play.act("a", "search_kb", text="rate limit")
    if ended:
        before = await play.write("a", "Hello there, the rate limit is 100.")

    store = Store(file)
    service = console(store, "b")
    assert await service.play.resume("b", "x" + before.run_id) is None
    after = await service.play.resume("b", before.run_id)
    assert after is not None
    assert (after.phase, after.run_id, after.obs) == (before.phase, before.run_id, before.obs)
    assert after.steps == before.steps
    if ended:
        assert [c.grade for c in after.cards if c.item_id == after.item_id] != [None]
        return
    await service.play.write("b", "Hello there, the rate limit is 100.")
    kept = only(store)
    assert kept.finished and kept.run.run_id == before.run_id and len(kept.run.actions) == 2


@pytest.mark.parametrize("restarted", [False, True])
async def test_nobody_goes_on_with_the_run_of_another(file: Path, restarted: bool) -> None:
    service = console(Store(file))
    service.play.begin("a", MEDIUM, "train", 3)
    view = await service.play.act("a", "search_kb", text="rate limit")
    service.play.close("a")
    if restarted:
        service = Service.over(store=Store(file))
    for owner in (OTHER, "", None, 5):
        service.people.meet("b", owner, "")
        assert await service.play.resume("b", view.run_id) is None
    service.people.meet("b", OWNER, "")
    assert await service.play.resume("b", view.run_id) is not None


async def test_two_pages_that_play_on_from_one_step_are_two_runs() -> None:
    store = Store(None)
    service = console(store)
    service.people.meet("b", OWNER, "")
    service.play.begin("a", MEDIUM, "train", 3)
    first = await service.play.act("a", "search_kb", text="refund")
    assert await service.play.resume("b", first.run_id) is not None
    one, two = await asyncio.gather(
        service.play.act("a", "search_kb", text="invoice"),
        service.play.act("b", "search_kb", text="export"),
    )
    assert one.run_id != two.run_id and first.run_id in (one.run_id, two.run_id)
    queries = {s.run.run_id: [a["payload"]["query"] for a in s.run.actions] for s in store.find()}
    assert queries == {one.run_id: ["refund", "invoice"], two.run_id: ["refund", "export"]}


async def test_pressing_twice_stores_once() -> None:
    store = Store(None)
    play = console(store).play
    play.begin("a", MEDIUM, "train", 3)
    await asyncio.gather(*(play.act("a", "search_kb", text=f"refund {n}") for n in range(4)))
    kept = only(store)
    assert len(kept.run.actions) == 1
    assert [s.text for s in play.now("a").steps] == [kept.run.actions[0]["payload"]["query"]]


async def test_a_store_that_fails_is_told_once_and_stops_nothing() -> None:
    store = Broken(None)
    play = console(store).play
    play.begin("a", MEDIUM, "train", 3)
    store.broken = True
    told = [await play.act("a", "search_kb", text=t) for t in ("refund", "invoice")]
    assert [len(v.steps) for v in told] == [1, 2]
    notice = told[0].notice
    assert notice is not None and notice.text == texts.NOT_STORED and not notice.error
    assert told[1].notice is None
    assert (await play.name("a", "Mira")).notice is not None  # nothing to store yet
    store.broken = False
    await play.write("a", "Hello")
    kept = only(store)  # what was missing came with the next step
    assert kept.finished and len(kept.run.actions) == 3 and kept.run.policy == "Mira"


async def test_a_run_gets_a_name_and_the_next_ones_too() -> None:
    store = Store(None)
    play = console(store).play
    play.begin("a", CLASSIFY, "train", 1)
    await play.act("a", "classify", text="Bug")
    view = await play.name("a", "  Mira \t Ø. ")
    assert view.name == "Mira Ø." and view.notice is not None and not view.notice.error
    assert only(store).run.policy == "Mira Ø." and only(store).finished
    for name in ("x" * (MAX_NAME + 1), "a\u202eb", "\x00", 5, None, "--"):
        refused = await play.name("a", name)
        assert refused.notice is not None and refused.notice.error and refused.name is None
        assert only(store).run.policy == "Mira Ø."
    play.again("a")
    await play.act("a", "classify", text="Billing")
    assert {s.run.policy for s in store.find(Filter(owner=OWNER))} == {"Mira Ø."}
    await play.name("a", "")
    assert store.counts("player") == {"Mira Ø.": 1, ANONYMOUS: 1}


async def test_a_name_that_can_not_be_stored_says_so() -> None:
    store = Broken(None)
    play = console(store).play
    play.begin("a", CLASSIFY, "train", 1)
    await play.act("a", "classify", text="Bug")
    store.broken = True
    view = await play.name("a", "Mira")
    assert view.notice is not None and view.notice.error
    assert only(store).run.policy == ANONYMOUS


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("", ""),
        ("  ", ""),
        ("Ann", "Ann"),
        ("Ann\u00a0\nB", "Ann B"),
        ("<b>x</b>", "<b>x</b>"),
        ("e\u0301", "\u00e9"),
        ("x" * MAX_NAME, "x" * MAX_NAME),
    ],
)
def test_names_come_in_one_form(name: str, clean: str) -> None:
    assert clean_name(name) == (clean, "")


@pytest.mark.parametrize(
    "name", ["a" + "\u0316" * 9, "\u200b", "\ue000x", "...", 7, ["x"], "x" * 25]
)
def test_odd_names_are_refused(name: Any) -> None:
    clean, problem = clean_name(name)
    assert clean == "" and problem


@pytest.mark.parametrize("owner", [None, 5, "", "short", "ö" * 30, "x" * 65, ["x"], "a b" * 12])
async def test_a_secret_that_is_none_owns_nothing(owner: Any) -> None:
    store = Store(None)
    service = Service.over(store=store)
    assert service.people.meet("a", owner, "Mira").owner is None
    service.play.begin("a", CLASSIFY, "train", 1)
    await service.play.act("a", "classify", text="Bug")
    assert store.count(Filter(player="Mira")) == 1
    if isinstance(owner, str) and owner:
        assert store.count(Filter(owner=owner)) == 0


async def test_own_data_keeps_its_version(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        "ticket_id,subject,query,difficulty,category,expected_response\n"
        "X1,Help,My invoice is wrong,easy,Billing,Your wrong invoice is corrected within 5 days: open Settings and ask for a new invoice.\n",
        encoding="utf-8",
    )
    ground = engine.arena(import_csv(file, catalogs.builtin())[0])
    store = Store(None)
    service = Service.over(store=store, arena=ground)
    service.people.meet("a", OWNER, "")
    service.play.begin("a", EASY, "test", 0)
    view: PlayView = await service.play.act("a", "classify", text="Billing")
    assert only(store).run.data_version.endswith("+own.csv")
    # Taken up again on the built-in data, it is none of theirs.
    other = Service.over(store=store)
    other.people.meet("b", OWNER, "")
    assert await other.play.resume("b", view.run_id) is None
    service.play.close("a")
    assert await service.play.resume("a", view.run_id) is not None


def test_the_action_that_is_stored_is_the_one_that_was_taken() -> None:
    store = Store(None)
    play = console(store).play
    view = play.begin("a", "priority_sorting", "train", 2)
    ticket = view.obs.tickets[0].ticket_id if view.obs else ""
    asyncio.run(play.act("a", "set_priority", ticket_id=ticket, priority="high"))
    (action,) = only(store).run.actions
    taken = SupportAction.model_validate(action)
    assert taken.payload == {"ticket_id": ticket, "priority": "high"}
