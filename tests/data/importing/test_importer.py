"""Bringing one's own tickets: what rows become, and what becomes of odd ones."""

import csv
import io
from pathlib import Path

import pytest

from data import dataset
from data.catalog import builtin
from data.derive import derive_facts
from data.errors import DataError
from data.importing import (
    CLASSIFICATION,
    CSV_TASKS,
    Limits,
    Options,
    builtin_or,
    default_tasks,
    import_csv,
    import_tickets,
    map_columns,
    preview,
    read_header,
)
from tests.data.importing.conftest import FIXTURES, Read

EASY, MEDIUM, HARD = CSV_TASKS
HEADER = "id,subject,body,category,kb_id,requires_escalation,expected_response"
BODY = "The PDF export stops halfway, at 200 pages"
REFERENCE = "Use the CSV export as the PDF stops at 200 pages."
ROW = f'0012,Export,"{BODY}",Bug,KB-303,no,{REFERENCE}'


def table(*rows: str) -> str:
    return "\n".join((HEADER, *rows)) + "\n"


def test_a_foreign_row_is_derived(read: Read) -> None:
    catalog, report = read(table(ROW))
    ticket, label = catalog.tickets["0012"], catalog.labels["0012"]
    assert (ticket.subject, ticket.body, ticket.split) == ("Export", BODY, "test")
    assert (label.category, label.kb_id, label.requires_escalation) == ("Bug", "KB-303", False)
    assert label.derived and label.in_escalation_set
    assert label.reference_reply == REFERENCE
    assert label.facts == derive_facts(REFERENCE) != ()
    assert catalog.customers[ticket.customer_id].name == "Customer"
    for task in (*CSV_TASKS, CLASSIFICATION):
        assert catalog.ids(task, "test") == ("0012",) and report.tasks[task] == 1
    assert catalog.ids(EASY, "train") == catalog.ids("priority_sorting", "test") == ()
    assert (report.rows, report.skipped, report.warnings, report.left_out) == (1, (), (), {})
    assert catalog.name == "mine.csv" and catalog.version.endswith("+mine.csv")


def test_another_text_or_mapping_is_another_version(read: Read) -> None:
    versions = {
        read(table(ROW))[0].version,
        read(table(ROW, "2,x,y,Bug,,,"))[0].version,
        read(table(ROW), categories={"Oddity": "Bug"})[0].version,
    }
    assert len(versions) == 3
    assert read(table(ROW))[0].version in versions


def test_nul_bytes_and_control_characters_go(read: Read) -> None:
    catalog, report = read("id,body,category\nA\x00,It\x00 \x1b[31mbroke\x07\ttwice\x7f,B\x00ug\n")
    assert catalog.tickets["A"].body == "It [31mbroke\ttwice"
    assert catalog.labels["A"].category == "Bug"
    assert report.cleaned == {"control characters": 1} and "NUL" in report.warnings[0]


def test_ragged_rows_name_their_physical_line(read: Read) -> None:
    long = "A2,x,y,Bug,,,,more,and more"
    short = "A3,Short,Why does it stop?,Bug"
    catalog, report = read(table('A1,Two lines,"It\nbroke",Bug,,,', long, short))
    assert list(catalog.tickets) == ["A1", "A3"]
    assert report.skipped == ((4, "9 fields, the header has 7"),)
    assert report.skips == {"more fields than the header": 1}
    assert report.warnings == ("line 5: 4 fields, the header has 7; the rest counts as empty",)
    assert catalog.labels["A3"].reference_reply is None


def test_empty_lines_are_no_rows(read: Read) -> None:
    catalog, report = read("\n\nid,body,category\n\nA,one,Bug\n,,\n\nB,two,Bug\n\n")
    assert list(catalog.tickets) == ["A", "B"] and not report.skipped


def test_rows_without_a_message_are_skipped_and_those_without_labels_counted(read: Read) -> None:
    catalog, report = read(table("A,x,  ,Bug,,,", "B,x,It broke,Sales,,,", ROW))
    assert report.rows == 2 and report.skipped == ((2, "no message text"),)
    assert report.categories == {"Sales": 1, "Bug": 1} and report.mapped == {"Bug": "Bug"}
    assert catalog.ids(CLASSIFICATION, "test") == ("0012",)


def test_duplicate_ids_are_kept_under_new_names(read: Read) -> None:
    rows = ["A,x,one,Bug,,,", "A,x,two,Bug,,,", "A-2,x,three,Bug,,,", "A,x,four,Bug,,,"]
    catalog, report = read(table(*rows))
    assert {i: t.body for i, t in catalog.tickets.items()} == {
        "A": "one", "A-2": "two", "A-2-2": "three", "A-3": "four",
    }  # fmt: skip
    assert report.warnings[0] == "line 3: id A is there twice; kept as A-2"
    assert len(report.warnings) == 3 and report.repeated == 0


