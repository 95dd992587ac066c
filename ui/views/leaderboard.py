"""The Leaderboard tab: means with intervals, task by player, one player closely, costs, own runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields

from gradio.components.plot import PlotData

from env.tasks import FAMILIES
from runs.confusion import Confusion
from runs.stats import KS, Row
from ui import texts as common
from ui.state_leaderboard import BoardView, Published, Standing, Wanted
from ui.texts import leaderboard as texts
from ui.views import charts
from ui.views.icons import icon
from ui.views.text import esc, grade, points

MOST_DRAWN = 24
MOST_LISTED = 200
_NAMES = {f.id: f.name for f in FAMILIES}


def heading(view: BoardView | None) -> str:
    """What the tab is for, what is shown, and what to know about the store."""
    if view is None:
        bones = '<div class="skeleton tall"></div>' * 3
        return (
            f'<header class="sheet-head"><h2>{texts.TITLE}</h2><p>{texts.LEAD}</p></header>{bones}'
        )
    notes = [texts.FLEETING.format(reason=view.reason.rstrip("."))] if view.reason else []
    notes += view.problems
    if view.shown != view.present:
        data, major = view.present
        notes.append(texts.OLD.format(data=data, major=major))
    shown = "".join(f'<p class="note">{icon("note")}<span>{esc(n)}</span></p>' for n in notes)
    return (
        f'<header class="sheet-head"><h2>{texts.TITLE}</h2><p>{texts.LEAD}</p></header>{shown}'
        f"{_filters(view)}<h3>{texts.MEANS if view.wanted.task else texts.MEANS_ALL}</h3>"
    )


def _filters(view: BoardView) -> str:
    w = view.wanted
    tasks = [("", texts.ALL_TASKS), *_NAMES.items()]
    groups = []
    for group in view.groups:
        shape = texts.GROUP_NOW if group.versions == view.present else texts.GROUP
        data, major = group.versions
        groups.append((group.key, shape.format(data=data, major=major, runs=runs(group.runs))))
    return (
        f'<form class="filters" data-act="filter" aria-label="{texts.FILTERS}">'
        f"{select('task', texts.TASK, tasks, w.task)}"
        f"{select('split', texts.SPLIT, common.SPLITS.items(), w.split)}"
        f"{select('kind', texts.KIND, texts.KINDS.items(), w.kind)}"
        f"{select('versions', texts.VERSIONS, groups, w.versions)}</form>"
    )


def select(
    name: str,
    label: str,
    options: Iterable[tuple[str, str]],
    chosen: str,
    *,
    lead: str = "",
    field: bool = False,
) -> str:
    """A native select box with its label. A `field` goes along with the button that is pressed.

    `lead` tells its id from those of other tabs.
    """
    shown = "".join(
        f'<option value="{esc(value)}"{" selected" if value == chosen else ""}>{esc(text)}</option>'
        for value, text in options
    )
    key, sent = f"pick-{lead}{name}", f' data-field="{name}"' if field else ""
    return (
        f'<div class="pickbox"><label for="{key}">{esc(label)}</label>'
        f'<select id="{key}" name="{name}" data-key="{key}"{sent}>{shown}</select></div>'
    )


def runs(n: int) -> str:
    """A number of runs in words."""
    return texts.RUNS.get(n, texts.MANY_RUNS.format(n=n))


def names(standings: Sequence[Standing]) -> list[str]:
    """What to call players; equal names are told apart."""
    count = Counter(s.player.name for s in standings)
    found = []
    for s in standings:
        name, kind, prompt = s.player.name, texts.ONE_KIND[s.player.kind], s.player.prompt_version
        if count[name] > 1:
            name += f" ({kind}{', ' + texts.PROMPT.format(version=prompt) if prompt else ''})"
        found.append(name)
    return found


# -- scores ------------------------------------------------------------------------------------


def means(view: BoardView) -> PlotData | None:
    """Means and intervals of what was chosen, with what others published as dashed lines."""
    task = view.wanted.task
    drawn = [
        (s, name, row.score)
        for s, name in zip(view.standings, names(view.standings), strict=True)
        if (row := s.row(task)) is not None and row.score is not None
    ]
    if not drawn:
        return None
    estimates = [
        charts.Estimate(
            name,
            score.mean,
            score.low,
            score.high,
            texts.KINDS[s.player.kind],
            f"{grade(score.mean)}{_between(score.low, score.high)}, n = {score.n}",
            look=list(texts.ONE_KIND).index(s.player.kind),
        )
        for s, name, score in drawn[:MOST_DRAWN]
    ]
    references = []
    for p in _published(view):
        shape = texts.PUBLISHED_LINE if p.task_id else texts.PUBLISHED_AVERAGE_LINE
        references.append(
            charts.Reference(shape.format(model=p.model, score=f"{p.score:.2f}"), p.score)
        )
    return charts.intervals(estimates, references, x_title=texts.MEANS)


def _published(view: BoardView) -> list[Published]:
    return [p for p in view.published if p.task_id == (view.wanted.task or None)]


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({grade(low)} to {grade(high)})"


def standings(view: BoardView) -> str:
    """The table: a row per player, then what others published, marked as such."""
    if not view.standings:
        title, text = texts.NOBODY[view.wanted.kind]
        empty = (
            f'<div class="nothing" role="status">{icon("inbox")}<h3>{title}</h3><p>{text}</p></div>'
        )
        return f"{empty}{_measured_by_others(view)}"
    task = view.wanted.task
    listed = [(s, row) for s in view.standings if (row := s.row(task)) is not None]
    columns = _columns([row for _, row in listed], bool(task))
    head = "".join(_head_cell(title, about, n > 0) for n, (title, about, _) in enumerate(columns))
    body, most = [], max((row.tasks for _, row in listed), default=0)
    told = bool(task)
    for s, row in listed[:MOST_LISTED]:
        if not told and row.tasks < most:
            told = True
            body.append(
                f'<tr class="part"><th colspan="{len(columns)}" scope="colgroup">{texts.PARTLY}</th></tr>'
            )
        cells = "".join(f'<td class="num">{show(row)}</td>' for _, _, show in columns[1:])
        body.append(f'<tr><th scope="row">{_player(s)}</th>{cells}</tr>')
    notes = []
    if len(listed) > MOST_DRAWN:
        notes.append(texts.TOO_MANY.format(n=MOST_DRAWN))
    if len(listed) > MOST_LISTED:
        notes.append(texts.TABLE_CUT.format(n=MOST_LISTED, all=len(listed)))
    said = "".join(f'<p class="quiet">{n}</p>' for n in notes)
    return (
        f"{_box(texts.MEANS, f'<thead><tr>{head}</tr></thead><tbody>' + ''.join(body) + '</tbody>' + _published_rows(view, columns))}"
        f"{said}{_measured_by_others(view)}"
        f'<details class="how" data-keep="board-how"><summary>{texts.HOW}</summary>'
        f"<p>{texts.HOW_TEXT}</p></details>"
    )


_Column = tuple[str, str, Callable[[Row], str]]


def _columns(rows: Sequence[Row], one_task: bool) -> list[_Column]:
    """Title, explanation and content; columns that would hold nothing at all are left out."""
    head = texts.HEAD
    columns: list[_Column] = [
        (*head["player"], lambda r: ""),
        (*head["mean"], lambda r: f"<b>{grade(r.score.mean if r.score else None)}</b>"),
        (*head["interval"], _interval),
        (*head["n"], lambda r: str(r.scored)),
        (*head["items"], lambda r: str(r.items)),
    ]
    if not one_task:
        columns.append(
            (*head["tasks"], lambda r: texts.OF_TASKS.format(n=r.tasks, all=len(_NAMES)))
        )
    for k in KS:
        if any(k in r.passed for r in rows):
            title, about = head["passed"]
            columns.append((title.format(k=k), about.format(k=k), _passed(k)))
    columns.append((*head["steps"], lambda r: _or_dash(r.steps, "{:.1f}")))
    if any(r.cost.tokens_in is not None for r in rows):
        columns.append((*head["tokens"], _tokens))
    if any(r.cost.usd is not None for r in rows):
        columns.append((*head["usd"], lambda r: _or_dash(r.cost.usd, "${:.4f}")))
    if any(r.failures or r.partial or r.unjudged for r in rows):
        columns.append((*head["uncounted"], _uncounted))
    return columns


def _head_cell(title: str, about: str, number: bool) -> str:
    tip = f' tabindex="0" data-tip="{esc(about)}" class="told"' if about else ""
    hidden = f'<span class="sr">. {esc(about)}</span>' if about else ""
    return f'<th scope="col"{" class=num" if number else ""}><span{tip}>{esc(title)}{hidden}</span></th>'


def _box(label: str, table: str) -> str:
    return (
        f'<div class="board-box hint-wide" tabindex="0" role="region" aria-label="{esc(label)}">'
        f"<table>{table}</table></div>"
    )


def _player(standing: Standing) -> str:
    player = standing.player
    note = texts.NOTES.get(player.name, "") if player.kind == "policy" else ""
    if player.kind == "human" and player.name == texts.ANONYMOUS[0]:
        note = texts.ANONYMOUS[1]
    if player.prompt_version:
        note = texts.PROMPT.format(version=player.prompt_version)
    said = f'<span class="quiet">{esc(note)}</span>' if note else ""
    return (
        f'<span class="who"><bdi>{esc(player.name)}</bdi>'
        f'<span class="chip tier">{texts.ONE_KIND[player.kind]}</span>{said}</span>'
    )


def _interval(row: Row) -> str:
    score = row.score
    if score is None or score.low is None or score.high is None:
        return "–"
    return f"{grade(score.low)} – {grade(score.high)}"


def _passed(k: int) -> Callable[[Row], str]:
    return lambda row: _or_dash(row.passed.get(k), "{:.2f}")


def _tokens(row: Row) -> str:
    cost = row.cost
    if cost.tokens_in is None or cost.tokens_out is None:
        return "–"
    return f"{cost.tokens_in:,} / {cost.tokens_out:,}"


def _uncounted(row: Row) -> str:
    found = [
        shape.format(n=getattr(row, name))
        for name, shape in texts.UNCOUNTED.items()
        if getattr(row, name)
    ]
    return ", ".join(found) or "–"


def _or_dash(value: float | None, shape: str) -> str:
    return "–" if value is None else shape.format(value)


def _published_rows(view: BoardView, columns: Sequence[_Column]) -> str:
    rows = []
    for p in _published(view):
        what = (
            texts.PUBLISHED_ROW
            if p.task_id
            else f"{texts.PUBLISHED_AVERAGE}, {texts.PUBLISHED_ROW}"
        )
        rows.append(
            f'<tr><th scope="row"><span class="who"><bdi>{esc(p.model)}</bdi>'
            f'<span class="chip tier">{texts.PUBLISHED}</span><span class="quiet">{esc(what)}</span>'
            f'</span></th><td class="num">{p.score:.2f}</td>'
            + '<td class="num">–</td>' * (len(columns) - 2)
            + "</tr>"
        )
    return f"<tfoot>{''.join(rows)}</tfoot>" if rows else ""


def _measured_by_others(view: BoardView) -> str:
    none = "" if _published(view) else f" {texts.NO_PUBLISHED}"
    return (
        f'<aside class="measure" aria-label="{texts.PUBLISHED}"><h4>{texts.PUBLISHED}</h4>'
        f"<p>{esc(view.caveat)}{none}</p><p>{texts.MEASURE}</p>"
        f'<div class="command"><pre id="board-command" class="hint-wide sunk" tabindex="0" role="region"'
        f' aria-label="{texts.MEASURE}">{esc(view.command)}</pre>'
        f'<button type="button" class="btn small" data-copy="board-command" data-done="{texts.COPIED}"'
        f' data-failed="{texts.COPY_FAILED}"><span aria-live="polite">{texts.COPY}</span></button>'
        "</div></aside>"
    )


# -- task by player ----------------------------------------------------------------------------


def heat_heading(view: BoardView) -> str:
    """The heading of the heat map; nothing without players."""
    if not view.standings:
        return ""
    return f'<h3>{texts.HEAT}</h3><p class="quiet">{texts.HEAT_LEAD}</p>'


def heat(view: BoardView) -> PlotData | None:
    """Mean scores by task and player, whatever task was chosen."""
    drawn = view.standings[:MOST_DRAWN]
    if not drawn:
        return None
    values = [[_mean(s.rows.get(task)) for task in _NAMES] for s in drawn]
    notes = [[_note(s.rows.get(task)) for task in _NAMES] for s in drawn]
    return charts.heat_map(names(drawn), [texts.SHORT[t] for t in _NAMES], values, notes=notes)


def _mean(row: Row | None) -> float | None:
    return row.score.mean if row and row.score else None


def _note(row: Row | None) -> str:
    if row is None or row.score is None:
        return "–"
    score = row.score
    return f"{grade(score.mean)}{_between(score.low, score.high)}, n = {score.n}"


# -- one player --------------------------------------------------------------------------------


def detail(view: BoardView) -> str:
    """Which player is looked at, and how they fare against another one."""
    if view.detail is None:
        return ""
    called = dict(zip((s.key for s in view.standings), names(view.standings), strict=True))
    options = list(called.items())
    others = [o for o in options if o[0] != view.detail.key]
    against = select("against", texts.AGAINST, others, view.detail.against) if others else ""
    return (
        f'<h3>{texts.DETAIL}</h3><p class="quiet">{texts.DETAIL_LEAD}</p>'
        f'<form class="filters" data-act="filter" aria-label="{texts.DETAIL}">'
        f"{select('player', texts.PLAYER, options, view.detail.key)}{against}</form>"
        f'<p class="versus" role="status">{_versus(view, called)}</p>'
    )


def _versus(view: BoardView, called: dict[str, str]) -> str:
    found = view.detail
    assert found is not None  # asked only where a player is looked at
    if not found.against:
        return texts.ALONE
    first, second = called[found.key], called[found.against]
    pair = found.versus
    if pair is None:
        return esc(texts.NO_VERSUS.format(first=first, second=second))
    d = pair.difference
    interval = ""
    if d.low is not None and d.high is not None:
        interval = texts.VERSUS_INTERVAL.format(low=points(d.low), high=points(d.high))
    return esc(
        texts.VERSUS.format(
            first=first,
            a=grade(pair.first),
            second=second,
            b=grade(pair.second),
            episodes=texts.EPISODES.get(d.n, texts.MANY_EPISODES.format(n=d.n)),
            difference=points(d.mean),
            interval=interval,
            better=pair.better,
            same=pair.same,
            worse=pair.worse,
        )
    )


def category_heading(view: BoardView) -> str:
    """The heading over the player's scores by category."""
    if view.detail is None:
        return ""
    none = "" if view.detail.by_category else f'<p class="quiet">{texts.CATEGORY_NONE}</p>'
    return f"<h4>{texts.CATEGORY_HEAT}</h4>{none}"


