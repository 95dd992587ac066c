"""Gaps that a template left."""

import pytest

from data.importing.placeholders import fill

ROW = {"product_bought": "Tent", "customer_name": "Ada", "note": "x" * 100}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("my {product_bought} and {{ Product Bought }}", "my Tent and Tent"),
        ("my {product_b is here", "my Tent is here"),
        ("my product_bought} is here", "my Tent is here"),
        ("Dear [Customer Name],", "Dear Ada,"),
        ("Dear <customer_name>,", "Dear Ada,"),
        ("about order {{Order Number}}", "about order number"),
        ("cancel {{Order Number}} now", "cancel the order number now"),
        ("your {{Account Type}} works", "your account type works"),
        ("Hi {{First Name}}, hello", "Hi, hello"),
        ("tell {{Client}} so", "tell the customer so"),
        ("on [Website URL]", "on the website url"),
        ("see {note}", "see {note}"),
    ],
)
def test_gaps_are_filled(text: str, filled: str) -> None:
    assert fill(text, {k: v for k, v in ROW.items() if k != "note"})[0] == filled


@pytest.mark.parametrize(
    "text",
    [
        "the field product_bought is empty",
        "press <Enter> or <F5>, then [Solved]",
        'a dict {"a": 1} and {x} and ${HOME} and /users/{id}',
        "List<String>, a[0], [1], {}",
        "<a href='x'>link</a> <time>noon</time>",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert fill(text, ROW) == (text, 0, 0)


def test_a_gap_can_be_marked_instead() -> None:
    assert fill("call {{Phone}} or {product_bought}", ROW, gap="#") == ("call # or Tent", 1, 1)


def test_a_value_that_is_no_short_text_fills_nothing() -> None:
    assert fill("{{note}}", ROW)[0] == "the note"
