"""Policies and a model on a data set with three categories of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from data.catalog import Catalog
from data.folders import open_folder
from data.schema import CATEGORIES
from env import episode as engine
from tests import own_categories
from tests.inference.conftest import Ran, Run
from tests.inference.model_server import Model, completion
from tests.inference.strict_log import read

OWN = own_categories.NAMES
CLASSIFY = ("--tasks", "ticket_classification")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_categories.write(tmp_path / "mine")


@pytest.fixture
def data(folder: Path) -> Catalog:
    return open_folder(folder)


@pytest.fixture
def play(run: Run, folder: Path) -> Iterator[Run]:
    def start(*argv: str, **variables: str) -> Ran:
        engine.default_arena.cache_clear()
        return run(*argv, **{"SUPPORTOPS_DATA": str(folder), **variables})

    yield start
    engine.default_arena.cache_clear()


@pytest.mark.parametrize("name", ["keyword", "retrieval", "random", "oracle"])
def test_policies_answer_with_them(play: Run, data: Catalog, name: str) -> None:
    said = set()
    for split in engine.SPLITS:
        ran = play(*CLASSIFY, "--policy", name, "--split", split, "--seeds", "3")
        assert ran.code == 0, ran.err
        episodes = read(ran.out)
        assert len(episodes) == 3 * len(data.ids("ticket_classification", split))
        said |= {e.actions[0]["payload"]["category"] for e in episodes}
        if name == "oracle":
            assert {e.score for e in episodes} == {1.0}
    assert said <= set(OWN) and len(said) > 1, said


def test_a_model_is_asked_for_them(play: Run, httpserver: HTTPServer, data: Catalog) -> None:
    items = data.ids("ticket_classification", "test")
    right = {data.tickets[i].subject: data.labels[i].category for i in items}

    def answer(asked: dict[str, Any]) -> Response:
        text = asked["messages"][1]["content"]
        category = next(c for subject, c in right.items() if subject in text)
        return completion(
            json.dumps({"actions": [{"action_type": "classify", "category": category}]})
        )

    model = Model(httpserver, answer)
    ran = play(*CLASSIFY, **model.settings)
    assert ran.code == 0, ran.err
    assert [e.score for e in read(ran.out)] == [1.0] * len(items)
    for asked in model.asked:
        text = asked["messages"][1]["content"]
        assert "- classify: category (Money, Bikes & stations, Riders)" in text
        assert "Classify the ticket: Money, Bikes & stations or Riders, by what" in text
        assert not any(c in text for c in CATEGORIES), text
        form = json.dumps(asked["response_format"])
        assert json.dumps({"type": "string", "enum": [*OWN]}) in form
