"""`python -m data.importing FILE`: what would become of a file of tickets, before anything plays."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from data.command import exit_code_of
from data.errors import DataError
from data.importing.arguments import add_arguments, from_arguments, import_with
from data.importing.importer import TicketView, preview
from data.importing.options import MAX_BYTES, MAX_TICKETS, Limits
from data.importing.report import as_json, as_text

_SHOWN_TICKETS = 2
_SHOWN_TEXT = 400


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report: 0 something can be played, 2 nothing can, or the file can't be read."""
    parser = argparse.ArgumentParser(
        prog="python -m data.importing",
        description="Read a file of tickets (CSV, TSV, JSON, JSON lines, .xlsx) and report what"
        " becomes of it: how it was read, which column is what, what was left out and why, which"
        " tasks it can play. Nothing is written.",
        epilog="Exit code: 0 there is something to play, 2 nothing, or the file can't be read.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    add_arguments(parser)
    parser.add_argument("--max-bytes", type=int, default=MAX_BYTES, metavar="N",
                        help=f"the largest file; default: {MAX_BYTES:,}")  # fmt: skip
    parser.add_argument("--max-tickets", type=int, default=MAX_TICKETS, metavar="N",
                        help="tickets to keep; rows beyond are counted and not kept; default:"
                        f" {MAX_TICKETS:,}")  # fmt: skip
    parser.add_argument("--report", action="store_true", help="list every skipped row and warning")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args(argv)
    path: Path = arguments.file
    limits = Limits(arguments.max_bytes, arguments.max_tickets)
    try:
        if not arguments.json:
            for ticket in preview(path, from_arguments(arguments, limits)).tickets[:_SHOWN_TICKETS]:
                sys.stdout.write(_shown(ticket) + "\n")
        _, report = import_with(path, arguments, limits)
    except DataError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(
        as_json(str(path), report)
        if arguments.json
        else as_text(str(path), report, arguments.report)
    )
    if not any(report.tasks.values()):
        sys.stderr.write(f"{path}: {report.why_nothing()}\n")
        return 2
    return 0


def _shown(ticket: TicketView) -> str:
    parts = [f"line {ticket.line}: {ticket.ticket_id}  {ticket.subject}", _cut(ticket.clean)]
    if ticket.marks:
        parts.append(f"(cleaned: {', '.join(ticket.marks)})")
    if ticket.answer:
        parts.append(f"answer: {_cut(ticket.answer)}")
    return "\n  ".join(p.replace("\n", "\n  ") for p in parts) + "\n"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else text[:_SHOWN_TEXT].rsplit(" ", 1)[0] + " …"


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
