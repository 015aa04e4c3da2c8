"""Streams of an application of its own, each iterated over in the background; fixtures for the tests of streams."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from service.app import create_app
from service.listeners import Ending
from service.live import Live
from service.opening import open_game
from service.stream_formats import FORMATS, NDJSON
from service.streams import Stream
from tests.asking import Api, Table
from tests.running import eventually, store_config
from tests.stored import raw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from service.embedded import EmbeddedStore
    from service.opening import Opened, Ports

Json = dict[str, Any]
FORM = FORMATS[NDJSON]


@pytest.fixture
def app(valkey: EmbeddedStore) -> Flask:
    """An application of its own: nobody else follows anything in it."""
    return create_app(store_config(valkey.url))


@pytest.fixture
def table(app: Flask) -> Table:
    return Api(app).table().deal()


@pytest.fixture
def ports(app: Flask) -> Ports:
    found: Ports = app.extensions["crisps"].ports
    return found


@pytest.fixture
def live(app: Flask) -> Live:
    found: Live = app.extensions["crisps"].live
    return found


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "events"]


def waiting_in(valkey: EmbeddedStore) -> list[Json]:
    """The connections of a store that wait for events."""
    # "cmd" is the latest command, answered or not; the flag b says that it blocks
    return [one for one in raw(valkey).client_list() if one["cmd"] == "xread" and "b" in one["flags"]]


def cut_readers(valkey: EmbeddedStore) -> None:
    assert eventually(lambda: bool(waiting_in(valkey)))
    for one in waiting_in(valkey):
        raw(valkey).client_kill_filter(_id=one["id"])


class Heard(threading.Thread):
    """Iterates over a stream in the background and keeps its messages."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(daemon=True)
        self.stream = stream
        self.messages: list[Json] = []
        self.start()

    def run(self) -> None:
        for chunk in self.stream:
            self.messages += [orjson.loads(line) for line in chunk.splitlines() if line]

    def types(self) -> list[str]:
        return [message["type"] for message in self.messages if message["type"] != "presence"]

    def versions(self) -> list[int]:
        return [message["version"] for message in self.messages if "version" in message]

    def has(self, *versions: int) -> bool:
        return eventually(lambda: self.versions() == list(versions))


class Followed:
    """Streams of a table, all closed in the end."""

    def __init__(self, ports: Ports, live: Live) -> None:
        self.ports, self.live = ports, live
        self.all: list[Heard] = []

    def opened(self, table: Table, seat: int | None = None) -> Opened:
        return open_game(self.ports, table.game_id, table.tokens.get(seat))

    def follow(
        self, table: Table, seat: int | None = None, cursor: int | None = None, opened: Opened | None = None
    ) -> Heard:
        opened = opened or self.opened(table, seat)
        told = Heard(Stream(self.ports, self.live.fanout, opened, cursor, FORM))
        self.all.append(told)
        return told


@pytest.fixture
def followed(ports: Ports, live: Live) -> Iterator[Followed]:
    found = Followed(ports, live)
    yield found
    for told in found.all:
        told.stream.close()
        told.stream._listener.end(Ending.STOPPING)
    for told in found.all:
        told.join(20)
        assert not told.is_alive()
