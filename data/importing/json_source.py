"""JSON in pieces: a list of records, an object that holds one, or one record a line.

A list is read record by record, so that memory holds one of them at a time. Numbers stay the text
they are: an id keeps its zeros and all its digits.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data.importing import chats
from data.importing.decoding import Progress, Text, lines
from data.importing.record import Record
from data.importing.report import Notes

CONTAINERS = ("tickets", "records", "data", "conversations", "items", "results", "rows")
MAX_RECORD = 16_000_000
SAMPLE = 200
_CHUNK = 1 << 16
_SPACE = " \t\r\n\ufeff\0"
_DECODER = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=lambda _: None, strict=False
)


def is_json(head: str, suffix: str) -> bool:
    """Whether a file that begins like this, with this ending, is JSON."""
    first = head.lstrip(_SPACE)[:1]
    return suffix in (".json", ".jsonl", ".ndjson") or first in ("[", "{")


def is_lines(path: Path, encoding: str) -> bool:
    """Whether the file holds one record a line."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return True
    with Text(path, encoding) as stream:
        told = [line for line in itertools.islice(_filled(stream), 2)]
    return bool(told) and told[0].startswith("{") and _whole(told[0]) and len(told) == 2


def read(
    path: Path, encoding: str, one_a_line: bool, notes: Notes, progress: Progress | None = None
) -> tuple[tuple[str, ...], Iterator[Record]]:
    """The keys that the first records have, nested ones joined by dots, and all records.

    Raises:
        DataError: what is read is not JSON, nested too deeply, or one record is above 16 MB;
            names the line. In a file with one record a line a broken line is skipped instead.
    """
    made = _from_lines if one_a_line else _from_values
    records = made(path, encoding, notes, progress)
    first = list(itertools.islice(records, SAMPLE))
    columns = dict.fromkeys(key for record in first for key in record.cells)
    return tuple(columns), itertools.chain(first, records)


def _from_lines(
    path: Path, encoding: str, notes: Notes, progress: Progress | None
) -> Iterator[Record]:
    with Text(path, encoding) as stream:
        for number, line in enumerate(lines(stream, notes, progress), 1):
            text = line.strip(_SPACE)
            if not text:
                continue
            try:
                value = _DECODER.decode(text)
            except json.JSONDecodeError as error:
                notes.skip(number, f"not JSON: {error.msg}", "not JSON")
            except RecursionError:
                notes.skip(number, "nested too deeply")
            else:
                yield from _record(value, number, notes)


def _from_values(
    path: Path, encoding: str, notes: Notes, progress: Progress | None
) -> Iterator[Record]:
    with Text(path, encoding) as stream:
        scanner = _Scanner(stream, notes, progress)
        first = scanner.peek()
        if first == "[":
            yield from _list(scanner, notes)
        elif first == "{":
            yield from _object(scanner, notes)
        else:
            raise notes.fail(scanner.line, "not JSON: neither a list nor an object")


def _list(scanner: _Scanner, notes: Notes) -> Iterator[Record]:
    scanner.take("[")
    while scanner.peek() != "]":
        line = scanner.line
        yield from _record(scanner.value(), line, notes)
        if scanner.peek() != "]":
            scanner.take(",")
    scanner.take("]")


def _object(scanner: _Scanner, notes: Notes) -> Iterator[Record]:
    """The records that one of the known keys holds; without one, the object is the record."""
    line = scanner.line
    scanner.take("{")
    own: dict[str, Any] = {}
    while scanner.peek() != "}":
        key = scanner.value()
        scanner.take(":")
        if key in CONTAINERS and scanner.peek() == "[":
            yield from _list(scanner, notes)
            return
        own[str(key)] = scanner.value()
        if scanner.peek() != "}":
            scanner.take(",")
    yield from _record(own, line, notes)


def _record(value: Any, line: int, notes: Notes) -> Iterator[Record]:
    if not isinstance(value, dict):
        notes.skip(line, "not an object with keys")
        return
    if chats.is_internal(value):
        notes.skip(line, "an internal note")
        return
    cells: dict[str, str] = {}
    _flatten(value, "", cells)
    yield Record(line, cells, chats.turns_in(value))


def _flatten(value: dict[str, Any], path: str, cells: dict[str, str], depth: int = 0) -> None:
    for key, inner in value.items():
        name = f"{path}{key}"
        if isinstance(inner, dict):
            if depth < 3:
                _flatten(inner, f"{name}.", cells, depth + 1)
        elif isinstance(inner, list):
            plain = [scalar(x) for x in inner if not isinstance(x, dict | list)]
            if plain:
                cells[name] = ", ".join(p for p in plain if p)
        else:
            cells[name] = scalar(inner)


def scalar(value: Any) -> str:
    """A JSON value that is no list and no object, as text."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Scanner:
    """Takes one value after another out of a stream; holds no more text than one value needs."""

    def __init__(self, stream: Text, notes: Notes, progress: Progress | None) -> None:
        self._stream, self._notes, self._progress = stream, notes, progress
        self._text, self._at, self._ended = "", 0, False
        self.line = 1

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._text):
                char = self._text[self._at]
                if char not in _SPACE:
                    return char
                self._move(self._at + 1)
            if not self._more(_CHUNK):
                return ""

    def take(self, wanted: str) -> None:
        """Pass the wanted character.

        Raises:
            DataError: another one is there.
        """
        if self.peek() != wanted:
            found = repr(self._text[self._at : self._at + 1]) if self.peek() else "the end"
            raise self._notes.fail(self.line, f"not JSON: {wanted!r} expected, {found} found")
        self._move(self._at + 1)

    def value(self) -> Any:
        """The next value.

        Raises:
            DataError: it is no JSON, nested too deeply or larger than 16 million characters.
        """
        self.peek()
        more = _CHUNK
        while True:
            try:
                found, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if len(self._text) - self._at >= MAX_RECORD:
                    why = f"no JSON, or a record larger than {MAX_RECORD:,} characters"
                    raise self._notes.fail(self.line, why) from error
                if not self._more(more):
                    line = self.line + self._text.count("\n", self._at, error.pos)
                    raise self._notes.fail(line, f"not JSON: {error.msg}") from error
                more *= 2
            except RecursionError as error:
                raise self._notes.fail(self.line, "nested too deeply") from error
            else:
                # A number that ends with the text may go on in the next piece.
                if (
                    end == len(self._text)
                    and not isinstance(found, dict | list)
                    and self._more(more)
                ):
                    continue
                self._move(end)
                return found

    def _move(self, to: int) -> None:
        self.line += self._text.count("\n", self._at, to)
        self._at = to

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        piece = self._stream.read(size)
        self._ended = not piece
        self._text, self._at = self._text[self._at :] + piece, 0
        if self._progress is not None:
            self._progress(self._stream.done())
        return bool(piece)


def _filled(stream: Text) -> Iterator[str]:
    while line := stream.readline(MAX_RECORD):
        text = line.strip(_SPACE)
        if text:
            yield text


def _whole(text: str) -> bool:
    try:
        return isinstance(_DECODER.decode(text), dict)
    except (ValueError, RecursionError):
        return False
