"""What the live answers of one process share: their places, the reader of events, and the store for small things."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Final

from service.clients import connection_of_request, give_up_when_unanswered
from service.errors import StreamsBusy
from service.fanout import Fanout
from service.listeners import Listener
from service.live_store import LiveStore
from service.metrics import measured
from service.opening import Opened, open_game
from service.places import Places
from service.stopping import STOPPING
from service.streams import humans_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config import Config
    from service.opening import Ports

COMMAND_CONNECTIONS: Final = 4
LOOK_SECONDS: Final = 5.0
"""How often a long poll looks whether its client is still there."""


class Live:
    """Nothing is connected and no thread started before it is needed: it may be made before a fork.

    `rest` is called when nobody has followed anything for a while.
    """

    def __init__(self, config: Config, places: int, rest: Callable[[], None] = lambda: None) -> None:
        self._config = config
        self._rest = rest
        self.places = Places(places)
        self.fanout = Fanout(lambda: measured(LiveStore(config)), lambda: self.commands, self._quiet)

    @cached_property
    def commands(self) -> LiveStore:
        """The store for what is short: tickets, presence, waking the reader."""
        return measured(LiveStore(self._config, COMMAND_CONNECTIONS))

    def _quiet(self) -> None:
        """Nobody follows anything any more: give up the connections that many at once have made necessary."""
        self.commands.rest()
        self._rest()

    def wait(self, ports: Ports, opened: Opened, version: int, seconds: float, is_gone: Callable[[], bool]) -> Opened:
        """The game once its version has passed `version`, or as it is after `seconds`.

        At once when every place is taken, when nobody can be told of events, when the game is over, and while the
        process stops. Raises StoreUnavailable, UnknownGame.
        """
        hosted = opened.hosted
        if hosted.version > version or hosted.game.winner is not None or seconds <= 0 or STOPPING.is_set():
            return opened
        place = self.places.take()
        if place is None:
            return opened
        connection = connection_of_request()
        if connection is not None:
            give_up_when_unanswered(connection)
        listener = Listener(hosted.game_id, opened.viewer)
        try:
            reached = self.fanout.subscribe(listener, hosted.version, humans_of(hosted))
            deadline = time.monotonic() + seconds
            while reached <= version and not is_gone():
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    break
                news = listener.wait(min(remaining, LOOK_SECONDS))
                if news.ending is not None or news.lost:
                    break
                reached = max([reached, *(event.version for event in news.events)])
        except StreamsBusy:
            return opened
        finally:
            self.fanout.unsubscribe(listener)
            place.free()
        return Opened(open_game(ports, hosted.game_id, None).hosted, opened.viewer)
