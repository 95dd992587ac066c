"""HTTP episodes: bounded, timed out, least recently used out first, rebuilt by replay."""

import pytest

from env import episode as engine
from env.errors import EpisodeNotFound
from env.sessions import EpisodeStore
from policies.base import action


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def start(seed: int) -> engine.Episode:
    return engine.start("medium_kb_grounded_response", "train", seed)


def test_the_least_recently_used_is_pushed_out_and_comes_back_by_replay() -> None:
    store = EpisodeStore(2, 100, Clock())
    first = engine.step(start(1), action("search_kb", query="refund"))
    store.put("a", first)
    store.put("b", start(2))
    store.put("c", start(3))
    assert len(store) == 2
    again = store.get("a")
    assert again == first and again is not first
    assert len(store) == 2
    assert store.get("b").seed == 2


def test_idle_episodes_are_forgotten_wherever_they_are() -> None:
    clock = Clock()
    store = EpisodeStore(1, 10, clock)
    store.put("a", start(1))
    store.put("b", start(2))
    clock.now = 9
    store.get("b")
    clock.now = 12
    assert store.get("b").seed == 2
    with pytest.raises(EpisodeNotFound, match="POST /reset first"):
        store.get("a")
    clock.now = 30
    with pytest.raises(EpisodeNotFound):
        store.get("b")
    assert len(store) == 0


def test_what_is_remembered_is_bounded() -> None:
    store = EpisodeStore(1, 100, Clock())
    for number in range(20):
        store.put(f"e{number}", start(number))
    with pytest.raises(EpisodeNotFound):
        store.get("e0")
    assert store.get("e19").seed == 19 and store.get("e15").seed == 15


def test_the_last_episode_of_a_client() -> None:
    store = EpisodeStore(5, 100, Clock())
    store.put("a", start(1), "10.0.0.1")
    store.put("b", start(2), "10.0.0.2")
    assert store.last_of("10.0.0.1") == "a" and store.last_of("10.0.0.3") is None
