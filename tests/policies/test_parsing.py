"""Answers of models: repaired where they can mean one thing only."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.parsing import parse

EASY = ("classify", "respond")
DRAFT = ("search_kb", "draft_response", "mark_resolved")
SORT = ("set_priority",)
BUG = {"action_type": "classify", "payload": {"category": "Bug"}}
HI = {"action_type": "respond", "payload": {"response_text": "Hi"}}
HIGH = {"action_type": "set_priority", "payload": {"ticket_id": "P-1", "priority": "high"}}

ONE_BUG = {
    "asked for": '{"action": {"action_type": "classify", "category": "Bug"}}',
    "bare": '{"action_type": "classify", "category": "Bug"}',
    "list": '[{"action_type": "classify", "category": "Bug"}]',
    "payload": '{"action_type": "classify", "payload": {"category": "Bug"}}',
    "content": '{"action_type": "classify", "content": "Bug"}',
    "both dialects": '{"action_type": "classify", "content": "Bug", "payload": {"category": "Bug"}}',
    "fenced": 'Here:\n```json\n{"action_type": "classify", "category": "Bug"}\n```\nDone.',
    "trailing prose": '{"action_type": "classify", "category": "Bug"} because it [sic] is {odd}.',
    "thinking": '<think>{"action_type": "respond"}</think>{"action_type": "classify", "category": "Bug"}',
    "said twice": '{"classify": "Bug"} or {"classify": "Bug"}',
    "trailing comma": '{"action_type": "classify", "category": "Bug",}',
    "python": "{'action_type': 'classify', 'category': 'Bug'}",
    "wrong keys": '{"Action": 1, "action": "Classify", "label": "Bug"}',
    "reasoning": '{"reasoning": "broken", "action_type": "classify", "category": "Bug"}',
    "tool call": '{"name": "classify", "arguments": {"category": "Bug"}}',
    "tool call with text": '{"name": "classify", "arguments": "{\\"category\\": \\"Bug\\"}"}',
    "API tool calls": json.dumps(
        [{"id": "1", "type": "function", "function": {"name": "classify", "arguments": '{"category": "Bug"}'}}]
    ),
    "name as key": '{"classify": {"category": "Bug"}}',
    "name as key, text": '{"classify": "Bug"}',
    "camel case": '{"action_type": "classifyTicket", "category": "Bug"}',
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_BUG)
def test_what_means_one_thing_is_understood(name: str) -> None:
    parsed = parse(ONE_BUG[name], EASY)
    assert parsed.problems == ()
    assert [a.model_dump(exclude_defaults=True) for a in parsed.actions] == [BUG]


@pytest.mark.parametrize(
    ("text", "offered", "kinds"),
    [
        ('{"actions": [{"action": "classify", "category": "Bug"}, {"action": "reply", "text": "Hi"}]}',
         EASY, ["classify", "respond"]),
        ('{"action": "reply", "text": "Hi"}', DRAFT, ["draft_response"]),
        ('{"action": "respond", "text": "Hi"}', DRAFT, ["respond"]),
        ('{"action": "resolve"}', DRAFT, ["mark_resolved"]),
        ('{"action": "search", "q": "KB-1"}', DRAFT, ["search_kb"]),
        ('{"category": "Bug"}', ("classify",), ["classify"]),
        ('{"action_type":"classify","category":"Bug"}\n{"action_type":"respond","content":"Hi"}',
         EASY, ["classify", "respond"]),
    ],
)  # fmt: skip
def test_names_are_read_by_what_is_offered(
    text: str, offered: tuple[str, ...], kinds: list[str]
) -> None:
    parsed = parse(text, offered)
    assert [a.action_type for a in parsed.actions] == kinds and not parsed.problems


@pytest.mark.parametrize(
    "text",
    [
        '{"priorities": {"P-1": "high"}}',
        '{"priorities": [{"ticket_id": "P-1", "priority": "high"}]}',
        '{"actions": [{"type": "set_priority", "ticket": "P-1", "level": "high"}]}',
    ],
)
def test_priorities_in_other_shapes(text: str) -> None:
    assert [a.model_dump(exclude_defaults=True) for a in parse(text, SORT).actions] == [HIGH]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("a bug", "no JSON"),
        ("{}", "names no action"),
        ('{"action_type": "dance"}', "unknown action 'dance'"),
        ('{"action_type": "classify"}', "needs a text"),
        ('{"action_type": "classify", "category": ["Bug"]}', "needs a text"),
        ('{"action_type": "classify", "category": "Bug", "content": "Billing"}', "differ"),
        ('{"action_type": "respond", "text": "a", "message": "b"}', "several texts"),
        ('{"action_type": "classify", "name": "respond", "content": "Bug"}', "two different types"),
        ('{"action_type":"classify","category":"Bug"} or {"action_type":"classify","category":"Billing"}',
         "several different"),
        ('{"action_type": "respond", "content": "' + "x" * 8_001 + '"}', "8000"),
        ("[" * 5_000, "no JSON"),
        ("{" * 100_000, "no JSON"),
    ],
)  # fmt: skip
def test_what_could_mean_anything_is_refused(text: str, why: str) -> None:
    parsed = parse(text, EASY)
    assert parsed.actions == () and why in parsed.problems[0]


def test_of_an_answer_that_was_cut_off_whole_actions_count() -> None:
    text = '{"actions": [{"action_type": "classify", "category": "Bug"}, {"action_type": "respond", "resp'
    parsed = parse(text, EASY, whole=False)
    assert [a.model_dump(exclude_defaults=True) for a in parsed.actions] == [BUG]
    assert "cut off; 1 whole" in parsed.problems[0]


def test_a_bad_action_does_not_spoil_the_others() -> None:
    text = '{"actions": [{"action_type": "dance"}, {"action_type": "respond", "content": "Hi"}]}'
    parsed = parse(text, EASY)
    assert parsed.actions[0].text == "Hi" and parsed.problems == ("unknown action 'dance'",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["action_type", "action", "actions", "payload", "content", "name", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60) | JSON.map(json.dumps))
def test_nothing_crashes_it(text: str) -> None:
    parsed = parse(text, EASY)
    assert parsed.actions or parsed.problems
