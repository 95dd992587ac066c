"""Bringing one's own tickets: what helpdesks export, and what is no table at all."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import dataset, importing
from data.catalog import Catalog, builtin
from data.derive import derive_facts
from data.errors import DataError
from data.importing import ALIASES, CSV_TASKS, ImportReport, builtin_or, import_csv
from data.schema import CATEGORIES

EASY, MEDIUM, HARD = CSV_TASKS
HEADER = "id,subject,body,category,kb_id,requires_escalation,expected_response"
ROW = "0012,Export,It stops halfway,Bug,KB-303,no,Use the CSV export as the PDF stops at 200 pages."
REFERENCE = "Use the CSV export as the PDF stops at 200 pages."

Read = Callable[[str | bytes], tuple[Catalog, ImportReport]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Import a text or bytes as the file mine.csv."""

    def act(content: str | bytes) -> tuple[Catalog, ImportReport]:
        path = tmp_path / "mine.csv"
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return import_csv(path, builtin())

    return act


def table(*rows: str) -> str:
    return "\n".join((HEADER, *rows)) + "\n"


def test_a_foreign_row_is_derived(read: Read) -> None:
    catalog, report = read(table(ROW))
    ticket, label = catalog.tickets["0012"], catalog.labels["0012"]
    assert (ticket.subject, ticket.body, ticket.split) == ("Export", "It stops halfway", "test")
    assert (label.category, label.kb_id, label.requires_escalation) == ("Bug", "KB-303", False)
    assert label.derived and label.in_escalation_set
    assert label.reference_reply == REFERENCE
    assert label.facts == derive_facts(REFERENCE) != ()
    assert catalog.customers[ticket.customer_id].name == "Customer"
    assert {t: catalog.ids(t, "test") for t in CSV_TASKS} == dict.fromkeys(CSV_TASKS, ("0012",))
    assert catalog.ids(EASY, "train") == catalog.ids("priority_sorting", "test") == ()
    assert (report.rows, report.skipped, report.warnings) == (1, (), ())
    assert catalog.name == "mine.csv" and catalog.version.endswith("+mine.csv")


@pytest.mark.parametrize(
    ("name", "alias"), [(name, alias) for name, all_ in ALIASES.items() for alias in all_]
)
def test_aliases(read: Read, name: str, alias: str) -> None:
    needed = {"body": "query", "category": "category"}
    header = [alias, *(a for n, a in needed.items() if n != name)]
    cells = {"body": "It broke.", "category": "Bug"}
    row = [cells.get(name, "x"), *(cells[n] for n in needed if n != name)]
    catalog, report = read(",".join(header) + "\n" + ",".join(row) + "\n")
    assert report.mapping[name] == alias
    (ticket,) = catalog.tickets.values()
    assert ticket.body == "It broke."


@pytest.mark.parametrize(
    "title", ["Ticket Description", " ticket-description ", "TICKET_DESCRIPTION", '"Ticket: Description"']
)  # fmt: skip
def test_headers_are_read_loosely(read: Read, title: str) -> None:
    catalog, report = read(f"{title},category\nIt broke.,Bug\n")
    assert report.mapping["body"] == title.strip('"')
    assert catalog.tickets["row-2"].body == "It broke."


def test_the_first_alias_and_the_first_of_two_like_columns_count(read: Read) -> None:
    catalog, _ = read("text,body,Body,category\nfirst,second,third,Bug\n")
    assert catalog.tickets["row-2"].body == "second"


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("utf-8", "utf-8-sig"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings(read: Read, codec: str, said: str) -> None:
    catalog, report = read("id,body,category\nÀ1,“Café” – 5 €,Bug\n".encode(codec))
    assert report.encoding == said
    assert catalog.tickets["À1"].body == "“Café” – 5 €"


def test_big_endian_utf_16(read: Read) -> None:
    raw = b"\xfe\xff" + "body,category\nCafé,Bug\n".encode("utf-16-be")
    assert read(raw)[0].tickets["row-2"].body == "Café"


def test_bytes_of_no_codec_are_read_and_said(read: Read) -> None:
    _, report = read(b"body,category\nodd \x81 byte,Bug\n")
    assert report.encoding == "latin-1"


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
    "header", ["\n\nbody;category", '"a, b, c";body;category', '"two\nlines";body;category']
)
def test_the_delimiter_is_counted_in_the_header_outside_quotes(read: Read, header: str) -> None:
    row = "It broke, then, again;Bug" if header.startswith("\n") else "x;It broke, then, again;Bug"
    catalog, report = read(f"{header}\n{row}\n")
    assert report.delimiter == ";"
    (ticket,) = catalog.tickets.values()
    assert ticket.body == "It broke, then, again"