def category_heat(view: BoardView) -> PlotData | None:
    """The player's mean scores by true category and task."""
    rows = view.detail.by_category if view.detail else ()
    if not rows:
        return None
    by_place = {(r.category, r.task_id): r for r in rows}
    categories = sorted({str(r.category) for r in rows})
    tasks = [t for t in _NAMES if any(r.task_id == t for r in rows)]
    values = [[_mean(by_place.get((c, t))) for t in tasks] for c in categories]
    notes = [[_note(by_place.get((c, t))) for t in tasks] for c in categories]
    return charts.heat_map(categories, [texts.SHORT[t] for t in tasks], values, notes=notes)


def confusion_heading(view: BoardView, name: str) -> str:
    """The heading of a confusion matrix: "categories" or "priorities"."""
    if view.detail is None:
        return ""
    title, about = texts.CONFUSION[name]
    matrix: Confusion = getattr(view.detail, name)
    if matrix.right is None:
        return f'<h4>{title}</h4><p class="quiet">{texts.CONFUSION_NONE[name]}</p>'
    cases = sum(map(sum, matrix.counts))
    right = texts.RIGHT.format(share=f"{100 * matrix.right:.0f} %", n=cases)
    return f'<h4>{title}</h4><p class="quiet">{right} {about}</p>'


