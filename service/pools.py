"""What redis-py's pools of connections cannot do."""

from __future__ import annotations

import queue
from contextlib import suppress
from typing import Any


def close_idle(pool: Any) -> None:  # noqa: ANN401 - what it holds is untyped
    """Close a BlockingConnectionPool's connections that are not in use.

    They are taken out first, so that nobody gets one meanwhile.
    """
    idle: list[Any] = []
    with suppress(queue.Empty):
        while True:
            idle.append(pool.pool.get_nowait())
    for connection in idle:
        if connection is not None:  # a place where no connection was made yet
            connection.disconnect()
    for connection in reversed(idle):
        pool.pool.put_nowait(connection)
