"""Which column is which."""

import pytest

from data.errors import DataError
from data.importing import ALIASES
from data.importing.columns import choose
from data.importing.record import Record
from tests.data.importing.conftest import Read


@pytest.mark.parametrize(
    ("name", "alias"), [(name, alias) for name, all_ in ALIASES.items() for alias in all_]
)
def test_aliases(name: str, alias: str) -> None:
    spaced = alias.replace("_", " ").title()
    for title in (alias, spaced, f" {alias.upper()} "):
        assert choose([title, "zzz"], (), {}, "f").titles == {name: title}


@pytest.mark.parametrize(
    "title", ["Ticket Description", " ticket-description ", "TICKET_DESCRIPTION", '"Ticket: Description"']
)  # fmt: skip
def test_headers_are_read_loosely(read: Read, title: str) -> None:
    catalog, report = read(f"{title},category\nIt broke.,Bug\n")
    assert report.mapping["body"] == title.strip('" ')
    assert [t.body for t in catalog.tickets.values()] == ["It broke."]


def test_the_name_itself_wins_over_an_alias() -> None:
    found = choose(["text", "body", "id", "number"], (), {}, "f")
    assert found.titles == {"body": "body", "ticket_id": "id"}
    assert found.also == {"body": ("text",), "ticket_id": ("number",)} and not found.questions


def test_several_aliases_are_a_question_with_a_preview(read: Read) -> None:
    with pytest.raises(DataError) as caught:
        read("description,message,category\nIt broke,Re: it,Bug\n,It is down,Bug\n")
    assert caught.value.what == (
        "which column holds the body? 'description' ('It broke'); 'message' ('Re: it' / 'It is down')."
        ' Say it with --map body="description"'
    )
    catalog, _ = read(
        "description,message,category\nIt broke,Re: it,Bug\n", columns={"body": "Message"}
    )
    assert [t.body for t in catalog.tickets.values()] == ["Re: it"]


def test_what_is_said_counts_whatever_the_header_says() -> None:
    assert choose(["body", "Notes"], (), {"body": "notes"}, "f").titles == {"body": "Notes"}
    assert choose(["body", "type"], (), {"category": ""}, "f").titles == {"body": "body"}
    with pytest.raises(DataError, match="no column 'gone'; columns: body"):
        choose(["body"], (), {"body": "gone"}, "f")


@pytest.mark.parametrize(
    ("values", "tells"),
    [
        (["escalated", "replied"], True),
        (["Escalated", ""], True),
        (["open", "escalated"], False),
        (["replied", "replied"], False),
    ],
)
def test_a_status_is_a_decision_only_where_it_says_nothing_else(
    values: list[str], tells: bool
) -> None:
    sample = [Record(n, {"Status": v}) for n, v in enumerate(values)]
    found = choose(["body", "Status"], sample, {}, "f").titles
    assert ("requires_escalation" in found) == tells


def test_nested_keys_are_found_by_their_last_part() -> None:
    found = choose(["id", "author.id", "author.type", "source.body", "meta.category"], (), {}, "f")
    assert found.titles == {"ticket_id": "id", "body": "source.body", "category": "meta.category"}
    assert found.unused == ("author.id", "author.type")
