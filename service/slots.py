"""A bounded number of searches at once in a process: the computer's due moves go before advice."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from service.errors import SearchBusy

if TYPE_CHECKING:
    from collections.abc import Iterator


class Urgency(Enum):
    """Whom a waiting search lets pass: a due move goes before all advice."""

    MOVE = 0
    ADVICE = 1


class SearchSlots:
    """`count` searches may run at once; others queue first come, first served within their urgency.

    A search waits at most `wait_seconds`, and at most `queue` of one urgency wait; beyond that SearchBusy.
    """

    def __init__(self, count: int, *, queue: int, wait_seconds: float) -> None:
        self._free = count
        self._queue = queue
        self._wait_seconds = wait_seconds
        self._turn = threading.Condition()
        self._waiting: dict[Urgency, deque[object]] = {urgency: deque() for urgency in Urgency}

    @contextmanager
    def taken(self, urgency: Urgency) -> Iterator[None]:
        """Hold a slot. Raises SearchBusy: none became free in time, or too many wait already."""
        self._take(urgency)
        try:
            yield
        finally:
            with self._turn:
                self._free += 1
                self._turn.notify_all()

    def _take(self, urgency: Urgency) -> None:
        ticket = object()
        line = self._waiting[urgency]
        deadline = time.monotonic() + self._wait_seconds
        with self._turn:
            if len(line) >= self._queue:
                raise SearchBusy
            line.append(ticket)
            try:
                while not (self._free and self._first() is ticket):
                    remaining = deadline - time.monotonic()
                    if remaining <= 0:
                        raise SearchBusy
                    self._turn.wait(remaining)
                self._free -= 1
            finally:
                line.remove(ticket)
                self._turn.notify_all()

    def _first(self) -> object | None:
        return next((line[0] for line in self._waiting.values() if line), None)
