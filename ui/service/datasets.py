"""Visitors' own files: read, looked at, played. Nothing of them is kept longer than it is used."""

from __future__ import annotations

import asyncio
import json
import re
from collections import OrderedDict
from pathlib import Path

from data import dataset
from data.catalog import Catalog
from env import episode as engine
from env.episode import Arena
from graders.kb_text import KbText
from graders.version import GRADER_VERSION
from ui.service import imports
from ui.service.ground import Ground
from ui.service.imports import Upload
from ui.service.play import Play
from ui.state_data import DataCard, DataView, ImportView
from ui.texts import data as texts

MOST_TICKETS = 5_000
"""How many tickets a visitor may bring."""
_MOST_UPLOADS = 6
_MOST_MAPPED = 40
_MOST_TITLE = 1_000
_UNSHOWN = re.compile(r"[^\w .()\[\]+-]")


class Datasets:
    """The files that visitors brought, the last ones used; and what they play of them."""

    def __init__(self, play: Play, most_bytes: int) -> None:
        """`most_bytes` is how large a file may be."""
        self._play, self._most_bytes = play, most_bytes
        self._brought: OrderedDict[str, tuple[Upload, Catalog | None, ImportView]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._brought)

    def now(self, visitor: str | None, *, error: str = "", downloads: bool = False) -> DataView:
        """What the tab shows a visitor; `downloads` adds the built-in data as a file."""
        run = self._play.visitors.run(visitor)
        found = self._brought.get(visitor or "")
        return DataView(
            card=self._card(downloads),
            found=found[2] if found else None,
            error=error,
            most_bytes=self._most_bytes,
            most_tickets=MOST_TICKETS,
            playing=run.ground.name if run else "",
        )

    async def bring(self, visitor: str | None, path: Path, name: object) -> DataView:
        """Take a file from where it was uploaded to, and read it. The file is deleted."""
        if not visitor:
            return self.now(visitor, error=texts.NO_SESSION)
        content = await asyncio.to_thread(_take, path, self._most_bytes)
        if content is None:
            most = self._most_bytes / 1e6
            return self.now(visitor, error=texts.TOO_LARGE.format(most=f"{most:g}"))
        return await self._read(visitor, Upload(shown_name(name), content), {})

    async def map(self, visitor: str | None, sent: object) -> DataView:
        """Read the visitor's file again, with the columns that the visitor says.

        Args:
            visitor: Who asks.
            sent: JSON of field to column title.
        """
        found = self._brought.get(visitor or "")
        columns = _columns(sent)
        if found is None or columns is None:
            return self.now(visitor, error=texts.GONE if found is None else texts.BAD_REQUEST)
        return await self._read(visitor or "", found[0], columns)

    def play(self, visitor: str | None) -> str:
        """Let the visitor, and nobody else, play the file; what is wrong, or nothing.

        The file goes: the tickets are held by what is played, and go with it.
        """
        found = self._brought.get(visitor or "")
        if visitor is None or found is None or found[1] is None:
            return texts.GONE
        catalog, base = found[1], self._play.ground.arena
        if catalog.articles == base.catalog.articles:  # then its index serves for both
            arena = Arena(catalog, base.knowledge, KbText(catalog))
        else:
            arena = engine.arena(catalog)
        self._play.enter(visitor, Ground(arena, found[0].name))
        del self._brought[visitor]
        return ""

    def close(self, visitor: str | None) -> None:
        """Forget a visitor's file."""
        self._brought.pop(visitor or "", None)

    async def _read(self, visitor: str, upload: Upload, columns: dict[str, str]) -> DataView:
        base = self._play.ground.catalog
        catalog, view = await asyncio.to_thread(imports.read, upload, base, columns, MOST_TICKETS)
        self._brought[visitor] = upload, catalog, view
        self._brought.move_to_end(visitor)
        while len(self._brought) > _MOST_UPLOADS:
            self._brought.popitem(last=False)
        return self.now(visitor)

    def _card(self, downloads: bool) -> DataCard:
        ground = self._play.ground
        return DataCard(
            name=ground.catalog.name,
            version=ground.catalog.version,
            grader=GRADER_VERSION,
            tickets=ground.size,
            articles=len(ground.catalog.articles),
            tasks=ground.tasks,
            csv=dataset.PATH.read_text(encoding="utf-8") if downloads else "",
            csv_name=dataset.PATH.name,
        )


def shown_name(name: object) -> str:
    """A file's name as it may be shown: its last part, of letters, digits and a few marks."""
    last = re.split(r"[/\\]", name if isinstance(name, str) else "")[-1][:200]
    clean = " ".join(_UNSHOWN.sub("_", last).split())
    return clean[:60].strip(". ") or texts.UNNAMED


def _take(path: Path, most: int) -> bytes | None:
    """A file's bytes, None where they are too many; the file and its folder are deleted."""
    try:
        if path.stat().st_size > most:
            return None
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)
        try:
            path.parent.rmdir()
        except OSError:
            pass  # another file is there, or the folder was shared


def _columns(sent: object) -> dict[str, str] | None:
    try:
        said = json.loads(sent) if isinstance(sent, str) and len(sent) < 100_000 else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or len(said) > _MOST_MAPPED:
        return None
    fine = all(k in imports.FIELDS and isinstance(v, str) and len(v) <= _MOST_TITLE
               for k, v in said.items())  # fmt: skip
    return said if fine else None
