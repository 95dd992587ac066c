"""Categories of one's own: how many, how long, and that no two are the same to an answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from data import catalog as catalogs
from data import categories as names
from data.authored import reader
from data.check import check
from data.errors import DataError
from data.folders import open_folder
from data.schema import CATEGORIES
from graders.decisions import category
from tests import own_categories


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_categories.write(tmp_path / "mine")


def test_the_built_in_ones_are_fine() -> None:
    assert names.fault(CATEGORIES) is None
    assert names.fault([f"Category {n:02} {'x' * 28}" for n in range(30)]) is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["Only"], "1 categories; there have to be 2 to 30"),
        ([f"Category {n}" for n in range(31)], "31 categories"),
        (["Returns", "x" * 41], "longer than 40"),
        (["Returns", "  "], "do not show"),
        (["Returns", "Re\npairs"], "do not show"),
        (["Returns", "Repairs\u202e"], "do not show"),
        (["Returns", "?!"], "no letter or digit"),
        (["Returns", "return"], "'Returns' and 'return' are alike"),
        (["On-site", "Onsite"], "alike"),
    ],
)
def test_what_can_not_be_a_list_of_categories(said: list[str], why: str) -> None:
    fault = names.fault(said)
    assert fault is not None and why in fault


def test_a_data_set_with_three_is_whole(folder: Path) -> None:
    name, results = check(folder)
    assert all(r.passed for r in results), [r.faults for r in results]
    catalog = open_folder(folder)
    assert catalog.categories == own_categories.NAMES
    said = {i: x.category for i, x in catalog.labels.items()}
    assert said["HB-1"] == "Money" and said["HB-4"] == "Riders"
    assert set(said.values()) == set(own_categories.NAMES)
    assert catalog.version in name


def _edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "where", "what"),
    [
        (
            "tickets.csv", ",riders,", ",Account,", "tickets.csv:",
            "category 'Account' is none of Money, Bikes & stations, Riders",
        ),
        (
            "labels.jsonl", '"category_reason"', '"category": "Account", "category_reason"',
            "labels.jsonl:4", "category 'Account' is none of Money, Bikes & stations, Riders",
        ),
        (
            "labels.jsonl", '"category_reason"', '"near_categories": ["Bug"], "category_reason"',
            "labels.jsonl:4", "category 'Bug' is none of Money, Bikes & stations, Riders",
        ),
        (
            "dataset.yaml", "Billing: Money", "Billing: Cash", "dataset.yaml:",
            "'Billing' is mapped to 'Cash', which is none of Money, Bikes & stations, Riders",
        ),
        ("dataset.yaml", "  - Riders", "  - money", "dataset.yaml:", "'Money' and 'money' are alike"),
        ("dataset.yaml", "  - Riders", f"  - {'x' * 41}", "dataset.yaml:", "longer than 40"),
        ("dataset.yaml", "  - Riders", "  - [a]", "dataset.yaml:", "categories.2"),
        ("dataset.yaml", "  - Riders", "  - yes", "dataset.yaml:", "categories.2"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_line(
    folder: Path, file: str, old: str, new: str, where: str, what: str
) -> None:
    _edit(folder, file, old, new)
    faults = [f for r in check(folder)[1] if not r.passed for f in r.faults]
    assert any(where in f and what in f for f in faults), faults
    with pytest.raises(DataError):
        open_folder(folder)


def test_they_stand_beside_the_built_in_ones(folder: Path) -> None:
    _edit(folder, "dataset.yaml", "extends: nothing", "extends: builtin")
    found = reader.inspect(folder)
    assert found.problems == () and found.catalog is not None
    assert found.catalog.categories == (*CATEGORIES, *own_categories.NAMES)
    used = {x.category for x in found.catalog.labels.values()}
    assert used == {*CATEGORIES, *own_categories.NAMES}
    _edit(folder, "dataset.yaml", "  - Riders", "  - bugs")
    assert "'Bug' and 'bugs' are alike" in reader.inspect(folder).problems[0][1]


def _copy(tmp_path: Path, said: object) -> Path:
    shutil.copytree(catalogs.BUILTIN, tmp_path / "copy")
    meta = json.loads((tmp_path / "copy" / "meta.json").read_text(encoding="utf-8"))
    text = json.dumps({**meta, "categories": said})
    (tmp_path / "copy" / "meta.json").write_text(text, encoding="utf-8")
    return tmp_path / "copy"


def test_a_folder_like_the_built_in_one_may_have_its_own(tmp_path: Path) -> None:
    copy = _copy(tmp_path, [*CATEGORIES[:4], "Other things"])
    assert open_folder(copy).categories[-1] == "Other things"
    faults = [f for r in check(copy)[1] for f in r.faults]
    assert any("no General" in f for f in faults), faults


@pytest.mark.parametrize("said", ["Bug", {"a": 1}, ["Bug", 7], ["Bug"], ["Bug", "bugs"]])
def test_meta_names_what_is_wrong(tmp_path: Path, said: object) -> None:
    with pytest.raises(DataError, match=r"meta\.json.*categories|meta\.json.*alike"):
        open_folder(_copy(tmp_path, said))


def test_an_answer_is_held_against_the_own_names() -> None:
    own = own_categories.NAMES
    assert category("bikes and stations", "Bikes & stations", (), own)[0] == 0.5
    assert category("BIKES  STATIONS", "Bikes & stations", (), own)[0] == 1
    assert category("Rider", "Riders", (), own)[0] == 1
    assert category("Money", "Riders", (), own) == (0.0, "Money is not the category")
    assert category("Billing", "Money", (), own) == (0.0, "not one of the 3 categories")
    assert category("Billing", "Money") == (0.0, "Billing is not the category")
