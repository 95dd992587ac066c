"""What a visitor of the Compare tab sees of a choice: view data, made from the runs there are."""

from __future__ import annotations

from dataclasses import replace

from env.choice import SPLITS
from env.errors import UnknownName
from env.tasks import BY_ID, FAMILIES
from env.view import observe
from supportops_env.models import TicketView
from ui import comparison
from ui.service.choice import Choice, Chooser, Now
from ui.service.known import Place, Wanted, is_own, place_of
from ui.service.sides import row, sides
from ui.service.tasktable import task_table
from ui.state_compare import PAGE, CompareView, EpisodeOption, TaskTable
from ui.texts import compare as texts


def view_of(chooser: Chooser, choice: Choice, now: Now) -> CompareView:
    """The view of a choice.

    Raises:
        StoreError: the store can't be read.
    """
    player, note = chooser.runs.baseline()
    common = CompareView(
        mode=choice.mode,
        failed_only=choice.failed_only,
        baseline=player,
        baseline_note=note,
        tasks=tuple((f.id, f.name) for f in FAMILIES),
        splits=SPLITS,
        task=choice.task,
        split=choice.split,
        kind=choice.kind,
    )
    if choice.mode == "task":
        return replace(common, table=table_of(chooser, choice))
    return _episode(chooser, choice, now, common)


def table_of(chooser: Chooser, choice: Choice) -> TaskTable:
    """The table of the task and split of a choice."""
    wanted = Wanted(task=choice.task, split=choice.split)
    player, _ = chooser.runs.baseline()
    return task_table(
        chooser.runs.every(chooser.visitor, wanted),
        chooser.runs.arena.catalog,
        (choice.task, choice.split),
        baseline=player,
        shown=choice.players,
        failed_only=choice.failed_only,
    )


def _episode(chooser: Chooser, choice: Choice, now: Now, common: CompareView) -> CompareView:
    runs, visitor = chooser.runs, chooser.visitor
    place = chooser.place(choice, now)
    here = place_of(now[0]) if now else None
    places = runs.places(visitor, Wanted(failed_only=choice.failed_only))
    for extra in (place, here):
        if extra is not None:
            places.setdefault(extra, 0)
    options = tuple(_option(chooser, p, n) for p, n in places.items())
    if place is None:
        return replace(common, options=options)
    wanted = Wanted(place=place, kind=choice.kind or None, failed_only=choice.failed_only)
    known, total = runs.find(visitor, wanted, limit=PAGE, offset=choice.offset)
    chosen = chooser.chosen(choice, place)
    base = chooser.baseline(choice, chosen)
    compared = sides(chosen, base)
    tickets = _tickets(chooser, place)
    return replace(
        common,
        options=options,
        value=place.value,
        item_id=place.item_id,
        title=tickets[0].subject if len(tickets) == 1 else runs.title(visitor, place),
        task_name=BY_ID[place.task_id].name if place.task_id in BY_ID else place.task_id,
        split=place.split,
        dataset=place.dataset,
        tickets=tickets,
        rows=tuple(row(k, chosen, base) for k in known),
        total=total,
        offset=choice.offset,
        sides=compared,
        divergence=comparison.divergence(s.steps for s in compared),
        can_play=bool(tickets),
        playing=here.value if here and here != place else "",
    )


def _tickets(chooser: Chooser, place: Place) -> tuple[TicketView, ...]:
    """The ticket or tickets of an episode; none where its data isn't at hand."""
    try:
        seen = observe(chooser.runs.start(chooser.visitor, place), "")
    except UnknownName:
        return ()
    return (seen.ticket,) if seen.ticket else seen.tickets


def _option(chooser: Chooser, place: Place, runs: int) -> EpisodeOption:
    name = BY_ID[place.task_id].name if place.task_id in BY_ID else place.task_id
    group = texts.GROUP.format(task=name, split=place.split)
    if is_own(place):
        group += f" · {place.dataset[:60]}"
    title = chooser.runs.title(chooser.visitor, place)[:60]
    label = texts.OPTION.format(item=place.item_id[:60], title=title, n=runs)
    return EpisodeOption(place.value, label, group)
