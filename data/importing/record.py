"""One row of a file, whatever its format: cells by column title, or the turns of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Speaker = Literal["customer", "agent"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said, as it was written."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """A row that begins in `line`. All cells are text; `turns` are empty where it is no chat."""

    line: int
    cells: Mapping[str, str]
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Source:
    """An opened file: how it is read, its column titles, its rows as they are asked for."""

    file_format: str
    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    records: Iterator[Record]
    digest: str
    warnings: tuple[str, ...] = field(default=())
