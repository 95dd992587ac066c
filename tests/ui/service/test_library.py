from __future__ import annotations

from typing import Any

import pytest
from bs4 import BeautifulSoup

from env import episode as engine
from tests.ui.hostile import HOSTILE, hostile_catalog
from ui.service.library import MAX_QUERY, Library
from ui.service.play import Play
from ui.state_library import LibraryView
from ui.texts import library as texts
from ui.views.library import articles, reader


@pytest.fixture
def library() -> Library:
    return Library(Play())


async def test_the_hits_are_those_of_an_agent(library: Library) -> None:
    play = Play()
    play.begin("a", "medium_kb_grounded_response", "train", 0)
    query = "refund for a yearly plan"
    seen = await play.act("a", "search_kb", text=query)
    view = library.search("b", query)
    assert seen.obs and [h.id for h in view.hits] == [a.id for a in seen.obs.kb_articles]
    assert [h.score for h in view.hits] == [a.score for a in seen.obs.kb_articles]
    assert [h.counts for h in view.hits] == [True, True, True, False, False]
    assert view.hits[0].share == 1 and view.reading is None and view.query == query


def test_without_a_query_all_articles_are_listed_once(library: Library) -> None:
    listed = [e.id for _, group in library.search("a", "  ").groups for e in group]
    assert listed == sorted(engine.builtin_arena().catalog.articles)
    assert texts.OTHER not in {name for name, _ in library.search("a", None).groups}


def test_an_id_opens_its_article(library: Library) -> None:
    for view in (library.search("a", " kb-103 "), library.read("a", "KB-103")):
        assert view.reading and view.reading.id == "KB-103"
        assert set(view.reading.see) == {"KB-102", "KB-106"}


@pytest.mark.parametrize("junk", [None, 5, [], {}, "", "KB-999", "x" * 500, HOSTILE])
def test_what_is_no_article_says_so(library: Library, junk: Any) -> None:
    view = library.read("a", junk)
    assert view.reading is None and view.notice and len(view.notice) < 150
    assert "<img" not in reader(view)
    assert len(library.search("a", junk).query) <= MAX_QUERY


def test_reading_costs_no_step_and_finds_nothing() -> None:
    play = Play()
    library = Library(play)
    before = play.begin("a", "medium_kb_grounded_response", "train", 0)
    library.search("a", "refund")
    library.read("a", "KB-103")
    assert play.now("a") == before


def test_hostile_articles_stay_text() -> None:
    library = Library(Play(engine.arena(hostile_catalog())))
    shown = articles(library.search("a", "")) + articles(library.search("a", HOSTILE))
    shown += reader(library.read("a", "KB-103"))
    html = BeautifulSoup(shown, "html.parser")
    assert not html.find_all(["img", "script", "b", "iframe"]) and HOSTILE in html.get_text()
    assert {str(a["href"]) for a in html.find_all("a")} == {"?kb=KB-103"}


def test_nothing_found_says_what_to_do() -> None:
    assert texts.NONE[1] in articles(LibraryView(query="zzz"))


def test_ids_in_an_article_lead_on(library: Library) -> None:
    html = BeautifulSoup(reader(library.read("a", "KB-103")), "html.parser")
    links = [str(b["data-value"]) for b in html.select(".doc button.see")]
    assert set(links) == {"KB-102", "KB-106"}
