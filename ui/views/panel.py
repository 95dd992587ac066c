"""The right panel: score, reward lines, knowledge base, customer."""

from __future__ import annotations

from supportops_env.models import ArticleView, RewardLine
from ui import texts
from ui.state import PlayView, StepView
from ui.views.icons import icon
from ui.views.text import article, esc, grade, later, moment, points


def score(view: PlayView) -> str:
    """The sum of rewards (the grade, once done), the last step's, and a segment per step."""
    obs = view.obs
    total = obs.score_so_far if obs else None
    done = view.phase == "done"
    shown = grade(obs.grade.grade if done and obs and obs.grade else total)
    last = (
        f'<span class="pill {_tone(view.steps[-1].reward)}">'
        f"{texts.LAST.format(points=points(view.steps[-1].reward))}</span>"
        if view.steps
        else ""
    )
    cells = "".join(
        f'<i class="{_tone(view.steps[n].reward) if n < len(view.steps) else "free"}"></i>'
        for n in range(view.max_steps)
    )
    label = texts.STEPS.format(used=len(view.steps), most=view.max_steps)
    return (
        f'<section class="score" aria-label="{texts.GRADE if done else texts.SCORE}">'
        f'<h2>{texts.GRADE if done else texts.SCORE}</h2><p class="big"><output>{shown}</output>{last}</p>'
        f'<div class="meter" role="img" aria-label="{label}">{cells}</div></section>'
    )


def rewards(view: PlayView) -> str:
    """Every line of every step that has one, newest step first."""
    if view.obs is None and view.phase != "loading":
        return ""
    steps = [s for s in reversed(view.steps) if s.lines]
    body = "".join(_step_lines(s) for s in steps)
    if not body:
        body = f'<p class="quiet">{texts.NO_POINTS if view.phase == "running" else ""}</p>'
    return f'<section class="rewards"><h2>{texts.REWARDS}</h2>{body}</section>'


def _step_lines(step: StepView) -> str:
    title = texts.STEP_NAMES[step.action_type].format(
        ticket_id=step.ticket_id, priority=step.priority
    )
    most = max((abs(line.points) for line in step.lines), default=0.0)
    lines = "".join(reward_line(line, most) for line in step.lines)
    return (
        f'<div class="step-lines"><h3><span>{texts.STEP_NAME.format(n=step.number)}</span> {esc(title)}'
        f'<span class="pts">{points(step.reward)}</span></h3><ul class="lines">{lines}</ul></div>'
    )


def rule_name(rule: str) -> str:
    """A rule in a person's words; numbered rules keep their number."""
    stem, _, tail = rule.rpartition(".")
    if rule in texts.RULES:
        return texts.RULES[rule]
    if stem in texts.RULES:
        return f"{texts.RULES[stem]} {tail}"
    return rule.replace(".", " ").replace("_", " ").capitalize()


def reward_line(line: RewardLine, most: float) -> str:
    """One line: rule, points, a bar relative to the step's largest, reason, evidence."""
    width = round(100 * abs(line.points) / most) if most else 0
    name = rule_name(line.rule)
    evidence = (
        f'<p class="ev">{esc(line.evidence)}</p>'
        if line.evidence and line.evidence not in name
        else ""
    )
    return (
        f'<li class="line {_tone(line.points)} {esc(line.kind)}"><p class="line-top">'
        f'<span class="rule" title="{esc(line.rule)}">{esc(name)}</span>'
        f'<span class="kind">{texts.KINDS[line.kind]}</span>'
        f'<span class="pts">{points(line.points)}</span></p>'
        f'<div class="track"><i style="width:{width}%"></i></div>'
        f'<p class="why">{esc(_sentence(line.reason.removeprefix(f"{name}: ")))}</p>{evidence}</li>'
    )


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _tone(value: float) -> str:
    return "gain" if value > 0.0005 else "loss" if value < -0.0005 else "zero"


def knowledge(view: PlayView) -> str:
    """The hits of the last search, with opened articles in place."""
    obs = view.obs
    if obs is None or ("search_kb" not in obs.available_actions and not obs.kb_articles):
        return ""
    searched = any(s.action_type == "search_kb" for s in view.steps)
    if not obs.kb_articles:
        hint = "" if view.player else f'<p class="quiet">{texts.KB_HINT}</p>'
        return f'<p class="quiet">{texts.KB_NONE}</p>' if searched else hint
    running = view.phase == "running" and not view.player
    hits = "".join(
        f"<li>{_hit(a, a.id == obs.kb_id, running, view.scope)}</li>" for a in obs.kb_articles
    )
    return f'<ol class="hits">{hits}</ol>'


def _hit(hit: ArticleView, latest: bool, running: bool, scope: str) -> str:
    reference = texts.REFERENCE.format(title=hit.title, id=hit.id)
    insert = (
        f'<button type="button" class="btn small" data-insert="{esc(reference)}"'
        f' aria-label="{texts.KB_INSERT}: {esc(hit.id)}">{texts.KB_INSERT}</button>'
        if running
        else ""
    )
    title = f"<h3>{esc(hit.title)} <code>{esc(hit.id)}</code></h3>"
    if hit.body is None:
        open_ = (
            f'<button type="button" class="btn small" data-act="open" data-value="{esc(hit.id)}"'
            f' data-key="open-{esc(hit.id)}" aria-label="{texts.KB_OPEN}: {esc(hit.id)}">'
            f"{icon('book')}{texts.KB_OPEN}</button>"
            if running
            else ""
        )
        return (
            f'<article class="hit">{title}<p>{esc(hit.snippet)}</p>'
            f'<div class="hit-acts">{open_}{insert}</div></article>'
        )
    keep = f'data-keep="{scope}kb-{esc(hit.id)}"'
    return (
        f'<article class="hit opened">{title}<details {keep}{" open" if latest else ""}>'
        f"<summary>{texts.KB_READ.format(id=esc(hit.id))}</summary>"
        f'<div class="doc">{article(hit.body)}</div></details>'
        f'<div class="hit-acts">{insert}</div></article>'
    )


def customer(view: PlayView) -> str:
    """Who wrote, as far as the agent may know."""
    ticket = view.obs.ticket if view.obs else None
    if ticket is None:
        return ""
    mood = ticket.sentiment_score
    shown = f"{mood:+.1f}".replace("-", "−")
    values = {
        "customer_tier": esc(ticket.customer_tier),
        "channel": esc(ticket.channel),
        "language": esc(ticket.language),
        "created_at": esc(moment(ticket.created_at)),
        "sla_hours": f"{esc(later(ticket.created_at, ticket.sla_hours))} ({ticket.sla_hours} h)",
        "sentiment_score": (
            f'<span class="mood" role="img" aria-label="{texts.MOOD.format(mood=shown)}">'
            f'<i style="left:{round(50 * (mood + 1))}%"></i></span><span class="num">{shown}</span>'
        ),
    }
    rows = "".join(f"<dt>{texts.FACTS[k]}</dt><dd>{v}</dd>" for k, v in values.items())
    return (
        f'<section class="customer-card"><h2>{texts.CUSTOMER}</h2><p class="name">'
        f"{esc(ticket.customer_name)}</p><dl>{rows}</dl></section>"
    )
