"""The engine: an episode is a value. `start`, `step` and `replay` are pure and seeded.

An episode is rebuilt from (task, split, seed, index, knobs, actions), so storing those six is
enough to resume, share, move or re-grade it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from data import catalog as catalogs
from data import folders
from data.catalog import Catalog
from env import choice, derived, endless
from env import world as worlds
from env.choice import ENDLESS as ENDLESS  # part of the engine's face, as are the next two
from env.choice import EVERY_SPLIT as EVERY_SPLIT
from env.choice import SPLITS as SPLITS
from env.errors import EpisodeOver, UnknownName
from env.knowledge import Knowledge
from env.settings import get_settings
from env.tasks import Family, reply_is_due, with_categories, without_search
from env.world import World
from graders import shaping, tasks
from graders.kb_text import KbText
from graders.reply import ReplyScore
from graders.trace import Case, Trace
from supportops_env.models import GradeReport, Knobs, RewardLine, SupportAction

MAX_SEED = 2**63 - 1
OUT_OF_STEPS = " Out of steps: the episode ends here."
NO_KNOBS = Knobs()


@dataclass(frozen=True)
class Arena:
    """A catalog with its search index and its grader's reading of the articles."""

    catalog: Catalog
    knowledge: Knowledge
    kb_text: KbText


@lru_cache(maxsize=1)
def builtin_arena() -> Arena:
    """The data that ships, ready to play; built once per process."""
    return arena(catalogs.builtin())


@lru_cache(maxsize=1)
def default_arena() -> Arena:
    """What is played where nothing is said: the data set of SUPPORTOPS_DATA, else the built-in one.

    Raises:
        DataError: that folder holds no data set that can be played; names file and line.
    """
    folder = get_settings().supportops_data
    return arena(folders.open_folder(Path(folder))) if folder else builtin_arena()


