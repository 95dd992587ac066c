"""Playing: the only module of the console that steps the engine for people.

Handlers are public, so nothing here trusts its input: types, lengths and ids are checked, and what
is refused costs no step. Answers are plain view data.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from pydantic import ValidationError

from data.schema import PRIORITIES
from env import episode as engine
from env.choice import ENDLESS
from env.episode import EVERY_SPLIT, SPLITS, Arena, Episode
from env.errors import UnknownName
from env.tasks import FAMILIES
from env.view import dump_action, observe
from runs.errors import StoreError
from runs.store import Store
from supportops_env.models import MAX_TEXT, TEXT_KEY, SupportAction
from ui import snapshot, texts
from ui.service.ground import Ground
from ui.service.people import People, Person, clean_name
from ui.service.records import Records
from ui.state import Notice, PlayView, TaskChoice
from ui.visitors import Record, Run, Visitors

_log = logging.getLogger(__name__)

MAX_UI_SEED = 2**53 - 1
"""Largest seed that a browser sends without rounding it."""


MOST_HELD = 20_000
"""How many tickets of visitors' own files are in memory at most."""


class Play:
    """Plays episodes for many visitors at once. Call it from one event loop."""

    def __init__(
        self,
        arena: Arena | None = None,
        *,
        records: Records | None = None,
        people: People | None = None,
        ttl: float = 1800.0,
        capacity: int = 2048,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Load the data.

        Args:
            arena: What to play on; the built-in data by default.
            records: Where runs are written; in memory by default.
            people: Who the visitors are.
            ttl: Seconds after which an idle visitor's episode is dropped.
            capacity: How many episodes are kept; the longest idle one goes first.
            clock: Seconds, for tests.
        """
        self.ground = Ground(arena)
        self.visitors = Visitors(ttl, capacity, clock)
        self.people = people or People()
        self._records = records or Records(Store(None))

    @property
    def tasks(self) -> tuple[TaskChoice, ...]:
        """The task families in registry order."""
        return self.ground.tasks

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits by name."""
        return EVERY_SPLIT

    def begin(
        self,
        visitor: str | None,
        task: object,
        split: object,
        seed: object,
        *,
        ticket_id: object = None,
        index: object = None,
        unsent: object = "",
    ) -> PlayView:
        """Start an episode for a visitor; the one that was running is dropped.

        `unsent` is the text in the reply box: it is kept and comes back with its ticket.
        """
        if not visitor:
            return self._answer(None, Notice(texts.NO_SESSION))
        run = self.visitors.run(visitor)
        problem = problem_with_arguments(task, split, seed, ticket_id, index)
        if problem is not None:
            return self._answer(run, Notice(problem))
        ground = run.ground if run else self.ground
        if split == ENDLESS and ground is not self.ground:
            return self._answer(run, Notice(texts.NO_ENDLESS))
        try:
            episode = engine.start(
                task, split, int(seed), index, ticket_id=ticket_id, arena=ground.arena
            )
        except UnknownName as error:
            return self._answer(run, Notice(str(error)))
        if run is None:
            owner = self.people.of(visitor).owner
            run = self.visitors.admit(visitor, Run(episode, owner=owner, ground=ground))
            run.keep_draft(unsent)
        else:
            run.keep_draft(unsent)
            run.begin(episode)
        return self._answer(run)

    def first(self, visitor: str | None) -> PlayView:
        """The episode that a new visitor finds: the first task, seed 0."""
        return self.begin(visitor, FAMILIES[0].id, SPLITS[0], 0)

    def link(self, visitor: str | None, asked: dict[str, str]) -> PlayView:
        """What a link names by task, split, seed and index; the first episode where it errs."""
        numbers = {
            k: int(v) for k, v in asked.items() if v.isascii() and v.isdigit() and len(v) < 17
        }
        index = numbers.get("index") if "task" in asked else None
        task, split = asked.get("task", FAMILIES[0].id), asked.get("split", SPLITS[0])
        view = self.begin(visitor, task, split, numbers.get("seed", 0), index=index)
        if view.obs is not None or not visitor:
            return view
        return replace(self.first(visitor), notice=view.notice)

    def again(self, visitor: str | None, unsent: object = "") -> PlayView:
        """The same episode from its start."""
        run = self.visitors.run(visitor)
        if run is None:
            return self._answer(None)
        e = run.episode
        return self.begin(visitor, e.family.id, e.split, e.seed, index=e.index, unsent=unsent)

    def new(
        self, visitor: str | None, task: object, split: object, seed: object, unsent: object = ""
    ) -> PlayView:
        """The episode of the next seed; after an expiry, the one that the arguments name."""
        run = self.visitors.run(visitor)
        if run is None:
            return self.begin(visitor, task, split, seed, unsent=unsent)
        e = run.episode
        seed = (e.seed + 1) % (MAX_UI_SEED + 1)
        return self.begin(visitor, e.family.id, e.split, seed, unsent=unsent)

    def pick(self, visitor: str | None, ticket_id: object, unsent: object = "") -> PlayView:
        """The episode of one ticket (or set) of the queue, with the same seed."""
        run = self.visitors.run(visitor)
        if run is None or not isinstance(ticket_id, str):
            return self._answer(run, Notice(texts.BAD_REQUEST) if run else None)
        e = run.episode
        return self.begin(visitor, e.family.id, e.split, e.seed, ticket_id=ticket_id, unsent=unsent)

    async def write(self, visitor: str | None, text: object) -> PlayView:
        """Send the text as the reply, or save it as the draft: whichever the task takes."""
        run = self.visitors.run(visitor)
        drafts = run is not None and "draft_response" in run.episode.family.actions
        return await self.act(visitor, "draft_response" if drafts else "respond", text=text)

    async def act(self, visitor: str | None, action_type: object, **sent: object) -> PlayView:
        """Take one step. What is refused costs no step and says why.

        Grading a long reply takes its time, so the step is taken in a thread; when this returns it is
        stored too. An episode that was replaced or stepped meanwhile stays as it is.

        Args:
            visitor: Who acts.
            action_type: One of the available actions.
            **sent: `text`, or `ticket_id` and `priority`.
        """
        run = self.visitors.run(visitor)
        if run is None:
            return self._answer(None)
        problem = _problem_with_action(run.episode, action_type, sent)
        if problem is not None:
            return self._answer(run, Notice(problem))
        before = run.episode
        try:
            action = _action(str(action_type), sent)
        except ValidationError as error:
            return self._answer(run, Notice(error.errors()[0]["msg"]))
        async with run.lock:
            if run.episode is not before:
                return self._answer(run)
            person = self.people.of(visitor)
            own = None if run.ground is not self.ground else run.record
            taken = await asyncio.to_thread(self._take, own, before, action, person)
            if run.episode is not before:
                return self._answer(run)
            run.episode, record = taken
        if run.episode.done:
            run.grades[run.key] = run.episode.grade
        if record is not None:
            run.record = record
        elif own is not None and not run.told:
            run.told = True
            return self._answer(run, Notice(texts.NOT_STORED, error=False))
        return self._answer(run)

    def enter(self, visitor: str | None, ground: Ground) -> PlayView:
        """Play a visitor's own data from its first ticket on; nobody else sees it."""
        if not visitor:
            return self._answer(None, Notice(texts.NO_SESSION))
        before = self.visitors.run(visitor)
        task, split = next((t.id, s) for t in ground.tasks for s, count in t.sizes if count)
        episode = engine.start(task, split, 0, 0, arena=ground.arena)
        home = (before.home or before) if before else None
        owner = self.people.of(visitor).owner
        run = self.visitors.admit(visitor, Run(episode, owner=owner, ground=ground, home=home))
        self._shed()
        return self._answer(run)

    def _shed(self) -> None:
        """Drop what is played on the files unused for longest, once they hold too many tickets."""
        held: dict[Ground, int] = {}
        for run in self.visitors.latest():
            if run.ground is not self.ground:
                held[run.ground] = run.ground.size
                if sum(held.values()) > MOST_HELD:
                    self.visitors.drop(run)

    def leave(self, visitor: str | None) -> PlayView:
        """Back to the built-in data, where the visitor left it."""
        run = self.visitors.run(visitor)
        if run is None or not visitor or run.ground is self.ground:
            return self._answer(run)
        self.visitors.drop(run)
        if run.home is None:
            return self.first(visitor)
        return self._answer(self.visitors.admit(visitor, run.home))

    async def resume(self, visitor: str | None, run_id: object) -> PlayView | None:
        """Go on with one's own run after a reload; None where it is unknown.

        One that is in memory no more, after a restart of the server say, is played again from the
        store, up to where it was left.
        """
        if not visitor or not isinstance(run_id, str) or not 0 < len(run_id) <= 80:
            return None
        person = self.people.of(visitor)
        run = self.visitors.resume(visitor, run_id, person.owner)
        if run is None:
            arena = self.ground.arena
            found = await asyncio.to_thread(self._records.find, run_id, person, arena)
            if found is None:
                return None
            record, episode = found
            resumed = Run(episode, owner=person.owner, record=record, ground=self.ground)
            run = self.visitors.admit(visitor, resumed)
            if episode.done:
                run.grades[run.key] = episode.grade
        return self._answer(run)

    async def name(self, visitor: str | None, name: object) -> PlayView:
        """Show this visitor's runs under a name from now on; the one on the page too."""
        run = self.visitors.run(visitor)
        if run is None:
            return self._answer(None)
        clean, problem = clean_name(name)
        if problem:
            return self._answer(run, Notice(problem))
        person = self.people.meet(visitor, run.owner, clean)
        if run.episode.done and run.ground is self.ground:
            try:
                await asyncio.to_thread(self._records.name, run.record, run.episode, person)
            except StoreError:
                return self._answer(run, Notice(texts.NAME_NOT_STORED))
        said = Notice(texts.NAMED.format(name=person.shown), error=False)
        return replace(self._answer(run, said), name=person.name)

    def now(self, visitor: str | None) -> PlayView:
        """What a visitor plays, as it stands."""
        return self._answer(self.visitors.run(visitor))

    def played(self, visitor: str | None) -> tuple[Record, Episode] | None:
        """The attempt that is on the visitor's page, and its episode; None with own data."""
        run = self.visitors.run(visitor)
        return (run.record, run.episode) if run and run.ground is self.ground else None

    def close(self, visitor: str | None) -> None:
        """Forget a visitor who left."""
        self.visitors.close(visitor)

    def _take(
        self, own: Record | None, before: Episode, action: SupportAction, person: Person
    ) -> tuple[Episode, Record | None]:
        """The episode after a step, and the record that it stands under; None: not stored.

        Nothing is stored of a visitor's own data: it has no record.
        """
        after = engine.step(before, action)
        if own is None:
            return after, None
        try:
            return after, self._records.keep(own, after, person)
        except StoreError as error:
            _log.warning("a step is not stored: %s", error)
            return after, None

    def _answer(self, run: Run | None, notice: Notice | None = None) -> PlayView:
        if run is None:
            return PlayView("empty" if notice else "expired", notice=notice)
        episode = run.episode
        task, split, item_id = run.key
        queue = run.ground.queue(episode)
        return PlayView(
            phase="done" if episode.done else "running",
            obs=observe(episode, run.run_id),
            steps=snapshot.steps(episode),
            max_steps=episode.family.max_steps,
            formula=episode.family.formula,
            item_id=item_id,
            next_id=queue.next_id,
            cards=tuple(
                replace(c, grade=run.grades.get((task, split, c.item_id))) for c in queue.cards
            ),
            cards_from=queue.first,
            cards_total=queue.total,
            priorities=PRIORITIES,
            notice=notice,
            run_id=run.run_id,
            draft="" if episode.steps else run.drafts.pop(run.key, ""),
            export=_export(episode),
            chosen=dict(episode.world.priorities),
            dataset=run.ground.name,
            tasks=tuple((t.name, t.id) for t in run.ground.tasks if any(n for _, n in t.sizes)),
        )


def problem_with_arguments(
    task: object, split: object, seed: object, ticket_id: object, index: object
) -> str | None:
    """What of an episode's names can't be, before it is looked for; None if nothing."""
    whole = type(seed) is int or (isinstance(seed, float) and seed.is_integer())
    if not whole or not 0 <= seed <= MAX_UI_SEED:
        return texts.BAD_SEED
    names = (task, split, ticket_id)
    if any(n is not None and (not isinstance(n, str) or len(n) > 80) for n in names):
        return texts.BAD_REQUEST
    return None if index is None or type(index) is int else texts.BAD_REQUEST


def _problem_with_action(
    episode: Episode, action_type: object, sent: dict[str, object]
) -> str | None:
    if episode.done:
        return texts.OVER
    if not isinstance(action_type, str) or action_type not in episode.family.actions:
        return texts.NOT_OFFERED.format(actions=", ".join(episode.family.actions))
    if any(not isinstance(v, str) for v in sent.values()):
        return texts.BAD_REQUEST
    text = str(sent.get("text", ""))
    if len(text) > MAX_TEXT:
        return texts.TOO_LONG.format(n=len(text), over=len(text) - MAX_TEXT, most=MAX_TEXT)
    return None if text.strip() else texts.EMPTY_TEXT.get(action_type)


def _action(action_type: str, sent: dict[str, object]) -> SupportAction:
    if action_type == "set_priority":
        payload = {k: sent.get(k, "") for k in ("ticket_id", "priority")}
    else:
        payload = {TEXT_KEY[action_type]: sent.get("text", "")}
    return SupportAction.model_validate({"action_type": action_type, "payload": payload})


def _export(episode: Episode) -> str:
    if not episode.done:
        return ""
    return snapshot.export(episode, [dump_action(s.action) for s in episode.steps])
