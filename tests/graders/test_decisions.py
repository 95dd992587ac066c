"""Category, escalation, ranking, retrieval, efficiency: the contract's numbers by table."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.schema import CATEGORIES, PRIORITIES
from env import episode as engine
from graders import decisions as d
from graders.trace import Trace
from supportops_env.models import SupportAction

TRUTH = {"a": "critical", "b": "high", "c": "medium", "d": "low", "e": "minimal"}


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Billing", 1.0),
        (" billing ", 1.0),
        ("BILLINGS", 1.0),
        ("payment", 0.5),
        ("Biling", 0.5),
        ("Account", 0.5),  # listed as near
        ("Bug", 0.0),
        ("Bill", 0.0),
        ("", 0.0),
        (None, 0.0),
        ("Billing Account Bug General Feature Request", 0.0),
    ],
)
def test_category(answer: str | None, value: float) -> None:
    assert d.category(answer, "Billing", ("Account",))[0] == value


@pytest.mark.parametrize("answer", ["feature request", "Feature-Requests", "feature_request"])
def test_category_spacing(answer: str) -> None:
    assert d.category(answer, "Feature Request")[0] == 1.0


@given(st.text(max_size=30), st.sampled_from(CATEGORIES))
def test_category_is_one_of_three_values(answer: str, label: str) -> None:
    assert d.category(answer, label)[0] in (0.0, 0.5, 1.0)


def test_ranking() -> None:
    assert d.ranking(TRUTH, TRUTH) == 1.0
    assert d.ranking(dict(zip(TRUTH, reversed(PRIORITIES), strict=True)), TRUTH) == 0.0
    assert d.ranking(dict.fromkeys(TRUTH, "minimal"), TRUTH) == 0.0
    assert d.ranking({"a": "critical"}, TRUTH) == 0.0
    assert d.ranking({"a": "critical", "b": "low"}, TRUTH) == pytest.approx(0.1)


def test_ranking_mean_over_all_orders_is_that_of_chance() -> None:
    values = [
        d.ranking(dict(zip(TRUTH, order, strict=True)), TRUTH)
        for order in itertools.permutations(PRIORITIES)
    ]
    assert 0.1 < sum(values) / len(values) < 0.25


def test_critical_f1() -> None:
    assert d.critical_f1(TRUTH, TRUTH) == 1.0
    assert d.critical_f1(dict.fromkeys(TRUTH, "critical"), TRUTH) == pytest.approx(1 / 3)
    assert d.critical_f1({}, TRUTH) == 0.0


def test_the_rest() -> None:
    assert d.coverage({"a": "low"}, TRUTH) == 0.2
    assert d.retrieval(("x", "y"), ("x", "z")) == 0.5 and d.retrieval((), ()) == 0.0
    assert [d.efficiency(s, 4) for s in (3, 4, 10, 16, 99)] == [1, 1, 0.5, 0, 0]
    assert d.escalation(True, True)[0] == d.escalation(False, False)[0] == 1
    assert d.escalation(True, False)[0] == d.escalation(False, True)[0] == 0


def test_a_blank_reply_is_none() -> None:
    assert not Trace(steps=1, reply=" \n ").replied and not Trace(steps=1).replied
    for reply in ("", "  \n"):
        episode = engine.start("hard_escalation_safety", "train", 1)
        action = SupportAction.model_validate({"action_type": "respond", "content": reply})
        assert engine.step(episode, action).grade == 0
