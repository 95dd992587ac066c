"""What can go wrong with a model's server, and keeping keys out of what is said about it."""

from __future__ import annotations

import re

from env.errors import SupportOpsError

_SHORTEST = 4
_BEARER = re.compile(r"(?i)\b(bearer\s+|sk-|hf_)[^\s'\",}]{6,}")
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
_IN_QUERY = re.compile(r"(?i)([?&][\w-]*(?:key|token|secret|password)[\w-]*=)[^&\s'\"]+")


class ModelError(SupportOpsError):
    """Raised when the model's server gave no answer. `fatal`: nor will it to the next question."""

    def __init__(self, message: str, fatal: bool = False) -> None:
        """Take a message that is fit to be shown."""
        super().__init__(message)
        self.fatal = fatal


class ModelTimeout(ModelError):
    """Raised when the model's server did not answer in time, retries included."""


class GaveUp(SupportOpsError):
    """Raised when a model's answers end the run: three refusals in a row, or no action left."""


class OutOfBudget(SupportOpsError):
    """Raised when the tokens or the money that the user allowed are used up."""


def redact(text: str, key: str = "") -> str:
    """A text without the key, or what looks like one, that any file or page can hold."""
    text = _whole(text)
    if len(key) >= _SHORTEST:
        text = text.replace(key, "[key]")
    text = _IN_QUERY.sub(r"\1[key]", text)
    return _USERINFO.sub("", _BEARER.sub(r"\1[key]", text))


def redact_answer(text: str, key: str) -> str:
    """A model's answer without the key; short keys ("none", "local") are words like others."""
    text = _whole(text)
    return text.replace(key, "[key]") if len(key) >= 2 * _SHORTEST else text


def _whole(text: str) -> str:
    """Without halves of characters, which JSON may carry but UTF-8 can't."""
    return text.encode("utf-8", "replace").decode("utf-8")
