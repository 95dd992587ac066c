"""500 HTTP episodes open at once, each answer checked against a replay."""

import asyncio

from tests.server.load_http import load


def test_five_hundred_episodes_at_once(base_url: str) -> None:
    done = asyncio.run(load(base_url, 500))
    assert done.episodes == 500 and done.requests > 1_000
    assert done.wrong == []
