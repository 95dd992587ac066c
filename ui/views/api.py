"""The API tab: an episode as snippets that run as they stand."""

from __future__ import annotations

import json
from typing import Any

from ui.state_api import ApiView
from ui.texts import api as texts
from ui.views.icons import icon
from ui.views.text import esc


def api(view: ApiView | None) -> str:
    """The whole tab; a skeleton before the episode is known."""
    if view is None:
        bones = '<div class="skeleton tall"></div>' * 3
        return f'<div class="sheet"><h2>{texts.TITLE}</h2>{bones}</div>'
    snippets = "".join(
        _snippet(name, text)
        for name, text in (("curl", curl(view)), ("python", python(view)), ("socket", socket(view)))
    )
    own = f'<p class="note">{icon("note")}{texts.OWN_DATA}</p>' if view.own_data else ""
    return (
        f'<div class="sheet api"><header class="sheet-head"><h2>{texts.TITLE}</h2>'
        f"<p>{texts.LEAD}</p>{_episode(view)}{own}</header>"
        f'<div class="api-cols"><div class="snippets">{snippets}</div>{_routes(view)}</div></div>'
    )


def curl(view: ApiView) -> str:
    """Reset, step and state with curl; a cookie file keeps the episode."""
    return (
        f"# {texts.COMMENTS['reset']}\n{_post(view.base, 'reset', '-c', view.reset)}\n\n"
        f"# {texts.COMMENTS['step']}\n{_post(view.base, 'step', '-b', {'action': view.action})}\n\n"
        f"# {texts.COMMENTS['state']}\ncurl -sS -b episode.txt '{view.base}/state'\n"
    )


def _post(base: str, route: str, jar: str, body: dict[str, Any]) -> str:
    # Within '…' the shell reads everything as it stands but the quote itself.
    quoted = json.dumps(body).replace("'", "\\u0027")
    return (
        f"curl -sS {jar} episode.txt -X POST '{base}/{route}' \\\n"
        f"  -H 'Content-Type: application/json' \\\n  -d '{quoted}'"
    )


def python(view: ApiView) -> str:
    """The same with the client."""
    reset = ", ".join(f"{k}={v!a}" for k, v in view.reset.items())
    action = ", ".join(f"{k}={v!a}" for k, v in view.action.items())
    return (
        "from client import SupportOpsEnv\nfrom models import SupportAction\n\n"
        f"with SupportOpsEnv(base_url={view.base!a}) as env:\n"
        f"    # {texts.COMMENTS['reset']}\n"
        f"    r = env.reset({reset})\n"
        "    print(r.observation.task_description)\n"
        f"    # {texts.COMMENTS['step']}\n"
        f"    r = env.step(SupportAction({action}))\n"
        "    print(r.reward, r.done, r.observation.feedback)\n"
        "    for line in r.observation.reward_breakdown:\n"
        '        print(f"{line.points:+.3f}  {line.reason}")\n'
    )


def socket(view: ApiView) -> str:
    """The same over a bare WebSocket."""
    address = "ws" + view.base.removeprefix("http") + "/ws"
    return (
        f"const socket = new WebSocket({json.dumps(address)});\n"
        "const send = (type, data) => new Promise((answered) => {\n"
        "  socket.onmessage = (event) => answered(JSON.parse(event.data).data);\n"
        "  socket.send(JSON.stringify({ type, data }));\n});\n"
        "socket.onopen = async () => {\n"
        f"  // {texts.COMMENTS['reset']}\n"
        f'  let answer = await send("reset", {json.dumps(view.reset)});\n'
        "  console.log(answer.observation.task_description);\n"
        f"  // {texts.COMMENTS['step']}\n"
        f'  answer = await send("step", {json.dumps(view.action)});\n'
        "  console.log(answer.reward, answer.done, answer.observation.feedback);\n"
        "  socket.close();\n};\n"
    )


def _episode(view: ApiView) -> str:
    facts = "".join(
        f"<div><dt>{texts.FIELDS[key]}</dt><dd><code>{esc(value)}</code></dd></div>"
        for key, value in view.reset.items()
    )
    return f'<dl class="facts">{facts}</dl>'


def _snippet(name: str, text: str) -> str:
    title, about = texts.SNIPPETS[name]
    lines = "".join(_line(line) for line in text.splitlines(keepends=True))
    return (
        f'<div class="snippet"><header><h3>{title}</h3><p>{esc(about)}</p>'
        f'<button type="button" class="btn small" data-copy="snippet-{name}"'
        f' data-done="{texts.COPIED}" data-failed="{texts.COPY_FAILED}"><span aria-live="polite">'
        f'{texts.COPY}</span><span class="sr"> {title}</span></button></header>'
        f'<pre id="snippet-{name}" class="hint-wide sunk" tabindex="0" role="region" aria-label="{title}">'
        f"{lines}</pre></div>"
    )


def _line(line: str) -> str:
    shown = esc(line)
    return f'<i class="c">{shown}</i>' if line.lstrip().startswith(("# ", "// ")) else shown


def _routes(view: ApiView) -> str:
    rows = "".join(
        f"<li><code>{esc(route)}</code><span>{esc(what)}</span></li>"
        for route, what in texts.ROUTES
    )
    return (
        f'<aside class="routes" aria-label="{texts.ROUTES_TITLE}"><h3>{texts.ROUTES_TITLE}</h3>'
        f'<p class="quiet">{texts.ROUTES_LEAD}</p><p class="acts">'
        f'<a class="btn primary" href="{esc(view.base)}/docs" target="_blank" rel="noopener">'
        f"{icon('book')}{texts.DOCS}</a>"
        f'<a class="btn" href="{esc(view.base)}/openapi.json" target="_blank" rel="noopener">'
        f'{texts.SPEC}</a></p><ul>{rows}</ul><p class="quiet">{texts.KEEPING}</p></aside>'
    )
