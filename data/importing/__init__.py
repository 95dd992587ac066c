"""Bringing your own tickets: what helpdesks export (CSV, JSON, Excel), to a catalog that plays.

`preview` looks at a file's first rows, `import_tickets` reads it whole; both come with a report.
`import_csv` is `import_tickets` over the articles of a given catalog.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from data import catalog as catalogs
from data.catalog import Catalog
from data.errors import DataError
from data.importing.columns import ALIASES as ALIASES
from data.importing.columns import FIELDS as FIELDS
from data.importing.columns import choose
from data.importing.importer import ColumnView as ColumnView
from data.importing.importer import Preview as Preview
from data.importing.importer import TicketView as TicketView
from data.importing.importer import import_tickets as import_tickets
from data.importing.importer import preview as preview
from data.importing.labelling import CLASSIFICATION as CLASSIFICATION
from data.importing.labelling import CSV_TASKS as CSV_TASKS
from data.importing.options import Limits as Limits
from data.importing.options import Options as Options
from data.importing.report import ImportReport as ImportReport
from data.importing.report import Question as Question


def import_csv(
    path: Path, base: Catalog, columns: Mapping[str, str] | None = None
) -> tuple[Catalog, ImportReport]:
    """Read a file of tickets over the articles of a catalog.

    Args:
        path: The file.
        base: The catalog whose articles are searched, whose categories the file's are, and whose
            labels its own rows keep.
        columns: Field to column title, where the header does not say it; an empty title leaves the
            field out.

    Raises:
        DataError: it can't be read, or no row can be played; says what to do.
    """
    known = dict.fromkeys(base.categories, ())
    chosen = Options(columns=columns or {}, known=known, articles=base.articles)
    catalog, report = import_tickets(path, chosen, base)
    if not any(catalog.items.values()):
        raise DataError(str(path), report.why_nothing())
    return catalog, report


def read_header(path: Path) -> tuple[str, ...]:
    """The column titles of a file.

    Raises:
        DataError: the file can't be read.
    """
    return tuple(column.title for column in preview(path, rows=1).columns)


def map_columns(header: Sequence[str], said: Mapping[str, str]) -> dict[str, str]:
    """Which column holds which field: as said, else by the header's words.

    Args:
        header: The column titles.
        said: Field to title; an empty title leaves the field out, one that is not there is passed
            over.
    """
    known = {f: t for f, t in said.items() if not t or t in header}
    return dict(choose(header, (), known, "").titles)


def default_tasks(catalog: Catalog) -> tuple[str, ...]:
    """The tasks to play of an imported catalog where none is named.

    A's three; and classification, where some tickets with a category have no answer that could
    grade a reply.
    """
    labelled = (catalog.labels[i] for i in catalog.ids(CLASSIFICATION, "test"))
    blind = any(not label.facts for label in labelled)
    return (*CSV_TASKS, CLASSIFICATION) if blind else CSV_TASKS


def builtin_or(path: Path) -> tuple[Path, str | None]:
    """The file to read, and a notice where the literal name `dataset.csv` means the built-in one."""
    shipped = catalogs.BUILTIN.parent / "dataset.csv"
    if not path.exists() and str(path) == "dataset.csv":
        return shipped, "dataset.csv is not here; playing the built-in data/dataset.csv"
    return path, None
