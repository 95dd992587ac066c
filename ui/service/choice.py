"""What a visitor of the Compare tab looks at, and what that comes to with the runs there are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from env.episode import Episode
from env.tasks import FAMILIES
from runs.record import Run
from ui import comparison
from ui.service.known import Known, Place, Wanted, place_of
from ui.service.runs import MAX_PAGE, Runs
from ui.state_compare import Mode

MOST = 4
"""How many runs are compared at once."""

_SUGGESTED = 3
# Oracle before random: the most that can be had says more than the least.
_POLICIES = ("keyword", "retrieval", "oracle", "random")

Now = tuple[Run, Episode] | None
"""What the visitor plays, as a run and as an episode."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a visitor looks at. Without a place, the one that suggests itself; so with the runs."""

    mode: Mode = "episode"
    place: Place | None = None
    chosen: tuple[str, ...] = ()
    baseline: str = ""
    failed_only: bool = False
    kind: str = ""
    offset: int = 0
    task: str = FAMILIES[0].id
    split: str = "test"
    players: tuple[str, ...] = ()

    def at(self, place: Place) -> Choice:
        """The same, for another episode."""
        return replace(self, mode="episode", place=place, chosen=(), baseline="", offset=0)


@dataclass(frozen=True, slots=True)
class Chooser:
    """Finds the runs for a choice. Its methods wait for the store."""

    runs: Runs
    visitor: str | None

    def place(self, choice: Choice, now: Now) -> Place | None:
        """The chosen episode, or the one in Play if anything was played of it, or the first with two runs."""
        if choice.place is not None:
            return choice.place
        places = self.runs.places(self.visitor, Wanted())
        here = place_of(now[0]) if now else None
        if now and here and (here in places or now[0].actions):
            return here
        return next((p for p, n in places.items() if n > 1), next(iter(places), here))

    def chosen(self, choice: Choice, place: Place | None) -> list[Known]:
        """The runs that are compared: those chosen, else the newest of some players."""
        if place is None:
            return []
        several = (self.runs.get(self.visitor, i) for i in choice.chosen[:MOST])
        found = [k for k in several if k is not None and place_of(k.run) == place]
        if found:
            return found
        known, _ = self.runs.find(self.visitor, Wanted(place=place), limit=MAX_PAGE)
        first: dict[tuple[str, str], Known] = {}
        for k in known:
            first.setdefault((k.run.kind, k.run.player), k)
        player, _ = self.runs.baseline()
        order = sorted(
            first.values(), key=lambda k: (k.run.player != player, k.run.policy == "random")
        )
        return order[:_SUGGESTED]

    def baseline(self, choice: Choice, chosen: list[Known]) -> Known | None:
        """The one of these that the others are compared with."""
        asked = next((k for k in chosen if k.run.run_id == choice.baseline), None)
        player, _ = self.runs.baseline()
        usual = (k for k in chosen if k.run.player == player and k.run.kind != "human")
        return asked or next(usual, chosen[0] if chosen else None)

    def run(self, run_id: object) -> Choice | None:
        """A run beside the default baseline's of the same episode; None: there is no such run."""
        known = self.runs.get(self.visitor, run_id)
        if known is None:
            return None
        run = known.run
        return self.with_baseline(
            Choice(place=place_of(run), chosen=(run.run_id,), task=run.task_id, split=run.split)
        )

    def with_baseline(self, choice: Choice) -> Choice:
        """Add the default baseline's run under the same knobs, where there is one and room for it.

        One whose grade compares comes before one of other versions.
        """
        player, _ = self.runs.baseline()
        own = self.chosen(choice, choice.place)
        found, _ = self.runs.find(
            self.visitor, Wanted(place=choice.place, player=player), limit=MAX_PAGE
        )
        fit = [k.run for k in found if own and k.run.knobs == own[0].run.knobs]
        fit.sort(key=lambda run: not comparison.comparable(run, own[0].run))
        extra = next((run.run_id for run in fit if run.run_id not in choice.chosen), None)
        chosen = choice.chosen if extra is None else (*choice.chosen, extra)
        return replace(choice, chosen=chosen[:MOST])

    def with_policies(self, choice: Choice, place: Place, seed: int) -> Choice:
        """What the policies make of an episode, beside the first run that is chosen.

        Raises:
            UnknownName: there is no such episode.
        """
        own = choice.chosen or tuple(k.run.run_id for k in self.chosen(choice, place))
        played = self.runs.play_baselines(self.visitor, place, seed)
        order = sorted(played, key=lambda k: _POLICIES.index(k.run.policy))
        ids = dict.fromkeys((*own[:1], *(k.run.run_id for k in order)))
        return replace(
            choice,
            place=place,
            chosen=tuple(ids)[:MOST],
            offset=0,
            failed_only=False,
            kind="",
        )
