"""The seam to the importer: a visitor's file in, tickets and a report for the page out."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from data.catalog import Catalog
from data.errors import DataError
from data.importing import ALIASES, ImportReport, import_csv, map_columns, read_header
from env.tasks import FAMILIES
from ui.state_data import ImportView, Sample
from ui.texts import data as texts

FIELDS = tuple(ALIASES)
ENDINGS = (".csv", ".tsv", ".txt")
SHOWN = 50
_SAMPLES = 3
_SAMPLE_TEXT = 280
_LINE = re.compile(r":(\d+)$")


@dataclass(frozen=True)
class Upload:
    """A file that a visitor brought, in memory. `name` is only shown, never a path."""

    name: str
    content: bytes

    @property
    def ending(self) -> str:
        """What the name ends in, if it is an ending we know; else .csv."""
        ending = Path(self.name).suffix.lower()
        return ending if ending in ENDINGS else ".csv"


def read(
    upload: Upload, base: Catalog, columns: Mapping[str, str], most: int
) -> tuple[Catalog | None, ImportView]:
    """Read a file into a catalog; None where nothing of it can be played.

    Args:
        upload: The file.
        base: The data whose articles are searched.
        columns: Field to column title, where the visitor says so; an empty one leaves a field out.
        most: How many tickets a visitor may bring.
    """
    with tempfile.TemporaryDirectory(prefix="supportops-") as folder:
        path = Path(folder) / f"tickets{upload.ending}"
        path.write_bytes(upload.content)
        titles: tuple[str, ...] = ()
        try:
            titles = read_header(path)
            catalog, report = import_csv(path, base, columns)
        except DataError as error:
            mapping = map_columns(titles, columns)
            return None, ImportView(upload.name, FIELDS, titles, mapping, error=_said(error))
    if len(catalog.tickets) > most:
        error = texts.TOO_MANY.format(n=len(catalog.tickets), most=most)
        return None, ImportView(upload.name, FIELDS, titles, report.mapping, error=error)
    named = replace(catalog, name=upload.name, version=f"{base.version}+{upload.name}")
    return named, _view(upload.name, titles, report, named)


def _said(error: DataError) -> str:
    line = _LINE.search(error.where)
    said = f"{texts.LINE.format(n=line[1])}: {error.what}" if line else error.what
    return said[:1].upper() + said[1:]


def _view(name: str, titles: tuple[str, ...], report: ImportReport, catalog: Catalog) -> ImportView:
    delimiter = texts.DELIMITERS.get(report.delimiter, report.delimiter)
    return ImportView(
        name=name,
        fields=FIELDS,
        columns=titles,
        mapping=report.mapping,
        read_as=(report.encoding, delimiter),
        rows=report.rows,
        skipped=report.skipped[:SHOWN],
        skipped_count=len(report.skipped),
        warnings=report.warnings[:SHOWN],
        tasks=tuple((f.name, len(catalog.ids(f.id, "test")), "") for f in FAMILIES),
        samples=_samples(catalog),
    )


def _samples(catalog: Catalog) -> tuple[Sample, ...]:
    first = list(catalog.tickets.values())[:_SAMPLES]
    return tuple(
        Sample(t.ticket_id, t.subject, t.body[:_SAMPLE_TEXT], catalog.customers[t.customer_id].name)
        for t in first
    )
