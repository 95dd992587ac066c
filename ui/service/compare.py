"""Comparing: which episode, which runs, against which baseline; one choice for each visitor.

Handlers are public, so nothing here trusts its input: what does not fit changes nothing.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from env.choice import SPLITS
from env.errors import UnknownName
from env.tasks import BY_ID
from graders.version import GRADER_VERSION
from runs.errors import StoreError
from runs.shared import RunFileError
from ui.service.choice import MOST, Choice, Chooser, Now
from ui.service.compared import table_of, view_of
from ui.service.known import Wanted, place_of, read_place
from ui.service.play import Play
from ui.service.records import run_of
from ui.service.runs import Runs
from ui.service.tasktable import MOST_COLUMNS
from ui.state import Notice
from ui.state_compare import CompareView
from ui.texts import compare as texts

_CAPACITY = 2_048
_KINDS = ("", "human", "model", "policy")
_NEW = Choice()

_Change = Callable[[Chooser, Choice, Now], Choice | str]
"""Makes another choice, or says why not."""


class Compare:
    """Answers the Compare tab. Call it from one event loop; what waits is done in threads."""

    def __init__(self, runs: Runs, play: Play) -> None:
        """Over the runs there are, and what visitors play."""
        self._runs = runs
        self._play = play
        self._choices: OrderedDict[str, Choice] = OrderedDict()

    async def show(self, visitor: str | None) -> CompareView:
        """What the visitor looks at, as it stands."""
        return await self._answer(visitor, lambda _, choice, now: choice)

    async def link(self, visitor: str | None, run_id: object) -> CompareView:
        """A shared address was opened: that run beside the baseline."""
        return await self._answer(
            visitor, lambda chooser, choice, now: chooser.run(run_id) or texts.NO_SUCH_RUN
        )

    async def with_baselines(self, visitor: str | None) -> CompareView:
        """The run that is on the Play tab, beside what the policies make of its episode."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            if now is None:
                return texts.NO_EPISODE
            run, place = now[0], place_of(now[0])
            own = (run.run_id,) if now[1].done else ()
            found = Choice(place=place, chosen=own, task=run.task_id, split=run.split)
            return chooser.with_policies(found, place, run.seed)

        return await self._answer(visitor, change)

    async def play_baselines(self, visitor: str | None) -> CompareView:
        """Let the policies play the episode that is looked at."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            place = chooser.place(choice, now)
            if place is None:
                return texts.NO_EPISODE
            if now and place_of(now[0]) == place:
                seed = now[0].seed
            else:
                chosen = chooser.chosen(choice, place)
                seed = chosen[0].run.seed if chosen else 0
            return chooser.with_policies(choice, place, seed)

        return await self._answer(visitor, change)

    async def playing(self, visitor: str | None) -> CompareView:
        """The episode that is on the Play tab."""
        return await self._answer(
            visitor,
            lambda _, choice, now: choice.at(place_of(now[0])) if now else texts.NO_EPISODE,
        )

    async def episode(self, visitor: str | None, value: object) -> CompareView:
        """Another episode, from the list."""
        place = read_place(value)
        return await self._answer(
            visitor, lambda _, choice, now: choice.at(place) if place else texts.BAD_REQUEST
        )

    async def toggle(self, visitor: str | None, run_id: object) -> CompareView:
        """Take a run into the comparison, or out of it."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            place = chooser.place(choice, now)
            before = tuple(k.run.run_id for k in chooser.chosen(choice, place))
            if run_id in before:
                kept = tuple(i for i in before if i != run_id)
                # Nothing chosen would mean: choose for me.
                return replace(choice, place=place, chosen=kept) if kept else texts.ONE_AT_LEAST
            known = self._runs.get(visitor, run_id)
            if known is None or place_of(known.run) != place:
                return texts.GONE
            if len(before) >= MOST:
                return texts.ENOUGH.format(most=MOST)
            return replace(choice, place=place, chosen=(*before, known.run.run_id))

        return await self._answer(visitor, change)

    async def against(self, visitor: str | None, run_id: object) -> CompareView:
        """Compare with this one of the chosen runs."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            place = chooser.place(choice, now)
            ids = tuple(k.run.run_id for k in chooser.chosen(choice, place))
            if run_id not in ids:
                return texts.GONE
            return replace(choice, place=place, chosen=ids, baseline=str(run_id))

        return await self._answer(visitor, change)

    async def filter(
        self, visitor: str | None, *, failed_only: object = None, kind: object = None
    ) -> CompareView:
        """Show only some of the runs."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            if isinstance(failed_only, bool):
                return replace(choice, failed_only=failed_only, offset=0)
            if isinstance(kind, str) and kind in _KINDS:
                return replace(choice, kind=kind, offset=0)
            return texts.BAD_REQUEST

        return await self._answer(visitor, change)

    async def page(self, visitor: str | None, offset: object) -> CompareView:
        """Another part of the list of runs."""
        fits = isinstance(offset, str) and offset.isascii() and offset.isdigit()
        start = int(offset) if isinstance(offset, str) and fits and len(offset) < 6 else None
        return await self._answer(
            visitor,
            lambda _, choice, now: (
                texts.BAD_REQUEST if start is None else replace(choice, offset=start)
            ),
        )

    async def mode(self, visitor: str | None, mode: object) -> CompareView:
        """Look at one episode, or at a whole task."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            if mode == "task":
                return replace(choice, mode="task")
            return replace(choice, mode="episode") if mode == "episode" else texts.BAD_REQUEST

        return await self._answer(visitor, change)

    async def table(
        self,
        visitor: str | None,
        *,
        task: object = None,
        split: object = None,
        player: object = None,
    ) -> CompareView:
        """Choose the task of the table, its split, or a player to show or not."""

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            if isinstance(task, str) and task in BY_ID:
                return replace(choice, task=task, players=())
            if isinstance(split, str) and split in SPLITS:
                return replace(choice, split=split, players=())
            columns = table_of(chooser, choice).columns
            shown = tuple(c.key for c in columns if c.shown)
            if not isinstance(player, str) or player not in {c.key for c in columns}:
                return texts.BAD_REQUEST
            if player in shown:
                left = tuple(p for p in shown if p != player)
                return replace(choice, players=left) if left else texts.ONE_PLAYER
            if len(shown) >= MOST_COLUMNS:
                return texts.PLAYERS_ENOUGH.format(most=MOST_COLUMNS)
            return replace(choice, players=(*shown, player))

        return await self._answer(visitor, change)

    async def delete(self, visitor: str | None, run_id: object) -> CompareView:
        """Delete a run of the visitor's own, or put one from a file away."""
        news: list[str] = []

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            known = self._runs.get(visitor, run_id)
            if known is None or not self._runs.delete(visitor, run_id):
                return texts.NOT_YOURS
            news.append(texts.DELETED if known.source == "store" else texts.PUT_AWAY_DONE)
            return replace(choice, chosen=tuple(i for i in choice.chosen if i != run_id))

        return _told(await self._answer(visitor, change), news)

    async def open_file(self, visitor: str | None, path: object) -> CompareView:
        """Open a run file that somebody shared."""
        news: list[str] = []

        def change(chooser: Chooser, choice: Choice, now: Now) -> Choice | str:
            if not isinstance(path, str | Path):
                return texts.BAD_REQUEST
            opened = self._runs.open_file(visitor, Path(path))
            place = place_of(opened[0].run)
            same = tuple(k.run.run_id for k in opened if place_of(k.run) == place)
            news.append(texts.OPENED.format(n=len(opened), grader=GRADER_VERSION))
            found = Choice(place=place, chosen=same[:MOST], task=place.task_id, split=place.split)
            return chooser.with_baseline(found)

        return _told(await self._answer(visitor, change), news)

    async def export(self, visitor: str | None) -> tuple[str, str]:
        """What is looked at as JSONL, and a name for the file."""
        now = self._now(visitor)

        def made() -> tuple[str, str]:
            choice = self._choices.get(visitor or "", _NEW)
            if choice.mode == "task":
                wanted = Wanted(task=choice.task, split=choice.split)
                text = self._runs.export(self._runs.every(visitor, wanted))
                return text, f"supportops-{choice.task}-{choice.split}.jsonl"
            chooser = Chooser(self._runs, visitor)
            place = chooser.place(choice, now)
            known = chooser.chosen(choice, place)
            return self._runs.export(k.run for k in known), _file_name(place and place.item_id)

        return await asyncio.to_thread(made)

    def close(self, visitor: str | None) -> None:
        """Forget a visitor who left."""
        self._choices.pop(visitor or "", None)
        self._runs.close(visitor)

    async def _answer(self, visitor: str | None, change: _Change) -> CompareView:
        """Change the visitor's choice, or say why not, and show what it is then."""
        now = self._now(visitor)
        before = self._choices.get(visitor or "", _NEW)

        def answer() -> tuple[Choice, CompareView]:
            chooser = Chooser(self._runs, visitor)
            choice, notice = before, None
            try:
                self._at_hand(visitor, now)
                found = change(chooser, before, now)
                if isinstance(found, str):
                    notice = Notice(found)
                else:
                    choice = found
            except (RunFileError, StoreError, UnknownName) as error:
                notice = Notice(str(error))
            try:
                return choice, replace(view_of(chooser, choice, now), notice=notice)
            except StoreError as error:
                return before, CompareView(mode=before.mode, notice=Notice(str(error)))

        choice, view = await asyncio.to_thread(answer)
        if visitor:
            self._choices[visitor] = choice
            self._choices.move_to_end(visitor)
            while len(self._choices) > _CAPACITY:
                self._choices.popitem(last=False)
        return view

    def _now(self, visitor: str | None) -> Now:
        """What the visitor plays, as a run."""
        played = self._play.played(visitor)
        if played is None:
            return None
        own, episode = played
        return run_of(own, episode, self._play.people.of(visitor)), episode

    def _at_hand(self, visitor: str | None, now: Now) -> None:
        """Have what the visitor plays at hand: the data, and a run that the store did not take."""
        if now is None:
            return
        run, episode = now
        self._runs.plays_on(visitor, episode.arena)
        if episode.done:
            known = self._runs.get(visitor, run.run_id)
            if known is None or (known.source == "store" and known.run.grade != run.grade):
                self._runs.take(visitor, run, episode.arena)


def _told(view: CompareView, news: list[str]) -> CompareView:
    return replace(view, notice=Notice(news[0], error=False)) if news else view


def _file_name(item: str | None) -> str:
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in item or "runs")
    return f"supportops-{plain[:60]}.jsonl"
