"""Clients that send bytes rather than requests: in part, slowly, or wrong ones."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from tests.running import RunningService

WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATIENCE = 60.0


@dataclass(frozen=True)
class Raw:
    """An answer: its status, header fields by names in small letters, and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def connect(service: RunningService) -> socket.socket:
    """A connection, whose calls end in a generous time."""
    where = urlsplit(service.url)
    return socket.create_connection((where.hostname or "", where.port or 0), timeout=PATIENCE)


def answer_on(connection: socket.socket) -> Raw:
    """The next answer; its body ends where Content-Length says. An EOFError if the connection ends before."""
    stream = connection.makefile("rb", buffering=0)
    status = int(_line(stream).split()[1])
    headers = {}
    while line := _line(stream):
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    body = b""
    while len(body) < int(headers["content-length"]):
        body += stream.read(int(headers["content-length"]) - len(body)) or b""
    return Raw(status, headers, body)


def _line(stream: Any) -> str:
    line: bytes = stream.readline()
    if not line:
        raise EOFError
    return line.decode().rstrip("\r\n")


def ends(connection: socket.socket) -> bool:
    """Whether the other side closes the connection, without another byte, in a generous time."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def answer_to(service: RunningService, sent: bytes) -> Raw:
    """The answer to some bytes on a connection of their own."""
    with connect(service) as connection:
        connection.sendall(sent)
        return answer_on(connection)
