from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.views.text import Mark, article, esc, grade, initials, later, marked, moment, points

HOSTILE = '<img onerror="x">&\'${alert(1)}{{x}}</div>'


class Reader(HTMLParser):
    """Reads what a browser would show as text, without the numbers of the notes."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.in_button = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.in_button |= tag == "button"

    def handle_endtag(self, tag: str) -> None:
        self.in_button &= tag != "button"

    def handle_data(self, data: str) -> None:
        self.text += "" if self.in_button else data


def text_of(html: str) -> str:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader.text


def test_esc_leaves_no_markup() -> None:
    shown = esc(HOSTILE)
    assert not set(shown) & set("<>\"'")
    assert text_of(shown) == HOSTILE


@pytest.mark.parametrize(
    ("value", "shown"), [(0.05, "+0.050"), (-0.02, "−0.020"), (0.0, "0.000"), (-0.0001, "0.000")]
)
def test_points(value: float, shown: str) -> None:
    assert points(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "–"), (1.0, "1.000"), (-0.05, "−0.050"), (-1e-17, "0.000")]
)
def test_grade(value: float | None, shown: str) -> None:
    assert grade(value) == shown


def test_times_are_written_out_and_odd_ones_left_alone() -> None:
    assert moment("2026-02-11T13:37:00Z") == "Wed 11 Feb 2026, 13:37 UTC"
    assert later("2026-02-28T23:00:00Z", 8) == "Sun 1 Mar 2026, 07:00 UTC"
    assert moment("yesterday") == "yesterday"
    assert later("yesterday", 4) == "yesterday + 4 h"


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Vesna Kovač-Lind", "VK"), ("Ana Maria Souza", "AS"), ("prince", "P"), ("", ""), ("<b>", "")],
)
def test_initials(name: str, letters: str) -> None:
    assert initials(name) == letters


def test_article_renders_what_the_knowledge_base_uses() -> None:
    body = (
        "First `code` and **bold**.\nSame paragraph.\n\n## Part\nText.\n\n- one\n- two\n  goes on\n\n"
        "1. first\n2. second\n\n| Plan | Price |\n|---|---|\n| Team | $9 |"
    )
    html = article(body)
    assert "<p>First <code>code</code> and <strong>bold</strong>. Same paragraph.</p>" in html
    assert "<h4>Part</h4><p>Text.</p>" in html
    assert "<ul><li>one</li><li>two goes on</li></ul>" in html
    assert "<ol><li>first</li><li>second</li></ol>" in html
    assert '<th scope="col">Price</th>' in html and "<td>$9</td>" in html


def test_article_shows_markup_as_text() -> None:
    html = article(f"## {HOSTILE}\n\n- {HOSTILE}\n\n{HOSTILE}\n\n| {HOSTILE} |\n|---|\n| x |")
    assert "<img" not in html and text_of(html).count(HOSTILE) == 4


def mark(start: int, end: int, number: int = 1, tone: str = "gain") -> Mark:
    return Mark(start, end, number, tone, "why")


def test_marked_wraps_the_place_and_numbers_it() -> None:
    html = marked("say <b> now", [mark(4, 7)])
    assert '<mark class="gain" data-tip="why">&lt;b&gt;</mark>' in html
    assert 'data-jump="note-1"' in html and html.endswith("</button> now</div>")


def test_a_loss_shows_where_marks_overlap() -> None:
    html = marked("abcdef", [mark(0, 4), mark(2, 6, 2, "loss")])
    assert '<mark class="gain" data-tip="why">ab</mark>' in html
    assert '<mark class="loss" data-tip="why · why">cd</mark>' in html
    assert '<mark class="loss" data-tip="why">ef</mark>' in html


def test_marks_outside_of_the_text_are_dropped_or_cut() -> None:
    assert "<mark" not in marked("abc", [mark(3, 9), mark(2, 2)])
    assert ">bc</mark>" in marked("abc", [mark(1, 99)])
    assert text_of(marked("", [mark(0, 1)])) == ""


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=6),
)
def test_marking_never_changes_the_text(text: str, places: list[tuple[int, int]]) -> None:
    html = marked(text, [mark(a, b, n) for n, (a, b) in enumerate(places)])
    assert text_of(html) == text
