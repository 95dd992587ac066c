"""Targets 1 and 1b: steps over WebSocket and HTTP, in turn with OpenEnv's echo environment."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from bench.figures import Figure
from bench.processes import FAST, OURS, STOCK, in_another, rss, serving
from tests.conftest import Server

Progress = Callable[[], object]
_SERVERS = {
    "stock echo": ("bench.floors:echo_sync", STOCK, "echoes"),
    "async echo": ("bench.floors:echo_async", FAST, "echoes"),
    "ours": (OURS, FAST, "episodes"),
}


def websocket(rounds: int, seconds: float, tick: Progress) -> list[Figure]:
    """Target 1."""
    return _compared("1 /ws, 64 sessions", "ws", 64, rounds, seconds, (1.5, 0.6, 0.75), tick)


def http(rounds: int, seconds: float, tick: Progress) -> list[Figure]:
    """Target 1b."""
    return _compared("1b HTTP, 16 clients", "http", 16, rounds, seconds, (2.0, None, None), tick)


def _compared(
    group: str,
    kind: str,
    clients: int,
    rounds: int,
    seconds: float,
    targets: tuple[float, float | None, float | None],
    tick: Progress,
) -> list[Figure]:
    rate: dict[str, list[float]] = {name: [] for name in _SERVERS}
    cost: dict[str, list[float]] = {name: [] for name in _SERVERS}
    memory: dict[str, list[float]] = {name: [] for name in _SERVERS}
    with ExitStack() as stack:
        running: dict[str, Server] = {
            name: stack.enter_context(serving(app, *flags))
            for name, (app, flags, _) in _SERVERS.items()
        }
        for number in range(rounds):
            for name, server in running.items():
                pid = server.process.pid
                script = _SERVERS[name][2]
                measured = in_another(
                    "bench.clients", kind, server.url, str(pid), "--script", script,
                    "--clients", str(clients), "--seconds", str(seconds), "--seed", str(number),
                )  # fmt: skip
                rate[name].append(measured["rate"])
                cost[name].append(measured["cpu_us"])
                memory[name].append(rss(pid))
                tick()
    over_stock, less_cpu, over_async = targets
    figures = []
    for name in _SERVERS:
        figures += [
            Figure(group, f"{name}: answers", "/s", tuple(rate[name])),
            Figure(group, f"{name}: server CPU an answer", "μs", tuple(cost[name])),
            Figure(group, f"{name}: memory", "MB", tuple(memory[name])),
        ]
    return [
        *figures,
        _ratio(group, "answers, ours / stock echo", rate, "stock echo", ("≥", over_stock)),
        _ratio(group, "CPU, ours / stock echo", cost, "stock echo", less_cpu and ("≤", less_cpu)),
        _ratio(
            group,
            "answers, ours / async echo",
            rate,
            "async echo",
            over_async and ("≥", over_async),
        ),
        _ratio(group, "CPU, ours / async echo", cost, "async echo", None),
    ]


def _ratio(
    group: str,
    name: str,
    measured: dict[str, list[float]],
    floor: str,
    target: tuple[str, float] | float | None,
) -> Figure:
    pairs = zip(measured["ours"], measured[floor], strict=True)
    bound = target if isinstance(target, tuple) else None
    return Figure(group, name, "×", tuple(own / other for own, other in pairs), bound)
