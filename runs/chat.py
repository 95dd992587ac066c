"""Episodes as chat messages, for training: what the agent saw, and what it answered.

The system message, the first user message and the form of an answer are those that `inference.py
--mode agent` plays with, so that what was trained on them can be measured with it. Only what an
observation shows before the end goes in, so no label can.
"""

from __future__ import annotations

from typing import TypedDict

from env import episode as engine
from env.episode import Episode
from env.view import observe
from policies.prompt import describe, describe_change, load, wanted_answer

PROMPT = load("agent")


class Message(TypedDict):
    """One chat message."""

    role: str
    content: str


def prompt(episode: Episode) -> list[Message]:
    """The system message and the episode's first observation."""
    return [
        Message(role="system", content=PROMPT.text),
        Message(role="user", content=describe(observe(engine.restart(episode), ""))),
    ]


def conversation(episode: Episode) -> list[Message]:
    """The prompt, then per step the action and what the agent saw next; an action comes last."""
    messages = prompt(episode)
    now = engine.restart(episode)
    for number, step in enumerate(episode.steps, 1):
        messages.append(Message(role="assistant", content=wanted_answer(step.action)))
        if number < len(episode.steps):
            now = engine.step(now, step.action)
            messages.append(Message(role="user", content=describe_change(observe(now, ""))))
    return messages
