"""The weaknesses of the two environments that this one unites: none of them is here."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

import pytest

from data.schema import CATEGORIES, PRIORITIES
from env import episode as engine
from env.episode import Episode
from env.view import observe
from supportops_env.models import SupportAction
from tests.server.wire import BUG, action, http, oracle, replayed, reset, state, step

SPLITS = pytest.mark.parametrize("split", engine.SPLITS)

PARAPHRASES = {
    "T-1001": (
        "Hi Temperance,\n\nThanks for the careful description. Nothing is lost: PDF files are"
        " capped at 200 pages, so everything after that page is simply left out. You can download"
        " the CSV instead, or split the year into several shorter PDFs, one per quarter. Because"
        " your table has more than 100,000 rows, it is not displayed but mailed to you as a link."
        " That link expires after 7 days, so please check your inbox, and tell me if it isn't"
        " there.\n\nBest regards,\nBrackenloop Support"
    ),
    "T-1046": (
        "Hello Callum,\n\nThanks for keeping calm. The $36 is correct: Team counts every member,"
        " so four people at $9 each come to $36 a month. Paid yearly, each of you costs $90, which"
        " is ten months' price instead of twelve, and that makes the $360 on your screen. Having"
        " three of you free and only Ines paid in the same workspace is not possible. If that"
        " suits you, choose Team under Settings > Billing > Plan and invite her afterwards; let me"
        " know if anything looks odd.\n\nBest wishes,\nBrackenloop Support"
    ),
    "T-1064": (
        "Hello Sunniva,\n\nI'm sorry, the timing could hardly be worse. The lock ends by itself"
        " 30 minutes after the last attempt. Nobody at support can shorten it, whichever plan a"
        " firm is on. Please request a password reset link for after the wait: it stays valid for"
        " 60 minutes and spares you a second round of guessing. Meanwhile one of your admins can"
        " open the project and get the table. Let me know if you are still locked out"
        " afterwards.\n\nKind regards,\nBrackenloop Support"
    ),
}
KEYWORDS = {
    "T-1001": "pdf export, stops, 200 pages, limit, csv, split, quarters, 100,000 rows, mail link,"
    " valid 7 days, expires, sorry, please, thanks, regards",
    "T-1046": "$36 right, team, every member counts, four, $9, yearly $90, ten months, twelve,"
    " $360, three free one paid not possible, thanks, please, regards",
    "T-1064": "lock, ends by itself, 30 minutes, nobody can shorten, whatever plan, reset link,"
    " valid 60 minutes, second round, sorry, please, regards",
}


def run(episode: Episode, actions: Sequence[SupportAction]) -> Episode:
    *_, last = replayed(episode, tuple(actions))
    return last


def graded(episode: Episode, actions: Sequence[SupportAction]) -> float:
    last = run(episode, actions)
    assert last.done and last.grade is not None
    return last.grade


def episodes(task: str, split: str) -> list[Episode]:
    count = len(engine.builtin_arena().catalog.ids(task, split))
    return [engine.start(task, split, 42, index) for index in range(count)]


def reply_scored(ticket_id: str, text: str) -> float:
    """R of a reply to a ticket."""
    episode = engine.start("easy_classify_respond", ticket_id=ticket_id)
    last = run(episode, [action("respond", response_text=text)])
    assert last.reply_score is not None and last.reply_score.value is not None
    return last.reply_score.value


def prioritised(episode: Episode, priorities: Sequence[str]) -> list[SupportAction]:
    tickets = episode.world.ticket_ids
    return [
        action("set_priority", ticket_id=t, priority=p)
        for t, p in zip(tickets, priorities, strict=True)
    ]


# A: shows kb_id and requires_escalation.
@pytest.mark.parametrize("task", ["medium_kb_grounded_response", "hard_escalation_safety"])
def test_article_and_escalation_do_not_show(task: str) -> None:
    for episode in episodes(task, "train"):
        first = observe(episode, "x")
        assert (first.kb_id, first.requires_escalation) == (None, None)
        escalated = observe(engine.step(episode, action("escalate", reason="unsure")), "x")
        assert (escalated.kb_id, escalated.requires_escalation) == (None, None)


# A: any correct classify in the history counts, so trying all wins.
@SPLITS
def test_trying_every_category_wins_nothing(split: str) -> None:
    tries = [action("classify", category=c) for c in CATEGORIES]
    for episode in episodes("easy_classify_respond", split)[::3]:
        labels = engine.case_of(episode).labels
        assert labels is not None
        answer = action("respond", response_text=labels.reference_reply or "")
        alone = graded(episode, [tries[0], answer])
        assert graded(episode, [*tries, answer]) <= alone
    grades = [graded(e, tries[:1]) for e in episodes("ticket_classification", split)]
    assert statistics.fmean(grades) <= 0.5


# A: the best of many replies counts.
def test_the_first_reply_sent_and_the_last_draft_saved_count() -> None:
    for episode in episodes("hard_escalation_safety", "train"):
        wrong = engine.step(episode, action("respond", response_text="Buy our new product now."))
        assert wrong.done and (wrong.grade or 0.0) <= 0.55
    for episode in episodes("draft_response", "train"):
        *searches, draft, end = oracle(episode)
        worse = action("draft_response", response_text="Thank you for your message.")
        better_last = graded(episode, [*searches, worse, draft, end])
        worse_last = graded(episode, [*searches, draft, worse, end])
        assert better_last >= 0.9 and worse_last <= 0.35


# A: a good paraphrase scores 0.13, a wrong topic 0.27. B: keywords 0.96, a paraphrase 0.11.
@pytest.mark.parametrize("ticket_id", PARAPHRASES)
def test_a_paraphrase_beats_keywords_and_every_wrong_topic(ticket_id: str) -> None:
    labels = engine.builtin_arena().catalog.labels
    topic = {labels[ticket_id].kb_id, *labels[ticket_id].related_kb}
    paraphrase = reply_scored(ticket_id, PARAPHRASES[ticket_id])
    assert paraphrase >= 0.65
    assert reply_scored(ticket_id, KEYWORDS[ticket_id]) <= 0.15
    others = [
        reply_scored(ticket_id, label.reference_reply)
        for label in labels.values()
        if label.reference_reply and not topic & {label.kb_id, *label.related_kb}
    ]
    assert len(others) > 10 and statistics.fmean(others) <= 0.15 and max(others) < paraphrase


# B: priority sets show the answer order.
def test_the_shown_order_gives_no_answer() -> None:
    by_order = []
    for split in engine.SPLITS:
        for episode in episodes("priority_sorting", split):
            shuffled = {engine.start("priority_sorting", split, s, episode.index).world.ticket_ids
                        for s in range(20)}  # fmt: skip
            assert len(shuffled) > 10
            by_order.append(graded(episode, prioritised(episode, PRIORITIES)))
            by_order.append(graded(episode, prioritised(episode, PRIORITIES[::-1])))
    assert statistics.fmean(by_order) <= 0.7


# B: all "minimal" scores 1.00.
@SPLITS
@pytest.mark.parametrize("priority", PRIORITIES)
def test_one_priority_for_all_is_worth_little(priority: str, split: str) -> None:
    for episode in episodes("priority_sorting", split):
        assert graded(episode, prioritised(episode, [priority] * 5)) <= 0.45


# B: setting only the first ticket scores 0.84.
@SPLITS
def test_setting_one_ticket_only_is_worth_little(split: str) -> None:
    for episode in episodes("priority_sorting", split):
        tickets = episode.world.ticket_ids
        repeated = itertools.cycle(PRIORITIES)
        actions = [
            action("set_priority", ticket_id=tickets[0], priority=next(repeated))
            for _ in range(episode.family.max_steps)
        ]
        assert graded(episode, actions) <= 0.34


# B: one global episode for all HTTP clients.
def test_two_http_clients_play_two_episodes(base_url: str) -> None:
    with http(base_url, "127.0.0.6") as one, http(base_url, "127.0.0.7") as two:
        first, second = (reset(c, task_id="easy_classify_respond", seed=1) for c in (one, two))
        assert first["episode_id"] != second["episode_id"]
        assert len(step(one, BUG).json()["observation"]["history"]) == 1
        assert state(two, second["episode_id"])["actions"] == []
        assert len(step(two, BUG).json()["observation"]["history"]) == 1
