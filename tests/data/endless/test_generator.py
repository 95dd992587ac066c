"""Endless tickets: the same everywhere, whole, consistent with the company's rules, never twice."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from data.endless import sets, slots, twists
from data.endless.distractors import COUNTS, distractors
from data.endless.generator import TWISTS, generate, scenario_of
from data.endless.phrases import Phrase, capitals
from data.endless.scenarios import library, read
from data.errors import DataError
from data.schema import CATEGORIES, PRIORITIES
from env.knowledge import Knowledge
from env.tasks import BY_ID
from tests.data.endless.digest import digest

ROOT = Path(__file__).parent.parent.parent.parent
TICKETS = [t for t in BY_ID if t != "priority_sorting"]
LEFT_OPEN = re.compile(r"<[a-z_]+>|\([^()]*\|[^()]*\)")


def test_the_same_episode_in_every_process() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.data.endless.digest"],
        cwd=ROOT,
        env={"PYTHONHASHSEED": "12345", "TZ": "Asia/Kolkata", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.stdout.strip() == digest(), ended.stderr[-500:]


@pytest.mark.parametrize("task", BY_ID)
def test_no_gap_is_left_open_and_no_two_are_alike(task: str) -> None:
    seen = set()
    for seed in range(250):
        made = generate(task, seed)
        text = ""
        for ticket in made.tickets.values():
            assert ticket.subject.strip() and ticket.body.strip()
            text += f"{ticket.subject}\n{ticket.body}\n"
        seen.add("".join(c for c in text.casefold() if c.isalnum()))
        for label in made.labels.values():
            claims = [a for f in (*label.facts, *label.forbidden) for g in f.needs for a in g]
            text += "\n".join([label.reference_reply or "", label.escalation_reason, *claims])
        assert not LEFT_OPEN.search(text), LEFT_OPEN.search(text)
    assert len(seen) == 250


def test_there_are_scenarios_of_every_kind() -> None:
    scenarios = library().scenarios
    assert len(scenarios) >= 40 and len({s.id for s in scenarios}) == len(scenarios)
    assert {s.category for s in scenarios} == set(CATEGORIES)
    voices = {v.name for v in library().voices}
    assert voices == {"terse", "angry", "rambling", "foreign", "technical"}
    assert all(set(s.bodies) == voices for s in scenarios)
    articles = {o.kb for o in library().outcomes}
    assert len(articles) >= 30, "most articles answer something"


def test_whether_money_goes_to_finance_follows_from_the_amount() -> None:
    seen = set()
    for seed in range(700):
        name = scenario_of("hard_escalation_safety", seed)
        if name not in ("double_charge", "renewal_refund", "first_year_refund"):
            continue
        made = generate("hard_escalation_safety", seed)
        (ticket,), (label,) = made.tickets.values(), made.labels.values()
        sums = re.findall(r"\$([\d,]+)", f"{ticket.subject} {ticket.body}")
        if not sums:
            continue
        amount = max(int(s.replace(",", "")) for s in sums)
        if label.requires_escalation:
            assert amount > 500
        if "refund" in label.licensed_commitments:
            assert amount <= 500 and not label.requires_escalation
        seen.add((name, label.requires_escalation))
    assert len(seen) == 6


def test_prices_and_limits_are_those_of_the_plan() -> None:
    plans = read("company.yaml")["plans"]
    body = {i: a.body for i, a in library().catalog.articles.items()}
    for name, plan in plans.items():
        assert plan["file_limit"] in body["KB-308"] and plan["bin_days"] in body["KB-310"]
        assert f"| {name} | {plan['answer_hours']} hours |" in body["KB-406"]
        assert plan["api_limit"] in ("0", *re.findall(r"\d+", body["KB-402"]))
    for seed in range(600):
        if scenario_of("ticket_classification", seed) == "plan_price":
            (label,) = generate("ticket_classification", seed).labels.values()
            said = " ".join(f.say for f in label.facts)
            seats = int(re.search(r"For (\d+) members", said).group(1))  # type: ignore[union-attr]
            price = int(re.search(r"costs \$(\d+) per", said).group(1))  # type: ignore[union-attr]
            assert f"${seats * price:,} a month" in said


def test_every_fact_rests_on_its_article_and_is_like_what_it_says() -> None:
    labels, concepts = library().catalog.labels, library().catalog.concepts

    def words(group: list[object]) -> set[str]:
        said = [concepts.get(str(a)[1:], ()) if str(a)[0] == "@" else (str(a),) for a in group]
        return {w for phrases in said for p in phrases for w in p.split()}

    for name, raw in read("facts.yaml").items():
        for like in raw.get("like", ()):
            ticket, _, place = str(like).partition(".")
            theirs = labels[f"T-{ticket}"].facts[int(place)].needs
            for group, more in zip(raw["needs"], theirs, strict=True):
                assert words(group) & words(list(more)), (
                    f"{name}: {group[:3]} is not what {like} has in that place"
                )


@pytest.mark.parametrize("task", TICKETS)
def test_labels_point_to_articles_and_decide_alike(task: str) -> None:
    articles = library().catalog.articles
    decided, categories = [], []
    for seed in range(200):
        (label,) = generate(task, seed).labels.values()
        named = {label.kb_id, *label.related_kb, *label.draft_articles}
        assert named <= set(articles) and label.facts and label.reference_reply
        assert bool(label.draft_articles) == (task == "draft_response")
        if label.requires_escalation:
            assert "escalate" in label.licensed_commitments
        decided.append(label.requires_escalation)
        categories.append(label.category)
    if task == "hard_escalation_safety":
        assert 0.4 < sum(decided) / len(decided) < 0.6
    else:
        assert all(0.1 < categories.count(c) / len(categories) < 0.3 for c in CATEGORIES)


def test_sets_have_one_or_two_criticals_and_shuffled_answers() -> None:
    places = []
    for seed in range(200):
        made = generate("priority_sorting", seed)
        given = [made.priorities[i].priority for i in made.sets[f"E-{seed}"].ticket_ids]
        assert len(given) == 5 and given.count("critical") in (1, 2)
        assert set(given) <= set(PRIORITIES) and len(set(given)) >= 4
        places.append(given.index("critical"))
    assert set(places) == set(range(5))
    assert set(sets.texts().frames) >= set(PRIORITIES)


@pytest.mark.parametrize("twist", TWISTS)
def test_a_twist_changes_the_ticket_and_what_is_true_of_it(twist: str) -> None:
    for seed in range(20):
        made = generate("easy_classify_respond", seed, twist)  # type: ignore[arg-type]
        (ticket,), (label,) = made.tickets.values(), made.labels.values()
        assert not LEFT_OPEN.search(f"{ticket.body} {label.reference_reply}")
        say = " ".join(c.say for c in (*label.facts, *label.forbidden))
        if twist == "legal_threat":
            assert label.requires_escalation and label.kb_id == "KB-409"
        if twist == "injection":
            assert "Follows the instruction" in say
        if twist == "personal_data":
            digits = re.search(r"\d{4} \d{4} \d{4} \d{4}", ticket.body)
            assert digits is None or digits.group()[:4] not in (label.reference_reply or "")
        if twist == "contradiction":
            assert "whatever the ticket says" in say or "not on" in say
        if twist == "missing_detail":
            assert "missing details" in say and len(ticket.body) < 400


def test_second_problems_are_about_another_article() -> None:
    for seed in range(100):
        (label,) = generate("draft_response", seed).labels.values()
        assert len(set(label.draft_articles)) == len(label.draft_articles) >= 2
    assert len(twists.twists().sides) >= 30


def test_distractors_are_nested_and_never_hide_a_title() -> None:
    real = library().catalog.articles
    largest = distractors(COUNTS[-1])
    for count in COUNTS:
        assert list(distractors(count)) == list(largest)[:count]
    assert not set(largest) & set(real)
    assert len({a.title for a in largest.values()}) == len(largest)
    crowd = Knowledge(dict(sorted({**real, **largest}.items())))
    for article in real.values():
        assert article.id in [h.id for h in crowd.search(article.title)[:3]], article.title


def test_phrases_choose_and_fill() -> None:
    import random

    phrase = Phrase("(Hi|Hello (there|you)) <name> (no choice), // <what>")
    said = {phrase.say(random.Random(n), {"name": "A", "what": "b <name>"}) for n in range(60)}
    ends = " A (no choice),\n\nb A"
    assert said == {f"Hi{ends}", f"Hello there{ends}", f"Hello you{ends}"}
    assert phrase.names() == {"name", "what"}
    assert capitals('one. two? three\n\nfour at a.example now "x." five') == (
        'One. Two? Three\n\nFour at a.example now "x." Five'
    )
    with pytest.raises(ValueError, match="not closed"):
        Phrase("(Hi|there")
    with pytest.raises(KeyError):
        phrase.say(random.Random(0), {"name": "A"})


def test_an_unknown_draw_names_its_place() -> None:
    import random
    from datetime import date

    with pytest.raises(DataError, match=r"some scenario.*dice"):
        slots.draw({"x": {"dice": 6}}, random.Random(0), date(2026, 1, 1), {}, "some scenario")
