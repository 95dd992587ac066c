"""Hard values: one canonical form for each, and what may be stated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.values import Support, find, of_phrase


@pytest.mark.parametrize(
    "same",
    [
        ("$25", "25 USD", "25.00 USD", "USD 25", "25 dollars", "US$25"),
        ("two weeks", "14 days", "14-day", "2 weeks"),
        ("24 hours", "1 day", "1440 minutes"),
        ("10 %", "10%", "10 percent", "10 per cent"),
        ("3 June 2026", "June 3, 2026", "2026-06-03", "3rd of June 2026"),
        ("8 am", "08:00", "8:00 a.m."),
        (
            "https://ideas.brackenloop.example/",
            "ideas.brackenloop.example",
            "http://ideas.brackenloop.example",
        ),
        ("$1,080", "1080 USD", "1,080.00 dollars"),
        ("2 years", "24 months"),
        ("10 MB", "10mb", "10 megabytes"),
    ],
    ids=lambda s: s[0],
)
def test_one_form(same: tuple[str, ...]) -> None:
    forms = {tuple(v.canon for v in find(f"it is {text} now")) for text in same}
    assert len(forms) == 1 and len(next(iter(forms))) == 1, forms


def test_ranges_give_both_ends() -> None:
    assert [v.canon for v in find("5 to 7 business days")] == ["bday:5", "bday:7"]
    assert [v.canon for v in find("5-7 business days")] == ["bday:5", "bday:7"]


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("within 30 days", True),
        ("within 31 days", False),
        ("within 1 hour", False),
        ("you pay $90 a year", True),
        ("you pay $95 a year", False),
        ("that is $1,080 for your 12 members", True),  # 12 x 90
        ("that is $1,081", False),
        ("a discount of 15 %", False),
        ("see www.evil.example/refund", False),
        ("write to help@brackenloop.example", False),
        ("write to support@brackenloop.example", True),
        ("invoice INV-2231", True),
        ("invoice INV-2232", False),
        ("two things first", True),
        ("call 555-0199", False),
        ("on 4 July", False),
    ],
)
def test_support(claim: str, supported: bool) -> None:
    support = Support(
        [
            "We are 12 people and got invoice INV-2231.",
            "$90 per member and year. Refund within 30 days. Write to support@brackenloop.example.",
        ]
    )
    found = find(claim)
    assert all(support.holds(v) for v in found) == supported or not found


@pytest.mark.parametrize("text", ["a day", "for a second", "one month", "the first of many"])
def test_figures_of_speech_measure_nothing(text: str) -> None:
    assert find(text) == ()


def test_phrases() -> None:
    assert of_phrase("14 days") == of_phrase("two weeks") is not None
    assert of_phrase("next invoice") is None


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    for value in find(text):
        assert 0 <= value.start < value.end <= len(text)


@pytest.mark.parametrize(
    ("text", "canon"),
    [
        ("inside twenty-four hours", "minute:1440"),
        ("thirty days", "minute:43200"),
        ("within one hour", "minute:60"),
        ("fifteen minutes", "minute:15"),
        ("three working days", "bday:3"),
    ],
)
def test_number_words(text: str, canon: str) -> None:
    assert [v.canon for v in find(text)] == [canon]


@pytest.mark.parametrize(
    ("claim", "supported"),
    [("nine days ago", True), ("you have 21 days left", True), ("you have 22 days left", False)],
)
def test_spans_follow_from_dates(claim: str, supported: bool) -> None:
    support = Support(["It vanished on 5 June.\n2026-06-14", "Deleted projects stay for 30 days."])
    assert all(support.holds(v) for v in find(claim)) == supported
