"""Line icons, drawn on a 20 by 20 grid. They decorate; the words beside them carry the meaning."""

from __future__ import annotations

_PATHS = {
    "search": '<circle cx="8.5" cy="8.5" r="5"/><path d="m12.5 12.5 4 4"/>',
    "book": '<path d="M10 5.2C8.4 4 6.2 3.6 3.5 3.8v11c2.7-.2 4.9.2 6.5 1.4 1.6-1.2 3.8-1.6 6.5-1.4v-11C13.8 3.6 11.6 4 10 5.2Zm0 0v11"/>',
    "tag": '<path d="M3.5 3.5h6l7 7-6 6-7-7zM7 7h.01"/>',
    "send": '<path d="m3.5 10 13-6-4 13-3-5.5zM9.5 11.5l7-7.5"/>',
    "draft": '<path d="m12.5 4 3.5 3.5-8.5 8.5H4v-3.5zM11 5.5 14.5 9"/>',
    "up": '<path d="M10 16V4.5M5 9l5-5 5 5"/>',
    "check": '<path d="m4 10.5 4 4 8-9"/>',
    "flag": '<path d="M5 17V3.5h9.5l-2 3.5 2 3.5H5"/>',
    "note": '<path d="M4 5h12M4 10h12M4 15h7"/>',
    "link": '<path d="M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 1 0-4.2-4.2L10.5 5.3M11.5 8.5a3 3 0 0 0-4.2 0l-3 3a3 3 0 1 0 4.2 4.2l1-1"/>',
    "keys": '<rect x="2.5" y="5" width="15" height="10" rx="2"/><path d="M5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 12h7"/>',
    "theme": '<circle cx="10" cy="10" r="6.5"/><path d="M10 3.5v13a6.5 6.5 0 0 0 0-13Z" fill="currentColor"/>',
    "clock": '<circle cx="10" cy="10" r="6.5"/><path d="M10 6.5V10l2.5 2"/>',
    "mail": '<rect x="3" y="5" width="14" height="10.5" rx="1.5"/><path d="m3.5 6.5 6.5 5 6.5-5"/>',
    "chat": '<path d="M3.5 4.5h13v9H9L5.5 16.5v-3h-2z"/>',
    "web": '<circle cx="10" cy="10" r="6.5"/><path d="M3.5 10h13M10 3.5c4.5 4 4.5 9 0 13M10 3.5c-4.5 4-4.5 9 0 13"/>',
    "down": '<path d="M10 4v9M5.5 9l4.5 4.5L14.5 9M4 16.5h12"/>',
    "again": '<path d="M15.5 10a5.5 5.5 0 1 1-1.6-3.9M14.5 3v3.5H11"/>',
    "next": '<path d="M4 10h11.5M11 5.5l4.5 4.5-4.5 4.5"/>',
    "compare": '<path d="M6 3.5v13M14 3.5v13M3.5 8h5M11.5 12h5"/>',
    "up-load": '<path d="M10 13V4M5.5 8.5 10 4l4.5 4.5M4 16.5h12"/>',
    "bin": '<path d="M4 6h12M8 6V4h4v2M5.5 6l1 10.5h7l1-10.5"/>',
    "fork": '<path d="M10 17v-5M10 12 5 6V3.5M10 12l5-6V3.5"/>',
    "alert": '<path d="M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.2h.01"/>',
    "play": '<path d="M6 4v12l10-6z"/>',
    "stop": '<rect x="5" y="5" width="10" height="10" rx="1.5"/>',
    "idle": '<path d="M6 3.5h8M6 16.5h8M6.5 3.5c0 4 7 5 7 13M13.5 3.5c0 4-7 5-7 13"/>',
    "inbox": '<path d="M3.5 11.5 6 4.5h8l2.5 7v4h-13zM3.5 11.5h4l1 2h3l1-2h4"/>',
}


def icon(name: str) -> str:
    """An icon by name, hidden from screen readers."""
    return (
        '<svg class="ic" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6"'
        f' stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{_PATHS[name]}</svg>'
    )


LOGO = (
    '<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"'
    ' class="logo-tile"/><path d="M8 10.5h16M8 16h10.5M8 21.5h6" class="logo-lines"/>'
    '<path d="m17.5 21.5 3 3 5.5-6.5" class="logo-tick"/></svg>'
)