def test_quotes_and_line_breaks_in_cells(read: Read) -> None:
    catalog, _ = read('id,body,category\nA,"He said ""no"",\r\nthen left.",Bug\n')
    assert catalog.tickets["A"].body == 'He said "no",\r\nthen left.'


def test_nul_bytes_and_control_characters_go(read: Read) -> None:
    catalog, _ = read("id,body,category\nA\x00,It\x00 \x1b[31mbroke\x07\ttwice\x7f,B\x00ug\n")
    assert catalog.tickets["A"].body == "It [31mbroke\ttwice"
    assert catalog.labels["A"].category == "Bug"


def test_ragged_rows_name_their_physical_line(read: Read) -> None:
    long = "A2,x,y,Bug,,,,more,and more"
    short = "A3,Short,Why does it stop?,Bug"
    catalog, report = read(table('A1,Two lines,"It\nbroke",Bug,,,', long, short))
    assert list(catalog.tickets) == ["A1", "A3"]
    assert report.skipped == ((4, "9 fields, the header has 7"),)
    assert report.warnings == ("line 5: 4 fields, the header has 7; the rest counts as empty",)
    assert catalog.labels["A3"].reference_reply is None


def test_empty_lines_are_no_rows(read: Read) -> None:
    catalog, report = read("\n\nid,body,category\n\nA,one,Bug\n,,\n\nB,two,Bug\n\n")
    assert list(catalog.tickets) == ["A", "B"] and not report.skipped


def test_rows_without_a_message_or_without_any_label_are_skipped(read: Read) -> None:
    _, report = read(table("A,x,  ,Bug,,,", "B,x,It broke,Sales,,,", ROW))
    assert report.rows == 1
    assert report.skipped == (
        (2, "no message text"),
        (3, "neither a known category nor an answer to compare with"),
    )


def test_duplicate_ids_are_kept_under_new_names(read: Read) -> None:
    rows = ["A,x,one,Bug,,,", "A,x,two,Bug,,,", "A-2,x,three,Bug,,,", "A,x,four,Bug,,,"]
    catalog, report = read(table(*rows))
    assert {i: t.body for i, t in catalog.tickets.items()} == {
        "A": "one", "A-2": "two", "A-2-2": "three", "A-3": "four",
    }  # fmt: skip
    assert report.warnings[0] == "line 3: id A is there twice; kept as A-2"
    assert len(report.warnings) == 3


def test_long_ids_stay_apart(read: Read) -> None:
    rows = [f"{'A' * n},x,text {n},Bug,,," for n in (80, 81, 200, 200)]
    catalog, report = read(table(*rows))
    assert len(catalog.tickets) == report.rows == 4
    assert len(set(catalog.ids(EASY, "test"))) == 4
    assert all(len(i) <= 80 for i in catalog.tickets)


@pytest.mark.parametrize("missing", ["", "None", "NULL", "NaN", "n/a", "NA", "-"])
def test_missing_values(read: Read, missing: str) -> None:
    catalog, _ = read(
        f"id,customer,tier,body,category,kb_id,answer\n{missing},{missing},{missing},"
        f"{missing or 'text'},Bug,{missing},{missing}\n"
    )
    ticket, label = catalog.tickets["row-2"], catalog.labels["row-2"]
    assert ticket.body == (missing or "text")
    assert label.reference_reply is None and label.kb_id is None and label.facts == ()
    customer = catalog.customers[ticket.customer_id]
    assert (customer.name, customer.tier) == ("Customer", "Team")


