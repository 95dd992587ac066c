"""One run that is played for a visitor to watch: in the background, and stored step by step."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from data.schema import PRIORITIES
from env import episode as engine
from env.episode import NO_KNOBS, Episode, StepRecord
from env.view import observe, state_of
from policies.bench import Assignment, Played
from policies.llm import LlmPlayer, LlmPlayers
from policies.model_errors import OutOfBudget
from policies.turns import Player, ending, turns
from runs.errors import StoreError
from runs.played import Who, run_of
from runs.record import identity
from runs.store import Store
from supportops_env.models import (
    GradeReport,
    Knobs,
    SupportAction,
    SupportObservation,
    SupportState,
)
from ui import snapshot
from ui.state import PlayView, Trouble
from ui.state_watch import WatchView
from ui.texts import watch as words

_log = logging.getLogger(__name__)
_STOPPED = "stopped"


@dataclass(frozen=True)
class Cast:
    """Who plays, under which name it is shown, and what all episodes of a model share."""

    who: Who
    name: str
    player: Player
    players: LlmPlayers | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to wait after a step, and seconds that the whole run may take."""

    pace_s: float
    run_s: float


class Watched:
    """A run from its start on. It plays by itself; `stop` ends it early and keeps what was played."""

    def __init__(
        self,
        episode: Episode,
        cast: Cast,
        store: Store | None,
        limits: Limits,
        *,
        owner: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to play an episode that has no step yet. Needs a running event loop.

        Args:
            episode: What is played.
            cast: Who plays.
            store: Where the run goes; None where it is not to be kept.
            limits: How long it may take.
            owner: The secret that finds the run again, for its deletion.
            clock: Seconds, for tests.
        """
        self.run_id = secrets.token_urlsafe(18)
        self.episode = episode
        self._who, self._name = cast.who, cast.name
        self._player: Player | None = cast.player
        self._players = cast.players
        self._store, self._limits, self._owner, self._clock = store, limits, owner, clock
        self._played = Played(
            Assignment(episode.family.id, episode.split, episode.seed, episode.index, episode.knobs)
        )
        self._table = _Table(episode)
        self._since: float | None = clock()
        self._begun = self._stopping = False
        self._stored = True
        self._outcome = ""
        self._change = 0
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._run())

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return not self._outcome and not self.task.done()

    async def changed(self, seconds: float) -> None:
        """Wait for news, but not longer than some seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)
        self._news.clear()

    def cancel(self) -> None:
        """End it soon: a question to a model is broken off, a step that was taken is stored."""
        if not self._stopping:
            self._stopping = True
            self.task.cancel()

    async def stop(self) -> None:
        """End it, and wait until it is stored."""
        self.cancel()
        await asyncio.wait({self.task})

    async def _run(self) -> None:
        players = self._players
        try:
            async with asyncio.timeout(self._limits.run_s):
                await self._play(self._player)
        except asyncio.CancelledError:
            self._played.stop, self._played.error = "cancelled", _STOPPED
        except Exception as error:
            key = players.model.key if players else ""
            self._played.stop, self._played.error = ending(error, self._limits.run_s, key)
            if isinstance(error, OutOfBudget) and players:
                self._played.error = words.OUT_OF_TOKENS.format(n=players.budget.max_tokens)
        finally:
            await self._end()

    async def _play(self, player: Player) -> None:
        await self._write(self._begin)
        async for _, seen in turns(self._table, player, self._played.assignment):
            self.episode = self._table.episode
            self._since = None
            self._tell()
            await self._write(self._add_step, self.episode.steps[-1])
            if not seen.done:
                await asyncio.sleep(self._limits.pace_s)
                self._since = self._clock()
                self._tell()

    async def _end(self) -> None:
        self._since, self._stored = None, False
        played, player, players = self._played, self._player, self._players
        if players and isinstance(player, LlmPlayer):
            played.declined, played.spent = tuple(player.declined), player.spent
            played.parameters = players.parameters
            await players.model.close()
        self._player = self._players = None  # and with them the key
        await asyncio.to_thread(played.take, self.episode)
        self._stored = await self._write(self._finish)
        self._outcome = played.stop
        self._tell()

    def _begin(self) -> None:
        if self._store is None:
            return
        self._store.begin(
            self.run_id,
            identity(self.episode),
            kind="model" if self._who.model else "policy",
            policy=self._who.policy,
            model=self._who.model,
            prompt_version=self._who.prompt_version,
            parameters=self._players.parameters if self._players else {},
            owner=self._owner,
        )
        self._begun = True

    def _add_step(self, step: StepRecord) -> None:
        if self._store is not None and self._begun:
            self._store.add_step(self.run_id, step.action, round(step.reward, 6), step.lines)

    def _finish(self) -> None:
        run = run_of(self._played, self._who, self.run_id)
        if self._store is not None and run is not None:
            self._store.save(run, owner=self._owner)

    async def _write(self, method: Callable[..., None], *arguments: Any) -> bool:
        """Whether the store took it. What was begun is finished, even when this is cancelled."""

        def write() -> bool:
            try:
                method(*arguments)
            except StoreError as error:
                _log.warning("a watched run is not stored: %s", error)
                return False
            return True

        writing = asyncio.create_task(asyncio.to_thread(write))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            await writing
            raise

    def _tell(self) -> None:
        self._change += 1
        self._news.set()

    def view(self) -> WatchView:
        """How it stands."""
        model = self._player if isinstance(self._player, LlmPlayer) else None
        spent = model.spent if model else self._played.spent
        declined = model.declined if model else self._played.declined
        troubles = [Trouble(d.step, words.DECLINED, d.why, d.text) for d in declined]
        if not self.running:
            troubles += self._last_words()
        thinking = None
        if model and self._since is not None:
            thinking = int(self._clock() - self._since)
        return WatchView(
            phase="running" if self.running else "ended",
            play=play_view(self.episode, self.run_id, self._name, tuple(troubles)),
            player=self._name,
            change=self._change + len(declined),
            thinking_s=thinking,
            tokens=spent.tokens_in + spent.tokens_out if spent else None,
            calls=spent.calls if spent else 0,
            stop="" if self.running else self._outcome or "cancelled",
            stored=self._stored,
            kept=self._store is not None,
            run_id=self.run_id,
        )

    def _last_words(self) -> list[Trouble]:
        stop, error = self._played.stop, self._played.error or ""
        if stop not in words.ENDINGS:
            return []
        title, note = words.ENDINGS[stop]
        why = words.BY_YOU if error == _STOPPED else error
        if not why.startswith("http"):
            why = why[:1].upper() + why[1:]
        why = why if why.endswith((".", "!", "?")) else why + "."
        return [
            Trouble(
                len(self.episode.steps) + 1, title, f"{why} {note.format(grade=self._played.score)}"
            )
        ]


