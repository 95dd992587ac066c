"""What every command line here shares: how it ends when nobody reads what it prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

READER_LEFT = 141
"""The exit code that shells give a program whose reader went away: 128 and SIGPIPE's number."""


def exit_code_of(main: Callable[[], int | None]) -> int:
    """Run a command and return its exit code; `command | head` ends it without a traceback."""
    try:
        code = main() or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes once more at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT
