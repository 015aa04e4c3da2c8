"""How long a client may take to send a request, head and body together, however it drips; and to take the answer."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from gunicorn.http.errors import ParseException
from gunicorn.http.unreader import SocketUnreader

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from gunicorn.http.parser import Parser

    from service.config import Config


class RequestTimedOut(ParseException):
    """The request did not arrive in time. Not an OSError, which would count as the client's going away."""


def answer_seconds(config: Config) -> float:
    """How long a client may take to take an answer, or what is left of it that the kernel does not hold."""
    return 4 * config.request_timeout_seconds


class Timed(Protocol):
    """What of a socket has to do with time; gevent's sockets are no subclass of Python's."""

    def gettimeout(self) -> float | None:
        """How long a call may take; None: for ever."""

    def settimeout(self, value: float | None, /) -> None:
        """Bound calls from here on."""


@contextmanager
def in_time(connection: Timed, deadline: float) -> Iterator[None]:
    """Let a read take until a moment of time.monotonic() at most. Raises RequestTimedOut.

    A shorter timeout that the connection has already goes on to hold, and raises TimeoutError as before.
    """
    before = connection.gettimeout()
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise RequestTimedOut
    shorter = before is not None and before < remaining
    connection.settimeout(before if shorter else remaining)
    try:
        yield
    except TimeoutError:
        if shorter:
            raise
        raise RequestTimedOut from None
    finally:
        connection.settimeout(before)


class HurriedUnreader(SocketUnreader):
    """What a parser reads a connection by: until `deadline`, which is to be set for each request."""

    deadline = 0.0

    def __init__(self, connection: socket.socket, parser: Parser) -> None:
        super().__init__(connection)
        self._parser = parser

    def chunk(self, size_hint: int | None = None) -> bytes:
        """The next bytes. Raises RequestTimedOut; the answer then says that the connection closes."""
        try:
            with in_time(self.sock, self.deadline):
                return super().chunk(size_hint)  # type: ignore[call-arg] # the stubs are of an older gunicorn
        except RequestTimedOut:
            if self._parser.mesg:
                self._parser.mesg.force_close()
            raise
