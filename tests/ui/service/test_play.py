from __future__ import annotations

import json
from typing import Any

import pytest

from env import episode as engine
from policies.base import play
from policies.scripted import OraclePolicy
from supportops_env.models import MAX_TEXT, SupportAction
from ui import texts
from ui.service.play import MAX_UI_SEED, Play
from ui.state import PlayView

EASY, MEDIUM, DRAFT, SORT = (
    "easy_classify_respond",
    "medium_kb_grounded_response",
    "draft_response",
    "priority_sorting",
)
JUNK: list[Any] = [None, 5, 1.5, True, [], {}, ["x"], "x" * 100, "", "nope", "<b>"]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(clock: Clock) -> Play:
    return Play(ttl=100, capacity=3, clock=clock)


def obs(view: PlayView) -> Any:
    assert view.obs is not None
    return view.obs


def refusal(view: PlayView) -> str:
    assert view.notice is not None and view.notice.error
    return view.notice.text


def test_same_arguments_same_episode(service: Play) -> None:
    one = obs(service.begin("a", EASY, "test", 7))
    two = obs(service.begin("b", EASY, "test", 7))
    assert one.ticket == two.ticket and one.split == "test" and one.seed == 7


def test_first_and_new_and_again(service: Play) -> None:
    assert service.new(None, EASY, "train", 0).phase == "empty"
    first = service.first("a")
    assert obs(first).seed == 0 and first.phase == "running"
    later = service.new("a", "ignored", "ignored", 99)
    assert obs(later).seed == 1 and obs(later).task_id == obs(first).task_id
    assert obs(service.again("a")).ticket == obs(later).ticket


def test_the_largest_seed_is_followed_by_the_first(service: Play) -> None:
    service.begin("a", EASY, "train", MAX_UI_SEED)
    assert obs(service.new("a", EASY, "train", 0)).seed == 0


def test_picking_a_card_plays_that_ticket_with_the_same_seed(service: Play) -> None:
    cards = service.begin("a", EASY, "train", 3).cards
    for card in cards:
        view = service.pick("a", card.item_id)
        assert view.item_id == card.item_id == obs(view).ticket_id and obs(view).seed == 3


def test_the_next_card_follows_and_the_first_follows_the_last(service: Play) -> None:
    cards = service.begin("a", SORT, "train", 0).cards
    view = service.pick("a", cards[-1].item_id)
    assert view.next_id == cards[0].item_id
    assert service.pick("a", cards[0].item_id).next_id == cards[1].item_id


def test_cards_hold_what_the_ticket_shows_and_no_label(service: Play) -> None:
    view = service.begin("a", EASY, "train", 0)
    arena = engine.builtin_arena()
    for card in view.cards:
        ticket = arena.catalog.tickets[card.item_id]
        assert (card.subject, card.sla_hours, card.channel) == (
            ticket.subject,
            ticket.sla_hours,
            ticket.channel,
        )
        assert card.grade is None
    for card in service.begin("a", SORT, "train", 0).cards:
        assert list(card.preview) == sorted(card.preview, key=str.casefold)


@pytest.mark.parametrize("seed", [None, -1, 1.5, "1", True, MAX_UI_SEED + 1, float("nan"), []])
def test_odd_seeds_are_refused(service: Play, seed: object) -> None:
    before = service.begin("a", EASY, "train", 3)
    after = service.begin("a", EASY, "train", seed)
    assert refusal(after) == texts.BAD_SEED and obs(after) == obs(before)


@pytest.mark.parametrize("junk", [j for j in JUNK if j not in (None, "")])
def test_odd_names_are_refused(service: Play, junk: Any) -> None:
    before = service.begin("a", EASY, "train", 3)
    for view in (
        service.begin("a", junk, "train", 0),
        service.begin("a", EASY, junk, 0),
        service.begin("a", EASY, "train", 0, ticket_id=junk),
        service.pick("a", junk),
    ):
        assert refusal(view) and obs(view) == obs(before)
    assert "valid:" in refusal(service.begin("a", "nope", "train", 0))


