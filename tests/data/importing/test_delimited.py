"""CSV and its kin: encodings, delimiters, quotes, lines."""

import csv
import io

import pytest

from data.errors import DataError
from data.importing import delimited
from tests.data.importing.conftest import Read


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings(read: Read, codec: str, said: str) -> None:
    catalog, report = read("id,body,category\nÀ1,“Café” – 5 €,Bug\n".encode(codec))
    assert report.encoding == said
    assert catalog.tickets["À1"].body == "“Café” – 5 €"


def test_big_endian_utf_16(read: Read) -> None:
    raw = b"\xfe\xff" + "id,body,category\n1,Café,Bug\n".encode("utf-16-be")
    assert read(raw)[0].tickets["1"].body == "Café"


def test_bytes_of_no_codec_are_read_and_said(read: Read) -> None:
    _, report = read(b"body,category\nodd \x81 byte,Bug\n")
    assert report.encoding == "latin-1" and "Latin-1" in report.warnings[0]


def test_one_late_byte_decides(read: Read) -> None:
    """The whole file is looked at, not its beginning."""
    raw = b"id,body,category\n" + b"1,plain,Bug\n" * 200_000 + b"2,caf\xe9,Bug\n"
    catalog, report = read(raw)
    assert report.encoding == "cp1252" and catalog.tickets["2"].body == "café"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(read: Read, mark: str, end: str) -> None:
    rows = [["id", "body", "category"], ["A", "one, two; three", "Bug"], ["B", "four|five", "General"]]  # fmt: skip
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator=end).writerows(rows)
    catalog, report = read(out.getvalue())
    assert report.delimiter == mark
    assert [t.body for t in catalog.tickets.values()] == ["one, two; three", "four|five"]


@pytest.mark.parametrize(
    "header",
    ["\n\nbody;category", '"a, b, c";body;category', '"two\nlines";body;category', "sep=;\nbody;category"],
)  # fmt: skip
def test_the_delimiter_is_counted_in_the_header_outside_quotes(read: Read, header: str) -> None:
    row = "x;It broke, then, again;Bug" if '"' in header else "It broke, then, again;Bug"
    catalog, report = read(f"{header}\n{row}\n")
    assert report.delimiter == ";"
    (ticket,) = catalog.tickets.values()
    assert ticket.body == "It broke, then, again"


def test_quotes_and_line_breaks_in_cells(read: Read) -> None:
    catalog, _ = read('id,body,category\nA,"He said ""no"",\r\nthen left.",Bug\n')
    assert catalog.tickets["A"].body == 'He said "no",\nthen left.'


def test_ids_stay_text(read: Read) -> None:
    ids = ["007", "1e5", "12345678901234567890", "1.0", "+3"]
    catalog, _ = read("id,body,category\n" + "".join(f"{i},text {i},Bug\n" for i in ids))
    assert list(catalog.tickets) == ids


def test_unnamed_columns_are_no_columns_and_repeated_titles_stay_apart() -> None:
    titles = delimited.titles_of(["", "Unnamed: 0", "index", "\ufeff“a”", "Body", "Body", '"c"'])
    assert titles == ["", "", "", "“a”", "Body", "Body (2)", "c"]


def test_an_open_quote_names_the_line_it_begins_in(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "MAX_CELL", 1_000)
    content = 'id,body,category\n1,fine,Bug\n2,"open,Bug\n' + "3,more,Bug\n" * 200
    with pytest.raises(DataError, match="quote left open") as caught:
        read(content)
    assert caught.value.where.endswith("mine.csv:3")
