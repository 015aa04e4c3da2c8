"""How many streams and long polls a process holds open at once."""

from __future__ import annotations

import threading

from service import metrics


class Places:
    """A bounded number of places for answers that last; each is taken once and given back once.

    Streams and long polls share them, so that together they can never take all threads of a worker.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()

    def take(self) -> Place | None:
        """A place, or None: all are taken."""
        with self._lock:
            if not self._free:
                return None
            self._free -= 1
        metrics.streams_open.inc()
        return Place(self)

    def give_back(self) -> None:
        """One place more is free."""
        with self._lock:
            self._free += 1
        metrics.streams_open.dec()

    @property
    def free(self) -> int:
        """How many places are free."""
        return self._free


class Place:
    """A taken place."""

    def __init__(self, places: Places) -> None:
        self._places: Places | None = places
        self._lock = threading.Lock()

    def free(self) -> None:
        """Give it back; a second time does nothing."""
        with self._lock:
            places, self._places = self._places, None
        if places is not None:
            places.give_back()
