"""Opening a folder that holds a data set: one laid out as the built-in one, or one's own."""

from __future__ import annotations

from pathlib import Path

from data import catalog as catalogs
from data.authored import reader
from data.authored.manifest import NAME
from data.catalog import Catalog
from data.errors import DataError


def open_folder(folder: Path) -> Catalog:
    """Read a data set that can be played.

    Raises:
        DataError: no such folder, no data set in it, something wrong with it, or nothing in it that
            any task plays; names file and line, and what to do.
    """
    if not folder.is_dir():
        raise DataError(str(folder), "no such folder")
    if reader.is_authored(folder):
        catalog = reader.load(folder)
    elif (folder / "meta.json").exists():
        catalog = catalogs.load(folder)
    else:
        raise DataError(
            str(folder),
            f"no data set: it has no {NAME}; python -m data.template {folder} writes a start",
        )
    if not any(catalog.items.values()):
        raise DataError(str(folder), f"nothing to play; python -m data.check {folder} says why")
    return catalog
