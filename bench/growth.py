"""How cost grows: with steps, tickets, stored runs. Each size is ten times the one before.

Articles are in target 4, sessions in target 3.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.figures import Figure
from env import episode as engine
from runs.record import record
from runs.store import Store
from supportops_env.models import SupportAction


def measure(quick: bool) -> list[Figure]:
    """All tables."""
    return [
        *_steps(),
        *_tickets((100, 1_000, 10_000) if quick else (100, 1_000, 10_000, 100_000)),
        *_runs((100, 1_000) if quick else (100, 1_000, 10_000, 100_000)),
    ]


def _best(call: Callable[[], object], times: int = 5) -> float:
    """The least of some tries: what the work takes, without what else the machine does."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return min(taken)


def _steps() -> list[Figure]:
    episode = engine.start("draft_response", "train", 1)
    figures = []
    for number in range(1, 15):
        action = SupportAction(action_type="search_kb", content=f"export of invoices {number}")
        if number in (1, 7, 14):
            took = _best(lambda e=episode, a=action: engine.step(e, a))  # type: ignore[misc]
            figures.append(Figure("growth", f"step number {number}", "μs", (1e6 * took,)))
        episode = engine.step(episode, action)
    return figures


def _tickets(sizes: tuple[int, ...]) -> list[Figure]:
    built_in = engine.builtin_arena()
    catalog = built_in.catalog
    task = "ticket_classification"
    originals = catalog.ids(task, "train")
    figures = []
    for size in sizes:
        names = tuple(f"{originals[n % len(originals)]}-{n}" for n in range(size))
        base = {name: name.rpartition("-")[0] for name in names}
        grown = replace(
            catalog,
            tickets={**catalog.tickets, **{n: catalog.tickets[b] for n, b in base.items()}},
            labels={**catalog.labels, **{n: catalog.labels[b] for n, b in base.items()}},
            items={**catalog.items, (task, "train"): names},
        )
        arena = replace(built_in, catalog=grown)
        took = _best(lambda a=arena: engine.start(task, "train", 7, arena=a), 20)  # type: ignore[misc]
        figures.append(Figure("growth", f"start among {size:,} tickets", "μs", (1e6 * took,)))
    return figures


def _runs(sizes: tuple[int, ...]) -> list[Figure]:
    action = SupportAction(action_type="classify", content="Bug")
    run = record(
        engine.step(engine.start("ticket_classification", "train", 1), action),
        "r",
        "client",
        "http",
    )
    figures = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.db") as store:
        there = 0
        for size in sizes:
            more = (run.model_copy(update={"run_id": f"r{n}"}) for n in range(there, size))
            store.save_some(more, kind="client", keep=10**9)
            there = size
            last = run.model_copy(update={"run_id": "last"})
            for name, call in (
                ("save one", lambda: store.save(last)),  # noqa: B023
                ("newest 100", store.find),
                ("counts by task", lambda: store.counts("task_id")),
                ("stamp", store.stamp),
            ):
                took = 1e3 * _best(call)
                figures.append(Figure("growth", f"{size:,} stored runs: {name}", "ms", (took,)))
    return figures
