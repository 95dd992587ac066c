"""Which answers can grade a reply."""

from data.importing.references import GAP, Answered, judge, without_gaps

RANDOM = (
    "Window quickly seven merchant above.", "Ocean pattern decide hour marry.",
    "Glass tomorrow among history lead.", "Purple agent wonder million sit.",
    "Season throw garden people avoid.", "Nature lawyer beyond cup drive.",
    "Bank simple travel none pretty.", "Skin process morning debate filter.",
    "Effort manage college inside blue.", "Town report wall hundred story.",
)  # fmt: skip
TICKET = "The water filter of my machine leaks and the light blinks red."
ANSWER = "Rinse the filter of the machine until the light stops to blink."


def answered(answer: str, ticket: str = TICKET, category: str = "x", own: bool = False) -> Answered:
    return Answered(ticket, category, answer, answer, own)


def test_an_answer_that_shares_words_with_its_ticket_is_gold() -> None:
    gold, small_talk, other = judge(
        [answered(ANSWER), answered("Happy to help you today!"), answered("Refunds reach the card in ten days.")]
    )  # fmt: skip
    assert gold.facts and not gold.reason
    assert not small_talk.facts and not other.facts
    assert other.reason == "unrelated to the ticket"


def test_random_words_are_never_gold_not_even_by_chance() -> None:
    lucky = answered("Filter machine happen among cousin light.")
    verdicts = judge([lucky, *(answered(r) for r in RANDOM)])
    assert not any(v.facts for v in verdicts)


def test_among_good_answers_the_category_vouches_too() -> None:
    good = [answered(ANSWER), answered("The red light means that the filter is full of lime.")]
    vague = answered(ANSWER, "it does it again, please hurry")
    off = answered(RANDOM[0], "it does it again, please hurry")
    *_, by_category, random = judge([*good * 2, vague, off])
    assert by_category.facts and not random.facts
    alone, _ = judge([vague, off])
    assert not alone.facts


def test_an_answer_of_the_same_conversation_belongs_to_it() -> None:
    (own,) = judge([answered("Vouchers expire after 90 days.", "How long?", own=True)])
    assert own.facts


def test_sentences_with_gaps_are_left_out() -> None:
    text = f"Hello {GAP}, fine.\n\n1. Open the page at {GAP}.\n2. Press it, e.g. twice. Then wait 1.5 days."
    assert without_gaps(text) == "2. Press it, e.g. twice. Then wait 1.5 days."
    assert without_gaps("Nothing is missing here.") == "Nothing is missing here."
    assert without_gaps(f"All {GAP}") == ""