def test_the_same_text_is_one_ticket(read: Read) -> None:
    rows = [
        "A,x,It broke,Bug,,,",
        "B,x,it  BROKE,Bug,,,",
        "A,x,It broke,Bug,,,",
        "C,y,It broke,Bug,,,",
    ]
    catalog, report = read(table(*rows))
    assert list(catalog.tickets) == ["A", "C"]
    assert report.repeated == 2 and not report.warnings


def test_without_an_id_the_text_gives_one_that_stays(read: Read) -> None:
    first, _ = read("body,category\nIt broke,Bug\nIt broke again,Bug\n")
    turned, _ = read("category,body\nBug,It broke again\nBug,It broke\n")
    assert set(first.tickets) == set(turned.tickets) and len(first.tickets) == 2
    assert all(i.startswith("t-") for i in first.tickets)


def test_long_ids_stay_apart(read: Read) -> None:
    rows = [f"{'A' * n},x,text {n} of {k},Bug,,," for k, n in enumerate((80, 81, 200, 200))]
    catalog, report = read(table(*rows))
    assert len(catalog.tickets) == report.rows == 4
    assert len(set(catalog.ids(CLASSIFICATION, "test"))) == 4
    assert all(len(i) <= 80 for i in catalog.tickets)


@pytest.mark.parametrize("missing", ["", "None", "NULL", "NaN", "n/a", "NA", "-"])
def test_missing_values(read: Read, missing: str) -> None:
    catalog, _ = read(
        f"id,customer,tier,body,category,kb_id,answer\n{missing},{missing},{missing},"
        f"{missing or 'text'},Bug,{missing},{missing}\n"
    )
    ((ticket_id, ticket),) = catalog.tickets.items()
    label = catalog.labels[ticket_id]
    assert ticket.body == (missing or "text") and ticket_id.startswith("t-")
    assert label.reference_reply is None and label.kb_id is None and label.facts == ()
    customer = catalog.customers[ticket.customer_id]
    assert (customer.name, customer.tier) == ("Customer", "Team")


@pytest.mark.parametrize(
    ("said", "required", "decided"),
    [("TRUE", True, True), ("yes", True, True), ("1", True, True), ("No", False, True),
     ("0", False, True), ("f", False, True), ("maybe", False, False), ("", False, False)],
)  # fmt: skip
def test_escalation_words(read: Read, said: str, required: bool, decided: bool) -> None:
    catalog, report = read(table(f"A,x,It broke,Bug,,{said},"))
    label = catalog.labels["A"]
    assert (label.requires_escalation, label.in_escalation_set) == (required, decided)
    assert catalog.ids(HARD, "test") == (("A",) if decided else ())
    assert ("graded on the decision alone" in report.left_out[HARD]) == decided


@pytest.mark.parametrize(
    ("said", "category"),
    [("bug", "Bug"), ("FEATURE_REQUEST", "Feature Request"), (" feature-request ", "Feature Request")],
)  # fmt: skip
def test_categories_are_read_loosely(read: Read, said: str, category: str) -> None:
    assert read(table(f"A,x,It broke,{said},,,"))[0].labels["A"].category == category


def test_categories_are_mapped_as_said(read: Read) -> None:
    content = "id,body,type\n1,one,Refund wish\n2,two,refund-wish\n3,three,Other\n"
    catalog, report = read(content, categories={"Refund Wish": "Billing"})
    assert [x.category for x in catalog.labels.values()] == ["Billing", "Billing", ""]
    assert report.mapped == {"Refund wish": "Billing", "refund-wish": "Billing"}
    assert catalog.ids(CLASSIFICATION, "test") == ("1", "2")


def test_difficulty_chooses_the_task(read: Read) -> None:
    catalog, _ = read(
        "id,body,category,kb_id,escalate,level,answer\n"
        + "".join(
            f'{i},"{BODY}, case {i}",Bug,KB-303,{said},{level},{REFERENCE}\n'
            for i, said, level in (
                ("A", "yes", "Easy"), ("B", "yes", "medium"), ("C", "yes", "hard"),
                ("D", "yes", "other"), ("E", "", "hard"),
            )
        )
    )  # fmt: skip
    assert catalog.ids(EASY, "test") == ("A", "D")
    assert catalog.ids(MEDIUM, "test") == ("B", "D")
    assert catalog.ids(HARD, "test") == ("C", "D")
    assert catalog.ids(CLASSIFICATION, "test") == ("A", "B", "C", "D", "E")


def test_an_article_that_is_not_here_is_no_medium_ticket(read: Read) -> None:
    catalog, report = read(table("A,x,It broke,Bug,KB-999,,"))
    assert catalog.labels["A"].kb_id is None and catalog.ids(MEDIUM, "test") == ()
    assert "--kb" in report.left_out[MEDIUM]


def test_the_built_in_articles_are_searched_only_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(table(ROW), encoding="utf-8")
    catalog, report = import_tickets(path)
    assert catalog.articles == {} and "--kb builtin" in report.left_out[MEDIUM]
    assert import_csv(path, builtin())[0].articles is builtin().articles
    known = builtin().tickets["T-1001"]
    out = io.StringIO()
    csv.writer(out).writerows([["id", "body", "category"], ["T-1001", known.body, "Bug"]])
    path.write_text(out.getvalue(), encoding="utf-8")
    assert import_tickets(path)[0].articles is builtin().articles  # its own row asks for them


