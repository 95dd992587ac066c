"""JSON: lists, containers, lines; pieces smaller than a record; what is no JSON."""

import json
from typing import Any

import pytest

from data.errors import DataError
from data.importing import json_source
from tests.data.importing.conftest import Read

ROWS: list[dict[str, Any]] = [
    {"id": "007", "body": "one\u2028line", "category": "Bug"},
    {"id": 12345678901234567890, "body": "two", "category": "Bug", "tags": ["a", "b"]},
    {"id": 1.10, "body": "three", "category": "Bug", "answer": None},
]


@pytest.mark.parametrize("chunk", [1, 7, 65_536])
@pytest.mark.parametrize("wrap", ["list", *json_source.CONTAINERS, "lines", "later"])
def test_shapes(read: Read, monkeypatch: pytest.MonkeyPatch, wrap: str, chunk: int) -> None:
    monkeypatch.setattr(json_source, "_CHUNK", chunk)
    if wrap == "list":
        content = json.dumps(ROWS, indent=1)
    elif wrap == "lines":
        content = "\n".join(json.dumps(r) for r in ROWS)
    elif wrap == "later":
        content = json.dumps({"page": {"tickets": 3}, "count": 12, "tickets": ROWS, "more": [1]})
    else:
        content = json.dumps({wrap: ROWS}, ensure_ascii=False)
    catalog, report = read(content, "mine.json")
    assert {i: t.body for i, t in catalog.tickets.items()} == {
        "007": "one\u2028line", "12345678901234567890": "two", "1.1": "three",
    }  # fmt: skip
    assert report.file_format == ("json lines" if wrap == "lines" else "json")


def test_a_chat_in_a_cell_and_one_as_the_only_record(read: Read) -> None:
    chat = [
        {"role": "system", "content": "secret prompt"},
        {"role": "user", "content": [{"type": "text", "text": "How long is the voucher good?"}]},
        {"role": "assistant", "content": "A voucher stays valid for 90 days."},
    ]
    line = json.dumps(chat).replace('"', '""')
    catalog, _ = read(f'id,messages text,body,category\n1,,"{line}",Bug\n')
    assert catalog.tickets["1"].body == "How long is the voucher good?"
    assert catalog.labels["1"].reference_reply == "A voucher stays valid for 90 days."
    catalog, _ = read(json.dumps({"id": 5, "category": "Bug", "messages": chat}), "mine.json")
    assert catalog.tickets["5"].body == "How long is the voucher good?"


def test_parts_of_a_conversation(read: Read) -> None:
    record = {
        "id": 9, "category": "Bug",
        "source": {"body": "<p>The filter jams all the time</p>", "subject": "", "author": {"type": "user"}},
        "conversation_parts": {"conversation_parts": [
            {"part_type": "assignment", "body": None, "author": {"type": "admin"}},
            {"part_type": "note", "body": "rude one", "author": {"type": "admin"}},
            {"part_type": "comment", "body": "<p>Rinse the filter under warm water.</p>", "author": {"type": "admin"}},
            {"part_type": "comment", "body": "bot text", "author": {"type": "bot"}},
        ]},
    }  # fmt: skip
    catalog, _ = read(json.dumps({"conversations": [record]}), "mine.json")
    assert catalog.tickets["9"].body == "The filter jams all the time"
    assert catalog.labels["9"].reference_reply == "Rinse the filter under warm water."


def test_comments_by_id_and_hidden_ones(read: Read) -> None:
    record = {
        "id": 3, "category": "Bug", "requester_id": 11, "description": "The lamp flickers at night",
        "comments": [
            {"author_id": 11, "public": True, "body": "The lamp flickers at night"},
            {"author_id": 22, "public": False, "body": "Internal: known fault"},
            {"author_id": 22, "public": True, "body": "Tighten the bulb, then the lamp stays on."},
        ],
    }  # fmt: skip
    catalog, _ = read(json.dumps([record]), "mine.json")
    assert catalog.tickets["3"].body == "The lamp flickers at night"
    assert catalog.labels["3"].reference_reply == "Tighten the bulb, then the lamp stays on."


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        ('[{"body": "one"},\n{"body": }]', 2, "not JSON: Expecting value"),
        ('[{"body": "one"}\n{"body": "two"}]', 2, "not JSON: ',' expected, '{' found"),
        ('{"tickets": [\n{"body": "one"}', 2, "not JSON: ',' expected, the end found"),
        ("17", 1, "neither a list nor an object"),
        ('{"tickets": ' + "[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_what_is_no_json(read: Read, content: str, where: int, what: str) -> None:
    with pytest.raises(DataError, match=what) as caught:
        read(content, "mine.json")
    assert caught.value.where.endswith(f"mine.json:{where}")


def test_a_broken_line_is_skipped_alone(read: Read) -> None:
    lines = [json.dumps(r) for r in ROWS]
    catalog, report = read("\n".join([lines[0], '{"id": 2, "bo', "[1]", lines[1]]), "mine.jsonl")
    assert len(catalog.tickets) == 2
    assert [line for line, _ in report.skipped] == [2, 3]


def test_one_record_is_no_larger_than_its_limit(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_source, "MAX_RECORD", 10_000)
    monkeypatch.setattr(json_source, "_CHUNK", 1_000)
    with pytest.raises(DataError, match="larger than"):
        read(json.dumps([{"body": "x" * 50_000}]), "mine.json")
