"""A data set with three categories of its own, served: all that is told names them, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from data.catalog import Catalog
from data.folders import open_folder
from data.schema import CATEGORIES
from supportops_env.client import SupportOpsEnv
from supportops_env.models import SupportAction
from tests import own_categories
from tests.conftest import Serve
from tests.server.wire import http

OWN = own_categories.NAMES
ONE = {"task_name": "ticket_classification", "split": "train", "seed": 1, "index": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_categories.write(tmp_path_factory.mktemp("own") / "mine")


@pytest.fixture(scope="module")
def data(folder: Path) -> Catalog:
    return open_folder(folder)


@pytest.fixture(scope="module")
def url(serve: Serve, folder: Path) -> str:
    return serve(SUPPORTOPS_DATA=str(folder)).url


@pytest.fixture(scope="module")
def own(url: str) -> Iterator[httpx.Client]:
    with http(url) as opened:
        yield opened


def test_the_agent_is_told_them(own: httpx.Client) -> None:
    for task in ("ticket_classification", "easy_classify_respond"):
        seen = own.post("/reset", json={**ONE, "task_name": task}).json()["observation"]
        assert tuple(seen["categories"]) == OWN
        assert "Money, Bikes & stations or Riders" in seen["task_description"]
        told = own.get(f"/tasks/{task}").json()
        assert tuple(told["categories"]) == OWN
        assert told["description"] == seen["task_description"]
        assert not any(c in json.dumps(told["description"]) for c in CATEGORIES)
    seen = own.post("/reset", json={**ONE, "task_name": "draft_response"}).json()["observation"]
    assert seen["categories"] == [] == own.get("/tasks/draft_response").json()["categories"]


def test_each_answer_is_worth_what_it_is(own: httpx.Client, data: Catalog) -> None:
    (item,) = data.ids("ticket_classification", "train")[:1]
    right = data.labels[item].category
    wrong = next(c for c in OWN if c != right)
    for said, worth in ((right, 1.0), (right.lower(), 1.0), (f"{right}x", 0.5), (wrong, 0.0)):
        own.post("/reset", json=ONE)
        step = {"action": {"action_type": "classify", "content": said}}
        ended = own.post("/step", json=step).json()
        assert ended["done"] and ended["reward"] == pytest.approx(worth), said
        assert ended["observation"]["grade"]["expected"]["category"] == right
    own.post("/reset", json={**ONE, "task_name": "easy_classify_respond"})
    step = {"action": {"action_type": "classify", "content": "Bug"}}
    said = own.post("/step", json=step).json()["observation"]["feedback"]
    assert said == "Classified as 'Bug', which is none of Money, Bikes & stations, Riders."


def test_the_client_reads_them(url: str) -> None:
    with SupportOpsEnv(base_url=url) as env:
        seen = env.reset(**ONE).observation
        assert seen.categories == OWN
        ended = env.step(SupportAction(action_type="classify", content=seen.categories[0]))
        assert ended.done


def test_endless_tickets_keep_theirs(own: httpx.Client) -> None:
    asked = {"task_name": "ticket_classification", "split": "endless", "seed": 5}
    seen = own.post("/reset", json=asked).json()["observation"]
    assert tuple(seen["categories"]) == CATEGORIES
    assert "Feature Request" in seen["task_description"]
