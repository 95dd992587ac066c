"""From bytes to lines: which encoding a file has, told and never guessed away; physical lines."""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from data.errors import DataError
from data.importing.report import Notes

Progress = Callable[[int], None]
"""Told how many bytes of the file have been read so far."""

MAX_LINE = 16_000_000
_CHUNK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_BINARY = (
    (b"\xd0\xcf\x11\xe0", "an old Excel or Outlook file; save it as .xlsx or CSV"),
    (b"%PDF", "a PDF; export the tickets as CSV or JSON"),
    (b"\x1f\x8b", "compressed; unpack it first"),
    (b"\x89PNG", "an image; export the tickets as CSV or JSON"),
    (b"SQLite format", "a database; export the tickets as CSV or JSON"),
)
_NUL_SHARE = 0.1


@dataclass(frozen=True)
class Encoded:
    """A file's encoding, the hash of its bytes, its first bytes."""

    encoding: str
    digest: str
    head: bytes
    size: int


def examine(path: Path, max_bytes: int) -> Encoded:
    """Read a file once, to find the encoding that reads all of it.

    A byte order mark decides; else UTF-8 where every byte fits, else Windows-1252, else Latin-1.

    Raises:
        DataError: no such file, larger than `max_bytes`, empty, unreadable, or no text.
    """
    try:
        if not path.is_file():
            raise DataError(str(path), "no such file")
        size = path.stat().st_size
        if size > max_bytes:
            raise DataError(
                str(path),
                f"{size / 1e6:,.0f} MB, more than the limit of {max_bytes / 1e6:,.0f} MB; split the"
                " file, or raise the limit (--max-bytes, IMPORT_MAX_BYTES)",
            )
        with path.open("rb") as file:
            return _examine(path, file, size)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise DataError(str(path), f"cannot be read ({said})") from error


def _examine(path: Path, file: IO[bytes], size: int) -> Encoded:
    head = file.read(_CHUNK)
    if not head.strip():
        raise DataError(str(path), "the file is empty; it needs a header line and rows")
    for mark, what in _BINARY:
        if head.startswith(mark):
            raise DataError(str(path), f"this is {what}")
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked in (None, "utf-8-sig") and head[:4096].count(0) > _NUL_SHARE * len(head[:4096]):
        raise DataError(
            str(path), "this is no text, or UTF-16 without its mark; save it as UTF-8 (CSV UTF-8)"
        )
    fitting = [marked] if marked else ["utf-8", "cp1252"]
    decoders = {name: codecs.getincrementaldecoder(name)("strict") for name in fitting}
    digest = hashlib.sha256()
    chunk = head
    while True:
        digest.update(chunk)
        for name in list(decoders):
            try:
                decoders[name].decode(chunk, final=not chunk)
            except UnicodeError as error:
                del decoders[name]
                if marked:
                    raise DataError(
                        str(path),
                        f"begins as {marked} but is not ({error}); save it as UTF-8 again",
                    ) from error
        if not chunk:
            break
        chunk = file.read(_CHUNK)
    return Encoded(next(iter(decoders), "latin-1"), digest.hexdigest(), head[:4096], size)


class Text(io.TextIOWrapper):
    """A file as text, line ends as they are; tells how many of its bytes have been read."""

    def __init__(self, path: Path, encoding: str) -> None:
        """Open the file.

        Raises:
            OSError: it can't be opened.
        """
        self._bytes = path.open("rb")
        super().__init__(self._bytes, encoding=encoding, errors="strict", newline="")

    def done(self) -> int:
        """Bytes read so far."""
        return self._bytes.tell()


def lines(stream: Text, notes: Notes, progress: Progress | None = None) -> Iterator[str]:
    """The physical lines with their ends, without NUL bytes.

    Raises:
        DataError: a line longer than 16 million characters.
    """
    number = 0
    nuls = False
    while True:
        number += 1
        line = stream.readline(MAX_LINE)
        if not line:
            return
        if len(line) >= MAX_LINE and line[-1] not in "\r\n":
            raise notes.fail(
                number, f"a line longer than {MAX_LINE:,} characters; is this a table?"
            )
        if "\0" in line:
            line = line.replace("\0", "")
            if not nuls:
                notes.warn(f"line {number}: NUL bytes, here and perhaps below; left out")
                nuls = True
        if progress is not None and number % 512 == 0:
            progress(stream.done())
        yield line
