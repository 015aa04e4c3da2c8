"""One reader of events for each process, who waits in the store for those of all games followed here and tells them on.

The stored events are the truth. A listener subscribes at the version it knows, is answered up to which version the
reader has read already, fetches what lies between from the store, and is told everything above: there is no gap. The
reader starts with the first listener and ends, its connection with it, after the last. While the store is away it tries
again; should the store come back older than it was, or a game be gone or unreadable, those who follow are told so.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from typing import TYPE_CHECKING, Final

from service.errors import StoreUnavailable, StreamsBusy
from service.listeners import Ending, presence_of
from service.stopping import STOPPING
from service.watches import Watch, decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.listeners import Listener, Presence
    from service.live_store import LiveStore

_log = logging.getLogger(__name__)

PRESENCE_SECONDS: Final = 3.0
"""How often the reader tells the store who is present here, and asks who is present elsewhere."""

CHECK_SECONDS: Final = 60.0
"""How often it asks whether the games are still there."""

LINGER_SECONDS: Final = 2.0
"""How long the reader stays when nobody follows anything: a client often comes back at once."""

RETRY_SECONDS: Final = 0.25
PAUSE_SECONDS: Final = 0.002
PAUSE_SECONDS_EACH: Final = 0.000_01
"""After each read it rests a little, more with more games: what happens meanwhile comes in one answer."""

WAKE_ATTEMPTS: Final = 10
WAKE_SECONDS: Final = 0.003


class Fanout:
    """The games followed in this process.

    `new_store` opens the reader's connection, `commands` is another one, `quiet` is called when the reader is over.
    """

    def __init__(
        self,
        new_store: Callable[[], LiveStore],
        commands: Callable[[], LiveStore],
        quiet: Callable[[], None] = lambda: None,
    ) -> None:
        self._quiet = quiet
        self._new_store = new_store
        self._commands = commands
        self._lock = threading.Lock()
        self._watches: dict[str, Watch] = {}
        self._reader: threading.Thread | None = None
        self._waiting: int | None = None  # the reader's connection while it may wait in the store
        self._news = 0  # counts the games that the reader has to take in
        self._process = ""  # drawn by each process for itself: this may be before a fork

    def subscribe(self, listener: Listener, version: int, humans: frozenset[int]) -> int:
        """Tell a listener everything that happens from now on; the version above which it is told.

        `version` is one that the game has reached for certain; `humans` are the seats of people. Raises StreamsBusy
        when no reader can be started: then it is told nothing.
        """
        with self._lock:
            watch = self._watches.get(listener.game_id)
            new = watch is None
            if watch is None:
                watch = self._watches[listener.game_id] = Watch(version, humans)
                self._news += 1
            watch.listeners.add(listener)
            position = watch.position
            try:
                self._ensure_reader()
            except RuntimeError as error:  # the process may have no more threads
                self._drop(listener)
                raise StreamsBusy from error
        if new:
            self._wake()
        return position

    def unsubscribe(self, listener: Listener) -> None:
        """Tell it nothing more."""
        with self._lock:
            self._drop(listener)

    def _drop(self, listener: Listener) -> None:
        watch = self._watches.get(listener.game_id)
        if watch is None:
            return
        watch.listeners.discard(listener)
        if not watch.listeners:
            del self._watches[listener.game_id]

    def arrive(self, game_id: str, humans: frozenset[int]) -> Presence:
        """Who is present in a game that is followed here, those included who follow it here since now."""
        with self._lock:
            watch = self._watches.get(game_id)
            if watch is None:
                return presence_of((), humans)
            vouched = {game_id: watch.vouched(self._process)}
        try:
            present = self._commands().present(vouched)
        except StoreUnavailable as error:
            _log.warning("presence is not known now: %s", error)
            present = {game_id: {seat for seat, there in enumerate(watch.presence) if there}}
        self._take_presence(present)
        return watch.presence

    # ---------------------------------------------------------------- the reader's thread

    def _ensure_reader(self) -> None:
        """Raises RuntimeError: there is none, and none can be started."""
        if self._reader is not None:
            return
        self._process = secrets.token_hex(6)
        reader = threading.Thread(target=self._run, name="events", daemon=True)
        reader.start()
        self._reader = reader

    def _run(self) -> None:
        while True:
            try:
                self._read_with(self._new_store())
            except StoreUnavailable as error:
                _log.warning("live streams wait for the store: %s", error)
            except Exception:  # noqa: BLE001
                # Whatever it was, the reader begins again from the versions it has told.
                _log.exception("the reader of events failed")
            else:
                self._quiet()
                return
            if STOPPING.is_set():
                self._wake_listeners()
            if self._is_over():
                return
            time.sleep(RETRY_SECONDS)

    def _read_with(self, store: LiveStore) -> None:
        try:
            self._read_on(store)
        finally:
            self._waits_no_more(store)
            store.close()

    def _read_on(self, store: LiveStore) -> None:
        """Read until nobody follows anything. Raises StoreUnavailable."""
        store.open()
        presence_due = check_due = last_followed = time.monotonic()
        while True:
            now = time.monotonic()
            if now >= check_due:  # also after every interruption
                check_due = now + CHECK_SECONDS
                self._check_games(store)
            if now >= presence_due:
                presence_due = now + PRESENCE_SECONDS
                self._renew_presence(store)
            positions = self._positions(store)
            if not positions:
                if now - last_followed > LINGER_SECONDS and self._is_over():
                    return
                time.sleep(LINGER_SECONDS / 100)
                continue
            last_followed = now
            found = store.read(positions)
            self._waits_no_more(store)
            self._deliver(found, positions)
            if STOPPING.is_set():
                self._wake_listeners()
            if found:
                time.sleep(PAUSE_SECONDS + PAUSE_SECONDS_EACH * len(positions))

    def _positions(self, store: LiveStore) -> dict[str, int]:
        """Where to read on."""
        with self._lock:
            self._news = 0
            self._waiting = store.connection_id
            return {game_id: watch.position for game_id, watch in self._watches.items()}

    def _waits_no_more(self, store: LiveStore) -> None:
        with self._lock:
            # A reader that is over may still be closing its connection while the next one waits on another.
            if self._waiting == store.connection_id:
                self._waiting = None

    def _is_over(self) -> bool:
        with self._lock:
            if self._watches:
                return False
            self._reader = None
            return True

    def _deliver(self, found: dict[str, list[tuple[int, bytes]]], positions: dict[str, int]) -> None:
        for game_id, entries in found.items():
            events, failure = decoded(entries)
            with self._lock:
                watch = self._watches.get(game_id)
                # If it was left and followed anew while this was read, the next read begins where that is.
                if watch is None or watch.position != positions[game_id]:
                    continue
                if failure is not None:
                    del self._watches[game_id]  # it would be read again and again
                if events:
                    watch.tell(events)
                if failure is not None:
                    for listener in watch.listeners:
                        listener.end(Ending.UNREADABLE)
            if failure is not None:
                _log.error("streams of game %s end after version %d: %s", game_id, watch.position, failure)

    def _check_games(self, store: LiveStore) -> None:
        """Find the games that are gone, and those that a store without its latest writes has set back."""
        with self._lock:
            known = {game_id: watch.position for game_id, watch in self._watches.items()}
        for game_id, version in store.versions(list(known)).items():
            with self._lock:
                watch = self._watches.get(game_id)
                if watch is None:
                    continue
                listeners = tuple(watch.listeners)
                if version is not None and version < known[game_id]:
                    watch.position = version
            if version is None:
                for listener in listeners:
                    listener.end(Ending.GAME_GONE)
            elif version < known[game_id]:
                for listener in listeners:
                    listener.lose()

    def _renew_presence(self, store: LiveStore) -> None:
        with self._lock:
            vouched = {game_id: watch.vouched(self._process) for game_id, watch in self._watches.items()}
        self._take_presence(store.present(vouched))

    def _take_presence(self, present: dict[str, set[int]]) -> None:
        for game_id, seats in present.items():
            with self._lock:
                watch = self._watches.get(game_id)
                if watch is not None:
                    watch.take_presence(seats)

    def _wake_listeners(self) -> None:
        with self._lock:
            listeners = [listener for watch in self._watches.values() for listener in watch.listeners]
        for listener in listeners:
            listener.wake()

    def _wake(self) -> None:
        """Let the reader take in a new game now; if that fails it does when its read ends by itself."""
        for _ in range(WAKE_ATTEMPTS):
            waiting = self._waiting
            if not self._news:
                return
            try:
                if waiting is not None and self._commands().wake(waiting):
                    return
            except StoreUnavailable:
                return
            time.sleep(WAKE_SECONDS)  # it is about to wait, or busy with what it has read
