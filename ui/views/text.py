"""Escaping, and the small texts that all views share: points, times, articles, marked replies."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

_BOLD = re.compile(r"\*\*(.+?)\*\*")
_CODE = re.compile(r"`([^`]+)`")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+")
_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")


def esc(value: object) -> str:
    """The one way for text into a page: as text, whatever it holds."""
    return html.escape(str(value), quote=True)


def points(value: float) -> str:
    """Points with their sign, three digits: +0.050, −0.020, 0.000."""
    shown = f"{abs(value):.3f}"
    if float(shown) == 0:
        return shown
    return ("+" if value > 0 else "−") + shown


def grade(value: float | None) -> str:
    """A grade or score in [0, 1], three digits; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.3f}".replace("-", "−") if abs(value) >= 0.0005 else "0.000"


def moment(iso: str) -> str:
    """A time as people write it, in UTC; what is no ISO time stays as it is."""
    when = _parse(iso)
    return f"{when:%a} {when.day} {when:%b %Y, %H:%M} UTC" if when else iso


def later(iso: str, hours: int) -> str:
    """The time some hours after another one."""
    when = _parse(iso)
    return moment((when + timedelta(hours=hours)).isoformat()) if when else f"{iso} + {hours} h"


def _parse(iso: str) -> datetime | None:
    try:
        return datetime.fromisoformat(iso)
    except ValueError:
        return None


def by_hand(feedback: str) -> str:
    """What the engine tells agents, without the advice that only they need: people have buttons."""
    return feedback.replace("; search for an id to open it.", ".")


def initials(name: str) -> str:
    """At most two letters that stand for a person."""
    words = [w for w in name.split() if w[0].isalnum()]
    return "".join(w[0] for w in (words[:1] + words[-1:] if len(words) > 1 else words)).upper()


def paragraphs(text: str) -> str:
    """Plain text with its line breaks (the style sheet keeps them)."""
    return f'<div class="plain" dir="auto">{esc(text)}</div>'


def article(body: str) -> str:
    """An article's Markdown as HTML: headings, lists, tables, bold and code; all else is text."""
    out = []
    for block in re.split(r"\n\s*\n", body.strip()):
        lines = block.splitlines()
        if lines and lines[0].startswith("#"):
            out.append(f"<h4>{_inline(lines[0].lstrip('# '))}</h4>")
            lines = lines[1:]
        if not lines:
            continue
        if len(lines) > 1 and "|" in lines[0] and _RULE.match(lines[1]):
            out.append(_table(lines))
        elif _ITEM.match(lines[0]):
            out.append(_list(lines))
        else:
            out.append(f"<p>{_inline(' '.join(lines))}</p>")
    return "".join(out)


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", _BOLD.sub(r"<strong>\1</strong>", esc(text.strip())))


def _list(lines: Sequence[str]) -> str:
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line) or not items:
            items.append(_ITEM.sub("", line))
        else:
            items[-1] += " " + line.strip()
    tag = "ol" if lines[0].lstrip()[:1].isdigit() else "ul"
    return f"<{tag}>{''.join(f'<li>{_inline(i)}</li>' for i in items)}</{tag}>"


def _table(lines: Sequence[str]) -> str:
    rows = [[c.strip() for c in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f'<th scope="col">{_inline(c)}</th>' for c in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_inline(c)}</td>" for c in row) + "</tr>" for row in rows[2:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text, [start, end) in characters, that a numbered note speaks of.

    `tone` is "gain", "loss" or "zero".
    """

    start: int
    end: int
    number: int
    tone: str
    note: str


def marked(text: str, marks: Iterable[Mark], scope: str = "") -> str:
    """A text with its marks. Marks may overlap and may reach beyond the text; they are cut.

    `scope` leads the ids of the notes that they point to.
    """
    kept = [m for m in marks if 0 <= m.start < min(m.end, len(text))]
    cuts = sorted({0, len(text), *(m.start for m in kept), *(min(m.end, len(text)) for m in kept)})
    out = []
    for start, end in pairwise(cuts):
        over = [m for m in kept if m.start <= start and end <= m.end]
        piece = esc(text[start:end])
        if over:
            tones = {m.tone for m in over}
            tone = "loss" if "loss" in tones else "gain" if "gain" in tones else "zero"
            note = esc(" · ".join(m.note for m in over))
            piece = f'<mark class="{tone}" data-tip="{note}">{piece}</mark>'
        ending = [m for m in kept if min(m.end, len(text)) == end]
        out.append(piece + "".join(_reference(m, scope) for m in ending))
    return f'<div class="plain marked" dir="auto">{"".join(out)}</div>'


def _reference(mark: Mark, scope: str) -> str:
    return (
        f'<button type="button" class="ref {mark.tone}" data-jump="{scope}note-{mark.number}"'
        f' data-tip="{esc(mark.note)}" aria-label="Note {mark.number}: {esc(mark.note)}">'
        f"{mark.number}</button>"
    )
