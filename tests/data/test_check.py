"""The check passes on the data that ships, and each of its lines fails where it should."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from data import check_report, check_surface
from data.catalog import BUILTIN, builtin
from data.check import check, main
from data.check_report import Result
from graders import check_labels

from .conftest import DataCopy, Row

# Scoring every reference is what takes time; breaks that touch no reply do without.
ABOUT_REPLIES = {"facts said", "facts borne out", "forbidden claims", "reference replies"}
CHEAP = tuple(c for c in check_labels.CHECKS if c is not check_labels.reference_replies)


@lru_cache(maxsize=1)
def shipped() -> dict[str, Result]:
    return {r.name: r for r in check(BUILTIN, check_labels.CHECKS)[1]}


def test_the_data_that_ships() -> None:
    failed = {r.name: r.faults for r in shipped().values() if not r.passed}
    assert not failed


# Each breaks a copy of the built-in data in one way.


def no_customers_file(copy: DataCopy) -> None:
    (copy.folder / "customers.jsonl").unlink()


def unknown_customer(copy: DataCopy) -> None:
    copy.change(
        "tickets",
        lambda t: t.update(customer_id="C-000") if t["ticket_id"] == "P-2001" else None,
    )


def unknown_article_in_label(copy: DataCopy) -> None:
    label = copy.first("labels")
    related = [*label["related_kb"], "KB-999"]
    copy.update("labels", "ticket_id", label["ticket_id"], related_kb=related)


def unknown_article_in_body(copy: DataCopy) -> None:
    path = copy.folder / "kb" / "KB-101.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nSee KB-998 too.\n", encoding="utf-8")


def unknown_ticket_in_set(copy: DataCopy) -> None:
    copy.replace("priority_sets.jsonl", '"P-2006"', '"P-9999"')


def unknown_concept(copy: DataCopy) -> None:
    label = copy.first("labels")
    claim = {"say": "Says something.", "needs": [["@no_such_list"]]}
    forbidden = [*label["forbidden"], claim]
    copy.update("labels", "ticket_id", label["ticket_id"], forbidden=forbidden)


def unknown_near_category(copy: DataCopy) -> None:
    label = copy.first("labels")
    copy.update("labels", "ticket_id", label["ticket_id"], near_categories=["Sales"])


def missing_priority(copy: DataCopy) -> None:
    rows = copy.rows("priority_labels")
    gone = next(row for row in rows if row["priority"] == "low")
    copy.write("priority_labels", [row for row in rows if row is not gone])


def unknown_priority(copy: DataCopy) -> None:
    copy.update("priority_labels", "ticket_id", "P-2001", priority="urgent")


def local_time(copy: DataCopy) -> None:
    copy.update("tickets", "ticket_id", "P-2001", created_at="2026-02-11T13:37:00")


def unknown_tier(copy: DataCopy) -> None:
    owner = copy.first("tickets", lambda t: t["ticket_id"] == "P-2001")["customer_id"]
    copy.update("customers", "customer_id", owner, tier="Platinum")


def few_bugs(copy: DataCopy) -> None:
    test = {t["ticket_id"] for t in copy.rows("tickets") if t["split"] == "test"}
    bugs = [
        x["ticket_id"]
        for x in copy.rows("labels")
        if x["category"] == "Bug" and not x["draft_articles"]
    ]
    moved = [i for i in bugs if i in test][:1] + [i for i in bugs if i not in test][:2]
    copy.change(
        "labels",
        lambda x: (
            x.update(category="General", near_categories=[]) if x["ticket_id"] in moved else None
        ),
    )


def few_sets(copy: DataCopy) -> None:
    sets = copy.rows("priority_sets")
    gone = [s for s in sets if s["split"] == "train"][:2]
    members = {i for s in gone for i in s["ticket_ids"]}
    copy.write("priority_sets", [s for s in sets if s not in gone])
    for name in ("tickets", "priority_labels"):
        copy.write(name, [row for row in copy.rows(name) if row["ticket_id"] not in members])


def three_criticals(copy: DataCopy) -> None:
    for ticket_id in copy.rows("priority_sets")[0]["ticket_ids"][:3]:
        copy.update("priority_labels", "ticket_id", ticket_id, priority="critical")


def few_drafts(copy: DataCopy) -> None:
    train = {t["ticket_id"] for t in copy.rows("tickets") if t["split"] == "train"}
    drafts = {
        x["category"]: x["ticket_id"]
        for x in copy.rows("labels")
        if x["draft_articles"] and x["ticket_id"] in train
    }
    gone = list(drafts.values())[:4]
    copy.change("labels", lambda x: x.update(draft_articles=[]) if x["ticket_id"] in gone else None)


def uppercase_share(text: str) -> float:
    return sum(c.isupper() for c in text) / sum(c.isalpha() for c in text)


def few_escalation_tickets(copy: DataCopy) -> None:
    # The likeliest are taken out, so that no feature of the rest tells more than it did.
    body = {t["ticket_id"]: t["body"] for t in copy.rows("tickets")}
    labels = [x for x in copy.rows("labels") if x["in_escalation_set"]]
    labels.sort(
        key=lambda x: (-1) ** (not x["requires_escalation"]) * uppercase_share(body[x["ticket_id"]])
    )
    gone = [x["ticket_id"] for x in labels if x["requires_escalation"]][:3]
    gone += [x["ticket_id"] for x in labels if not x["requires_escalation"]][:2]
    copy.change(
        "labels", lambda x: x.update(in_escalation_set=False) if x["ticket_id"] in gone else None
    )


def mostly_escalated(copy: DataCopy) -> None:
    label = copy.first("labels", lambda x: x["in_escalation_set"] and not x["requires_escalation"])
    copy.update("labels", "ticket_id", label["ticket_id"], requires_escalation=True)


def few_articles(copy: DataCopy) -> None:
    """Each hundred of articles becomes one, under its first id, which everything then refers to."""
    articles: dict[str, str] = {}
    for path in sorted((copy.folder / "kb").glob("*.md")):
        text = re.sub(r"KB-(\d)\d\d", r"KB-\g<1>01", path.read_text(encoding="utf-8"))
        first = f"{path.stem[:-2]}01"
        articles[first] = articles.get(first, "") + (text.split("---\n", 2)[2] if first in articles else text)  # fmt: skip
        path.unlink()
    for name, text in articles.items():
        (copy.folder / "kb" / f"{name}.md").write_text(text, encoding="utf-8")
    labels = copy.folder / "labels.jsonl"
    text = re.sub(r"KB-(\d)\d\d", r"KB-\g<1>01", labels.read_text(encoding="utf-8"))
    labels.write_text(text, encoding="utf-8")


def little_test(copy: DataCopy) -> None:
    group = copy.first("priority_sets", lambda s: s["split"] == "test")
    copy.update("priority_sets", "set_id", group["set_id"], split="train")
    for ticket_id in group["ticket_ids"]:
        copy.update("tickets", "ticket_id", ticket_id, split="train")


def lopsided_test(copy: DataCopy) -> None:
    split = {t["ticket_id"]: t["split"] for t in copy.rows("tickets")}
    plain = [
        x for x in copy.rows("labels") if not x["in_escalation_set"] and not x["draft_articles"]
    ]
    bugs = [x["ticket_id"] for x in plain if x["category"] == "Bug"]
    asks = [x["ticket_id"] for x in plain if x["category"] == "Feature Request"]
    for ticket_id in [i for i in bugs if split[i] == "test"][:2]:
        copy.update("tickets", "ticket_id", ticket_id, split="train")
    for ticket_id in [i for i in asks if split[i] == "train"][:2]:
        copy.update("tickets", "ticket_id", ticket_id, split="test")


def straddling_set(copy: DataCopy) -> None:
    group = copy.first("priority_sets", lambda s: s["split"] == "test")
    copy.update("tickets", "ticket_id", group["ticket_ids"][0], split="train")


def shared_set_ticket(copy: DataCopy) -> None:
    one, other = [s for s in copy.rows("priority_sets") if s["split"] == "train"][:2]
    level = {p["ticket_id"]: p["priority"] for p in copy.rows("priority_labels")}
    gone, put = next(
        (i, j)
        for i in one["ticket_ids"]
        for j in other["ticket_ids"]
        if level[i] != "critical" and level[j] == level[i]
    )
    members = [put if i == gone else i for i in one["ticket_ids"]]
    copy.update("priority_sets", "set_id", one["set_id"], ticket_ids=members)
    for name in ("tickets", "priority_labels"):
        copy.write(name, [row for row in copy.rows(name) if row["ticket_id"] != gone])


def labelled_set_ticket(copy: DataCopy) -> None:
    """A set holds one of the ordinary tickets."""
    labels = {x["ticket_id"] for x in copy.rows("labels")}
    group = copy.first("priority_sets", lambda s: s["split"] == "train")
    put = copy.first("tickets", lambda t: t["ticket_id"] in labels and t["split"] == "train")
    level = {p["ticket_id"]: p["priority"] for p in copy.rows("priority_labels")}
    gone = next(i for i in group["ticket_ids"] if level[i] != "critical")
    members = [put["ticket_id"] if i == gone else i for i in group["ticket_ids"]]
    copy.update("priority_sets", "set_id", group["set_id"], ticket_ids=members)
    copy.update("priority_labels", "ticket_id", gone, ticket_id=put["ticket_id"])
    copy.write("tickets", [t for t in copy.rows("tickets") if t["ticket_id"] != gone])


def near_duplicate(copy: DataCopy) -> None:
    body = copy.first("tickets", lambda t: t["ticket_id"] == "P-2001")["body"]
    moved = " ".join(reversed(body.split(". "))).upper()
    copy.update("tickets", "ticket_id", "P-2002", body=moved)


def same_subject(copy: DataCopy) -> None:
    copy.update("tickets", "ticket_id", "P-2002", subject="Whose HOURS  are these")


def mood_decides_escalation(copy: DataCopy) -> None:
    wanted = {x["ticket_id"]: x["requires_escalation"] for x in copy.rows("labels")}
    copy.change(
        "tickets",
        lambda t: t.update(sentiment_score=-0.4 if wanted.get(t["ticket_id"]) else -0.3),
    )


def channel_decides_category(copy: DataCopy) -> None:
    category = {x["ticket_id"]: x["category"] for x in copy.rows("labels")}
    copy.change("tickets", lambda t: t.update(channel=category.get(t["ticket_id"], "web")))


def mostly_low(copy: DataCopy) -> None:
    def flatten(row: Row) -> None:
        if row["priority"] in ("medium", "minimal"):
            row["priority"] = "low"

    copy.change("priority_labels", flatten)


def unknown_commitment(copy: DataCopy) -> None:
    label = copy.first("labels")
    copy.update("labels", "ticket_id", label["ticket_id"], licensed_commitments=["the moon"])


def add_fact(copy: DataCopy, words: str, reply_ends: str = "") -> None:
    """A fact of next to no weight, so that R stays what it was."""
    label = copy.first("labels")
    fact = {"say": "Of no weight.", "needs": [[words]], "polarity": "any", "weight": 0.001}
    copy.update(
        "labels",
        "ticket_id",
        label["ticket_id"],
        facts=[*label["facts"], fact],
        reference_reply=label["reference_reply"] + reply_ends,
    )


def fact_not_in_reference(copy: DataCopy) -> None:
    ticket = copy.first("labels")["ticket_id"]
    body = copy.first("tickets", lambda t: t["ticket_id"] == ticket)["body"] + " The zebra waits."
    copy.update("tickets", "ticket_id", ticket, body=body)
    add_fact(copy, "zebra")


def fact_from_nowhere(copy: DataCopy) -> None:
    add_fact(copy, "giraffe", "\n\nOur giraffe is here for you on every day.")


def value_from_nowhere(copy: DataCopy) -> None:
    add_fact(copy, "giraffe 77", "\n\nOur giraffe 77 is here for you on every day.")


def reference_forbids_itself(copy: DataCopy) -> None:
    label = copy.first("labels")
    claim = {"say": "Says what is so.", "needs": label["facts"][0]["needs"], "polarity": "any"}
    copy.update("labels", "ticket_id", label["ticket_id"], forbidden=[claim])


def curt_reference(copy: DataCopy) -> None:
    label = copy.first("labels")
    greeting, rest = label["reference_reply"].split("\n", 1)
    assert len(greeting) < 40
    copy.update("labels", "ticket_id", label["ticket_id"], reference_reply=rest.strip())


def telling_subject(copy: DataCopy) -> None:
    label = copy.first("labels", lambda x: x["category"] == "Billing")
    ticket = copy.first("tickets", lambda t: t["ticket_id"] == label["ticket_id"])
    subject = ticket["subject"] + ", a payment"
    copy.update("tickets", "ticket_id", label["ticket_id"], subject=subject)


def telling_priority(copy: DataCopy) -> None:
    label = copy.first("priority_labels", lambda p: p["priority"] == "critical")
    copy.update("tickets", "ticket_id", label["ticket_id"], subject="this one is CRITICAL indeed")


def hours_decide_priority(copy: DataCopy) -> None:
    hours = dict(
        zip(("critical", "high", "medium", "low", "minimal"), (1, 4, 8, 24, 48), strict=True)
    )
    level = {p["ticket_id"]: p["priority"] for p in copy.rows("priority_labels")}

    def lay_open(row: Row) -> None:
        if row["ticket_id"] in level:
            row["sla_hours"] = hours[level[row["ticket_id"]]]

    copy.change("tickets", lay_open)


BREAKS: list[tuple[Callable[[DataCopy], None], str, str]] = [
    (no_customers_file, "files", "customers.jsonl: no such file"),
    (unknown_priority, "files", "priority: Input should be"),
    (unknown_customer, "references", "ticket P-2001: no C-000"),
    (unknown_article_in_label, "references", "no KB-999"),
    (unknown_article_in_body, "references", "article KB-101: no KB-998"),
    (unknown_ticket_in_set, "references", "set SET-1: no P-9999"),
    (unknown_concept, "references", "no @no_such_list"),
    (unknown_near_category, "references", "no Sales"),
    (missing_priority, "references", "priority_labels: no P-"),
    (local_time, "fields", "P-2001: created_at '2026-02-11T13:37:00' is no UTC time"),
    (unknown_tier, "fields", "tier 'Platinum' is none of"),
    (few_bugs, "tickets", "Bug: 11"),
    (few_sets, "priority sets", "7 sets"),
    (three_criticals, "criticals", "criticals"),
    (few_drafts, "drafts", ""),
    (few_escalation_tickets, "escalation tickets", ""),
    (mostly_escalated, "not to be escalated", ""),
    (few_articles, "articles", ""),
    (little_test, "test share", "priority_sorting: 2 of 9"),
    (lopsided_test, "test strata", "ticket_classification, Feature Request: 7 of 14 in test"),
    (straddling_set, "sets on one side", "is test, its ticket"),
    (shared_set_ticket, "set tickets apart", "is in 2 sets"),
    (labelled_set_ticket, "set tickets apart", "has labels of its own"),
    (near_duplicate, "near duplicates", "P-2001 and P-2002"),
    (same_subject, "subjects", "P-2001 and P-2002: whose hours are these"),
    (mood_decides_escalation, "escalation by one feature", "sentiment: 1.000"),
    (channel_decides_category, "category by one feature", "channel: 1.000"),
    (mostly_low, "balance priority_sorting", "train: low"),
    (unknown_commitment, "licensed commitments", "no commitment is called 'the moon'"),
    (fact_not_in_reference, "facts said", "Of no weight. (not said)"),
    (fact_from_nowhere, "facts borne out", "Of no weight. Nowhere: giraffe"),
    (value_from_nowhere, "facts borne out", "Of no weight. Nowhere: giraffe 77"),
    (reference_forbids_itself, "forbidden claims", "Says what is so."),
    (curt_reference, "reference replies", "tone 0."),
    (telling_subject, "answers in subjects", "'payment' gives away Billing"),
    (telling_priority, "answers in subjects", "'critical' is its priority"),
    (hours_decide_priority, "priority by one feature", "sla_hours up: "),
]
# What a break cannot help breaking too.
FOLLOWS: dict[Callable[[DataCopy], None], set[str]] = {
    reference_forbids_itself: {"reference replies"},
    # A number that nothing holds lowers R, as it should.
    value_from_nowhere: {"reference replies"},
}


@pytest.mark.parametrize(
    ("break_it", "name", "fault"), BREAKS, ids=[b.__name__ for b, _, _ in BREAKS]
)
def test_a_break_fails_its_own_line(
    copy: DataCopy, break_it: Callable[[DataCopy], None], name: str, fault: str
) -> None:
    break_it(copy)
    extra = check_labels.CHECKS if name in ABOUT_REPLIES else CHEAP
    results = {r.name: r for r in check(copy.folder, extra)[1]}
    failed = {r.name for r in results.values() if not r.passed}
    assert failed == {name} | FOLLOWS.get(break_it, set())
    assert fault in "\n".join(results[name].faults)


def test_every_line_has_a_break() -> None:
    balances = {name for name in shipped() if name.startswith("balance ")}
    assert {name for _, name, _ in BREAKS} | balances == set(shipped())


def test_unreadable_files_are_one_line(copy: DataCopy, capsys: pytest.CaptureFixture[str]) -> None:
    copy.replace("kb/KB-101.md", "title:", "title: [")
    assert main([str(copy.folder)]) == 1
    out, err = capsys.readouterr()
    assert [line[:5] for line in out.splitlines()] == ["mine", "FAIL ", "     ", "1 che"]
    assert "KB-101.md: front matter" in out and "Traceback" not in out + err


def test_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none")]) == 1
    assert "meta.json: no such file" in capsys.readouterr().out


def test_the_json(copy: DataCopy, capsys: pytest.CaptureFixture[str]) -> None:
    same_subject(copy)
    assert main([str(copy.folder), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["passed"] is False
    (line,) = [c for c in report["checks"] if c["name"] == "subjects"]
    assert line["passed"] is False and line["measured"] == "114 different"
    assert line["faults"] == ["P-2001 and P-2002: whose hours are these"]


def test_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "data.check"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=BUILTIN.parent.parent,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"{builtin().name} {builtin().version}"
    verdicts = [line.split("  ")[:2] for line in lines if line.startswith(("PASS", "FAIL"))]
    assert verdicts == [["PASS", name] for name in shipped()]
    assert lines[-1] == f"{len(shipped())} checks, none failed"
    assert str(BUILTIN) not in done.stdout


def test_a_check_that_crashes_is_a_failed_line() -> None:
    def odd_check(_: object) -> list[Result]:
        raise ValueError("no\nluck")

    (result,) = check_report.run(builtin(), [odd_check])
    assert not result.passed and result.name == "odd check"
    assert result.faults == ("ValueError: no luck",)


def test_a_long_list_of_faults_is_cut_in_the_table_only() -> None:
    result = check_report.without([f"fault {n}" for n in range(40)], "x", "40", "none")
    assert "and 28 more" in check_report.table("t", [result])
    assert len(json.loads(check_report.as_json("t", [result]))["checks"][0]["faults"]) == 40


@pytest.mark.parametrize(
    ("values", "truth", "best"),
    [
        ([1, 2, 3, 4], [False, False, True, True], 1.0),
        ([1, 2, 3, 4], [True, True, False, False], 1.0),
        ([1, 2, 3, 4], [True, False, True, False], 0.75),
        ([5, 5, 5, 5], [True, True, True, False], 0.75),
        ([], [], 0.0),
    ],
)
def test_best_threshold(values: list[float], truth: list[bool], best: float) -> None:
    assert check_surface.best_threshold(values, truth) == best


def test_majority() -> None:
    kinds = ["a", "a", "a", "b"]
    assert check_surface.majority(kinds, ["Bug", "Bug", "General", "General"]) == 0.75
    assert check_surface.majority([], []) == 0.0
