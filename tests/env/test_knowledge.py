"""Search: raw text is never syntax, near spellings find, ties and repeats are stable."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.schema import KbArticle
from env.episode import builtin_arena
from env.knowledge import SHOWN, Knowledge, snippet

KB = builtin_arena().knowledge


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("charged twice refund", "KB-103"),
        ("pasword resset", "KB-201"),
        ("calender sync stoped", "KB-305"),
        ("webhook retries signature", "KB-403"),
        ("how do i transfer the ownership", "KB-204"),
        ("TWO-FACTOR lost phone recovery codes", "KB-202"),
    ],
)
def test_finds(query: str, expected: str) -> None:
    assert expected in [h.id for h in KB.search(query)[:3]]


@pytest.mark.parametrize(
    "query",
    ["title:refund AND (", '"unclosed', "refund^^2 ~", "a" * 8_000, "💥", "* OR *", "[a TO z]"],
)
def test_raw_text_is_never_syntax(query: str) -> None:
    assert len(KB.search(query)) <= SHOWN


def test_nothing_known_finds_nothing() -> None:
    assert KB.search("zzzzqqqxx") == () and KB.search("") == () and KB.search("?!") == ()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_a_query(query: str) -> None:
    hits = KB.search(query)
    assert [h.id for h in hits] == [h.id for h in Knowledge.search(KB, query)]
    assert list(hits) == sorted(hits, key=lambda h: (-h.score, h.id))


@pytest.mark.parametrize("query", ["KB-103", " kb-103 ", "Kb-103"])
def test_an_exact_id_opens(query: str) -> None:
    article = KB.article_named(query)
    assert article is not None and article.id == "KB-103"
    assert KB.article_named("KB-1033") is None


def test_ties_go_by_id() -> None:
    same = {
        i: KbArticle(id=i, title="Refund", body="Refund rules for the card.")
        for i in ("B-2", "A-1", "C-3")
    }
    assert [h.id for h in Knowledge(same).search("refund")] == ["A-1", "B-2", "C-3"]


def test_every_article_is_found_by_its_title() -> None:
    articles = builtin_arena().catalog.articles
    for article in articles.values():
        assert article.id in [h.id for h in KB.search(article.title)[:3]], article.id


def test_snippets_are_one_short_line() -> None:
    for article in builtin_arena().catalog.articles.values():
        text = snippet(article.body, ("settings", "days"))
        assert "\n" not in text and 0 < len(text) <= 282
