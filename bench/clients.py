"""Clients that cost little: raw frames made beforehand, so that the server is what is measured.

`python -m bench.clients ws|http URL PID --script episodes|echoes --clients 64 --seconds 5` prints
JSON: answers a second, CPU of the server (process PID) an answer in μs. An answer is one to reset
or step. A wrong answer ends it with an error.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import itertools
import json
import os
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

import uvloop

from bench import scripts
from bench.processes import cpu
from bench.scripts import Script, compact

_WARM_UP = 0.5
_SCRIPTS = 24
"""How many episodes each client has at hand; it begins them anew, in turn."""


@dataclass
class Count:
    """How many answers came."""

    answers: int = 0


class Client(asyncio.Protocol):
    """Says the next message when the answer to the last one is whole."""

    def __init__(self, host: str, plays: list[Script], count: Count) -> None:
        self._host = host
        self._plays = itertools.cycle(plays)
        self._count = count
        self._buffer = bytearray()
        self._coming: Iterator[bytes] = iter(())
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.broken: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connected."""
        self.transport = cast(asyncio.Transport, transport)  # uvloop's do not inherit from it

    def begin(self) -> None:
        """Say the first message."""
        self.transport.write(next(self._coming))

    def _fail(self, why: bytes) -> None:
        self.broken = why[:300].decode(errors="replace")
        self.transport.close()

    def _answered(self) -> None:
        self._count.answers += 1
        self.transport.write(next(self._coming))


class Socket(Client):
    """A WebSocket session."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        super().connection_made(transport)
        frames = [
            [_frame({"type": "reset", "data": reset})]
            + [_frame({"type": "step", "data": a}) for a in actions]
            for reset, actions in itertools.islice(self._plays, _SCRIPTS)
        ]
        self._coming = itertools.cycle(itertools.chain.from_iterable(frames))
        key = base64.b64encode(os.urandom(16)).decode()
        self.transport.write(
            f"GET /ws HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Take what came; frames from a server are not masked, and ours come whole."""
        self._buffer += data
        if not self.ready.done():
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                self.ready.set_exception(ConnectionError(bytes(head[:200]).decode()))
                return
            self._buffer = bytearray(rest)
            self.ready.set_result(None)
        while (frame := self._frame()) is not None:
            opcode, payload = frame
            if opcode == 1:
                if not payload.startswith(b'{"type":"observation"'):
                    self._fail(payload)
                    return
                self._answered()
            elif opcode == 9:
                self.transport.write(bytes((0x8A, 0x80 | len(payload), 0, 0, 0, 0)) + payload)
            elif opcode == 8:
                self._fail(b"closed by the server: " + payload)
                return

    def _frame(self) -> tuple[int, bytes] | None:
        data = self._buffer
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        if size == 126:
            if len(data) < 4:
                return None
            size, start = struct.unpack_from(">H", data, 2)[0], 4
        elif size == 127:
            if len(data) < 10:
                return None
            size, start = struct.unpack_from(">Q", data, 2)[0], 10
        if len(data) < start + size:
            return None
        opcode, payload = data[0] & 0x0F, bytes(data[start : start + size])
        del data[: start + size]
        return opcode, payload


class Caller(Client):
    """A client of plain HTTP that keeps its connection and names its episode."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Nothing to ask for."""
        super().connection_made(transport)
        self._id = b""
        self._coming = self._requests()
        self.ready.set_result(None)

    def _requests(self) -> Iterator[bytes]:
        made = [
            (compact(reset), [compact({"action": a}) for a in actions])
            for reset, actions in itertools.islice(self._plays, _SCRIPTS)
        ]
        for reset, steps in itertools.cycle(made):
            yield self._request(b"/reset", reset)
            for step in steps:
                yield self._request(b"/step", step)

    def _request(self, path: bytes, body: bytes) -> bytes:
        named = b"X-Session-ID: %s\r\n" % self._id if path == b"/step" and self._id else b""
        return (
            b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s"
            b"Content-Length: %d\r\n\r\n%s" % (path, self._host.encode(), named, len(body), body)
        )

    def data_received(self, data: bytes) -> None:
        """Take what came; answers tell their length."""
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = bytes(head).split(b"\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(b":") for line in lines[1:])}
        if len(rest) < int(headers[b"content-length"]):
            return
        if b" 200 " not in lines[0]:
            self._fail(lines[0] + rest)
            return
        self._id = headers.get(b"x-session-id", b"")
        self._buffer.clear()
        self._answered()


def _frame(message: dict[str, object]) -> bytes:
    """A text frame. Its mask is zero, which the protocol allows, so that masking costs nothing."""
    payload = compact(message)
    size = len(payload)
    length = (
        bytes((0x80 | size,))
        if size < 126
        else b"\xfe" + struct.pack(">H", size)
        if size < 65_536
        else b"\xff" + struct.pack(">Q", size)
    )
    return b"\x81" + length + bytes(4) + payload


async def measure(
    kind: type[Client], url: str, pid: int, plays: Iterator[Script], clients: int, seconds: float
) -> dict[str, float]:
    """Talk for some seconds, after a moment to warm up."""
    where = urlsplit(url)
    count = Count()
    loop = asyncio.get_running_loop()
    opened: list[Client] = []
    for _ in range(clients):
        own = list(itertools.islice(plays, _SCRIPTS))
        _, client = await loop.create_connection(
            lambda own=own: kind(where.netloc, own, count),  # type: ignore[misc]
            where.hostname or "127.0.0.1",
            where.port or 80,
        )
        await asyncio.wait_for(client.ready, _WARM_UP * 60)
        opened.append(client)
    for client in opened:
        client.begin()
    await asyncio.sleep(_WARM_UP)
    before, used, began = count.answers, cpu(pid), time.perf_counter()
    await asyncio.sleep(seconds)
    answers, used, took = count.answers - before, cpu(pid) - used, time.perf_counter() - began
    broken = [c.broken for c in opened if c.broken]
    for client in opened:
        client.transport.close()
    if broken:
        raise ConnectionError(f"{len(broken)} of {clients} clients: {broken[0]}")
    return {"rate": answers / took, "cpu_us": 1e6 * used / answers}


def main() -> None:
    """Measure one server and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m bench.clients")
    parser.add_argument("kind", choices=("ws", "http"))
    parser.add_argument("url")
    parser.add_argument("pid", type=int)
    parser.add_argument("--script", choices=("episodes", "echoes"), default="episodes")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    plays = (scripts.episodes if asked.script == "episodes" else scripts.echoes)(asked.seed)
    kind = Socket if asked.kind == "ws" else Caller
    result = uvloop.run(measure(kind, asked.url, asked.pid, plays, asked.clients, asked.seconds))
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
