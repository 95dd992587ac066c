"""Files of tickets, from a test's own text or from the fixtures beside it."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from data.catalog import Catalog, builtin
from data.importing import ImportReport, Options, import_tickets

FIXTURES = Path(__file__).parents[1] / "fixtures"
Imported = tuple[Catalog, ImportReport]
Read = Callable[..., Imported]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Import a text or bytes as the file of a name, by default mine.csv, over the built-in articles."""

    def act(content: str | bytes, name: str = "mine.csv", **options: Any) -> Imported:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        options.setdefault("articles", builtin().articles)
        return import_tickets(path, Options(**options))

    return act


def workbook(*rows: list[Any], **sheets: list[list[Any]]) -> bytes:
    """An .xlsx with these rows in its first sheet, and further sheets by name."""
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    for name, content in sheets.items():
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