@pytest.mark.parametrize(
    ("said", "required", "decided"),
    [("TRUE", True, True), ("yes", True, True), ("1", True, True), ("No", False, True),
     ("0", False, True), ("f", False, True), ("maybe", False, False), ("", False, False)],
)  # fmt: skip
def test_escalation_words(read: Read, said: str, required: bool, decided: bool) -> None:
    catalog, _ = read(table(f"A,x,It broke,Bug,,{said},"))
    label = catalog.labels["A"]
    assert (label.requires_escalation, label.in_escalation_set) == (required, decided)
    assert catalog.ids(HARD, "test") == (("A",) if decided else ())


@pytest.mark.parametrize(
    ("said", "category"),
    [("bug", "Bug"), ("FEATURE_REQUEST", "Feature Request"), (" feature-request ", "Feature Request")],
)  # fmt: skip
def test_categories_are_read_loosely(read: Read, said: str, category: str) -> None:
    assert read(table(f"A,x,It broke,{said},,,"))[0].labels["A"].category == category


def test_difficulty_chooses_the_task(read: Read) -> None:
    catalog, report = read(
        "id,body,category,kb_id,escalate,level\n"
        "A,one,Bug,KB-303,yes,Easy\nB,two,Bug,KB-303,yes,medium\nC,three,Bug,KB-303,yes,hard\n"
        "D,four,Bug,KB-303,yes,other\nE,five,Bug,KB-303,,hard\n"
    )
    assert catalog.ids(EASY, "test") == ("A", "D")
    assert catalog.ids(MEDIUM, "test") == ("B", "D")
    assert catalog.ids(HARD, "test") == ("C", "D")
    assert report.warnings == ("line 6: not played, lacks the label its difficulty needs",)


def test_an_article_that_is_not_here_is_no_medium_ticket(read: Read) -> None:
    catalog, _ = read(table("A,x,It broke,Bug,KB-999,,"))
    assert catalog.labels["A"].kb_id is None and catalog.ids(MEDIUM, "test") == ()


def test_built_in_rows_keep_built_in_labels() -> None:
    base = builtin()
    catalog, report = import_csv(dataset.PATH, base)
    assert catalog.labels == base.labels
    assert not report.skipped and not report.warnings
    assert {i: t.model_copy(update={"split": base.tickets[i].split}) for i, t in catalog.tickets.items()} == {
        i: base.tickets[i] for i in base.labels
    }  # fmt: skip
    assert {t.split for t in catalog.tickets.values()} == {"test"}
    assert all(t.customer_id in catalog.customers for t in catalog.tickets.values())
    hard = {i for i, label in base.labels.items() if label.in_escalation_set}
    assert set(catalog.ids(HARD, "test")) == hard
    assert len(catalog.ids(EASY, "test")) + len(catalog.ids(MEDIUM, "test")) == len(base.labels) - len(hard)  # fmt: skip


def test_a_built_in_id_with_another_text_is_a_foreign_row(read: Read) -> None:
    known = next(iter(builtin().labels))
    catalog, _ = read(table(f"{known},x,Quite another text,General,,,"))
    assert catalog.labels[known].derived and catalog.labels[known].category == "General"


def test_a_priority_ticket_has_no_labels_to_keep(read: Read) -> None:
    ticket = builtin().tickets[next(iter(builtin().priorities))]
    out = io.StringIO()
    csv.writer(out).writerows([["id", "body", "category"], [ticket.ticket_id, ticket.body, "Bug"]])
    label = read(out.getvalue())[0].labels[ticket.ticket_id]
    assert label.derived and label.category == "Bug"


