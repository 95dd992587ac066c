"""Exports of single messages, put together again: several rows with one ticket id are one ticket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from data.importing import chats
from data.importing.columns import Columns, fold
from data.importing.record import Record, Turn
from data.importing.report import Notes

MAX_TURNS = 200
_SPEAKERS = ("sender_type", "author_type", "role", "sender", "speaker", "direction", "author")


@dataclass(slots=True)
class _Thread:
    line: int
    cells: dict[str, str]
    turns: list[Turn] = field(default_factory=list)


def speaker_column(columns: Sequence[str], chosen: Columns, sample: Sequence[Record]) -> str | None:
    """The column that says who wrote a row, where the rows are messages of tickets; else None."""
    ids = [r.cells.get(chosen.titles.get("ticket_id", ""), "") for r in sample]
    if "body" not in chosen.titles or not any(ids) or len(set(ids)) == len(ids):
        return None
    for name in _SPEAKERS:
        for title in columns:
            if fold(title) == name:
                named = [chats.speaker_named(r.cells.get(title, "")) for r in sample]
                if {"customer", "agent"} <= set(named):
                    return title
    return None


def message_columns(chosen: Columns, speaker: str) -> Columns:
    """The columns without a `type`: of a message it says how it came, not what it is about."""
    titles = {f: t for f, t in chosen.titles.items() if not (f == "category" and fold(t) == "type")}
    unused = tuple(c for c in chosen.unused if c != speaker)
    return replace(chosen, titles=titles, unused=unused)


def joined(
    records: Iterator[Record], chosen: Columns, speaker: str, most: int, notes: Notes
) -> Iterator[Record]:
    """One record a ticket, with its messages in the order of the file.

    Holds all threads until the file ends; at most `most` of them.
    """
    threads: dict[str, _Thread] = {}
    for record in records:
        ticket_id = record.cells.get(chosen.titles["ticket_id"], "").strip()
        side = chats.speaker_named(record.cells.get(speaker, ""))
        text = record.cells.get(chosen.titles["body"], "")
        if side is None or not text.strip():
            notes.skip(record.line, "a message by neither customer nor agent, or without text")
            continue
        thread = threads.get(ticket_id)
        if thread is None:
            if len(threads) >= most:
                notes.skip(record.line, "over the limit of tickets")
                continue
            thread = threads[ticket_id] = _Thread(record.line, {})
        if side == "customer" or not thread.cells:
            thread.cells = {**record.cells, **{t: c for t, c in thread.cells.items() if c}}
        if len(thread.turns) < MAX_TURNS:
            thread.turns.append(Turn(side, text))
    for thread in threads.values():
        cells = {t: c for t, c in thread.cells.items() if t != chosen.titles["body"]}
        yield Record(thread.line, cells, tuple(thread.turns))
