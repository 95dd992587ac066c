"""data/dataset.csv is what the built-in data renders to, in the columns of dataset A."""

import csv
import io

from data import dataset
from data.catalog import builtin


def rows() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(dataset.render(builtin()), newline="")))


def test_the_file_is_up_to_date() -> None:
    written = dataset.PATH.read_bytes()
    assert written == dataset.render(builtin()).encode("utf-8"), "run: python -m data.dataset"


def test_columns_of_dataset_a() -> None:
    header = dataset.render(builtin()).splitlines()[0]
    assert header == (
        "ticket_id,subject,query,difficulty,category,kb_id,requires_escalation,expected_response"
    )


def test_one_row_a_labelled_ticket() -> None:
    catalog = builtin()
    assert [r["ticket_id"] for r in rows()] == sorted(catalog.labels)
    for row in rows():
        label, ticket = catalog.labels[row["ticket_id"]], catalog.tickets[row["ticket_id"]]
        assert row["subject"] == ticket.subject
        assert row["query"] == ticket.body
        assert row["category"] == label.category
        assert row["kb_id"] == (label.kb_id or "")
        assert row["requires_escalation"] == ("true" if label.requires_escalation else "false")
        assert row["expected_response"] == (label.reference_reply or "")


def test_difficulty() -> None:
    catalog = builtin()
    difficulty = {r["ticket_id"]: r["difficulty"] for r in rows()}
    hard = {i for i, label in catalog.labels.items() if label.in_escalation_set}
    assert {i for i, d in difficulty.items() if d == "hard"} == hard
    others = [d for i, d in difficulty.items() if i not in hard]
    assert others == (["easy", "medium"] * len(others))[: len(others)]