@pytest.mark.parametrize("junk", JUNK)
async def test_odd_actions_are_refused_and_cost_nothing(service: Play, junk: Any) -> None:
    before = service.begin("a", MEDIUM, "train", 3)
    assert refusal(await service.act("a", junk, text="x"))
    if not isinstance(junk, str):
        assert refusal(await service.act("a", "search_kb", text=junk))
    after = await service.act("a", "classify", text="Bug")
    assert refusal(after) and obs(after) == obs(before) and after.steps == ()


@pytest.mark.parametrize("junk", [None, 5, [], {}])
async def test_odd_priorities_are_refused(service: Play, junk: Any) -> None:
    service.begin("a", SORT, "train", 3)
    view = await service.act("a", "set_priority", ticket_id=junk, priority="high")
    assert refusal(view) == texts.BAD_REQUEST and view.steps == ()


async def test_a_text_that_is_too_long_or_empty_costs_no_step(service: Play) -> None:
    service.begin("a", EASY, "train", 0)
    assert f"{MAX_TEXT:,}" in refusal(await service.write("a", "x" * (MAX_TEXT + 1)))
    assert refusal(await service.write("a", " \n")) == texts.EMPTY_TEXT["respond"]
    assert (await service.write("a", "x" * MAX_TEXT)).phase == "done"


async def test_after_the_end_nothing_happens(service: Play) -> None:
    service.begin("a", EASY, "train", 0)
    done = await service.write("a", "Hello")
    again = await service.write("a", "Hello")
    assert refusal(again) == texts.OVER and obs(again) == obs(done)


async def test_a_reason_may_be_missing(service: Play) -> None:
    service.begin("a", MEDIUM, "train", 0)
    view = await service.act("a", "escalate", text="")
    assert view.notice is None and len(view.steps) == 1


async def test_write_drafts_where_the_task_takes_drafts(service: Play) -> None:
    service.begin("a", DRAFT, "train", 0)
    view = await service.write("a", "one")
    view = await service.write("a", "two")
    assert [s.action_type for s in view.steps] == ["draft_response"] * 2
    assert view.reply == "two" and view.phase == "running"


async def test_visitors_do_not_meet(service: Play) -> None:
    service.begin("a", MEDIUM, "train", 0)
    service.begin("b", MEDIUM, "train", 0)
    await service.act("a", "search_kb", text="rate limit")
    assert len(service.now("a").steps) == 1
    assert service.now("b").steps == ()


def test_what_idles_too_long_expires(service: Play, clock: Clock) -> None:
    service.begin("a", EASY, "train", 5)
    clock.now = 99
    service.begin("b", EASY, "train", 0)
    clock.now = 101
    assert service.now("a").phase == "expired" and service.now("b").phase == "running"
    assert service.again("a").phase == service.pick("a", "T-1001").phase == "expired"
    back = service.new("a", EASY, "train", 5, "what I had written")
    assert obs(back).seed == 5 and back.draft == "what I had written"


async def test_acting_after_expiry_says_so(service: Play, clock: Clock) -> None:
    service.begin("a", EASY, "train", 0)
    clock.now = 1000
    assert (await service.write("a", "Hello")).phase == "expired"


def test_the_longest_idle_goes_when_there_is_no_room(service: Play, clock: Clock) -> None:
    for second, name in enumerate("abcd"):
        clock.now = second
        service.begin(name, EASY, "train", 0)
    assert len(service.visitors) == 3
    assert service.now("a").phase == "expired" and service.now("d").phase == "running"


async def test_a_reload_goes_on_with_the_run(service: Play) -> None:
    run_id = service.begin("a", EASY, "test", 4).run_id
    service.close("a")
    assert service.now("a").phase == "expired"
    view = await service.resume("b", run_id)
    assert view is not None and obs(view).seed == 4 and view.run_id == run_id


