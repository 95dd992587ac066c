"""From what a helpdesk stores to what a person wrote: HTML, quoted mail, signatures, odd characters.

The raw text is kept beside the clean one. Nothing here reads a text as anything but text.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import quotequail
from bs4 import BeautifulSoup, Tag
from bs4.element import Comment, NavigableString, PageElement
from ftfy import fix_encoding
from ftfy.badness import is_bad

# Control characters, those that turn the direction of writing, and halves of surrogate pairs.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_TAGS = (
    "a|abbr|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|font|footer|h[1-6]|head|header|hr|"
    "html|i|img|li|link|meta|ol|p|pre|script|section|small|span|strong|style|sub|sup|table|tbody|td|"
    "th|thead|title|tr|u|ul"
)
_HTML = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:nbsp|amp|lt|gt|quot|apos|#\d{2,5}|#x[0-9a-f]{2,4});", re.IGNORECASE)
_BLOCKS = frozenset(
    "address blockquote body center div footer h1 h2 h3 h4 h5 h6 header hr html p pre section".split()
)
_LINES = frozenset("dd dt li tr".split())
_LISTS = frozenset("dl ol table ul".split())
_DROPPED = frozenset("script style head title img link meta".split())
_QUOTED = re.compile(r"\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|OutlookMessageHeader)\b")
_SIGNED = re.compile(r"\b(?:gmail_signature|js-signatureMarker|moz-signature|email-signature)\b")
# Without any of these, no line can introduce or hold quoted mail; looking closer takes long.
_MAY_QUOTE = re.compile(
    r"^[ \t]*>|:[ \t]*$|^[ \t]*[-_]{3}|^\*?[^\W\d_][\w -]{0,20}:|@.*>$", re.MULTILINE
)
_MARKER = "\ue000signature\ue000"
_LITERAL = re.compile(r"(?:\\r)?\\n(?=\\|[A-Z0-9\s\-*\"'(]|$)")
_DEVICE = re.compile(r"(?:sent|get) (?:from (?:my )?|outlook for )\w[\w .]{1,30}", re.IGNORECASE)
_SIGN_OFF = re.compile(
    r"(?:many |best |kind |warm |with )*(?:thanks|thank you|regards|cheers|wishes|sincerely|yours)"
    r"(?: (?:again|so much|in advance|truly|sincerely|a lot|very much))*[,.!]*",
    re.IGNORECASE,
)
_MAX_SIGNATURE = 6
_SHORT_LINE = 60
_MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text, and what was cleaned: "HTML", "quoted mail", "signature", ..."""

    text: str
    marks: tuple[str, ...] = ()


def clean(raw: str, repair: bool = False) -> Cleaned:
    """The text that a person wrote.

    Args:
        raw: As the file holds it.
        repair: Mend mojibake; else it is only marked ("mojibake, left as it is").
    """
    marks: list[str] = []
    text = safe(raw)
    if text != _plain_ends(raw):
        marks.append("control characters")
    if not text.isascii() and is_bad(text):
        mended = fix_encoding(text) if repair else text
        marks.append("mojibake, mended" if mended != text else "mojibake, left as it is")
        text = mended
    if "\n" not in text.strip() and _LITERAL.search(text):
        text = re.sub(r"(?:\\r)?\\n|\\r", "\n", text).replace("\\t", " ").replace('\\"', '"')
        marks.append(r"literal \n")
    if _HTML.search(text):
        text = from_html(text)
        marks.append("HTML")
    elif _ENTITY.search(text):
        text = html.unescape(text)
        marks.append("HTML entities")
    text = safe(text)
    text, marker, _ = text.partition(_MARKER)
    kept = tidy(_without_quotes(tidy(text)))
    if kept != tidy(text):
        marks.append("quoted mail")
    unsigned = _without_signature(kept)
    if unsigned != kept or marker:
        marks.append("signature")
    return Cleaned(unsigned, tuple(marks))


