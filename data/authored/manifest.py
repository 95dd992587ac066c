"""`dataset.yaml`: what a data set of your own is called and how its files are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from data import categories as names
from data.catalog import first_fault, read_text
from data.errors import DataError
from data.importing.columns import FIELDS

NAME = "dataset.yaml"


def _as_text(value: Any) -> Any:
    """A version may be written 1.0, without quotes."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_as_text)]


class Manifest(BaseModel):
    """The keys of `dataset.yaml`; all but name and version may be left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
    version: Annotated[Text, Field(pattern=r"^[A-Za-z0-9.]{1,20}$")]
    extends: Literal["builtin", "nothing"] = "nothing"
    letterhead: str = ""
    columns: dict[str, str] = {}
    categories: tuple[Text, ...] = ()
    map_category: dict[str, str] = {}
    repair: bool = False

    @property
    def known(self) -> tuple[str, ...]:
        """The categories of its tickets: its own, else the built-in five; both where it extends those."""
        return names.joined(self.categories, self.extends == "builtin")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder.

    Raises:
        DataError: it is missing, no YAML, or holds something else than its keys; names the line.
    """
    path = folder / NAME
    text = read_text(path)
    try:
        lines = _lines(yaml.compose(text, Loader=yaml.SafeLoader))
        raw = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataError(f"{path}:{line}", f"not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DataError(str(path), f"not YAML: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(raw, dict):
        raise DataError(str(path), "must hold keys and values, such as name: mine")
    try:
        manifest = Manifest.model_validate(raw)
    except ValidationError as error:
        key = str(error.errors()[0]["loc"][0]) if error.errors()[0]["loc"] else ""
        where = f"{path}:{lines[key]}" if key in lines else str(path)
        raise DataError(where, first_fault(error)) from error
    for field in manifest.columns:
        if field not in (*FIELDS, *MORE_FIELDS):
            valid = ", ".join((*FIELDS, *MORE_FIELDS))
            raise DataError(
                f"{path}:{lines.get('columns', 1)}", f"no field {field!r}; fields: {valid}"
            )
    wrong = names.fault(manifest.known)
    if wrong:
        raise DataError(f"{path}:{lines.get('categories', 1)}", wrong)
    for theirs, ours in manifest.map_category.items():
        if ours not in manifest.known:
            valid = ", ".join(manifest.known)
            raise DataError(
                f"{path}:{lines.get('map_category', 1)}",
                f"{theirs!r} is mapped to {ours!r}, which is none of {valid}",
            )
    return manifest


MORE_FIELDS = {
    "split": ("split",),
    "set": ("set", "priority_set"),
    "articles": ("articles", "draft_articles"),
}
"""Fields of a ticket that only a data set has, with the titles that their columns may bear."""


def _lines(root: yaml.Node | None) -> dict[str, int]:
    if not isinstance(root, yaml.MappingNode):
        return {}
    return {str(key.value): key.start_mark.line + 1 for key, _ in root.value}
