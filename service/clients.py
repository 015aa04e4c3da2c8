"""Whether the client of the current request still waits for its answer, and an end to one that has vanished."""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from typing import Final

from flask import has_request_context, request

UNANSWERED_SECONDS: Final = 20.0
"""How long what was sent to a client may stay unacknowledged."""

_PEEK = 1
# Linux tells of a peer that has closed its side even while bytes of it are still unread.
_HUNG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR | select.POLLNVAL


def client_has_gone() -> bool:
    """Whether the client has closed its connection; False where the server does not tell which that is.

    A client that has only closed its sending side counts as gone: no HTTP client does that and waits on.
    """
    connection = connection_of_request()
    return connection is not None and is_closed(connection)


def connection_of_request() -> socket.socket | None:
    """The connection that the current request came over; None where there is none, or the server does not tell it."""
    connection = request.environ.get("gunicorn.socket") if has_request_context() else None
    return connection if isinstance(connection, socket.socket) else None


def give_up_when_unanswered(connection: socket.socket) -> None:
    """Let the kernel close a connection to a client that has vanished without a word, its power or its network gone.

    It would go on sending for some 15 minutes, and all that while the connection looks as if somebody were there. Does
    nothing where there is no such option, or no TCP. Source: RFC 5482; tcp(7), TCP_USER_TIMEOUT.
    """
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError):  # it is closed already
            connection.setsockopt(socket.IPPROTO_TCP, option, int(1000 * UNANSWERED_SECONDS))


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side of a connection has closed it; takes some microseconds and reads nothing."""
    try:
        poll = select.poll()
        poll.register(connection, select.POLLIN | getattr(select, "POLLRDHUP", 0))
        ready = poll.poll(0)
        if not ready:
            return False
        if ready[0][1] & _HUNG_UP:
            return True
        return not connection.recv(_PEEK, socket.MSG_PEEK)
    except (OSError, ValueError):  # reset, or closed on our side
        return True
