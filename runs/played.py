"""Episodes that inference.py plays, as runs: kept step by step, and found again to resume."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from env import episode as engine
from env.episode import Arena
from policies.bench import Assignment, Played
from policies.llm import Spent
from runs.errors import StoreError
from runs.files import GrowingFile
from runs.record import Identity, Refusal, Run, Usage
from runs.store import Store

Versions = tuple[str | None, str | None]
"""Of the data and of the grader."""


@dataclass(frozen=True, slots=True)
class Who:
    """Who plays. `prompt_version` and `model` are None for a scripted policy."""

    policy: str
    model: str | None = None
    prompt_version: str | None = None

    def made(self, run: Run) -> bool:
        """Whether a run is theirs."""
        mine = (run.policy, run.model, run.prompt_version)
        return mine == (self.policy, self.model, self.prompt_version)

    def new_id(self, episode: Identity) -> str:
        """An id for a run of an episode.

        A model's is new each time. A scripted policy plays an episode always alike, so its run has
        always the same id (as in the baselines that ship) and takes the place of the one before.
        """
        e = episode
        name = f"{self.model or self.policy}-{e['task_id']}-{e['split']}-{e['seed']}-{e['index']}"
        data_set = e["data_version"].partition("+")[2]
        for more in (e["knobs"].label, data_set):
            if more:
                name += f"-{more}"
        return f"{name}-{uuid.uuid4().hex[:8]}" if self.model else name


def episode_of(played: Played) -> Identity | None:
    """What was played; None where it did not begin, or the server names no item and no versions."""
    s = played.begun
    if s is None or s.item_id is None or s.data_version is None or s.grader_version is None:
        return None
    assert s.task_id is not None and s.split is not None
    assert s.seed is not None and s.index is not None
    return Identity(
        task_id=s.task_id,
        split=s.split,
        seed=s.seed,
        index=s.index,
        knobs=s.knobs,
        item_id=s.item_id,
        data_version=s.data_version,
        grader_version=s.grader_version,
    )


def run_of(played: Played, who: Who, run_id: str | None = None) -> Run | None:
    """An episode as a run; None where `episode_of` has none.

    A run that its model ended by refusals has the grade of what is there: it counts. One that a
    failure ended has none.
    """
    episode = episode_of(played)
    if episode is None:
        return None
    report = None if played.failed else played.report
    spent = played.spent or Spent()
    usage = Usage(
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        cost_usd=spent.cost_usd,
        latency_s=spent.latency_s,
        calls=spent.calls,
    )
    return Run(
        run_id=run_id or who.new_id(episode),
        kind="model" if who.model else "policy",
        policy=who.policy,
        model=who.model,
        **episode,
        actions=tuple(t.action for t in played.taken),
        rewards=tuple(round(t.reward, 6) for t in played.taken),
        grade=None if report is None or report.grade is None else round(report.grade, 6),
        report=report,
        partial=bool(report and report.partial),
        stop=played.stop,
        prompt_version=who.prompt_version,
        parameters=dict(played.parameters),
        refusals=tuple(Refusal(step=d.step, why=d.why, text=d.text) for d in played.declined),
        usage=usage if who.model else None,
        error=played.error if played.failed else None,
        started_at=played.started_at if who.model else None,  # a policy's is always the same run
    )


@dataclass
class Keeper:
    """Keeps runs as they are played: in the store each step, in a JSONL file each finished run.

    Hears of them as a `policies.bench.Listener`, from several threads. Where keeping fails, playing
    goes on, and `say` is told once.
    """

    who: Who
    file: GrowingFile | None = None
    store: Store | None = None
    say: Callable[[str], None] = lambda _: None
    _open: dict[Played, str] = field(default_factory=dict)
    _over: set[Played] = field(default_factory=set)
    _failed: bool = False

    def __post_init__(self) -> None:
        """Several episodes end at the same time."""
        self._lock = threading.Lock()

    def resume(
        self, assignments: Sequence[Assignment], versions: Versions, arena: Arena | None
    ) -> list[Played]:
        """What of the assignments the file holds already, by the same player, without failures.

        Args:
            assignments: What is to be played.
            versions: Of the data and the grader; runs under others stay, and do not count.
            arena: Which items the assignments are; None where only the server knows.

        Raises:
            DataError: the file holds something else than runs.
            OSError: it can't be written.
        """
        if self.file is None:
            return []

        def mine(run: Run) -> bool:
            return self.who.made(run) and (run.data_version, run.grader_version) == versions

        there = {_assignment(r): r for r in self.file.resume(mine) if mine(r) and not r.failed}
        if self.file.torn:
            self.say(f"{self.file.path}: the last run was torn; it is played again")
        return [
            _played(a, there[a])
            for a in assignments
            if a in there and (arena is None or _item(a, arena) == there[a].item_id)
        ]

    def begin(self, played: Played) -> None:
        """Begin a run in the store. A scripted policy's is kept whole, once it is over."""
        episode = episode_of(played)
        if episode is None:
            self._complain("the server names no data version, so its runs can't be kept")
            return
        if self.store is None or self.who.model is None:
            return
        with self._lock:
            if played in self._over:
                return
            run_id = self.who.new_id(episode)
            try:
                self.store.begin(
                    run_id,
                    episode,
                    kind="model",
                    policy=self.who.policy,
                    model=self.who.model,
                    prompt_version=self.who.prompt_version,
                    parameters=dict(played.parameters),
                )
            except StoreError as error:
                self._complain(str(error))
            else:
                self._open[played] = run_id

    def step(self, played: Played, number: int) -> None:
        """Keep a step."""
        with self._lock:
            run_id = self._open.get(played)
            if run_id is None or self.store is None:
                return
            taken = played.taken[number - 1]
            try:
                self.store.add_step(run_id, taken.action, taken.reward, taken.lines, number=number)
            except StoreError as error:
                self._complain(str(error))
                del self._open[played]

    def end(self, played: Played) -> None:
        """Keep the whole run, also where its beginning or a step could not be kept."""
        with self._lock:
            self._over.add(played)
            run = run_of(played, self.who, self._open.pop(played, None))
            if run is None:
                return
            try:
                if self.file is not None:
                    self.file.add(run)
                if self.store is not None:
                    self.store.save(run)
            except (OSError, StoreError) as error:
                self._complain(str(error))

    def close(self, order: Sequence[Assignment]) -> None:
        """Put the file in order: runs in the order of play, no failed one that was played again."""
        if self.file is None:
            return
        try:
            self.file.arrange(order)
        except OSError as error:
            self._complain(str(error))

    def _complain(self, problem: str) -> None:
        if not self._failed:
            self._failed = True
            self.say(f"runs could not be kept: {problem}")


def _item(a: Assignment, arena: Arena) -> str:
    return engine.start(a.task_id, a.split, a.seed, a.index, arena=arena, knobs=a.knobs).item_id


def _assignment(run: Run) -> Assignment:
    return Assignment(run.task_id, run.split, run.seed, run.index, run.knobs)


def _played(assignment: Assignment, run: Run) -> Played:
    spent = Spent(**run.usage.model_dump()) if run.usage is not None else None
    return Played(
        assignment,
        score=run.grade or 0.0,
        steps=len(run.actions),
        stop=run.stop,
        spent=spent,
        started_at=run.started_at or "",
        resumed=True,
    )
