"""The console on a data set with three categories of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from data.schema import CATEGORIES
from env import episode as engine
from env.settings import get_settings
from policies.base import play
from policies.scripted import POLICIES
from runs.confusion import NONE, OTHER
from runs.record import record
from runs.store import Store
from tests import own_categories
from ui import views
from ui.service import Service
from ui.state import PlayView

OWN = own_categories.NAMES
CLASSIFY = "ticket_classification"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_categories.write(tmp_path / "mine")


@pytest.fixture
def store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty store, in a process whose data set is that folder."""
    monkeypatch.setenv("SUPPORTOPS_DATA", str(folder))
    for cache in (get_settings, engine.default_arena):
        cache.cache_clear()
    with Store(None) as opened:
        yield opened
    for cache in (get_settings, engine.default_arena):
        cache.cache_clear()


def offered(view: PlayView) -> tuple[str, ...]:
    buttons = BeautifulSoup(views.actions(view), "html.parser").select('[data-act="classify"]')
    assert [b.get_text() for b in buttons] == [b["data-value"] for b in buttons]
    return tuple(str(b["data-value"]) for b in buttons)


def test_they_are_what_a_visitor_chooses_from(store: Store) -> None:
    service = Service.over(store=store)
    for task in (CLASSIFY, "easy_classify_respond"):
        assert offered(service.play.begin("a", task, "train", 0)) == OWN
    assert offered(service.play.begin("a", CLASSIFY, "endless", 3)) == CATEGORIES
    assert offered(service.play.begin("a", "draft_response", "train", 0)) == ()


def test_the_leaderboard_confuses_them(store: Store) -> None:
    """True ones are rows; what was answered are columns, with the built-in names among the others."""
    catalog = engine.default_arena().catalog
    ids = catalog.ids(CLASSIFY, "test")
    for n, name in enumerate(("oracle", "keyword")):
        for index in range(len(ids)):
            start = engine.start(CLASSIFY, "test", 42, index)
            ended = play(POLICIES[name](start), start)
            store.save(record(ended, f"run-{n}-{index}", "policy", name))
    view = Service.over(store=store).leaderboard.view(player="policy||oracle")
    assert view.detail is not None
    table = view.detail.categories
    assert table.true == OWN and table.answered == (*OWN, OTHER, NONE)
    assert table.runs == len(ids) == sum(table.counts[i][i] for i in range(3))
    assert {row.category for row in view.detail.by_category} == set(OWN)
    assert view.wanted.versions.startswith(catalog.version)


def test_a_hostile_name_is_shown_as_it_is(folder: Path, store: Store) -> None:
    path = folder / "dataset.yaml"
    said = "</button><script>x</script>&amp;"
    text = path.read_text(encoding="utf-8").replace("Bikes & stations", said)
    path.write_text(text, encoding="utf-8")
    assert said in offered(Service.over(store=store).play.begin("a", CLASSIFY, "train", 0))
