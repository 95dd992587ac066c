"""The grader's word lists, read once from lexicon.json. Data, so that they can be read and argued over."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def _raw() -> dict[str, Any]:
    text = files("graders").joinpath("lexicon.json").read_text(encoding="utf-8")
    raw: dict[str, Any] = json.loads(text)
    return raw


def words(name: str) -> frozenset[str]:
    """The set of lower-case words (or phrases) listed under `name`."""
    return frozenset(_raw()[name])


def phrases(name: str) -> tuple[str, ...]:
    """The phrases listed under `name`, in file order."""
    return tuple(_raw()[name])


def table(name: str) -> dict[str, Any]:
    """The table listed under `name`."""
    raw: dict[str, Any] = _raw()[name]
    return raw
