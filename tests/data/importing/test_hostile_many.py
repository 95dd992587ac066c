"""Files that were cut, turned, re-encoded or never were one: whole, or refused in a plain sentence."""

from __future__ import annotations

import codecs
import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.catalog import Catalog
from data.errors import DataError
from data.importing import ImportReport, import_tickets, preview
from data.importing.__main__ import main
from tests.data.importing.conftest import Read, workbook

COLUMNS = ("Ticket ID", "Subject", "Description", "Queue", "Escalated", "Answer")
WORDS = (
    "export invoice seat plan row seven stops shows wrong amount since Monday owner card".split()
)
# One temporary folder for all examples is as good as one for each: the file is written anew.
FUZZ = settings(
    max_examples=1200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _records() -> list[dict[str, str]]:
    made = random.Random(7)
    said = [" ".join(made.choices(WORDS, k=9)) for _ in range(12)]
    rows = [
        (f"00{n}", f"About the {WORDS[n]}", f'{text},\nit says "no"; café {n}', "Billing", "no",
         f"Open Plan > Seats and press Save; the {WORDS[n]} is right after {n} minutes.")
        for n, text in enumerate(said)
    ]  # fmt: skip
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


RECORDS = _records()


def as_csv(columns: Sequence[str] = COLUMNS, mark: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, delimiter=mark)
    writer.writeheader()
    writer.writerows(RECORDS)
    return out.getvalue()


def as_workbook() -> bytes:
    return workbook([*COLUMNS], *([*r.values()] for r in RECORDS))


FILES: dict[str, Callable[[], bytes]] = {
    "mine.csv": lambda: as_csv().encode(),
    "mine.tsv": lambda: as_csv(mark="\t").encode("utf-16"),
    "mine.json": lambda: json.dumps({"tickets": RECORDS}).encode(),
    "mine.jsonl": lambda: "".join(json.dumps(r) + "\n" for r in RECORDS).encode(),
    "mine.xlsx": as_workbook,
}
WHOLE = {name: make() for name, make in FILES.items()}


def imported(folder: Path, name: str, content: bytes) -> tuple[Catalog, ImportReport] | None:
    """The import if it is one, whole in itself; None where it was refused as it should be."""
    path = folder / name
    path.write_bytes(content)
    try:
        preview(path)
        catalog, report = import_tickets(path)
    except DataError as error:
        assert name in error.where and error.what and "\n" not in error.what
        return None
    assert report.rows == len(catalog.tickets) == len(catalog.labels)
    owners = {t.customer_id for t in catalog.tickets.values()}
    assert owners <= set(catalog.customers)
    played = {i for ids in catalog.items.values() for i in ids}
    assert played <= set(catalog.tickets)
    for ticket in catalog.tickets.values():
        shown = ticket.subject + ticket.body
        assert ticket.body.strip() and not {"\0", "\x1b", "\u202e"} & set(shown)
        shown.encode()
    return catalog, report


def told(catalog: Catalog) -> list[tuple[str, ...]]:
    return [
        (i, t.subject, t.body, catalog.labels[i].category, catalog.labels[i].reference_reply or "")
        for i, t in catalog.tickets.items()
    ]


@pytest.mark.parametrize("name", FILES)
def test_each_format_says_the_same(tmp_path: Path, name: str) -> None:
    got = imported(tmp_path, name, WHOLE[name])
    first = imported(tmp_path, "mine.csv", WHOLE["mine.csv"])
    assert got and first and told(got[0]) == told(first[0]) and len(told(got[0])) == 12


@pytest.mark.parametrize("name", FILES)
@FUZZ
@given(data=st.data())
def test_a_file_that_is_cut_off(tmp_path: Path, name: str, data: st.DataObject) -> None:
    """What is left are whole tickets of the file; its last row may end early only where no cell is open."""
    whole = WHOLE[name]
    got = imported(tmp_path, name, whole[: data.draw(st.integers(0, len(whole) - 1))])
    if got is not None and name != "mine.tsv":  # UTF-16 without its mark is another text
        full = imported(tmp_path, name, whole)
        assert full is not None
        bodies = {t.body for t in full[0].tickets.values()}
        *sure, _ = [t.body for t in got[0].tickets.values()] or [""]
        assert set(sure) <= bodies


@pytest.mark.parametrize("name", FILES)
@FUZZ
@given(data=st.data())
def test_a_file_with_bytes_changed(tmp_path: Path, name: str, data: st.DataObject) -> None:
    raw = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        piece = data.draw(st.sampled_from([b"\0", b'"', b"\n", b"\r", b"\xff", b"{", b"]", b",,"]))
        raw[at : at + data.draw(st.integers(0, 3))] = piece
    imported(tmp_path, name, bytes(raw))


@pytest.mark.parametrize("name", FILES)
@FUZZ
@given(
    raw=st.binary(max_size=400) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace"))
)
def test_what_never_was_a_file_of_tickets(tmp_path: Path, name: str, raw: bytes) -> None:
    imported(tmp_path, name, raw)


@FUZZ
@given(
    columns=st.permutations(COLUMNS),
    mark=st.sampled_from(",;\t|"),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"]),
)
def test_columns_in_any_order_in_any_encoding(
    tmp_path: Path, columns: list[str], mark: str, codec: str
) -> None:
    got = imported(tmp_path, "mine.csv", as_csv(columns, mark).encode(codec))
    first = imported(tmp_path, "mine.csv", WHOLE["mine.csv"])
    assert got and first and told(got[0]) == told(first[0])
    assert got[1].delimiter == mark and got[1].encoding == codec


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-7", "cp037"])
def test_an_encoding_that_nobody_can_tell(tmp_path: Path, codec: str) -> None:
    got = imported(tmp_path, "mine.csv", as_csv().encode(codec))
    assert got is None or codec == "utf-7"  # whose letters are ASCII


def test_a_file_that_ends_in_a_cell_is_refused_with_the_line(read: Read) -> None:
    rows = "".join(f'{n},"Text {n}\nof two lines",Billing\n' for n in range(30))
    with pytest.raises(DataError, match="never closed") as caught:
        read(f'id,body,category\n{rows}99,"left open,Billing\n' + rows.replace('"', ""))
    assert caught.value.where.endswith("mine.csv:62")
    assert len(read(f"id,body,category\n{rows}99,no quote at the end,Billing")[0].tickets) == 31
    assert len(read(f'id,body,category\n{rows}99,"closed at the end"')[0].tickets) == 31


def test_nul_bytes_everywhere(tmp_path: Path) -> None:
    raw = b"".join(b"\0" + line for line in WHOLE["mine.csv"].splitlines(keepends=True))
    got = imported(tmp_path, "mine.csv", raw)
    first = imported(tmp_path, "mine.csv", WHOLE["mine.csv"])
    assert got and first and told(got[0]) == told(first[0])


@pytest.mark.parametrize("name", ["mine.csv", "mine.json", "mine.jsonl"])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_cell_of_ten_megabytes(tmp_path: Path, name: str, column: str) -> None:
    """The ticket is left out where its message is too long; the others are as they were."""
    huge = RECORDS[5] | {column: "word and\n" * 1_200_000}
    rows = [*RECORDS[:5], huge, *RECORDS[6:]]
    if name == "mine.csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
        raw = out.getvalue().encode()
    elif name == "mine.json":
        raw = json.dumps(rows).encode()
    else:
        raw = "".join(json.dumps(r) + "\n" for r in rows).encode()
    got = imported(tmp_path, name, raw)
    assert got is not None
    others = [RECORDS[n]["Ticket ID"] for n in range(12) if n != 5]
    assert [i for i in got[0].tickets if i in others] == others
    assert max(len(t.subject) + len(t.body) for t in got[0].tickets.values()) < 60_000
    assert len(got[0].tickets) == 12 - (column == "Description")


def test_the_command_ends_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    for raw in (WHOLE["mine.csv"][:700], codecs.BOM_UTF16_LE + b"a", WHOLE["mine.xlsx"][:900]):
        path.write_bytes(raw)
        assert main([str(path), "--report"]) == 2
        err = capsys.readouterr().err
        assert err.startswith(str(path)) and err.count("\n") == 1
