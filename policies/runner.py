"""Playing many episodes with a model, several at once. The log looks as if one came after the other.

With one episode at a time each line is written as its step is taken; with several, an episode's
lines are written together, in the order of the assignments. Every episode that began has its
[END] line, however the run ends.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TextIO

from tqdm import tqdm

from policies.bench import Assignment, Listener, Mean, Nobody, Played, note
from policies.game import Game
from policies.llm import LlmPlayer, LlmPlayers
from policies.log import ReaderLeft, StrictLog, write
from policies.model_errors import GaveUp, ModelError, OutOfBudget
from policies.turns import OWN_WORDS, call, ending, turns

FAILURES_IN_A_ROW = 5


@dataclass
class Runner:
    """Plays assignments with a model.

    `make_game` gives each player a seat of its own. `stopped` says why not all was played, where
    that is so; `interrupted` that a person did it, `reader_left` by closing the log.
    """

    make_game: Callable[[], Game]
    players: LlmPlayers
    label: str
    out: TextIO
    concurrency: int = 1
    episode_s: float = 600.0
    listener: Listener = field(default_factory=Nobody)
    progress: bool = True
    results: list[Played] = field(default_factory=list)
    stopped: str = ""
    interrupted: bool = False
    reader_left: bool = False

    def play(self, assignments: Sequence[Assignment]) -> list[Played]:
        """Play all; the results come in the order of the assignments, without those not begun."""
        self._blocks = _Blocks(self.out)
        self._begun: dict[int, Played] = {}
        self._in_a_row = 0
        self._mean = Mean()
        self._listening = ThreadPoolExecutor(1, thread_name_prefix="listener")
        try:
            asyncio.run(self._play(assignments))
        except KeyboardInterrupt:
            self._interrupt()
        except BaseExceptionGroup as group:
            if not group.subgroup(ReaderLeft):
                raise
            self.reader_left = True
            self._interrupt()
        finally:
            self._listening.shutdown()
            with suppress(ReaderLeft):
                self._blocks.flush()
        self.results = [played for _, played in sorted(self._begun.items())]
        return self.results

    def _interrupt(self) -> None:
        self.interrupted = True
        self.stopped = self.stopped or "stopped"

    async def _play(self, assignments: Sequence[Assignment]) -> None:
        bar = tqdm(
            total=len(assignments),
            desc=self.label,
            unit="episode",
            file=sys.stderr,
            disable=not self.progress,
        )
        waiting = iter(enumerate(assignments))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, len(assignments))):
                    group.create_task(self._work(waiting, bar))
        finally:
            bar.close()
            await self.players.model.close()

    async def _work(self, waiting: Iterator[tuple[int, Assignment]], bar: Any) -> None:
        """One seat: an episode after the other, until none is left or all has to stop."""
        game: Game | None = None
        try:
            for place, assignment in waiting:
                if self.stopped:
                    return
                played = self._begun[place] = Played(assignment)
                out = self.out if self.concurrency == 1 else io.StringIO()
                try:
                    game = await self._episode(played, StrictLog(out), game)
                except BaseException:
                    self._end(played)
                    raise
                else:
                    await self._tell(self._end, played)
                finally:
                    if isinstance(out, io.StringIO):
                        self._blocks.put(place, out.getvalue())
                    self._show(played, bar)
        finally:
            if game is not None:
                await call(game, game.close)

    async def _episode(self, played: Played, log: StrictLog, game: Game | None) -> Game | None:
        """Play one; the seat is given up where it may be what failed."""
        a, player = played.assignment, self.players.player()
        try:
            log.start(a.task_id, self.label)
            async with asyncio.timeout(self.episode_s):
                if game is None:
                    game = await asyncio.to_thread(self.make_game)
                await self._turns(played, log, game, player)
        except (asyncio.CancelledError, KeyboardInterrupt, ReaderLeft):
            played.stop, played.error = "cancelled", "stopped"
            raise
        except Exception as error:
            played.stop, played.error = ending(error, self.episode_s, self.players.model.key)
            if isinstance(error, OutOfBudget) or (isinstance(error, ModelError) and error.fatal):
                self.stopped = self.stopped or played.error
            if not isinstance(error, OWN_WORDS):
                game = None
        finally:
            self._finish(played, player)
            log.end(played.score)
        return game

    async def _turns(self, played: Played, log: StrictLog, game: Game, player: LlmPlayer) -> None:
        async def begun() -> None:
            played.begun = await call(game, game.state)
            played.parameters = self.players.parameters
            await self._tell(self.listener.begin, played)

        try:
            async for action, seen in turns(game, player, played.assignment, begun):
                note(played, log, action, seen)
                await self._tell(self.listener.step, played, played.steps)
        except GaveUp:
            played.grade(await call(game, game.grade_now))
            raise

    async def _tell(self, what: Callable[..., None], *arguments: object) -> None:
        """Let the listener hear of it, in the one thread where it does its work."""
        await asyncio.get_running_loop().run_in_executor(self._listening, what, *arguments)

    def _finish(self, played: Played, player: LlmPlayer) -> None:
        if played.failed:
            played.score = 0.0
        played.declined = tuple(player.declined)
        played.spent = player.spent
        played.parameters = self.players.parameters
        failed = played.stop in ("model_error", "timeout")
        self._in_a_row = self._in_a_row + 1 if failed else 0
        if self._in_a_row >= FAILURES_IN_A_ROW:
            why = f"{FAILURES_IN_A_ROW} failures in a row, the last: {played.error}"
            self.stopped = self.stopped or why

    def _end(self, played: Played) -> None:
        self.listener.end(played)
        played.forget()

    def _show(self, played: Played, bar: Any) -> None:
        self._mean.add(played)
        bar.set_postfix_str(f"mean={self._mean}, {self.players.budget}", refresh=False)
        bar.update()


class _Blocks:
    """Whole episodes' lines, written in the order of their places."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next = 0
        self._kept: dict[int, str] = {}

    def put(self, place: int, text: str) -> None:
        """Keep a block, and write all whose turn it is."""
        self._kept[place] = text
        while self._next in self._kept:
            self._write(self._kept.pop(self._next))
            self._next += 1

    def flush(self) -> None:
        """Write what is left: others before it never ended."""
        for place in sorted(self._kept):
            self._write(self._kept.pop(place))

    def _write(self, text: str) -> None:
        write(self._out, text)
