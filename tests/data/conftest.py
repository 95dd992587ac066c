"""A copy of the built-in data that a test may break."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.catalog import BUILTIN

Row = dict[str, Any]


class DataCopy:
    """A data set in a folder of its own, with the few edits that tests need."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(BUILTIN, folder)
        self.folder = folder

    def rows(self, name: str) -> list[Row]:
        text = (self.folder / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    def write(self, name: str, rows: list[Row]) -> None:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")

    def change(self, name: str, edit: Callable[[Row], object]) -> None:
        """Let `edit` change every row in place."""
        rows = self.rows(name)
        for row in rows:
            edit(row)
        self.write(name, rows)

    def first(self, name: str, wanted: Callable[[Row], bool] = lambda _: True) -> Row:
        return next(row for row in self.rows(name) if wanted(row))

    def update(self, name: str, key: str, identity: str, **values: Any) -> None:
        """Set fields of the row whose `key` is `identity`."""
        self.change(name, lambda row: row.update(values) if row[key] == identity else None)

    def replace(self, name: str, old: str, new: str) -> None:
        """Replace text in a file; it must be there."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> DataCopy:
    return DataCopy(tmp_path / "mine")
