"""What an audit looks at: the engine's functions, the data, what is declared. A test can rig each."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env import episode as engine
from env import view
from env.environment import SupportOpsEnvironment
from env.episode import SPLITS, Arena, Episode
from env.tasks import BY_ID
from policies.base import Policy
from supportops_env.models import SupportAction, SupportObservation, SupportState

ROOT = Path(__file__).parent.parent
_WITHIN = 300.0

Transcript = tuple[str, ...]
"""The observations of an episode as JSON: the first one, then one after each step."""


def run_elsewhere(tasks: Sequence[str], seed: int, hash_seed: int) -> dict[str, str]:
    """Digests of what the audit plays on `tasks`, from a process with another hash seed.

    Raises:
        RuntimeError: the process failed; the error ends with what it said.
    """
    # A bare environment on purpose: nothing of this process may be needed for the same result.
    environment = {
        "PATH": os.defpath,  # a library of gradio's asks for it
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONUTF8": "1",
        "TZ": "Asia/Kolkata",
    }
    command = [sys.executable, "-m", "policies.audit_digest", "--seed", str(seed), *tasks]
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=_WITHIN
    )
    if ended.returncode:
        raise RuntimeError(f"exit {ended.returncode}: {ended.stderr.strip()[-300:]}")
    digests: dict[str, str] = json.loads(ended.stdout)
    return digests


@dataclass(frozen=True)
class Subject:
    """An environment as the audit sees it. The defaults are the product itself."""

    arena: Arena
    start: Callable[..., Episode] = engine.start
    step: Callable[[Episode, SupportAction], Episode] = engine.step
    observe: Callable[[Episode, str], SupportObservation] = view.observe
    state_of: Callable[[Episode, str], SupportState] = view.state_of
    make_environment: Callable[[], Any] = SupportOpsEnvironment
    elsewhere: Callable[[Sequence[str], int, int], dict[str, str]] = run_elsewhere
    manifest: Path = ROOT / "openenv.yaml"
    validation: Path = ROOT / "validation"

    @property
    def is_product(self) -> bool:
        """Whether the arena is the shipped one, which other processes can build themselves."""
        return self.arena is engine.builtin_arena()

    def begin(self, task: str, split: str, seed: int, index: int) -> Episode:
        """A fresh episode."""
        return self.start(task, split, seed, index, arena=self.arena)

    def moves(self, policy: Policy, episode: Episode) -> Iterator[Episode]:
        """Play step by step; yields the episode after each."""
        policy.begin(self.observe(episode, ""))
        while not episode.done:
            episode = self.step(episode, policy.act(self.observe(episode, "")))
            yield episode

    def play(self, policy: Policy, episode: Episode) -> Episode:
        """Play to the end."""
        *_, last = self.moves(policy, episode)
        return last

    def transcript(self, policy: Policy, episode: Episode) -> Transcript:
        """All that the policy sees while it plays to the end."""
        seen = [episode, *self.moves(policy, episode)]
        return tuple(self.observe(e, "x").model_dump_json() for e in seen)

    def replay(self, like: Episode, actions: Sequence[SupportAction]) -> Episode:
        """The actions again, on a fresh episode with the same arguments."""
        episode = self.begin(like.family.id, like.split, like.seed, like.index)
        for action in actions:
            episode = self.step(episode, action)
        return episode


@dataclass(frozen=True)
class Plan:
    """How much is audited. `items` and `climbs` count per task, None means all of them.

    `edits` counts per climb, `workers` share the plays, `processes` repeat the grading elsewhere.
    """

    tasks: tuple[str, ...]
    seed: int = 42
    items: int | None = None
    edits: int = 2_000
    climbs: int | None = None
    workers: int = 1
    processes: int = 2

    def places(self, subject: Subject, task: str, most: int | None) -> list[tuple[str, int]]:
        """(split, index) of the items to play: all, or `most` spread evenly over both splits."""
        every = [(s, i) for s in SPLITS for i in range(len(subject.arena.catalog.ids(task, s)))]
        if most is None or most >= len(every):
            return every
        return [every[i * len(every) // most] for i in range(most)]


def digest(parts: Sequence[str]) -> str:
    """One SHA-256 over texts."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode())
        whole.update(b"\0")
    return whole.hexdigest()


def takes_reply(task: str) -> bool:
    """Whether a task's grade has a reply in it."""
    return bool({"respond", "draft_response"} & set(BY_ID[task].actions))
