"""`python -m bench`: measure, in turn with the floors, and print a table; progress goes to stderr.

`--quick` takes a few minutes and leaves the largest sizes out; `--json` prints JSON; `--only` takes
some of the parts. `--strict` exits 1 where a target is missed. Handlers of the console are measured
by `python -m tests.ui.load_console`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable

from tqdm import tqdm

from bench import engine, growth, memory, models, search, wire
from bench.figures import Figure, table
from data.command import exit_code_of

_PARTS: dict[str, Callable[[bool, Callable[[], object]], list[Figure]]] = {
    "ws": lambda quick, tick: wire.websocket(2 if quick else 5, 2 if quick else 5, tick),
    "http": lambda quick, tick: wire.http(2 if quick else 5, 2 if quick else 5, tick),
    "engine": lambda quick, tick: engine.measure(5, 20 if quick else 100, tick),
    "memory": lambda quick, _: memory.measure(500 if quick else 2_000),
    "search": lambda quick, tick: search.measure(
        5, 20 if quick else 50, search.SIZES[:3] if quick else search.SIZES, tick
    ),
    "models": lambda quick, tick: models.measure(1 if quick else 5, 4 if quick else 20, tick),
    "growth": lambda quick, _: growth.measure(quick),
}


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller sizes")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a target is missed")
    parser.add_argument("--only", nargs="+", choices=tuple(_PARTS), metavar="PART",
                        help=f"some of: {', '.join(_PARTS)}")  # fmt: skip
    asked = parser.parse_args()
    figures: list[Figure] = []
    for part in tqdm(asked.only or tuple(_PARTS), unit="part"):
        with tqdm(desc=part, unit="round", leave=False) as bar:
            figures += _PARTS[part](asked.quick, bar.update)
    busy = os.getloadavg()[0]
    machine = (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, load {busy:.1f} at the end"
    )
    if asked.json:
        shown = {"machine": machine, "figures": [f.plain() for f in figures]}
        sys.stdout.write(json.dumps(shown, indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"{machine}.\n\n{table(figures)}")
    return int(asked.strict and any(f.met is False for f in figures))


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
