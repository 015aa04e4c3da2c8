"""Servers under load: a client that costs little, and what a server does for it.

Each connection has one request under way, written before; one process without threads serves all connections.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]


def as_bytes(method: str, path: str, token: str | None = None, body: bytes | None = None) -> bytes:
    """A whole HTTP request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


@dataclass
class Script:
    """What one connection sends, in order; at the end it starts again from `again`, None where it must not."""

    requests: Sequence[bytes]
    again: int | None = 0
    place: int = 0

    def next(self) -> bytes:
        """The next request."""
        if self.place == len(self.requests):
            if self.again is None:
                raise RuntimeError("a game ran out of prepared requests: fewer seconds, please")
            self.place = self.again
        request = self.requests[self.place]
        self.place += 1
        return request


def address_of(url: str) -> tuple[str, int]:
    """Host and port of a URL."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


class Connection:
    """A kept-alive connection; `busy` while a request is under way."""

    def __init__(self, url: str, script: Script) -> None:
        self.socket = socket.create_connection(address_of(url), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.busy = False
        self._script = script
        self._received = b""

    def close(self) -> None:
        """Receive what is under way, so that the script can go on from here, and hang up."""
        while self.busy:
            self.receive()
        self.socket.close()

    def send(self) -> None:
        """Send the next request; it is small enough to be taken at once."""
        self.socket.sendall(self._script.next())
        self.busy = True

    def receive(self) -> None:
        """Take what has come. Anything but a 200 ends the measurement."""
        chunk = self.socket.recv(1 << 16)
        if not chunk:
            raise RuntimeError("the server closed a connection")
        self._received += chunk
        end = self._received.find(b"\r\n\r\n")
        if end < 0 or len(self._received) < end + 4 + length_of(self._received, end):
            return
        if not self._received.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(self._received.decode(errors="replace"))
        self._received = b""
        self.busy = False


def length_of(answer: bytes, end: int) -> int:
    """The Content-Length of an answer whose head ends at `end`."""
    start = answer.index(b"Content-Length: ", 0, end) + 16
    return int(answer[start : answer.index(b"\r\n", start)])


class Rate(NamedTuple):
    """Answers per second, and the microseconds of processor time that the server and its store spent on each."""

    answers: float
    work: float


def work_of(process: int) -> float:
    """Seconds of processor time that a process and its descendants have used (Linux; elsewhere 0)."""
    found, table = 0, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            table[int(stat.parent.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    family = [process]
    for one in family:  # grows while it is walked
        family += [child for child, (parent, _) in table.items() if parent == one]
        found += table.get(one, (0, 0))[1]
    return found / os.sysconf("SC_CLK_TCK")


def rate(server: Server, scripts: Sequence[Script], seconds: float) -> Rate:
    """What a server does with a connection for each script, after a tenth of the time for warming up."""
    with contextlib.ExitStack() as closing:
        selector = closing.enter_context(selectors.DefaultSelector())
        for script in scripts:
            connection = closing.enter_context(contextlib.closing(Connection(server.url, script)))
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send()
        begin = time.perf_counter() + seconds / 10
        end = begin + seconds
        answers, now, work = 0, 0.0, work_of(server.process)
        while now < end:
            ready = selector.select(30)
            now = time.perf_counter()
            for key, _ in ready:
                connection = key.data
                connection.receive()
                if not connection.busy:
                    answers += now >= begin
                    connection.send()
        took = now - begin
        return Rate(answers / took, (work_of(server.process) - work) / (answers * 1.1) * 1e6)


class Server(NamedTuple):
    """Where a server listens, and its first process."""

    url: str
    process: int


@contextlib.contextmanager
def running(command: Sequence[str], environ: dict[str, str]) -> Iterator[Server]:
    """A server that announces its URL on standard output, stopped afterwards."""
    inherited = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**inherited, "PORT": "0", "HOST": "127.0.0.1", "LOG_LEVEL": "warning", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"{' '.join(command)} did not start")
        yield Server(line.split(" at ")[1].split()[0], process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