async def test_a_run_that_is_still_open_is_copied(service: Play) -> None:
    run_id = service.begin("a", MEDIUM, "train", 4).run_id
    assert await service.resume("b", run_id) is not None
    await service.act("b", "search_kb", text="refund")
    assert service.now("a").steps == () and len(service.now("b").steps) == 1


@pytest.mark.parametrize("junk", JUNK)
async def test_unknown_runs_are_not_resumed(service: Play, junk: Any) -> None:
    service.begin("a", EASY, "train", 0)
    assert await service.resume("b", junk) is None


def test_links_open_episodes_and_bad_ones_the_first(service: Play) -> None:
    view = service.link("a", {"task": DRAFT, "split": "test", "seed": "12", "index": "1"})
    assert (obs(view).task_id, obs(view).split, obs(view).seed, obs(view).index) == (
        DRAFT,
        "test",
        12,
        1,
    )
    for bad in ({"task": "nope"}, {"task": EASY, "index": "999"}, {"split": "x" * 99}):
        fallen = service.link("b", bad)
        assert obs(fallen).seed == 0 and refusal(fallen)


def test_an_unsent_text_comes_back_with_its_ticket(service: Play) -> None:
    cards = service.begin("a", EASY, "train", 0).cards
    here, there = cards[0].item_id, cards[1].item_id
    service.pick("a", here)
    assert service.pick("a", there, "half a reply").draft == ""
    assert service.pick("a", here).draft == "half a reply"
    assert service.pick("a", here).draft == ""


async def test_grades_stay_on_the_cards(service: Play) -> None:
    view = service.begin("a", "ticket_classification", "train", 0)
    item = view.item_id
    await service.act("a", "classify", text="Bug")
    view = service.new("a", EASY, "train", 0)
    grades = {c.item_id: c.grade for c in view.cards}
    assert grades[item] is not None and list(grades.values()).count(None) == len(grades) - 1


async def test_the_export_replays_to_the_same_grade(service: Play) -> None:
    service.begin("a", MEDIUM, "train", 2)
    await service.act("a", "search_kb", text="rate limit")
    view = await service.write("a", "Hello, <b>${x}</b>")
    sent = json.loads(view.export)
    actions = [SupportAction.model_validate(a) for a in sent["actions"]]
    again = engine.replay(actions, sent["task_id"], sent["split"], sent["seed"], sent["index"])
    assert again.grade == sent["grade_report"]["grade"]
    assert sum(sent["rewards"]) == pytest.approx(again.grade)


@pytest.mark.parametrize("task", [t.id for t in Play().tasks])
async def test_a_whole_episode_agrees_with_the_engine(service: Play, task: str) -> None:
    episode = engine.start(task, "train", 1)
    played = play(OraclePolicy(episode), episode)
    view = service.begin("a", task, "train", 1)
    for step in played.steps:
        kind, payload = step.action.action_type, step.action.payload
        sent = dict(payload) if kind == "set_priority" else {"text": step.action.text}
        view = await service.act("a", kind, **sent)
    assert view.phase == "done" and obs(view).grade == played.report
    assert [s.reward for s in view.steps] == [s.reward for s in played.steps]
    assert view.steps[-1].total == pytest.approx(played.grade)


async def test_endless_tickets_have_no_queue_and_the_next_seed_is_next(service: Play) -> None:
    for task in (t.id for t in service.tasks):
        view = service.begin("a", task, "endless", 7)
        assert obs(view).split == "endless" and len(view.cards) == 1 and view.next_id is None
        assert view.cards[0].item_id == view.item_id
    assert obs(service.begin("a", EASY, "endless", 7)) != obs(service.new("a", EASY, "endless", 7))
    assert obs(service.now("a")).seed == 8
    view = await service.write("a", "Hello, we look into it. Kind regards")
    assert view.phase == "done" and view.cards[0].grade is not None