def arena(catalog: Catalog) -> Arena:
    """Index a catalog for play."""
    kb_text = KbText(catalog)
    return Arena(catalog, Knowledge(catalog.articles), kb_text)


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step that was taken: action, lines (they sum to the reward), what the agent was told."""

    action: SupportAction
    lines: tuple[RewardLine, ...]
    reward: float
    feedback: str


@dataclass(frozen=True)
class Episode:
    """An episode as it stands. `report` and `reply_score` are there once it is done."""

    arena: Arena
    family: Family
    split: str
    seed: int
    index: int
    item_id: str
    world: World
    knobs: Knobs = NO_KNOBS
    ground: Arena | None = None  # the arena that it was started on, before knobs changed it
    steps: tuple[StepRecord, ...] = ()
    done: bool = False
    report: GradeReport | None = None
    reply_score: ReplyScore | None = None

    @property
    def score_so_far(self) -> float:
        """Sum of the rewards so far; the grade, once done."""
        return sum(s.reward for s in self.steps)

    @property
    def grade(self) -> float | None:
        """The grade in [0, 1], or None: not done, or not to be judged."""
        return self.report.grade if self.report else None


def start(
    task: str | None = None,
    split: str | None = None,
    seed: int = 0,
    index: int | None = None,
    ticket_id: str | None = None,
    arena: Arena | None = None,
    knobs: Knobs = NO_KNOBS,
) -> Episode:
    """Begin an episode. Same arguments, same episode, on any machine, in any process.

    Args:
        task: A family's id; None lets `index` (into the flat list of all tasks) or the seed choose.
        split: "train" (default), "test" or "endless"; with `ticket_id` the default is that
            ticket's split. Endless tickets are made from task and seed, about the shipped company
            whatever `arena` is; the seed alone names one, so `index` is 0 or absent.
        seed: 0 or more; chooses what the other arguments leave open and shuffles ticket sets.
        index: Which ticket or set of the task, counted within the split.
        ticket_id: Play this ticket (or set) instead.
        arena: What to play on; that of `default_arena` by default.
        knobs: What makes it harder or easier. Twists are for endless tickets, distractors for
            the built-in articles.

    Raises:
        UnknownName: a task, split, index, seed, ticket or setting of a knob that does not exist
            here.
    """
    ground = arena or default_arena()
    if not 0 <= seed <= MAX_SEED:
        raise UnknownName("seed", seed, (f"whole numbers from 0 to {MAX_SEED}",))
    if split is not None and split not in EVERY_SPLIT:
        raise UnknownName("split", split, EVERY_SPLIT)
    if knobs.distractors and knobs.knowledge != "search":
        valid = ("0: distractors stand in the way of a search, and there is none",)
        raise UnknownName("distractors", knobs.distractors, valid)
    if split == ENDLESS:
        return _start_endless(task, seed, index, ticket_id, knobs)
    if knobs.twist is not None:
        raise UnknownName("twist", knobs.twist, (f"none in this split; split={ENDLESS} has them",))
    if knobs.distractors:
        ground = _crowded(ground, knobs.distractors)
    if ticket_id is not None:
        chosen, where, place = choice.with_ticket(
            ground.catalog, task, split, index, ticket_id, seed
        )
    else:
        where = split or "train"
        chosen, place = choice.choose(ground.catalog, task, where, index, seed)
    item_id = ground.catalog.ids(chosen.id, where)[place]
    tickets: tuple[str, ...] = (item_id,)
    if chosen.id == "priority_sorting":
        shuffled = list(ground.catalog.sets[item_id].ticket_ids)
        choice.rng(chosen.id, where, seed, item_id).shuffle(shuffled)
        tickets = tuple(shuffled)
    world = World(ticket_ids=tickets)
    return _opened(Episode(ground, chosen, where, seed, place, item_id, world, knobs, arena))


def restart(episode: Episode) -> Episode:
    """The same episode from its start."""
    task, seed = episode.family.id, episode.seed
    return start(
        task, episode.split, seed, episode.index, arena=episode.ground, knobs=episode.knobs
    )


def _start_endless(
    task: str | None, seed: int, index: int | None, ticket_id: str | None, knobs: Knobs
) -> Episode:
    if ticket_id is not None:
        raise UnknownName("ticket_id", ticket_id, (f"none in split {ENDLESS}: the seed names one",))
    chosen = endless.choose(task, index, seed, knobs)
    shipped = builtin_arena()
    catalog = endless.catalog(chosen.id, seed, knobs)
    knowledge = endless.knowledge(knobs.distractors) if knobs.distractors else shipped.knowledge
    # What the grader knows of the articles is the same for all; distractors bear out nothing.
    ground = Arena(catalog, knowledge, shipped.kb_text)
    (item_id,) = catalog.ids(chosen.id, ENDLESS)
    group = catalog.sets.get(item_id)
    tickets = group.ticket_ids if group else (item_id,)
    world = World(ticket_ids=tickets)
    return _opened(Episode(ground, chosen, ENDLESS, seed, 0, item_id, world, knobs))


def _crowded(ground: Arena, count: int) -> Arena:
    if ground is not builtin_arena():
        raise UnknownName("distractors", count, ("0 with data of your own",))
    catalog = endless.crowded(ground.catalog, count)
    return Arena(catalog, endless.knowledge(count), ground.kb_text)


def _opened(episode: Episode) -> Episode:
    """The episode with the articles that its knobs give, and without what they take away."""
    if episode.knobs.changed:
        ground = episode.arena
        version = _with_knobs(ground.catalog.version, episode.knobs)
        ground = replace(ground, catalog=replace(ground.catalog, version=version))
        episode = replace(episode, arena=ground)
    family = with_categories(episode.family, episode.arena.catalog.categories)
    if family is not episode.family:
        episode = replace(episode, family=family)
    mode = episode.knobs.knowledge
    if mode == "search" or not reply_is_due(episode.family):
        return episode
    given: tuple[str, ...] = ()
    if mode == "full":
        given = tuple(episode.arena.catalog.articles)
    elif mode == "golden":
        labels = episode.arena.catalog.labels[episode.item_id]
        own = (labels.kb_id,) if labels.kb_id else ()
        given = tuple(dict.fromkeys((*own, *labels.draft_articles, *labels.related_kb)))
    world = replace(episode.world, given=given, found=given, opened=given)
    return replace(episode, family=without_search(episode.family, mode), world=world)


def _with_knobs(version: str, knobs: Knobs) -> str:
    """The data version of an episode whose knobs were turned: its score compares with no other.

    What stands after a "+" names a data set of one's own and stays at the end.
    """
    shipped, plus, own = version.partition("+")
    return f"{shipped}~{knobs.label}{plus}{own}"


def step(episode: Episode, action: SupportAction) -> Episode:
    """Take one step. The given episode stays as it was.

    Raises:
        EpisodeOver: the episode is done already.
    """
    if episode.done:
        raise EpisodeOver()
    if action.metadata:  # means nothing here; kept, it would only fill memory
        action = action.model_copy(update={"metadata": {}})
    case = case_of(episode)
    effect = worlds.apply(episode.world, action, episode.family, episode.arena.knowledge)
    event = effect.event
    if _is_repeat(episode, action):
        event = replace(event, repeated=True)
    lines = shaping.shape(case, event)
    last = event.ends or len(episode.steps) + 1 >= episode.family.max_steps
    after = replace(episode, world=effect.world)
    if not last:
        reward = sum(line.points for line in lines)
        record = StepRecord(action, lines, reward, effect.feedback)
        return replace(after, steps=(*episode.steps, record))
    feedback = effect.feedback
    if not event.ends:
        feedback += OUT_OF_STEPS
    return _finish(after, case, action, lines, feedback)


def replay(
    actions: Iterable[SupportAction],
    task: str | None = None,
    split: str | None = None,
    seed: int = 0,
    index: int | None = None,
    arena: Arena | None = None,
    knobs: Knobs = NO_KNOBS,
) -> Episode:
    """Rebuild an episode from its arguments and actions; actions after its end are refused."""
    episode = start(task, split, seed, index, arena=arena, knobs=knobs)
    for action in actions:
        episode = step(episode, action)
    return episode


def grade_now(episode: Episode) -> GradeReport:
    """What an episode is worth if nothing more is done: as if its steps had run out.

    For who ends a run early, such as a model without a next action. The rewards paid so far do
    not add up to it, since no step settles them.
    """
    if episode.report is not None:
        return episode.report
    cost = _deducted(line for s in episode.steps for line in s.lines)
    return tasks.grade(case_of(episode), trace_of(episode), cost).report


def case_of(episode: Episode) -> Case:
    """What is true of this episode: for the grader, never for the agent."""
    catalog = episode.arena.catalog
    # Endless tickets are for training: at the end their labels show, as those of train do.
    split = "train" if episode.split == ENDLESS else episode.split
    common = episode.family.id, split, catalog.version
    if episode.family.id == "priority_sorting":
        truth = {i: catalog.priorities[i] for i in catalog.sets[episode.item_id].ticket_ids}
        return Case(*common, episode.arena.kb_text, priorities=truth)
    ticket, labels = catalog.tickets[episode.item_id], catalog.labels[episode.item_id]
    return Case(
        *common,
        derived.kb_of(episode.arena.kb_text, labels),
        ticket=derived.ticket_of(ticket, labels),
        labels=derived.labels_of(labels),
        categories=catalog.categories,
    )


def trace_of(episode: Episode) -> Trace:
    """What the agent did in this episode."""
    world = episode.world
    return Trace(
        steps=len(episode.steps),
        category=world.category,
        priorities=dict(world.priorities),
        found=world.found,
        leaned_on=world.leaned_on,
        escalated=world.escalated,
        reply=world.reply,
    )


def _finish(
    episode: Episode,
    case: Case,
    action: SupportAction,
    lines: tuple[RewardLine, ...],
    feedback: str,
) -> Episode:
    """Grade, and settle: the episode's rewards add up to its grade."""
    every = (*(s.lines for s in episode.steps), lines)
    cost = _deducted(line for own in every for line in own)
    record = StepRecord(action, lines, 0.0, feedback)
    finished = replace(episode, steps=(*episode.steps, record), done=True)
    graded = tasks.grade(case, trace_of(finished), cost)
    settled = (*lines, *graded.lines)
    grade = graded.report.grade or 0.0
    paid = episode.score_so_far + sum(line.points for line in settled)
    if abs(grade - paid) > 1e-12:
        settled = (*settled, _settlement(grade - paid))
    reward = sum(line.points for line in settled)
    record = replace(record, lines=settled, reward=min(1.0, max(-1.0, reward)))
    return replace(
        finished,
        steps=(*episode.steps, record),
        report=graded.report,
        reply_score=graded.reply,
    )


def _deducted(lines: Iterable[RewardLine]) -> float:
    return -sum(line.points for line in lines if line.kind == "deduction")


def _settlement(points: float) -> RewardLine:
    return RewardLine(
        rule="settlement",
        points=points,
        kind="settlement",
        reason="Advances paid earlier are settled, so that the rewards add up to the grade.",
    )


def _is_repeat(episode: Episode, action: SupportAction) -> bool:
    key = _typed(action)
    return any(_typed(s.action) == key for s in episode.steps)


def _typed(action: SupportAction) -> tuple[Any, ...]:
    """The one typed form of an action, whichever dialect it came in."""
    if action.action_type == "set_priority":
        return (
            action.action_type,
            action.payload["ticket_id"].strip(),
            action.payload["priority"].strip().casefold(),
        )
    return action.action_type, " ".join(action.text.split()).casefold()
