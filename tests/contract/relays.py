"""Servers between a client and a service, or instead of one: they keep answers back, or give their own."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def answer_of(status: str, media_type: str, body: bytes | dict[str, Any]) -> bytes:
    """An HTTP answer's bytes; an object is sent as JSON."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {len(sent)}\r\nConnection: close"
    return f"{head}\r\n\r\n".encode() + sent


@contextlib.contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """The URL of something that answers this to everybody."""

    def answered(connection: socket.socket) -> bytes:
        connection.recv(65536)
        return answer

    with _serving(answered) as url:
        yield url


@dataclass
class Relay:
    """A server before a service. What it does is said by what is found in a request's first line.

    `instead` are answers of its own to requests that never reach the service. `lost`: of so many requests, which the
    service carries out, it keeps the answer to itself; `kept` counts them.
    """

    service: str
    instead: dict[bytes, bytes] = field(default_factory=dict)
    lost: tuple[bytes, int] = (b"", 0)
    url: str = ""
    kept: int = 0

    def answer(self, connection: socket.socket) -> bytes:
        """What a request is answered."""
        request = connection.recv(65536)
        head, _, body = request.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += connection.recv(65536)
        line = head.partition(b"\r\n")[0]
        for mark, own in self.instead.items():
            if mark in line:
                return own
        host, port = self.service.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as service:
            service.sendall(head + b"\r\n\r\n" + body)
            answer = b"".join(iter(lambda: service.recv(65536), b""))
        mark, most = self.lost
        if mark in line and self.kept < most:
            self.kept += 1
            return b""
        return answer


@contextlib.contextmanager
def relayed(service: str, **how: Any) -> Iterator[Relay]:
    """A relay before a service."""
    relay = Relay(service, **how)
    with _serving(relay.answer) as relay.url:
        yield relay


@contextlib.contextmanager
def _serving(answer: Callable[[socket.socket], bytes]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.sendall(answer(connection))

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
