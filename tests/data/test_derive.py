"""Facts taken from a reference that came without any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.derive import content_stems, derive_facts, sentences, stem


def test_two_facts_a_sentence_that_carries_content() -> None:
    facts = derive_facts(
        "Hello and thank you for your patience! A PDF export stops at 200 pages."
        " Split the period into quarters instead.\nKind regards"
    )
    assert [(f.say, f.weight) for f in facts] == [
        ("A PDF export stops at 200 pages", 1.0),
        ("A PDF export stops at 200 pages (in these terms)", 0.25),
        ("Split the period into quarters instead", 1.0),
        ("Split the period into quarters instead (in these terms)", 0.25),
    ]
    assert facts[0].needs == (("pdf", "export", "stops"), ("200", "pages"))
    assert facts[1].needs == (("pdf",), ("export",), ("stops",), ("200",), ("pages",))
    assert all(f.polarity == "any" for f in facts)


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("Vouchers expire after 90 days.", (("90 days",), ("vouchers", "expire"))),
        ("You earn $1,250.50 or 5 % cash.", (("$1,250.50",), ("5 %",), ("earn", "cash"))),
        ("Ship it in three weeks.", (("three weeks",), ("ship",))),
        ("Read https://help.example/a?b=1 for boots, tents, stoves.", (("read", "boots"), ("tents", "stoves"))),
    ],
)  # fmt: skip
def test_values_have_to_be_said(text: str, needs: tuple[tuple[str, ...], ...]) -> None:
    assert derive_facts(text)[0].needs == needs


@pytest.mark.parametrize(
    "text",
    ["", "  ", "Thank you!", "Please let us know.", "???", "1. 2. 3.", "Is the export of the report slow?",
     "I'll do my best to assist you.", "We value your satisfaction."],
)  # fmt: skip
def test_small_talk_and_questions_state_nothing(text: str) -> None:
    assert derive_facts(text) == ()


def test_words_that_all_answers_hold_tell_nothing() -> None:
    text = "Your parcel leaves the depot."
    assert derive_facts(text)
    assert derive_facts(text, {stem("depot"), stem("parcel")}) == ()


def test_at_most_five_sentences_in_the_order_of_the_text() -> None:
    text = " ".join(f"Export number{'s' * n} quarter {n} stops invoices{' extra' * (n % 2)}." for n in range(9))  # fmt: skip
    facts = derive_facts(text)[::2]
    assert len(facts) == 5
    assert [text.index(f.say) for f in facts] == sorted(text.index(f.say) for f in facts)


def test_sentences() -> None:
    text = "1. Open it, e.g. twice.\n- Wait 1.5 days; then stop!\n\nIs it fine? Yes"
    assert sentences(text) == [
        "Open it, e.g. twice",
        "Wait 1.5 days",
        "then stop",
        "Is it fine?",
        "Yes",
    ]
    assert content_stems("Thanks, the parcels are in 3 depots") == {"parcel", "depot"}


@given(st.text(max_size=400))
def test_any_text(text: str) -> None:
    facts = derive_facts(text)
    assert len(facts) <= 10
    for fact in facts:
        assert fact.needs and all(fact.needs)
        assert not any(word.startswith("@") for group in fact.needs for word in group)