def confusion(view: BoardView, name: str) -> PlotData | None:
    """A confusion matrix of the player; None without a case."""
    if view.detail is None:
        return None
    matrix: Confusion = getattr(view.detail, name)
    if matrix.right is None:
        return None
    called = common.PRIORITIES if name == "priorities" else {}
    true = [called.get(t, t) for t in matrix.true]
    answered = [called.get(a, a) for a in matrix.answered]
    return charts.confusion(true, answered, matrix.counts)


# -- costs and own runs ------------------------------------------------------------------------


def costs(view: BoardView) -> str:
    """What the scores cost, for players that know."""
    task = view.wanted.task
    known = [
        (s, row)
        for s in view.standings
        if (row := s.row(task)) is not None and row.cost.tokens_in is not None
    ]
    if not known:
        return f'<h3>{texts.COSTS}</h3><p class="quiet">{texts.COSTS_NONE}</p>'
    head = "".join(_head_cell(t, about, n > 0) for n, (t, about) in enumerate(texts.COST_HEAD))
    body = []
    for s, row in known[:MOST_LISTED]:
        cost = row.cost
        cells = (
            str(row.scored),
            _or_dash(cost.tokens_in, "{:,}"),
            _or_dash(cost.tokens_out, "{:,}"),
            _or_dash(cost.tokens_per_point, "{:,.0f}"),
            _or_dash(cost.usd, "{:.4f}"),
            _or_dash(cost.usd_per_point, "{:.4f}"),
        )
        shown = "".join(f'<td class="num">{c}</td>' for c in cells)
        body.append(f'<tr><th scope="row">{_player(s)}</th>{shown}</tr>')
    return (
        f'<h3>{texts.COSTS}</h3><p class="quiet">{texts.COSTS_LEAD}</p>'
        f"{_box(texts.COSTS, f'<thead><tr>{head}</tr></thead><tbody>' + ''.join(body) + '</tbody>')}"
    )


