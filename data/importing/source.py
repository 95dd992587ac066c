"""Opening a file of tickets, whatever its format."""

from __future__ import annotations

import hashlib
from pathlib import Path

from data.errors import DataError
from data.importing import decoding, delimited, json_source, workbook
from data.importing.decoding import Progress
from data.importing.record import Source
from data.importing.report import Notes

_ZIP = b"PK\x03\x04"
_CHUNK = 1 << 20


def open_source(
    path: Path, max_bytes: int, notes: Notes, progress: Progress | None = None
) -> Source:
    """Open a file; its rows are read as they are asked for.

    Raises:
        DataError: no such file, too large, no text and no workbook; while rows are read: a place
            where the file stops being what it began as, with its line.
    """
    if _begins(path) == _ZIP:
        size = path.stat().st_size
        if size > max_bytes:
            raise DataError(
                str(path),
                f"{size / 1e6:,.0f} MB, more than the limit of {max_bytes / 1e6:,.0f} MB",
            )
        columns, records = workbook.read(path, notes)
        return Source("xlsx", "", "", columns, records, _digest(path))
    found = decoding.examine(path, max_bytes)
    if found.encoding == "latin-1":
        notes.warn("bytes that neither UTF-8 nor Windows-1252 knows; read as Latin-1")
    head = found.head.decode(found.encoding, errors="replace")
    if json_source.is_json(head, path.suffix.lower()):
        one_a_line = json_source.is_lines(path, found.encoding)
        columns, records = json_source.read(path, found.encoding, one_a_line, notes, progress)
        name = "json lines" if one_a_line else "json"
        return Source(name, found.encoding, "", columns, records, found.digest)
    delimiter, skip = delimited.delimiter_of(path, found.encoding)
    columns, records = delimited.read(path, found.encoding, delimiter, skip, notes, progress)
    return Source("csv", found.encoding, delimiter, columns, records, found.digest)


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_ZIP))
    except (OSError, ValueError):
        return b""  # examine() says why


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
