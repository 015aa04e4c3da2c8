"""Those who follow a game live: each has a bounded queue, so that a slow one holds up nobody."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

import orjson

from service.stopping import STOPPING
from service.views import event_json

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.cards import Seat
    from engine.rules import Rules
    from service.hosted import LoggedEvent

MOST_WAITING: Final = 256
"""Events that may wait for a listener; who falls further behind has to come back and catch up."""

Presence: TypeAlias = tuple[bool, bool]
"""By seat whether somebody follows the game there now."""


def presence_of(seats: Collection[int], humans: Collection[int]) -> Presence:
    """Presence where these seats are followed; the computer, on any seat but people's, is always there."""
    first, second = (seat in seats or seat not in humans for seat in (0, 1))
    return (first, second)


class Ending(StrEnum):
    """Why a stream ends that has not told `game_ended`."""

    STOPPING = "stopping"
    TOO_SLOW = "too_slow"
    STORE_UNAVAILABLE = "store_unavailable"
    UNREADABLE = "unreadable"
    GAME_GONE = "game_gone"
    GAME_FINISHED = "game_finished"


class Told:
    """An event on its way to listeners; what each kind of viewer is shown of it is made once for all of them."""

    __slots__ = ("_shown", "logged")

    def __init__(self, logged: LoggedEvent) -> None:
        self.logged = logged
        self._shown: dict[Seat | None, bytes] = {}

    @property
    def version(self) -> int:
        """The game's version after it."""
        return self.logged.version

    def json(self, viewer: Seat | None, rules: Rules) -> bytes:
        """The event as this viewer may know it (R25)."""
        shown = self._shown.get(viewer)
        if shown is None:
            shown = self._shown[viewer] = orjson.dumps(event_json(self.logged, viewer, rules))
        return shown


@dataclass(frozen=True, slots=True)
class News:
    """What a listener has to be told: events in order, then the presence if it was told anew, then perhaps the end.

    `lost` means that the game was set back (the store came back older): start again from a snapshot.
    """

    events: tuple[Told, ...] = ()
    presence: Presence | None = None
    ending: Ending | None = None
    lost: bool = False


class Listener:
    """Somebody who follows a game, as the seat `viewer` or as the public.

    One thread waits, any may tell. A lock serves as the signal that there is news: it is free while there may be some.
    A thousand listeners feel the difference to a condition variable, which makes a lock for each time it is waited for.
    """

    __slots__ = ("_ending", "_events", "_lost", "_presence", "_signal", "game_id", "viewer")

    def __init__(self, game_id: str, viewer: Seat | None) -> None:
        self.game_id = game_id
        self.viewer = viewer
        self._events: deque[Told] = deque()
        self._presence: Presence | None = None
        self._ending: Ending | None = None
        self._lost = False
        self._signal = threading.Lock()

    def tell(self, events: Sequence[Told]) -> None:
        """Queue events; a listener with too many of them is told to end."""
        if len(self._events) + len(events) > MOST_WAITING:
            self._ending = self._ending or Ending.TOO_SLOW
        if self._ending is None:
            self._events.extend(events)
        self.wake()

    def tell_presence(self, presence: Presence) -> None:
        """Queue who is present; only the latest matters."""
        self._presence = presence
        self.wake()

    def lose(self) -> None:
        """What was queued is of a past that is no more."""
        self._events.clear()
        self._lost = True
        self.wake()

    def end(self, ending: Ending) -> None:
        """Tell it to end, after what is queued."""
        self._ending = self._ending or ending
        self.wake()

    def wake(self) -> None:
        """Make it look around."""
        with suppress(RuntimeError):  # it is free already
            self._signal.release()

    def wait(self, seconds: float) -> News:
        """What there is to tell, as soon as there may be something; empty after `seconds`."""
        if not STOPPING.is_set():
            self._signal.acquire(timeout=seconds)
        # What comes from here on frees the signal again; in this order the end is never told before an event.
        ending = self._ending or (Ending.STOPPING if STOPPING.is_set() else None)
        lost, self._lost = self._lost, False
        presence, self._presence = self._presence, None
        return News(self._taken(), presence, ending, lost)

    def _taken(self) -> tuple[Told, ...]:
        # Counting them first would be of no use: whoever loses clears the queue meanwhile.
        events: list[Told] = []
        with suppress(IndexError):
            while len(events) < MOST_WAITING:
                events.append(self._events.popleft())
        return tuple(events)
