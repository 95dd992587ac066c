"""`python -m data.template DIR`: writes a small data set with notes in it, to be made one's own."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from data.command import exit_code_of
from data.errors import DataError

STARTER = Path(__file__).parent / "starter"


def write(folder: Path) -> tuple[Path, ...]:
    """Write the starter into a new or empty folder; the paths of its files.

    Raises:
        DataError: there is something in the folder, it is a file, or it can't be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DataError(str(folder), "is not empty; name a folder that is new or empty")
        shutil.copytree(STARTER, folder, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise DataError(str(folder), f"can't be written: {why}") from error
    return tuple(sorted(p for p in folder.rglob("*") if p.is_file()))


def main(argv: Sequence[str] | None = None) -> int:
    """Write the starter and say what to do next; 0 done, 2 can't."""
    parser = argparse.ArgumentParser(
        prog="python -m data.template",
        description="Write a commented starter of a data set: tickets, articles, labels, and a"
        " README that explains them.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that is new or empty")
    folder = parser.parse_args(argv).folder
    try:
        files = write(folder)
    except DataError as error:
        sys.stderr.write(f"data.template: {error}\n")
        return 2
    sys.stdout.write("".join(f"{path}\n" for path in files))
    sys.stderr.write(
        f"Next: read {folder / 'README.md'}, change the files, then python -m data.check {folder}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