def test_built_in_rows_keep_built_in_labels() -> None:
    base = builtin()
    catalog, report = import_tickets(dataset.PATH)
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
    assert default_tasks(catalog) == CSV_TASKS


def test_a_built_in_id_with_another_text_is_a_foreign_row(read: Read) -> None:
    known = next(iter(builtin().labels))
    catalog, _ = read(table(f"{known},x,Quite another text,General,,,"))
    assert catalog.labels[known].derived and catalog.labels[known].category == "General"


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


NOTHING_TO_PLAY = "nothing can be played"
NO_MESSAGE = "no column holds the customer's message"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty; it needs a header line and rows"),
        (b" \r\n \t\n", "the file is empty"),
        (b"\xef\xbb\xbf", NO_MESSAGE),
        (b"\xff\xfea", "save it as UTF-8 again"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "this is an image"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as .xlsx or CSV"),
        ("id,body\n1,two\n".encode("utf-16-le"), "UTF-16 without its mark"),
        (HEADER, NOTHING_TO_PLAY),
        (table("A,x,,Bug,,,"), f"{NOTHING_TO_PLAY}: 0 tickets"),
        (table("A,x,It broke,,,,An answer alone is no label."), NOTHING_TO_PLAY),
        ("id,subject,colour\n1,2,3\n", "(found: id, subject, colour)"),
        ('"two\nlines",colour\n1,2\n', "(found: two lines, colour)"),
    ],
)  # fmt: skip
def test_bad_input_is_a_plain_sentence(tmp_path: Path, content: str | bytes, what: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as caught:
        import_csv(path, builtin())
    assert "mine.csv" in caught.value.where
    assert what in caught.value.what
    assert "\n" not in caught.value.what and "Error" not in caught.value.what


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path, tmp_path / ("x" * 5_000)):
        with pytest.raises(DataError, match=r"no such file|cannot be read"):
            import_tickets(path)


def test_limits(read: Read) -> None:
    rows = [f"A{n},x,text {n},Bug,,," for n in range(4)]
    catalog, report = read(table(*rows, "A4,x,,Bug,,,"), limits=Limits(max_tickets=3))
    assert list(catalog.tickets) == ["A0", "A1", "A2"] and report.over_limit == 2
    with pytest.raises(DataError, match="more than the limit of"):
        read(table(ROW), limits=Limits(max_bytes=20))
    catalog, report = read(table(f"A,x,{'word ' * 10_001},Bug,,,", ROW))
    assert list(catalog.tickets) == ["0012"]
    assert report.skips == {"a message longer than 50,000 characters": 1}


def test_the_literal_name_falls_back_to_the_file_that_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, notice = builtin_or(Path("dataset.csv"))
    assert path == dataset.PATH and notice
    assert builtin_or(Path("other.csv")) == (Path("other.csv"), None)
    (tmp_path / "dataset.csv").write_text(HEADER, encoding="utf-8")
    assert builtin_or(Path("dataset.csv")) == (Path("dataset.csv"), None)


def test_a_preview_shows_columns_and_raw_beside_clean() -> None:
    shown = preview(FIXTURES / "templates.csv", rows=2)
    assert [(c.title, c.field) for c in shown.columns][:3] == [
        ("Ticket ID", "ticket_id"), ("Customer Name", "customer_name"), ("Product Bought", None),
    ]  # fmt: skip
    first = shown.tickets[0]
    assert "{product_bought}" in first.raw and "The Lantern Pro does not" in first.clean
    assert len(shown.tickets) == 2 and shown.columns[2].examples == ("Lantern Pro", "Tent Two")


def test_a_preview_asks_and_raises_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("message,description,type,queue\nshort,long,a,b\n", encoding="utf-8")
    shown = preview(path)
    assert [q.field for q in shown.report.questions] == ["body", "category"] and not shown.tickets
    settled = preview(path, {"body": "description", "category": ""})
    assert [t.clean for t in settled.tickets] == ["long"] and not settled.report.questions
    path.write_text("id,colour\n1,red\n", encoding="utf-8")
    assert not preview(path).tickets


def test_the_seam_of_the_console(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(table(ROW), encoding="utf-8")
    assert read_header(path) == tuple(HEADER.split(","))
    assert map_columns(["text", "kind"], {"category": "kind", "subject": "gone"}) == {
        "body": "text", "category": "kind",
    }  # fmt: skip
    catalog, _ = import_csv(path, builtin(), {"kb_id": ""})
    assert catalog.labels["0012"].kb_id is None


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(table(*(f"{n},x,text {n},Bug,,," for n in range(2_000))), encoding="utf-8")
    told: list[int] = []
    import_tickets(path, Options(), progress=told.append)
    assert told and told == sorted(told) and told[-1] <= path.stat().st_size