def play_view(
    episode: Episode, run_id: str, player: str, troubles: tuple[Trouble, ...] = ()
) -> PlayView:
    """An episode that somebody else plays, for the same views as the visitor's own."""
    return PlayView(
        phase="done" if episode.done else "running",
        obs=observe(episode, run_id),
        steps=snapshot.steps(episode),
        max_steps=episode.family.max_steps,
        formula=episode.family.formula,
        item_id=episode.item_id,
        priorities=PRIORITIES,
        run_id=run_id,
        chosen=dict(episode.world.priorities),
        player=player,
        troubles=troubles,
    )


class _Table:
    """A game in this process whose steps are graded in a thread: others go on meanwhile."""

    def __init__(self, first: Episode) -> None:
        self.episode = self._first = first

    def reset(
        self, task_id: str, split: str, seed: int, index: int, knobs: Knobs = NO_KNOBS
    ) -> SupportObservation:
        self.episode = self._first
        return observe(self.episode, "")

    def step(self, action: SupportAction) -> SupportObservation:
        self.episode = engine.step(self.episode, action)
        return observe(self.episode, "")

    def state(self) -> SupportState:
        return state_of(self.episode, "")

    def grade_now(self) -> GradeReport | None:
        return engine.grade_now(self.episode)

    def close(self) -> None:
        """Nothing to leave."""
