"""Reading replies: sentences, places, and what counts as a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import text


@given(st.text(max_size=500))
def test_places_point_into_the_text(raw: str) -> None:
    read = text.read(raw)
    last = 0
    for sentence in read.sentences:
        assert last <= sentence.start < sentence.end <= len(raw)
        last = sentence.end
        for token in sentence.tokens:
            assert sentence.start <= token.start < token.end <= sentence.end


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        ("One is here. Two is there! Three?", 3),
        ("Version 5.2 is out, e.g. on the phone. Ask us.", 2),
        ("Write to a.b@c.example. Thanks.", 2),
        ("- first point here\n- second point there", 2),
        ("This is a line of a mail that was wrapped hard\nin the middle of a sentence.", 1),
        ("Hi Ada,\n\nthanks.", 2),
    ],
)
def test_sentences(raw: str, count: int) -> None:
    assert len(text.read(raw).sentences) == count


@pytest.mark.parametrize(
    "sentence",
    [
        "The extra charge goes back to the same card in full.",
        "Their check takes 3 business days.",
        "Backups live for 35 days.",
        "Open Settings > Billing > Payment method and enter the new card.",
        "Bring the metadata file of your provider.",
        "It unlocks within 10 minutes.",
    ],
)
def test_well_formed(sentence: str) -> None:
    assert text.read(sentence).sentences[0].well_formed


@pytest.mark.parametrize(
    "fragment",
    [
        "refund, duplicate charge, 7 business days, same card",
        "refund duplicate charge business days same card full amount invoice",
        "Refund / card / invoice / days / billing",
        "refund and card and invoice and days and billing and plan",
        "Kind regards",
    ],
)
def test_not_well_formed(fragment: str) -> None:
    assert not text.read(fragment).sentences[0].well_formed


def test_folding() -> None:
    assert text.fold("Straße") == "strasse" and text.fold("Seven") == "7"
    assert text.fold("don’t") == "don't" and text.fold("CAFÉ") == "cafe"
