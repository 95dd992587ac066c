"""State to HTML, pure. Text that people or models wrote goes through `esc` and nowhere around it."""

from __future__ import annotations

from ui.views.board import board
from ui.views.composer import actions, counter, finish, status, tools
from ui.views.debrief import debrief
from ui.views.frame import brand, overlays, switches
from ui.views.panel import customer, knowledge, rewards, score
from ui.views.queue import queue
from ui.views.text import esc
from ui.views.thread import head, thread

__all__ = [
    "actions",
    "board",
    "brand",
    "counter",
    "customer",
    "debrief",
    "esc",
    "finish",
    "head",
    "knowledge",
    "overlays",
    "queue",
    "rewards",
    "score",
    "status",
    "switches",
    "thread",
    "tools",
]