def own(count: int, *, sure: bool = False, news: str = "", error: bool = False) -> str:
    """The visitor's own runs: how many, and the way to delete them.

    Args:
        count: How many there are.
        sure: Whether to ask first.
        news: What has just happened.
        error: Whether that is bad news.
    """
    said = ""
    if news:
        role = "alert" if error else "status"
        said = f'<p class="{"feedback error" if error else "quiet"}" role="{role}">{esc(news)}</p>'
    if not count:
        return f"<h3>{texts.OWN}</h3>{said}<p>{texts.OWN_NONE}</p>"
    some = texts.OWN_SOME.get(count, texts.OWN_MANY.format(n=count))
    if sure:
        acts = (
            f'<p role="alert">{texts.SURE.format(runs=runs(count))}</p><div class="acts">'
            f'<button type="button" class="btn danger" data-act="delete" data-key="own-yes">{texts.YES}'
            f'</button><button type="button" class="btn" data-act="keep" data-key="own-no">{texts.NO}'
            "</button></div>"
        )
    else:
        acts = (
            '<div class="acts"><button type="button" class="btn" data-act="ask" data-key="own-ask">'
            f"{texts.DELETE}</button></div>"
        )
    return f'<h3>{texts.OWN}</h3>{said}<p>{some}</p><p class="quiet">{texts.OWN_LEAD}</p>{acts}'


WANTED = tuple(f.name for f in fields(Wanted))
"""The fields that the tab's forms send."""
