"""Excel workbooks, honest and hostile."""

import datetime as dt
import io
import zipfile

import pytest

from data.errors import DataError
from data.importing import workbook as workbooks
from tests.data.importing.conftest import Read, workbook

HEADER = ["ID", "Description", "Type", "Note"]


def test_a_workbook(read: Read) -> None:
    content = workbook(
        HEADER,
        [7, "It broke", "Bug", "=1+1"],
        [],
        ["008", "Two\nlines", "General", dt.date(2025, 2, 3)],
        Other=[["nothing", "here"]],
    )
    catalog, report = read(content, "mine.xlsx")
    assert {i: t.body for i, t in catalog.tickets.items()} == {"7": "It broke", "008": "Two\nlines"}
    assert (report.file_format, report.encoding, report.delimiter) == ("xlsx", "", "")
    assert report.warnings == ("only the sheet 'Sheet' was read, not Other",)


def test_the_header_need_not_be_the_first_row(read: Read) -> None:
    catalog, _ = read(workbook([], [], HEADER, [1, "It broke", "Bug"]), "mine.xlsx")
    assert list(catalog.tickets) == ["1"]


def test_cells_as_text() -> None:
    told = [None, True, 3.0, 1.5, 12345678901234567890, dt.date(2025, 2, 3), "x"]
    assert [workbooks.cell_text(v) for v in told] == [
        "", "true", "3", "1.5", "12345678901234567890", "2025-02-03", "x",
    ]  # fmt: skip


def repacked(content: bytes, name: str, new: str) -> bytes:
    """A workbook with one of its parts replaced."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for entry in old.namelist():
            made.writestr(entry, new if entry == name else old.read(entry))
    return out.getvalue()


def sheet(rows: str, before: str = "") -> bytes:
    """A workbook whose first sheet is this XML."""
    xml = (
        f'<?xml version="1.0"?>{before}<worksheet xmlns="http://schemas.openxmlformats.org/'
        f'spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    )
    return repacked(workbook(HEADER), "xl/worksheets/sheet1.xml", xml)


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def test_a_lone_cell_far_away_costs_nothing(read: Read) -> None:
    head = f"{cell('A1', 'body')}{cell('B1', 'category')}"
    row = f"{cell('A2', 'It broke')}{cell('B2', 'Bug')}"
    far = cell("XFD1048576", "x")
    content = sheet(f'<row r="1">{head}</row><row r="2">{row}</row><row r="1048576">{far}</row>')
    catalog, report = read(content, "mine.xlsx")
    assert report.rows == len(catalog.tickets) == 1


def test_entities_are_not_expanded(read: Read) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    with pytest.raises(DataError, match="can't be read"):
        read(sheet(f'<row r="1">{cell("A1", "&b;")}</row>', bomb), "mine.xlsx")


def test_a_bomb_is_not_unpacked(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "MAX_UNPACKED", 1_000_000)
    content = repacked(workbook(HEADER), "xl/theme/theme1.xml", "0" * 2_000_000)
    assert len(content) < 100_000
    with pytest.raises(DataError, match="2 MB once unpacked"):
        read(content, "mine.xlsx")


@pytest.mark.parametrize("cut", [10, 300, 2_000, -30])
def test_a_damaged_workbook(read: Read, cut: int) -> None:
    with pytest.raises(DataError, match=r"damaged|can't be read"):
        read(workbook(HEADER, [1, "It broke", "Bug"])[:cut], "mine.xlsx")


def test_a_zip_that_is_no_workbook(read: Read) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("tickets.csv", "id,body\n")
    with pytest.raises(DataError, match="no Excel workbook"):
        read(out.getvalue(), "mine.zip")
