"""Hard values in a text: money, percent, durations, times, dates, sizes, addresses, ids, numbers.

Each is turned into one canonical string, so that "$25" equals "25.00 USD" and "two weeks" equals
"14 days". A reply may state only values that its ticket or articles hold (or that follow from two
of them by one multiplication, sum or difference of money).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_UNITS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen".split(),
        1,
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), 2
    )
}
_WORDS = {
    **_UNITS,
    **_TENS,
    **{f"{t}-{u}": a + b for t, a in _TENS.items() for u, b in _UNITS.items() if b < 10},
    "hundred": 100,
}
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
         "aug august", "sep sept september", "oct october", "nov november", "dec december"), 1)
    for name in names.split()
}  # fmt: skip
_MINUTES = {"second": 1 / 60, "sec": 1 / 60, "minute": 1, "min": 1, "hour": 60, "hr": 60, "h": 60,
            "day": 1440, "week": 10080, "fortnight": 20160}  # fmt: skip
_FREE_NUMBERS = 3
_MAX_DERIVED = 200
_MAX_DATES = 12
_FULL_DATE = re.compile(r"date:(?:20|19)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])")

_N = r"\d+(?:,\d{3})*(?:\.\d+)?"
_W = "|".join(sorted(_WORDS, key=len, reverse=True))
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_VALUE = re.compile(
    rf"""(?P<url>https?://[^\s<>()\[\]"']+|www\.[^\s<>()\[\]"']+)
      | (?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
      | (?P<host>\b[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)*\.(?:example|com|net|org|io|co|app|dev|info|biz|eu|uk|de|me|ly|xyz|site|online|shop)\b(?:/[^\s<>()\[\]"']*)?)
      | (?P<date>\b\d{{4}}-\d{{2}}-\d{{2}}\b)
      | (?P<dm>\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\b(?:,?\s+\d{{4}}\b)?)
      | (?P<md>\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?)
      | (?P<time>\b\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s{{0,2}}[ap]\.?m\b\.?)?|\b\d{{1,2}}\s{{0,2}}[ap]\.?m\b\.?)
      | (?P<money>(?:us\$|[$€£]|\b(?:usd|eur|gbp)\s{{0,2}})\s{{0,2}}{_N}k?|\b{_N}\s{{0,2}}(?:usd|eur|gbp|dollars?|bucks|euros?|pounds?|€|£)(?!\w))
      | (?P<percent>\b{_N}\s{{0,2}}(?:%|percent\b|per\s{{0,2}}cent\b))
      | (?P<range>\b(?:{_N}\s{{0,2}}[-–]\s{{0,2}}|(?:{_N}|{_W})\s(?:to|or|and)\s)(?=(?:{_N}|{_W})[\s-]{{1,3}}(?:(?:business|working|calendar|full)\s+)?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)\b))
      | (?P<duration>\b(?:{_N}|{_W})[\s-]{{0,2}}(?:(?:business|working|calendar|full|more|whole)[\s-]{{1,2}})?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|fortnights?|months?|years?)\b)
      | (?P<size>\b{_N}\s{{0,2}}(?:kb|mb|gb|tb|megabytes?|gigabytes?)\b)
      | (?P<id>\b[a-z]{{1,12}}-\d[\w-]*\b|\b(?:[a-z]+\d+[a-z0-9]*|\d+[a-z]+\d[a-z0-9]*)\b)
      | (?P<number>\b{_N}(?:st|nd|rd|th|k)?\b)
    """,
    re.VERBOSE,
)


# Where a value can begin: a sign, a digit, a number word or month, a word with an @, dot or digit.
_BEGIN = re.compile(
    rf"[$€£]|\b(?:\d|(?:{'|'.join([*_UNITS, *_TENS, 'hundred', 'usd', 'eur', 'gbp'])})(?![a-z])|us\$"
    rf"|(?:{_MONTH})(?![a-z])|https?:|www\.|[a-z][a-z0-9]*-?\d|[a-z0-9][\w.+-]*@"
    r"|[a-z][a-z0-9-]*\.[a-z])"
)


_LIST_MARKER = re.compile(r"\d{1,2}[.)]\s")


@dataclass(frozen=True, slots=True)
class Value:
    """One hard value: canonical form, magnitude where it has one, place in the text."""

    canon: str
    magnitude: float | None
    start: int
    end: int


def find(raw: str) -> tuple[Value, ...]:
    """All hard values of a text, in order. Linear in its length."""
    text = raw.lower() if len(raw.lower()) == len(raw) else raw
    values = []
    pending: Value | None = None
    for match in _matches(text):
        kind = match.lastgroup or "number"
        if kind == "range":
            first = _WORD_NUMBER.match(match.group()) or _DIGITS.match(match.group())
            number = _number(first.group()) if first else None
            pending = Value("", number, match.start(), match.end())
            continue
        limited = _LIMITED.search(text, max(0, match.start() - 12), match.start()) is not None
        value = _value(kind, match.group(), match.start(), match.end(), limited)
        if pending is not None and kind == "duration" and pending.magnitude is not None:
            unit = _UNIT_OF.search(match.group())
            low = _duration(
                pending.magnitude,
                unit.group() if unit else "day",
                "usiness" in match.group() or "orking" in match.group(),
            )
            values.append(Value(low, pending.magnitude, pending.start, match.end()))
        pending = None
        if value is not None:
            values.append(value)
    return tuple(values)


def _matches(text: str) -> Iterator[re.Match[str]]:
    """All values, left to right. The big pattern is tried only where a value can begin."""
    place = 0
    while start := _BEGIN.search(text, place):
        if (marker := _LIST_MARKER.match(text, start.start())) and _at_line_start(text, marker):
            place = marker.end()
            continue
        match = _VALUE.match(text, start.start())
        if match is not None:
            yield match
        place = match.end() if match is not None else start.end()


def _at_line_start(text: str, marker: re.Match[str]) -> bool:
    return not text[text.rfind("\n", 0, marker.start()) + 1 : marker.start()].strip(" \t(")


@lru_cache(maxsize=4_096)
def of_phrase(phrase: str) -> str | None:
    """The canonical value that a whole phrase stands for ("14 days"), or None."""
    found = find(phrase)
    if len(found) == 1 and found[0].start == 0 and found[0].end == len(phrase.rstrip(".")):
        return found[0].canon if not found[0].canon.startswith("num:") else None
    return None


@lru_cache(maxsize=4_096)
def _of_source(text: str) -> tuple[Value, ...]:
    """The values of a ticket or an article: many episodes lean on the same one."""
    return find(text)


class Support:
    """The values that a reply may state. Built once per episode and set of articles."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Collect the values of the given texts (ticket, articles found or opened)."""
        self._canons: set[str] = set()
        self._magnitudes: set[float] = set()
        self._money: set[float] = set()
        self._counts: set[float] = set()
        self._days: set[str] = set()
        self._texts = ""
        for text in texts:
            self._add(text)
        year = next((c[5:9] for c in sorted(self._canons) if _FULL_DATE.fullmatch(c)), None)
        if year is not None:
            written = [c[5:] for c in sorted(self._canons) if re.fullmatch(r"date:\d\d-\d\d", c)]
            self._days |= {
                f"{year}-{d}"
                for d in written[:_MAX_DATES]
                if _FULL_DATE.fullmatch(f"date:{year}-{d}")
            }

    def _add(self, text: str) -> None:
        self._texts += "\n" + text.lower()
        for value in _of_source(text):
            self._canons.add(value.canon)
            if _FULL_DATE.fullmatch(value.canon) and len(self._days) < _MAX_DATES:
                self._days.add(value.canon[5:])
            if value.magnitude is None:
                continue
            if value.canon.startswith("money:"):
                self._money.add(value.magnitude)
            else:
                self._counts.add(value.magnitude)
            if value.canon.startswith("num:"):
                self._magnitudes.add(value.magnitude)

    def holds(self, value: Value) -> bool:
        """Whether the value occurs in the support, or follows from it."""
        kind, _, rest = value.canon.partition(":")
        if value.canon in self._canons:
            return True
        if kind in ("url", "email", "id"):
            return rest in self._texts
        if value.magnitude is None:
            return False
        if kind == "num":
            known = self._magnitudes | self._counts | self._money
            return value.magnitude in known or 0 <= value.magnitude <= _FREE_NUMBERS
        if kind == "money":
            return value.magnitude in self._magnitudes or self._follows(value.magnitude)
        if kind == "minute" and self._elapsed(float(rest)):
            return True
        if kind == "date":
            return any(c.startswith("date:") and c.endswith(rest[-5:]) for c in self._canons)
        return value.magnitude in self._magnitudes and kind != "time"

    def _elapsed(self, minutes: float) -> bool:
        """Whether a time span lies between two dates, or is what is left of another span."""
        days = sorted(date.fromisoformat(d) for d in self._days)
        spans = {abs((a - b).days) * 1440.0 for a in days for b in days}
        spans |= {float(c.partition(":")[2]) for c in self._canons if c.startswith("minute:")}
        return any(abs(abs(a - b) - minutes) < 0.01 for a in spans for b in spans | {0.0} if a != b)

    def _follows(self, amount: float) -> bool:
        money = sorted(self._money)[:_MAX_DERIVED]
        counts = sorted(c for c in self._counts if c <= 10_000)[:_MAX_DERIVED]
        near = [m * c for m in money for c in counts]
        near += [m * c / 100 for m in money for c in counts if c <= 100]
        near += [a + b for a in money for b in money] + [abs(a - b) for a in money for b in money]
        return any(abs(amount - candidate) < 0.01 for candidate in near)


_UNIT_OF = re.compile(
    r"(?<![a-z])(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|fortnights?|months?|years?)$"
)


_WORD_NUMBER = re.compile(rf"(?:{_W})\b")
_DIGITS = re.compile(_N)
_LIMITED = re.compile(r"\b(?:within|after|under|inside)\s+$")


def _number(text: str) -> float | None:
    text = text.strip()
    if text in _WORDS:
        return float(_WORDS[text])
    factor = 1000 if text.endswith("k") else 1
    digits = re.sub(r"(?:st|nd|rd|th|k)$", "", text).replace(",", "")
    try:
        return float(digits) * factor
    except ValueError:
        return None


def _plain(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _duration(number: float, unit: str, business: bool) -> str:
    unit = unit.rstrip("s") if unit not in ("h",) else unit
    if business:
        return f"bday:{_plain(number * (5 if unit == 'week' else 1))}"
    if unit == "month":
        return f"month:{_plain(number)}"
    if unit == "year":
        return f"month:{_plain(number * 12)}"
    return f"minute:{_plain(number * _MINUTES.get(unit, 1440))}"


def _value(  # noqa: C901 - one branch per kind of value
    kind: str, text: str, start: int, end: int, limited: bool
) -> Value | None:
    if kind in ("url", "host"):
        clean = re.sub(r"^https?://", "", text).rstrip(".,;:!?/")
        return Value(f"url:{clean}", None, start, start + len(text.rstrip(".,;:!?")))
    if kind == "email":
        return Value(f"email:{text.rstrip('.')}", None, start, end)
    if kind == "date":
        return Value(f"date:{text}", None, start, end)
    if kind in ("dm", "md"):
        return _written_date(text, start, end)
    if kind == "time":
        return _time(text, start, end)
    if kind == "id":
        return Value(f"id:{text}", None, start, end)
    if kind == "number":
        number = _number(text)
        return None if number is None else Value(f"num:{_plain(number)}", number, start, end)
    digits = re.search(_N + r"k?", text)
    word = _WORD_NUMBER.match(text)
    number = _number(digits.group() if digits else word.group() if word else "")
    if number is None:
        return None
    if kind == "money":
        currency = (
            "eur"
            if "€" in text or "eur" in text
            else "gbp"
            if "£" in text or "gbp" in text or "pound" in text
            else "usd"
        )
        return Value(f"money:{currency}:{_plain(number)}", number, start, end)
    if kind == "percent":
        return Value(f"percent:{_plain(number)}", number, start, end)
    if kind == "size":
        unit = next(u for u in ("k", "m", "g", "t") if re.search(rf"[\d\s]{u}", text))
        return Value(f"size:{unit}b:{_plain(number)}", number, start, end)
    unit_match = _UNIT_OF.search(text)
    if text.startswith("one ") and not limited:
        return None  # "twice in one month" measures nothing, "within one hour" does
    business = "business" in text or "working" in text
    return Value(
        _duration(number, unit_match.group() if unit_match else "day", business), number, start, end
    )


def _written_date(text: str, start: int, end: int) -> Value | None:
    month = next((_MONTHS[w] for w in re.findall(r"[a-z]+", text) if w in _MONTHS), None)
    day = re.search(r"\d{1,2}", text)
    year = re.search(r"\d{4}", text)
    if month is None or day is None:
        return None
    rest = f"{month:02d}-{int(day.group()):02d}"
    return Value(f"date:{year.group()}-{rest}" if year else f"date:{rest}", None, start, end)


def _time(text: str, start: int, end: int) -> Value:
    numbers = re.findall(r"\d+", text)
    hour, minute = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    if "p" in text and hour < 12:
        hour += 12
    if "a" in text and hour == 12:
        hour = 0
    return Value(f"time:{hour:02d}:{minute:02d}", float(hour), start, end)
