"""Watching: policies and models play for visitors. Nothing that a visitor sends is trusted.

A visitor's key lives in memory while their run goes on, and nowhere else. Keys of this process's
environment are never used here, but for WATCH_API_KEY, which its owner put there for visitors.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from env import episode as engine
from env.choice import ENDLESS
from env.episode import Episode
from env.errors import UnknownName
from env.settings import Settings
from policies.budget import Budget
from policies.chat_model import ChatModel
from policies.llm import LlmPlayers
from policies.prompt import load
from policies.scripted import POLICIES
from policies.turns import ScriptedPlayer
from runs.played import Who
from runs.record import identity
from runs.store import Store
from ui import texts
from ui.service.model_access import Caps, base_url, problem_with_model
from ui.service.play import Play, problem_with_arguments
from ui.service.watched import Cast, Limits, Watched, play_view
from ui.state import Notice, PlayView
from ui.state_watch import ServerModel, WatchView
from ui.texts import watch as words

PACES = {"slow": 3.0, "normal": 1.2, "fast": 0.4, "instant": 0.0}
"""Seconds between steps, by name."""
CALL_S = 60.0
RETRIES = 2
MAX_TOKENS = 1_500
_TICK_S = 1.0
_KEPT = 256


@dataclass(frozen=True, slots=True)
class Wish:
    """What a visitor asks to watch, as their browser sent it. The key is in no printed form."""

    where: object = "play"
    task: object = None
    split: object = None
    seed: object = None
    who: object = "keyword"
    pace: object = "normal"
    mode: object = "plan"
    url: object = ""
    model: object = ""
    key: object = ""

    def __repr__(self) -> str:
        """Without what was typed."""
        return f"Wish(who={self.who!r:.40})"


class Watch:
    """Runs that visitors watch, one each at a time. Call it from one event loop."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        play: Play,
        *,
        owner_of: Callable[[str], str | None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with nothing on.

        Args:
            settings: Which models may be watched, and for how long.
            store: Where the runs go.
            play: What visitors play themselves.
            owner_of: The secret by which a visitor's runs are found again.
            clock: Seconds, for tests.
        """
        self.settings = settings
        self._store, self._play, self._clock = store, play, clock
        self._owner_of = owner_of
        self._caps = Caps(settings.watch_per_visitor, settings.watch_per_hour, clock)
        self._runs: OrderedDict[str, Watched] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def offered(self) -> ServerModel | None:
        """This server's own model, where it offers one."""
        s = self.settings
        if not s.watch_api_key:
            return None
        return ServerModel(s.watch_model or s.model_name, s.watch_per_visitor, s.watch_per_hour)

    def look(self, visitor: str | None, wish: Wish) -> WatchView:
        """What stands on the tab: the run that is on or was, else the episode that would be played.

        A run that is over gives way once another episode is chosen.
        """
        run = self._runs.get(visitor or "")
        if run is not None and run.running:
            return run.view()
        ahead, episode = self._ahead(visitor, wish)
        return run.view() if run and episode and _same(run.episode, episode) else ahead

    def wait(self, visitor: str | None, wish: Wish) -> WatchView:
        """What stands there until a seat is free."""
        run = self._runs.get(visitor or "")
        if run is not None and run.running:
            return run.view()
        ahead, episode = self._ahead(visitor, wish)
        return replace(ahead, phase="waiting") if episode else ahead

    async def play(self, visitor: str | None, address: str, wish: Wish) -> AsyncIterator[WatchView]:
        """Play what is wished for; a view after each step, and one a second while a model thinks.

        Who stops listening, stops the run: it is stored as cancelled, with its steps whole.
        """
        run, problem = self._start(visitor, address, wish)
        if run is None:
            yield replace(self.look(visitor, wish), notice=Notice(problem))
            return
        try:
            await asyncio.sleep(0)  # from here on it is under way, and can be ended in order
            while True:
                view = run.view()
                yield view
                if view.phase == "ended":
                    return
                await run.changed(_TICK_S)
        finally:
            await run.stop()

    def yourself(self, visitor: str | None) -> bool:
        """Open the episode that was watched in Play, from its start; False where there is none."""
        run = self._runs.get(visitor or "")
        if run is None:
            return False
        e = run.episode
        view = self._play.begin(visitor, e.family.id, e.split, e.seed, index=e.index)
        return view.obs is not None and view.notice is None

    async def stop(self, visitor: str | None, wish: Wish) -> WatchView:
        """End the visitor's run, and wait until it is stored."""
        run = self._runs.get(visitor or "")
        if run is None:
            said = Notice(words.STOPPED_EARLY, error=False)
            return replace(self.look(visitor, wish), notice=said)
        await run.stop()
        return run.view()

    def close(self, visitor: str | None) -> None:
        """A visitor left: nobody watches their run any more."""
        run = self._runs.pop(visitor or "", None)
        if run is not None:
            run.cancel()

    def _ahead(self, visitor: str | None, wish: Wish) -> tuple[WatchView, Episode | None]:
        """The episode that would be played."""
        episode, problem = self._episode(visitor, wish)
        if episode is None:
            return WatchView("idle", PlayView("empty"), notice=Notice(problem)), None
        name = _name(wish.who, self.offered, wish.model)
        return WatchView("idle", play_view(episode, "", name), name), episode

    def _start(self, visitor: str | None, address: str, wish: Wish) -> tuple[Watched | None, str]:
        if not visitor:
            return None, texts.NO_SESSION
        on = self._runs.get(visitor)
        if on is not None and on.running:
            return None, words.RUNNING
        episode, problem = self._episode(visitor, wish)
        if episode is None:
            return None, problem
        if not isinstance(wish.pace, str) or wish.pace not in PACES:
            return None, texts.BAD_REQUEST
        cast, problem = self._cast(address, wish, episode)
        if cast is None:
            return None, problem
        playing = self._play.visitors.run(visitor)
        own = playing is not None and playing.ground is not self._play.ground
        limits = Limits(PACES[wish.pace], self.settings.watch_seconds)
        run = Watched(
            episode,
            cast,
            None if own else self._store,
            limits,
            owner=self._owner_of(visitor),
            clock=self._clock,
        )
        self._tasks.add(run.task)
        run.task.add_done_callback(self._tasks.discard)
        self._runs[visitor] = run
        self._runs.move_to_end(visitor)
        for old in [v for v, r in self._runs.items() if not r.running][:-_KEPT]:
            del self._runs[old]
        return run, ""

    def _episode(self, visitor: str | None, wish: Wish) -> tuple[Episode | None, str]:
        """The episode from its start, or why there is none."""
        own = self._play.visitors.run(visitor)
        if wish.where == "play":
            return (engine.restart(own.episode), "") if own else (None, words.NO_EPISODE)
        problem = problem_with_arguments(wish.task, wish.split, wish.seed, None, None)
        if wish.where != "header" or problem is not None:
            return None, problem or texts.BAD_REQUEST
        ground = own.ground if own else self._play.ground
        if wish.split == ENDLESS and ground is not self._play.ground:
            return None, texts.NO_ENDLESS
        try:
            return engine.start(wish.task, wish.split, int(wish.seed), arena=ground.arena), ""
        except UnknownName as error:
            return None, str(error)

    def _cast(self, address: str, wish: Wish, episode: Episode) -> tuple[Cast | None, str]:
        who = wish.who
        if not isinstance(who, str) or who not in words.PLAYERS:
            return None, texts.BAD_REQUEST
        if who in POLICIES:
            if who == "oracle" and episode.split == "test":
                return None, words.ORACLE_TEST
            player = ScriptedPlayer(POLICIES[who](episode))
            return Cast(Who(who), words.NAMES[who], player), ""
        if not isinstance(wish.mode, str) or wish.mode not in words.MODES:
            return None, texts.BAD_REQUEST
        url, name, key, problem = self._server() if who == "server" else self._own(wish)
        if not problem and who == "server":
            problem = self._caps.take(address)
        if problem:
            return None, problem
        prompt = load(wish.mode)
        model = ChatModel(
            url,
            key,
            name,
            timeout_s=CALL_S,
            retries=RETRIES,
            max_tokens=MAX_TOKENS,
            bare=True,
        )
        players = LlmPlayers(model, prompt, Budget(max_tokens=self.settings.watch_tokens))
        return Cast(Who("llm", name, prompt.version), name, players.player(), players), ""

    def _server(self) -> tuple[str, str, str, str]:
        """This server's model: address, name, key, and what is wrong."""
        s, offered = self.settings, self.offered
        if offered is None or not s.watch_api_key:
            return "", "", "", words.NO_SERVER_MODEL
        return s.watch_base_url or s.api_base_url, offered.name, s.watch_api_key.strip(), ""

    def _own(self, wish: Wish) -> tuple[str, str, str, str]:
        """The visitor's model: address, name, key, and what is wrong."""
        url, problem = base_url(wish.url, self.settings)
        problem = problem or problem_with_model(wish.model, wish.key)
        if problem:
            return "", "", "", problem
        return url, str(wish.model).strip(), str(wish.key).strip(), ""


def _same(one: Episode, other: Episode) -> bool:
    return identity(one) == identity(other)


def _name(who: object, offered: ServerModel | None, model: object) -> str:
    if who == "server" and offered is not None:
        return offered.name
    if who == "model" and isinstance(model, str) and model.strip():
        return model.strip()[:100]
    return words.NAMES.get(who if isinstance(who, str) else "", words.NAMES["model"])
