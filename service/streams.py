"""What one client of a live stream is told, message by message.

    {"type": "snapshot", "version": N, "game": GameView, "presence": [true, false]}
    every event above N, in order, each once
    {"type": "presence", "seat": 1, "online": true}      whenever the other seat comes or goes; not an event, no version
    {"type": "stream_ended", "reason": "stopping"}       the stream ends without game_ended, see Ending

A stream that resumes after a version which the game has reached begins with the events above it instead of a snapshot.
After game_ended a stream ends without another message. One that ends with neither was cut.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Final

from engine.events import GameEnded
from service.errors import StoreUnavailable, UnknownGame
from service.hosted import SeatKind
from service.listeners import Ending, Listener, Presence, Told, presence_of
from service.opening import Opened, open_game
from service.stored_fields import UnknownFormat
from service.stream_formats import dumped
from service.usecases import history
from service.views import game_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.cards import Seat
    from service.fanout import Fanout
    from service.hosted import HostedGame
    from service.opening import Ports
    from service.stream_formats import Format

_log = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS: Final = 5.0
"""Half of what is promised. Before each sign of life it is looked whether the client is gone: one that closed its
connection is seen then; one that vanished when the kernel has given the connection up, see clients.py."""

PAGE: Final = 200


def humans_of(hosted: HostedGame) -> frozenset[int]:
    """The seats of people."""
    return frozenset(number for number, seat in enumerate(hosted.seats) if seat.kind is SeatKind.HUMAN)


def end_of(form: Format, ending: Ending) -> bytes:
    """The last message of a stream that ends without having told `game_ended`."""
    return form.message(dumped({"type": "stream_ended", "reason": ending}))


class Stream:
    """A stream from a game as `opened`, after version `cursor` or, without one, from a snapshot on.

    It is told from the moment it is made; iterating yields bytes in `form`. Whoever made it has to `close` it, however
    far the iteration came. `is_gone` tells whether the client has left.
    """

    def __init__(
        self,
        ports: Ports,
        fanout: Fanout,
        opened: Opened,
        cursor: int | None,
        form: Format,
        is_gone: Callable[[], bool] = lambda: False,
    ) -> None:
        self._ports = ports
        self._fanout = fanout
        self._opened = opened
        self._form = form
        self._is_gone = is_gone
        known = cursor if cursor is not None and 0 <= cursor <= opened.hosted.version else None
        self._resumes = known is not None
        self._last = opened.hosted.version if known is None else known
        self._told_presence: Presence | None = None
        self._humans = humans_of(opened.hosted)
        self._finished = opened.hosted.game.winner is not None
        self._told_end = False
        self._listener = Listener(opened.hosted.game_id, opened.viewer)
        self._target = opened.hosted.version
        if not self._finished:
            position = fanout.subscribe(self._listener, self._target, self._humans)
            self._target = max(position, self._target)

    def close(self) -> None:
        """Follow the game no longer."""
        self._fanout.unsubscribe(self._listener)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._begin()
            written = time.monotonic()
            while not self._finished:
                news = self._listener.wait(KEEP_ALIVE_SECONDS)
                chunk = self._news_of(news.events) if not news.lost else self._snapshot_now()
                if news.presence is not None:
                    chunk += self._presence(news.presence)
                if news.ending is not None and not self._finished:
                    yield chunk + self._end(news.ending)
                    return
                if chunk:
                    yield chunk
                elif time.monotonic() - written < KEEP_ALIVE_SECONDS / 2:
                    continue
                elif self._is_gone():
                    return
                else:
                    yield self._form.keep_alive
                written = time.monotonic()
            yield (b"" if self._told_end else self._end(Ending.GAME_FINISHED)) + self._form.last()
        except StoreUnavailable:
            yield self._end(Ending.STORE_UNAVAILABLE)
        except UnknownGame:
            yield self._end(Ending.GAME_GONE)
        except UnknownFormat as error:
            _log.error("a stream of game %s ends: %s", self._opened.hosted.game_id, error)
            yield self._end(Ending.UNREADABLE)

    def _begin(self) -> Iterator[bytes]:
        hosted = self._opened.hosted
        presence = self._fanout.arrive(hosted.game_id, self._humans) if not self._finished else None
        if not self._resumes:
            yield self._snapshot(hosted, presence)
        yield from self._stored()
        if self._resumes and presence is not None:
            yield self._presence(presence)

    def _stored(self) -> Iterator[bytes]:
        """The events up to the version from which on the listener is told."""
        while self._last < self._target:
            page = history(self._ports, self._opened, self._last, min(PAGE, self._target - self._last))
            if not page.events:  # the store came back older than it was
                yield self._snapshot_now()
                return
            yield self._news_of(tuple(Told(logged) for logged in page.events))

    def _news_of(self, events: tuple[Told, ...]) -> bytes:
        """The messages of those events that this client does not have yet."""
        chunk, viewer, rules = b"", self._opened.viewer, self._opened.hosted.game.rules
        for event in events:
            if event.version <= self._last:
                continue
            if event.version != self._last + 1:  # never a silent gap
                return chunk + self._snapshot_now()
            chunk += self._form.message(event.json(viewer, rules), event.version)
            self._last = event.version
            self._finished = self._told_end = isinstance(event.logged.event, GameEnded)
        return chunk

    def _snapshot_now(self) -> bytes:
        """Raises StoreUnavailable, UnknownGame."""
        hosted = open_game(self._ports, self._opened.hosted.game_id, None).hosted
        return self._snapshot(hosted, self._told_presence)

    def _snapshot(self, hosted: HostedGame, presence: Presence | None) -> bytes:
        self._last = hosted.version
        self._finished = hosted.game.winner is not None
        self._told_presence = presence
        message: dict[str, Any] = {
            "type": "snapshot",
            "version": hosted.version,
            "game": game_json(hosted, self._opened.viewer),
            "presence": presence or presence_of((), self._humans),
        }
        return self._form.message(dumped(message), hosted.version)

    def _presence(self, presence: Presence) -> bytes:
        """A message for each other seat that is there or not there anew."""
        before, self._told_presence = self._told_presence, presence
        seats: tuple[Seat, Seat] = (0, 1)
        changed = [
            seat for seat in seats if seat != self._opened.viewer and (before is None or before[seat] != presence[seat])
        ]
        messages = [{"type": "presence", "seat": seat, "online": presence[seat]} for seat in changed]
        return b"".join(self._form.message(dumped(message)) for message in messages)

    def _end(self, ending: Ending) -> bytes:
        return end_of(self._form, ending)
