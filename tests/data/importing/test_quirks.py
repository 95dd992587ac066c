"""What real helpdesks and public data sets do, each in a small invented file."""

import pytest

from data.errors import DataError
from data.importing import CLASSIFICATION, CSV_TASKS, Options, import_tickets
from tests.data.importing.conftest import FIXTURES, Imported

EASY, MEDIUM, HARD = CSV_TASKS


def fixture(name: str, **options: dict[str, str]) -> Imported:
    return import_tickets(FIXTURES / name, Options(**options))  # type: ignore[arg-type]


def test_templates_with_random_resolutions() -> None:
    """Title Case headers, gaps whole, doubled, cut and unopened; answers of random words."""
    catalog, report = fixture("templates.csv", categories={"Technical fault": "Bug"})
    bodies = {i: t.body for i, t in catalog.tickets.items()}
    assert (
        bodies["1"]
        == "The Lantern Pro does not switch on any more. The Lantern Pro was fine last week."
    )
    assert bodies["2"].startswith("I can't close the Tent Two properly.")
    assert bodies["3"] == "Please tell me how long the Stove Mini I ordered will last."
    assert bodies["4"] == "My friend has the same Boot Dry and hers is green."
    assert bodies["5"].startswith("The field product_bought is empty")
    assert bodies["6"] == "It smells { odd } when I unpack it, is that normal?"
    assert catalog.tickets["1"].raw_body and "{product_bought}" in catalog.tickets["1"].raw_body
    assert catalog.tickets["6"].raw_body is None
    assert (report.rows, report.repeated, report.references, report.gold) == (11, 1, 10, 0)
    assert report.unrelated == 10 and all(not x.facts for x in catalog.labels.values())
    assert report.tasks == {EASY: 0, MEDIUM: 0, HARD: 0, CLASSIFICATION: 3}
    assert "10 answers" in report.left_out[EASY]


def test_canned_answers_with_gaps() -> None:
    """An unnamed index, no subject, no id, gaps that no column fills."""
    catalog, report = fixture("canned.csv")
    first, second = catalog.tickets.values()
    assert first.body == first.subject == "question about returning parcel number"
    assert report.mapping["category"] == "category" and report.also["category"] == ("intent",)
    assert "ticket_id" not in report.mapping and first.ticket_id.startswith("t-")
    assert (report.templated, report.gold) == (2, 1)
    label = catalog.labels[second.ticket_id]
    assert label.reference_reply == (
        "2. Press Return and print the label for the parcel.\n"
        "3. Bring the parcel to a post office within 14 days."
    )
    assert not any("{" in f.say for f in label.facts)


def test_outcomes() -> None:
    """`issue`, a status that is the decision, the word None, a subject in two lines."""
    catalog, report = fixture("outcomes.csv")
    tickets, labels = list(catalog.tickets.values()), list(catalog.labels.values())
    assert [x.requires_escalation for x in labels] == [False, True, False, False]
    assert [bool(x.facts) for x in labels] == [True, False, False, False]
    assert tickets[0].subject == "Badge printer turned"
    assert (
        tickets[1].body == tickets[1].subject == "alarm & sirens at every door, nobody can get in"
    )
    assert [catalog.customers[t.customer_id].company for t in tickets] == ["Northlight", "", "", ""]
    assert report.mapping["requires_escalation"] == "status"
    assert report.tasks == {EASY: 0, MEDIUM: 0, HARD: 4, CLASSIFICATION: 0}
    assert report.left_out[HARD].startswith("3 of them")


def test_ragged_rows_curly_quotes_and_a_signature() -> None:
    catalog, report = fixture("ragged.csv")
    assert list(catalog.tickets) == ["0071", "0073"]
    assert catalog.tickets["0071"].body == (
        "Hello,\n\nI’m stuck at the second step of the set-up, the “Next” button is grey. What can I do?"
    )
    assert report.skipped == ((10, "9 fields, the header has 8"),)
    assert "line 2: 7 fields" in report.warnings[0]
    assert not any(report.tasks.values())
    assert report.why_nothing().startswith(
        "nothing can be played: 2 tickets, but no ticket has a category"
    )


def test_chats() -> None:
    """Pairs of speaker and text, a third speaker, labels nested deep."""
    catalog, report = fixture(
        "chats.json", categories={"late_parcel": "General", "voucher": "Billing"}
    )
    first, second = catalog.tickets.values()
    assert first.body == "my parcel was due on Friday and is not here\n0077123"
    assert catalog.labels["4101"].reference_reply == (
        "The carrier lost it. A second parcel leaves our depot tomorrow and takes 3 days.\n"
        "Then the whole payment is returned to your card."
    )
    assert second.body == "HELLO\nhow long is a voucher good for?"
    assert second.subject == "how long is a voucher good for?"
    customer = catalog.customers[first.customer_id]
    assert (customer.name, customer.tier) == ("buyer one", "silver")
    assert report.skipped == ((101, "no message text"),)
    assert report.tasks[EASY] == report.tasks[CLASSIFICATION] == 2
    shown = " ".join(t.body for t in catalog.tickets.values())
    assert "looked up" not in shown and "Replacement" not in str(catalog.labels)


def test_single_messages_become_one_ticket() -> None:
    """HTML, a signature marker, an internal note, a null subject."""
    catalog, report = fixture("articles.json")
    (ticket,) = catalog.tickets.values()
    assert ticket.ticket_id == "12"
    assert ticket.body == "Good day,\n\nplease change my order:\n2 x Thé vert\n1 x Teapot"
    assert ticket.raw_body and "<br>" in ticket.raw_body
    assert catalog.labels["12"].reference_reply == (
        "Hello,\n\nthe order now holds two bags of tea and the teapot.\n\nIt leaves us on Tuesday."
    )
    assert catalog.customers[ticket.customer_id].name == "Buyer One"
    assert ticket.created_at == "2025-02-03T08:00:00Z"
    assert report.mapping.get("category") is None
    assert (14, "an internal note") in report.skipped
    assert "careful" not in str(catalog)
    assert {"HTML", "signature"} <= set(report.cleaned)


def test_a_list_without_messages() -> None:
    with pytest.raises(DataError, match="Export the tickets with their messages"):
        fixture("list.csv")


def test_answers_of_a_shop_all_count() -> None:
    catalog, report = fixture("answered.csv", columns={"category": "Topic"})
    assert (report.rows, report.gold) == (30, 30)
    assert catalog.articles == {}  # answers never become a knowledge base
