"""Facts taken from a reference that came without any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.derive import derive_facts


def test_one_fact_a_sentence_that_carries_content() -> None:
    facts = derive_facts(
        "Hello and thank you for your patience! A PDF export stops at 200 pages."
        " Split the period into quarters instead.\nKind regards"
    )
    assert [f.say for f in facts] == [
        "A PDF export stops at 200 pages",
        "Split the period into quarters instead",
    ]
    assert facts[0].needs == (("export", "stops"), ("200", "pages"))
    assert all(f.polarity == "any" for f in facts)


@pytest.mark.parametrize("text", ["", "  ", "Thank you!", "Please let us know.", "???", "1. 2. 3."])
def test_small_talk_states_nothing(text: str) -> None:
    assert derive_facts(text) == ()


def test_at_most_five_in_the_order_of_the_text() -> None:
    text = " ".join(f"Export number{'s' * n} quarter {n} stops invoices{' extra' * (n % 2)}." for n in range(9))  # fmt: skip
    facts = derive_facts(text)
    assert len(facts) == 5
    assert [text.index(f.say) for f in facts] == sorted(text.index(f.say) for f in facts)


@given(st.text(max_size=400))
def test_any_text(text: str) -> None:
    facts = derive_facts(text)
    assert len(facts) <= 5
    for fact in facts:
        assert all(fact.needs) and len(fact.needs) == 2
        assert not any(word.startswith("@") for group in fact.needs for word in group)