def safe(text: str) -> str:
    """The text without control characters, halves of surrogate pairs, and with plain line ends."""
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", _plain_ends(text)))


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def one_line(raw: str, most: int) -> str:
    """A short field: one line, HTML and control characters out, cut at a word."""
    text = safe(raw)
    if _HTML.search(text):
        text = from_html(text).replace(_MARKER, "")
    flat = " ".join(html.unescape(text).split())
    return flat if len(flat) <= most else flat[:most].rsplit(" ", 1)[0]


def tidy(text: str) -> str:
    """No blanks at line ends, no more than one empty line in a row, none around the text."""
    lined = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lined).strip()


def subject_of(body: str, most: int = 80) -> str:
    """A subject for a message without one: its first line that says something."""
    lines = [" ".join(line.split()) for line in body.split("\n")]
    telling = [line for line in lines if len(line.split()) >= _MIN_WORDS]
    line = next(iter(telling or [x for x in lines if x]), "")
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + "…"


def from_html(markup: str) -> str:
    """The text of HTML: blocks and breaks as lines, quoted mail and scripts left out."""
    soup = BeautifulSoup(markup, "html.parser")
    parts: list[str] = []
    stack: list[PageElement | str] = [soup]
    while stack:  # by hand, for hostile markup nests deeper than Python recurses
        node = stack.pop()
        if isinstance(node, Tag):
            if node.name in _DROPPED or _is_quote(node):
                continue
            if _SIGNED.search(" ".join(node.get_attribute_list("class") or [])):
                parts.append(_MARKER)
            if node.name == "br":
                parts.append("\n")
                continue
            before = "\n" if node.name in _BLOCKS | _LINES else ""
            after = "\n" if node.name in _BLOCKS | _LISTS else " " if node.name == "td" else ""
            stack.append(after)
            stack.extend(reversed(node.contents))
            stack.append(before + ("- " if node.name == "li" else ""))
        elif isinstance(node, NavigableString):
            if not isinstance(node, Comment):
                parts.append(re.sub(r"\s+", " ", node))
        elif isinstance(node, str):
            parts.append(node)
    lines = "".join(parts).split("\n")
    return "\n".join(re.sub(r"[ \u00a0]+", " ", line).strip() for line in lines)


def _is_quote(node: Tag) -> bool:
    classes = " ".join(c for c in node.get_attribute_list("class") if c)
    cited = node.name == "blockquote" and node.get("type") == "cite"
    return cited or bool(_QUOTED.search(classes))


def _without_quotes(text: str) -> str:
    """The message above (and below) the mail it quotes; the whole where nothing else is said."""
    found = quotequail.unwrap(text) if _MAY_QUOTE.search(text) else None
    if not found:
        return text
    own = "\n\n".join(p for p in (found.get("text_top"), found.get("text_bottom")) if p)
    if len(own.split()) >= _MIN_WORDS:
        return own
    inner = found.get("text") if found.get("type") == "forward" else None
    return inner if inner and not own else text


def _without_signature(text: str) -> str:
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if place and line.strip() in ("--", "-- ", "—") and _is_signature(lines[place + 1 :], 12):
            return tidy("\n".join(lines[:place])) or text
    while lines and (_DEVICE.fullmatch(lines[-1].strip(" .")) or not lines[-1].strip()):
        lines.pop()
    for place in range(max(1, len(lines) - _MAX_SIGNATURE), len(lines) - 1):
        if _SIGN_OFF.fullmatch(lines[place].strip()) and _is_signature(lines[place + 1 :]):
            return tidy("\n".join(lines[:place])) or text
    return "\n".join(lines) or text


def _is_signature(lines: list[str], most: int = _MAX_SIGNATURE) -> bool:
    """Whether these lines, the last of a message, are a name and address and no more sentences."""
    filled = [line.strip() for line in lines if line.strip()]
    short = all(len(line) <= _SHORT_LINE and line[-1] not in "?!:;" for line in filled)
    sentences = sum(1 for line in filled if line.endswith(".") and len(line.split()) > 4)
    return bool(filled) and len(filled) <= most and short and not sentences
