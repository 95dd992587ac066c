"""An import on the command line: its arguments, its progress, what it says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from data import catalog as catalogs
from data.catalog import Catalog
from data.errors import DataError
from data.importing import articles as bases
from data.importing.columns import FIELDS
from data.importing.decoding import Progress
from data.importing.importer import import_tickets
from data.importing.options import Limits, Options
from data.importing.report import ImportReport
from data.schema import CATEGORIES, KbArticle


def add_arguments(parser: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """Add the arguments that say how a file of tickets is read."""
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar='FIELD="COLUMN"',
        help=f"which column holds a field ({', '.join(FIELDS)}), where the header does not say so;"
        ' such as --map body="Ticket Description". May be repeated',
    )
    parser.add_argument(
        "--map-category",
        action="append",
        default=[],
        metavar='"THEIRS=OURS"',
        help=f"which of {', '.join(CATEGORIES)} a category of the file is. May be repeated",
    )
    parser.add_argument(
        "--kb",
        metavar="PATH",
        help="your knowledge base: a folder of Markdown files, or a CSV or JSON of id, title, body;"
        " the word 'builtin' searches the articles that ship. Default: none",
    )
    parser.add_argument(
        "--repair", action="store_true", help="mend letters that were decoded wrongly (CafÃ©)"
    )


def from_arguments(arguments: argparse.Namespace, limits: Limits | None = None) -> Options:
    """The options that a command line names.

    Raises:
        DataError: a --map without '=', a field or category there is not, a knowledge base that
            can't be read.
    """
    columns = _pairs("--map", arguments.map)
    for name in columns:
        if name not in FIELDS:
            raise DataError(f"--map {name}=…", f"no field {name!r}; fields: {', '.join(FIELDS)}")
    categories = _pairs("--map-category", arguments.map_category)
    for theirs, ours in categories.items():
        if ours not in CATEGORIES:
            raise DataError(
                f"--map-category {theirs}={ours}",
                f"no category {ours!r}; categories: {', '.join(CATEGORIES)}",
            )
    return Options(
        columns=columns,
        categories=categories,
        articles=_articles(arguments.kb),
        repair=arguments.repair,
        limits=limits or Limits(),
    )


def _pairs(option: str, said: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in said:
        left, sign, right = (
            text.rpartition("=") if option == "--map-category" else text.partition("=")
        )
        left, right = left.strip(), right.strip().strip('"')
        if not (sign and left and right):
            raise DataError(f"{option} {text}", f'write it as {option} "NAME=VALUE"')
        pairs[left] = right
    return pairs


def _articles(said: str | None) -> Mapping[str, KbArticle] | None:
    if said is None:
        return None
    if said == "builtin":
        return catalogs.builtin().articles
    return bases.read(Path(said))


def import_with(
    path: Path, arguments: argparse.Namespace, limits: Limits | None = None
) -> tuple[Catalog, ImportReport]:
    """Import a file as a command line says, with a progress bar on stderr.

    Raises:
        DataError: see `from_arguments` and `data.importing.import_tickets`.
    """
    options = from_arguments(arguments, limits)
    with reading(path) as progress:
        return import_tickets(path, options, progress=progress)


@contextmanager
def reading(path: Path) -> Iterator[Progress]:
    """A progress bar on stderr, where that is a terminal, over the bytes of a file."""
    size = path.stat().st_size if path.is_file() else None
    with tqdm(
        total=size, desc=f"read {path.name}", unit="B", unit_scale=True, disable=None, leave=False
    ) as bar:

        def done(so_far: int) -> None:
            bar.update(so_far - bar.n)

        yield done
