"""Which model servers visitors may name, and how often they may use this server's own model."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable

from env.settings import Settings
from ui.texts import watch as words

_HOUR = 3_600.0
_MOST = 300
# One form for all parsers: no user name, no escapes, no query, nothing that two readers of an
# address could take for different hosts.
_ADDRESS = re.compile(
    r"(https?)://([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?((?:/[a-z0-9._~-]+)*)/?",
    re.ASCII | re.IGNORECASE,
)
_NAME = re.compile(r"[!-~]{1,100}", re.ASCII)
_KEY = re.compile(r"[!-~]{1,500}", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def base_url(text: object, settings: Settings) -> tuple[str, str]:
    """A model server's address in one form, and what is wrong with it ("" where nothing is).

    Where not any server goes, the origin must be one of the settings', to the letter.
    """
    if not isinstance(text, str) or not text.strip():
        return "", words.NO_URL
    found = _ADDRESS.fullmatch(text.strip()[: _MOST + 1])
    if found is None or len(text.strip()) > _MOST:
        return "", words.ODD_URL
    scheme, host, port, path = found[1].lower(), found[2].lower(), found[3], found[4]
    number = int(port) if port else _DEFAULT_PORTS[scheme]
    if not 0 < number < 65_536 or {".", ".."} & {*path.split("/")}:
        return "", words.ODD_URL
    origin = f"{scheme}://{host}"
    if number != _DEFAULT_PORTS[scheme]:
        origin += f":{number}"
    if not settings.any_base_url and origin not in settings.base_origins:
        return "", words.URL_NOT_ALLOWED.format(allowed=", ".join(settings.base_origins) or "none")
    return origin + path, ""


def problem_with_model(name: object, key: object) -> str:
    """What is wrong with a model's name or a key, "" where nothing is. Never repeats the key."""
    if not isinstance(name, str) or not _NAME.fullmatch(name.strip()):
        return words.ODD_MODEL
    if not isinstance(key, str) or not key.strip():
        return words.NO_KEY
    return "" if _KEY.fullmatch(key.strip()) else words.ODD_KEY


class Caps:
    """How often this server's own model was used within the last hour, by address and in all."""

    def __init__(
        self, per_visitor: int, per_hour: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with nothing used. `clock` counts seconds."""
        self._per_visitor, self._per_hour, self._clock = per_visitor, per_hour, clock
        self._used: deque[tuple[float, str]] = deque()

    def take(self, address: str) -> str:
        """Count one more use; the reason where it is one too many, else ""."""
        now = self._clock()
        while self._used and now - self._used[0][0] >= _HOUR:
            self._used.popleft()
        own = [when for when, who in self._used if who == address]
        if len(own) >= self._per_visitor:
            return words.VISITOR_CAP.format(n=self._per_visitor, wait=_minutes(own[0], now))
        if len(self._used) >= self._per_hour:
            return words.HOUR_CAP.format(n=self._per_hour, wait=_minutes(self._used[0][0], now))
        self._used.append((now, address))
        return ""


def _minutes(oldest: float, now: float) -> int:
    return max(1, -int(-(oldest + _HOUR - now) // 60))
