"""Placeholders that a template left behind: `{{Order Number}}`, `{product}`, `<name>`, `[Name]`.

Filled from the row's other columns where they have the value, else with plain words. Broken braces
(`{product_purch `, `product}`) are filled too where the name is that of a column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from data.importing.columns import fold

_NAME = r"[A-Za-z][\w .#/'-]{0,40}?"
_WHOLE = re.compile(
    rf"\{{\{{\s*(?P<double>{_NAME})\s*\}}\}}"
    rf"|(?<![/$\\])\{{\s*(?P<single>{_NAME})\s*\}}"
    rf"|<\s*(?P<angle>{_NAME})\s*>"
    rf"|\[\s*(?P<square>{_NAME})\s*\]"
)
_OPEN = re.compile(r"\{+\s*([A-Za-z][\w]{3,40})(?![\w}])")
_CLOSE = re.compile(r"(?<![\w{])([A-Za-z][\w]{3,40})\s*\}+")
_PEOPLE = frozenset(
    "name first_name last_name full_name customer customer_name client client_name user user_name"
    " username agent agent_name your_name my_name person_name salutation".split()
)
_THINGS = frozenset(
    "account account_number account_id address amount app company company_name date email"
    " email_address id invoice_number link month number order order_id order_number password phone"
    " phone_number price product product_name product_purchased service store time tracking_number"
    " url version website".split()
)
_TAGS = frozenset("a address code data link menu object param source time title track".split())
_GREETED = re.compile(r"\b(?:hi|hello|hey|dear|thanks|thank you)\s*,?\s*$", re.IGNORECASE)
_DETERMINED = re.compile(r"\b(?:the|a|an|my|your|our|his|her|their|this|that)\s+$", re.IGNORECASE)
_LAST_WORD = re.compile(r"(\w+)\s*$")
_MAX_VALUE = 80


def fill(text: str, values: Mapping[str, str], gap: str | None = None) -> tuple[str, int, int]:
    """Fill the placeholders of a text.

    Args:
        text: Any text.
        values: Folded column title to the row's value.
        gap: What to put where there is no value, instead of plain words.

    Returns:
        The text, how many placeholders were filled with a value, how many had none.
    """
    if not _has_sign(text):
        return text, 0, 0
    counts = {"value": 0, "words": 0}

    def whole(match: re.Match[str]) -> str:
        name = fold(next(g for g in match.groups() if g is not None))
        if not _is_placeholder(match, name, values):
            return match.group()
        value = _value(name, values)
        counts["value" if value else "words"] += 1
        if value or gap is not None:
            return value or gap or ""
        return neutral(name, match.string[max(0, match.start() - 40) : match.start()])

    def broken(match: re.Match[str]) -> str:
        value = _value(fold(match.group(1)), values, cut=match.re is _OPEN)
        counts["value"] += bool(value)
        return value or match.group()

    filled = _WHOLE.sub(whole, text)
    if values:
        filled = _CLOSE.sub(broken, _OPEN.sub(broken, filled))
    tidied = re.sub(r"[ \t]+([,.!?])", r"\1", filled) if counts["words"] else filled
    return tidied, counts["value"], counts["words"]


def neutral(name: str, before: str) -> str:
    """Plain words for a placeholder: no name after "Hi", "the order number" elsewhere."""
    if name in _PEOPLE:
        return "" if _GREETED.search(before) else "the customer"
    words = [w for w in name.split("_") if w]
    last = _LAST_WORD.search(before)
    if len(words) > 1 and last and last.group(1).casefold() == words[0]:
        return " ".join(words[1:])
    return " ".join(words) if _DETERMINED.search(before) else "the " + " ".join(words)


def _has_sign(text: str) -> bool:
    return any(sign in text for sign in "{}<[")


def _is_placeholder(match: re.Match[str], name: str, values: Mapping[str, str]) -> bool:
    if match.lastgroup == "angle" and name in _TAGS:
        return False
    if match.lastgroup == "double" or name in values:
        return True
    if name in _PEOPLE or name in _THINGS:
        return True
    said = match.group(match.lastgroup or 0)
    if match.lastgroup == "single":
        return "_" in said or " " in said
    # "<Enter>" and "[Solved]" are things that people write; a name of several words is a gap.
    return match.lastgroup == "square" and said[0].isupper() and name.split("_")[-1] in _THINGS


def _value(name: str, values: Mapping[str, str], cut: bool = False) -> str:
    value = values.get(name, "")
    if not value and cut:
        longer = [v for title, v in values.items() if title.startswith(name) and v]
        value = longer[0] if len(longer) == 1 else ""
    flat = " ".join(value.split())
    return flat if len(flat) <= _MAX_VALUE else ""
