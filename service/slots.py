"""A bounded number of searches at once in a process: the computer's due moves go before advice."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Final

from service import metrics
from service.errors import ClientGone, SearchBusy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOK_SECONDS: Final = 0.1
"""How often a search that waits looks whether its client has gone."""
LONGEST_RETRY: Final = 30
_WEIGHT: Final = 0.2  # of the latest search in the average of how long searches take


class Urgency(Enum):
    """Whom a waiting search lets pass: a due move goes before all advice."""

    MOVE = 0
    ADVICE = 1

    @property
    def label(self) -> str:
        """The name metrics know it by."""
        return self.name.lower()


class SearchSlots:
    """`count` searches may run at once; others queue first come, first served within their urgency.

    A search waits at most `wait_seconds`, and at most `queue` of one urgency wait; beyond that SearchBusy, whose
    `retry_after` is how long those before it will take. `for_moves` more may run that are due moves, so that these do
    not have to wait for a long piece of advice.
    """

    def __init__(self, count: int, *, queue: int, wait_seconds: float, for_moves: int = 0) -> None:
        self._free = count
        self._count = count
        self._for_moves = for_moves
        self._queue = queue
        self.wait_seconds = wait_seconds
        self._turn = threading.Condition()
        self._waiting: dict[Urgency, deque[object]] = {urgency: deque() for urgency in Urgency}
        self._usual_seconds = 0.0

    @contextmanager
    def taken(self, urgency: Urgency, gone: Callable[[], bool] | None = None) -> Iterator[None]:
        """Hold a slot. Raises SearchBusy: none became free in time, or too many wait already; ClientGone.

        The latter when `gone`, asked while the search waits, says so.
        """
        self._take(urgency, gone)
        begin = time.monotonic()
        try:
            with metrics.running(urgency.label):
                yield
        finally:
            with self._turn:
                self._free += 1
                self._usual_seconds += _WEIGHT * (time.monotonic() - begin - self._usual_seconds)
                self._turn.notify_all()

    def _take(self, urgency: Urgency, gone: Callable[[], bool] | None) -> None:
        ticket = object()
        line = self._waiting[urgency]
        deadline = time.monotonic() + self.wait_seconds
        with self._turn, metrics.waiting(urgency.label):
            if len(line) >= self._queue and not (self._may_start(urgency) and self._first() is None):
                raise self._busy(urgency, "queue")
            line.append(ticket)
            try:
                while not (self._may_start(urgency) and self._is_next(ticket, urgency)):
                    remaining = deadline - time.monotonic()
                    if remaining <= 0:
                        raise self._busy(urgency, "wait")
                    self._turn.wait(remaining if gone is None else min(remaining, LOOK_SECONDS))
                    self._check(gone, urgency)
                self._free -= 1
            finally:
                line.remove(ticket)
                self._turn.notify_all()

    def _may_start(self, urgency: Urgency) -> bool:
        # below zero the slots for moves are in use
        return self._free > (-self._for_moves if urgency is Urgency.MOVE else 0)

    def _is_next(self, ticket: object, urgency: Urgency) -> bool:
        return self._waiting[urgency][0] is ticket and (urgency is Urgency.MOVE or self._first() is ticket)

    def _first(self) -> object | None:
        return next((line[0] for line in self._waiting.values() if line), None)

    def _check(self, gone: Callable[[], bool] | None, urgency: Urgency) -> None:
        if gone is not None and gone():
            metrics.search_refused(urgency.label, "gone")
            raise ClientGone

    def _busy(self, urgency: Urgency, reason: str) -> SearchBusy:
        metrics.search_refused(urgency.label, reason)
        before = sum(len(line) for line in self._waiting.values())
        seconds = before * self._usual_seconds / self._count
        return SearchBusy(min(max(1, math.ceil(seconds)), LONGEST_RETRY))
