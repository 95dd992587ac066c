"""Episodes that inference.py played, as runs: kept one by one, and found again to resume."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from env.episode import Arena
from graders.version import GRADER_VERSION
from policies.bench import Assignment, Played
from policies.llm import Spent
from runs.baselines import read_runs, write_runs
from runs.errors import StoreError
from runs.export import jsonl_line
from runs.record import Refusal, Run, Usage, record
from runs.store import Store


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


def run_of(played: Played, who: Who) -> Run | None:
    """An episode as a run; None where it did not begin, or on a server.

    A run that its model ended by refusals has the grade 0: it counts. One that a failure ended
    has none.
    """
    episode = played.episode
    if episode is None:
        return None
    a = played.assignment
    run_id = f"{who.model or who.policy}-{a.task_id}-{a.split}-{a.seed}-{a.index}"
    if who.model is None:
        run = record(episode, run_id, "policy", who.policy)
        if played.failed:
            run = run.model_copy(update={"stop": played.stop, "error": played.error})
        return run
    run = record(episode, f"{run_id}-{uuid.uuid4().hex[:8]}", "model", who.policy, who.model)
    spent = played.spent or Spent()
    return run.model_copy(
        update={
            "stop": run.stop if played.stop == "done" else played.stop,
            "grade": 0.0 if played.stop == "refusals" else run.grade,
            "prompt_version": who.prompt_version,
            "parameters": dict(played.parameters),
            "refusals": tuple(
                Refusal(step=d.step, why=d.why, text=d.text) for d in played.declined
            ),
            "usage": Usage(
                tokens_in=spent.tokens_in,
                tokens_out=spent.tokens_out,
                cost_usd=spent.cost_usd,
                latency_s=spent.latency_s,
                calls=spent.calls,
            ),
            "error": played.error if played.failed else None,
            "started_at": played.started_at,
        }
    )


@dataclass
class Keeper:
    """Keeps runs as they come: in a JSONL file, in the store, or both.

    `kept` are the runs that a resumed file held already. `problem` is what the store said, where
    it failed: playing goes on.
    """

    who: Who
    out: Path | None = None
    store: Store | None = None
    kept: list[Run] = field(default_factory=list)
    problem: str = ""

    def __post_init__(self) -> None:
        """Nothing new was played yet."""
        self._new: list[Run] = []

    def begin(self, resume: bool) -> None:
        """Read what is to be resumed, or empty the file.

        Raises:
            DataError: a file to be resumed holds something else than runs.
            OSError: the file can't be written.
        """
        if self.out is None:
            return
        if resume and self.out.exists():
            self.kept = list(read_runs(self.out))
        with self.out.open("a" if resume else "w", encoding="utf-8"):
            pass
        if self.kept:  # so that what is added begins on a line of its own
            write_runs(self.out, self.kept)

    def known(self, assignments: Sequence[Assignment], arena: Arena) -> list[Played]:
        """The assignments that were played already, by the same player under the same versions."""
        mine = {
            (r.task_id, r.split, r.seed, r.index, r.item_id): r
            for r in self.kept
            if self.who.made(r)
            and not r.failed
            and (r.data_version, r.grader_version) == (arena.catalog.version, GRADER_VERSION)
        }
        found = []
        for a in assignments:
            item = arena.catalog.ids(a.task_id, a.split)[a.index]
            run = mine.get((a.task_id, a.split, a.seed, a.index, item))
            if run is not None:
                found.append(_played(a, run))
        return found

    def add(self, played: Played) -> None:
        """Keep one."""
        run = run_of(played, self.who)
        if run is None:
            return
        self._new.append(run)
        try:
            if self.out is not None:
                with self.out.open("a", encoding="utf-8") as file:
                    file.write(jsonl_line(run) + "\n")
            if self.store is not None:
                self.store.save(run)
        except (OSError, StoreError) as error:
            self.problem = self.problem or str(error)

    def close(self, order: Iterable[Assignment]) -> None:
        """Put the file in order: runs in the order of play, no failed one that was played again."""
        if self.out is None:
            return
        new = {_place(r): r for r in self._new if self.who.made(r)}
        others = [r for r in self.kept if _place(r) not in new or not self.who.made(r)]
        rank = {(a.task_id, a.split, a.seed, a.index): n for n, a in enumerate(order)}
        runs = [*others, *new.values()]
        runs.sort(key=lambda r: rank.get(_place(r), -1))
        whole = self.out.with_name(self.out.name + ".new")
        write_runs(whole, runs)
        whole.replace(self.out)


def _place(run: Run) -> tuple[str, str, int, int]:
    return run.task_id, run.split, run.seed, run.index


def _played(assignment: Assignment, run: Run) -> Played:
    spent = None
    if run.usage is not None:
        spent = Spent(**run.usage.model_dump())
    return Played(
        assignment,
        score=run.grade or 0.0,
        steps=len(run.actions),
        stop="refusals" if run.stop == "refusals" else "done",
        spent=spent,
        resumed=True,
    )
