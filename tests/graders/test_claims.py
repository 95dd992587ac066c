"""Finding claims: inside one sentence, with the right sign, in any wording that is listed."""

import pytest

from data.schema import Claim
from graders import claims, text, values

CONCEPTS = {"refund": ("refund", "money back", "reimburse")}
REFUND = Claim(say="refunded in 14 days", needs=(("@refund",), ("14 days",)))
LOST = Claim(
    say="can't be recovered", needs=(("recover", "bring back"), ("30 days",)), polarity="deny"
)


def found(claim: Claim, raw: str) -> list[bool]:
    compiled = claims.compile_claim(claim, CONCEPTS)
    indexed = claims.index(text.read(raw), values.find(raw))
    return [m.states(claim) for m in claims.find(compiled, indexed)]


@pytest.mark.parametrize(
    ("raw", "stated"),
    [
        ("You get your money back within two weeks.", [True]),
        ("We reimburse you in 14 days.", [True]),
        ("A refund. It takes 14 days.", []),
        ("There is no refund within 14 days.", [False]),
        ("It is not true that we refund in 14 days.", [False]),
        ("No problem, the refund is there in 14 days.", [True]),
        ("Your data is not lost; the refund comes in 14 days.", [True]),
        ("Not only the refund, also the letter comes in 14 days.", [True]),
    ],
)
def test_affirmed(raw: str, stated: list[bool]) -> None:
    assert found(REFUND, raw) == stated


@pytest.mark.parametrize(
    ("raw", "stated"),
    [
        ("After 30 days we cannot bring it back.", [True]),
        ("We can recover it after 30 days.", [False]),
        ("It can be recovered only for 30 days.", [True]),
    ],
)
def test_denied(raw: str, stated: list[bool]) -> None:
    assert found(LOST, raw) == stated


def test_unknown_concepts_are_an_error() -> None:
    with pytest.raises(KeyError):
        claims.compile_claim(Claim(say="x", needs=(("@nope",),)), CONCEPTS)
