"""What surrounds the tabs: brand, tools, shortcut list and tour. Static."""

from __future__ import annotations

from ui import texts
from ui.views.icons import LOGO, icon
from ui.views.text import esc


def brand() -> str:
    """Product name and purpose."""
    return f'<div class="brand">{LOGO}<div><h1>{texts.NAME}</h1><p>{texts.PURPOSE}</p></div></div>'


def switches() -> str:
    """Buttons for the shortcut list and for light and dark."""
    return (
        f'<div class="top-tools"><button type="button" data-open="keys" aria-label="{texts.KEYS}"'
        f' title="{texts.KEYS}">?</button>'
        f'<button type="button" data-theme aria-label="{texts.THEME}" title="{texts.THEME}">'
        f"{icon('theme')}</button></div>"
    )


def overlays() -> str:
    """Dialogs and the tour, hidden until they are asked for."""
    return f'{_keys()}{_tour()}<div id="tip" role="tooltip" hidden></div>{_busy()}'


def _keys() -> str:
    rows = "".join(
        f"<tr><th scope='row'>{''.join(_key(k) for k in keys.split(' / '))}</th><td>{esc(what)}</td></tr>"
        for keys, what in texts.SHORTCUTS
    )
    return (
        f'<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">{texts.KEYS}</h2>'
        f"<table><tbody>{rows}</tbody></table>"
        f'<label class="switch"><input type="checkbox" data-single checked> {texts.SINGLE_KEYS}</label>'
        f'<div class="dialog-acts"><button type="button" class="btn" data-tour>{texts.TOUR_AGAIN}</button>'
        f'<button type="button" class="btn primary" data-close>{texts.CLOSE}</button></div></dialog>'
    )


def _key(keys: str) -> str:
    return "".join(f"<kbd>{esc(k)}</kbd>" for k in keys.split(" + "))


def _tour() -> str:
    steps = "".join(
        f'<div class="tour-step" data-target="{target}" hidden><p class="tour-count">'
        f"{texts.TOUR_COUNT.format(n=n, of=len(texts.TOUR))}</p><h2>{esc(title)}</h2><p>{esc(text)}</p></div>"
        for n, (target, title, text) in enumerate(texts.TOUR, 1)
    )
    return (
        f'<div id="tour" role="dialog" aria-label="{texts.TOUR_NAME}" hidden><div aria-live="polite">{steps}</div>'
        f'<div class="dialog-acts"><button type="button" class="link" data-tour-end>{texts.SKIP}</button>'
        f'<button type="button" class="btn" data-tour-back>{texts.BACK}</button>'
        f'<button type="button" class="btn primary" data-tour-next data-last="{texts.DONE}"'
        f' data-more="{texts.GO_ON}">{texts.GO_ON}</button></div></div>'
    )


def _busy() -> str:
    return (
        '<div id="busy" aria-hidden="true"></div>'
        f'<div id="words" data-panel="{texts.PANEL}" hidden></div>'
        f'<div id="offline" role="alert" hidden>{texts.OFFLINE}</div>'
    )