def test_a_foreign_id_takes_no_customer_from_a_built_in_row(read: Read) -> None:
    base = builtin()
    known = base.tickets[next(iter(base.labels))]
    out = io.StringIO()
    mine = known.customer_id.removeprefix("C-")
    csv.writer(out).writerows(
        [
            ["id", "body", "category", "customer"],
            [known.ticket_id, known.body, "Bug", ""],
            [mine, "It broke", "Bug", "Somebody Else"],
        ]
    )
    catalog, _ = read(out.getvalue())
    assert catalog.customers[known.customer_id] == base.customers[known.customer_id]


NOTHING_TO_PLAY = "no row can be played"
NO_MESSAGE = "no column holds the customer's message; name one of body, query"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty; it needs a header line and rows"),
        (b" \r\n \t\n", "the file is empty"),
        (b"\xef\xbb\xbf", NO_MESSAGE),
        (b"\x00\x00", NO_MESSAGE),
        (b"\xff\xfea", NO_MESSAGE),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", NO_MESSAGE),
        (HEADER, NOTHING_TO_PLAY),
        (table("A,x,,Bug,,,"), f"{NOTHING_TO_PLAY} (skipped: 1)"),
        (table("A,x,It broke,,,,An answer alone is no label."), NOTHING_TO_PLAY),
        ("id,subject,colour\n1,2,3\n", "(found: id, subject, colour)"),
        ('"two\nlines",colour\n1,2\n', "(found: two lines, colour)"),
        ('body,category\n"' + "x" * (importing.MAX_FIELD + 1) + '",Bug\n', "not CSV: field larger"),
    ],
)  # fmt: skip
def test_bad_input_is_a_plain_sentence(read: Read, content: str | bytes, what: str) -> None:
    with pytest.raises(DataError) as caught:
        read(content)
    assert "mine.csv" in caught.value.where
    assert what in caught.value.what
    assert "\n" not in caught.value.what and "Error" not in caught.value.what


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path, tmp_path / ("x" * 5_000)):
        with pytest.raises(DataError, match=r"no such file|cannot be read"):
            import_csv(path, builtin())


def test_limits(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_ROWS", 3)
    rows = [f"A{n},x,text {n},Bug,,," for n in range(4)]
    assert read(table(*rows[:2]))[1].rows == 2
    with pytest.raises(DataError, match="more than 3 rows"):
        read(table(*rows))
    monkeypatch.setattr(importing, "MAX_BYTES", 20)
    with pytest.raises(DataError, match="larger than"):
        read(table(ROW))


def test_the_literal_name_falls_back_to_the_file_that_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, notice = builtin_or(Path("dataset.csv"))
    assert path == dataset.PATH and notice
    assert builtin_or(Path("other.csv")) == (Path("other.csv"), None)
    (tmp_path / "dataset.csv").write_text(HEADER, encoding="utf-8")
    assert builtin_or(Path("dataset.csv")) == (Path("dataset.csv"), None)


def imports_or_says_why(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        catalog, report = import_csv(path, builtin())
    except DataError as error:
        assert error.what and "\n" not in error.what
        return
    assert report.rows == len(catalog.tickets) == len(catalog.labels) > 0
    for task in CSV_TASKS:
        ids = catalog.ids(task, "test")
        assert len(set(ids)) == len(ids) and set(ids) <= set(catalog.tickets)
    assert all(t.customer_id in catalog.customers for t in catalog.tickets.values())


CELLS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["A", "text", *CATEGORIES, "KB-303", "yes", "no", "hard", '"', "\r", "\u2028", "=1+1", "T-1001"]
)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    imports_or_says_why(tmp_path_factory.getbasetemp() / "random.csv", content)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_below_a_header(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "random.csv"
    imports_or_says_why(path, f"{HEADER}\n{ROW}\n".encode() + content)


@settings(deadline=None)
@given(
    st.lists(st.lists(CELLS, max_size=8), max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_random_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], mark: str, codec: str
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark).writerows([HEADER.split(","), *rows])
    path = tmp_path_factory.getbasetemp() / "random.csv"
    imports_or_says_why(path, out.getvalue().encode(codec))
