"""What the views of one application share: its settings, its store and its search slots."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

from flask import Flask, current_app

from service.clients import client_has_gone
from service.live import Live
from service.metrics import measured
from service.opening import Ports
from service.redis_store import store_of
from service.slots import SearchSlots, Urgency
from service.store import GameStore

if TYPE_CHECKING:
    from service.config import Config

_KEY = "crisps"
EXTRA_FOR_MOVES = 1
SPARED_THREADS = 2
"""Threads that never run or await a search, so that views and people's actions always find one."""


class Services:
    """The settings of an application, its store, and the ports of its use cases; both are made when first asked for.

    So the document can be written, and the application be imported, where there is no store.
    """

    def __init__(self, config: Config, store: GameStore | None = None, *, searches: bool = True) -> None:
        self.config = config
        self.searches = searches
        self._store = store
        self._ports: Ports | None = None
        self.live = Live(config, config.streams_per_worker, self._rest)
        self._lock = threading.Lock()

    @property
    def store(self) -> GameStore:
        """The games' store; a client is safe to make before a fork, it connects on first use."""
        with self._lock:
            return self._connected()

    @property
    def ports(self) -> Ports:
        """What the use cases work with: one per process, for the slots bound the process's searches."""
        if self._ports is None:
            with self._lock:
                if self._ports is None:
                    self._ports = self._new_ports()
        return self._ports

    def _rest(self) -> None:
        self.store.rest()

    def _connected(self) -> GameStore:
        if self._store is None:
            self._store = measured(store_of(self.config))
        return self._store

    def _new_ports(self) -> Ports:
        config = self.config
        slots = SearchSlots(
            config.search_slots,
            queue=longest_queue(config),
            wait_seconds=config.search_wait_seconds,
            for_moves=EXTRA_FOR_MOVES,
        )
        return Ports(
            store=self._connected(),
            slots=slots,
            active_ttl_seconds=config.active_ttl_seconds,
            finished_ttl_seconds=config.finished_ttl_seconds,
            gone=client_has_gone,
        )


def longest_queue(config: Config) -> int:
    """How many searches of either urgency may wait: SEARCH_QUEUE, or less where THREADS are few."""
    waiting = config.threads - SPARED_THREADS - config.search_slots - EXTRA_FOR_MOVES
    return min(config.search_queue, max(0, waiting // len(Urgency)))


def attach(app: Flask, services: Services) -> None:
    """Give an application its services."""
    app.extensions[_KEY] = services


def services() -> Services:
    """The services of the application that answers the current request."""
    return cast("Services", current_app.extensions[_KEY])


def ports() -> Ports:
    """What the use cases of the current request work with."""
    return services().ports


def live() -> Live:
    """What live streams and long polls of the current request's process share."""
    return services().live
