"""What handlers may call: one part a tab, over the same engine and store. Nothing here trusts its input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Self

from env.episode import Arena
from env.settings import Settings
from runs.store import Store
from ui.service.api import Api
from ui.service.audit import Audits
from ui.service.compare import Compare
from ui.service.datasets import Datasets
from ui.service.leaderboard import Leaderboard
from ui.service.library import Library
from ui.service.people import People
from ui.service.play import Play
from ui.service.records import Records
from ui.service.runs import Runs
from ui.service.watch import Watch


@dataclass(frozen=True)
class Service:
    """The console's parts. Call them from one event loop."""

    settings: Settings
    store: Store
    people: People
    play: Play
    runs: Runs
    compare: Compare
    watch: Watch
    library: Library
    datasets: Datasets
    leaderboard: Leaderboard
    audits: Audits
    api: Api

    @classmethod
    def over(
        cls,
        settings: Settings | None = None,
        store: Store | None = None,
        arena: Arena | None = None,
        *,
        ttl: float = 1800.0,
        capacity: int = 2048,
        clock: Callable[[], float] = monotonic,
    ) -> Self:
        """Compose the parts.

        Args:
            settings: How the server was set; the defaults without it.
            store: Where runs are kept; in memory without it.
            arena: What to play on; the built-in data by default.
            ttl: Seconds after which an idle visitor's episode is dropped.
            capacity: How many episodes are kept; the longest idle one goes first.
            clock: Seconds, for tests.
        """
        kept, people = store or Store(None), People()
        known = settings or Settings()
        play = Play(
            arena,
            records=Records(kept),
            people=people,
            ttl=ttl,
            capacity=capacity,
            clock=clock,
        )
        runs = Runs(kept, people, arena)
        return cls(
            known,
            kept,
            people,
            play,
            runs=runs,
            compare=Compare(runs, play),
            watch=Watch(
                known, kept, play, owner_of=lambda visitor: people.of(visitor).owner, clock=clock
            ),
            library=Library(play),
            datasets=Datasets(play, known.max_upload_bytes),
            leaderboard=Leaderboard(kept, arena),
            audits=Audits(known, clock=clock),
            api=Api(play),
        )

    def close(self, visitor: str | None) -> None:
        """Forget a visitor who left."""
        self.play.close(visitor)
        self.watch.close(visitor)
        self.datasets.close(visitor)
        self.compare.close(visitor)
        self.audits.close(visitor)
        self.people.close(visitor)
