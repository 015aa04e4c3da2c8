"""Places and tickets for streams: taken once, given back once."""

from __future__ import annotations

import socket
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from service import tickets
from service.errors import InvalidToken, StoreUnavailable
from service.live import Live
from service.places import Places
from service.stream_formats import NDJSON
from tests.asking import Table
from tests.running import eventually, store_config
from tests.service.test_metrics import Grown
from tests.stored import raw

if TYPE_CHECKING:
    from flask import Flask

    from service.embedded import EmbeddedStore
    from tests.service.heard import Followed


def test_a_stream_that_is_never_read_gives_its_place_back(app: Flask, table: Table, live: Live) -> None:
    free = live.places.free
    for headers in ({}, {"Accept": NDJSON}):
        answer = app.test_client().get(f"{table.path}/events", headers=headers, buffered=False)
        assert (answer.status_code, live.places.free) == (200, free - 1)
        answer.close()
        assert live.places.free == free
    assert eventually(lambda: not live.fanout._watches)


@pytest.mark.skipif(sys.platform != "linux", reason="not every system has the option")
@pytest.mark.parametrize("query", ["/events", "?wait=0.1&version=2"])
def test_an_answer_that_lasts_holds_its_place_for_no_client_that_has_vanished(
    app: Flask, table: Table, query: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            answer = app.test_client().get(
                f"{table.path}{query}", environ_overrides={"gunicorn.socket": connection}, buffered=False
            )
            answer.close()
            assert answer.status_code == 200
            assert 0 < connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 20_000


def test_a_ticket_that_is_refused_takes_no_place(app: Flask, table: Table, live: Live) -> None:
    free = live.places.free
    assert app.test_client().get(f"{table.path}/events?ticket=x").status_code == 401
    assert live.places.free == free


def test_a_place_is_given_back_once() -> None:
    places = Places(1)
    place = places.take()
    assert place is not None
    assert places.take() is None
    place.free()
    place.free()
    assert places.free == 1


def test_the_store_has_only_a_tickets_hash_and_not_for_long(valkey: EmbeddedStore, table: Table, live: Live) -> None:
    ticket = tickets.issue(live.commands, table.game_id, 1)
    client = raw(valkey)
    (key,) = client.keys(f"crisps:{{{table.game_id}}}:ticket:*")
    assert ticket not in key.decode()
    assert 0 < client.ttl(key) <= tickets.TICKET_SECONDS
    assert tickets.redeem(live.commands, table.game_id, ticket, use_up=False) == 1
    assert tickets.redeem(live.commands, table.game_id, ticket) == 1
    with pytest.raises(InvalidToken):
        tickets.redeem(live.commands, table.game_id, ticket)


def test_of_many_who_show_a_ticket_one_gets_in(table: Table, live: Live) -> None:
    ticket = tickets.issue(live.commands, table.game_id, None)
    results: list[bool] = []

    def show() -> None:
        try:
            tickets.redeem(live.commands, table.game_id, ticket)
        except InvalidToken:
            results.append(False)
        else:
            results.append(True)

    threads = [threading.Thread(target=show) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(results) == [False] * 19 + [True]


def test_what_the_store_is_asked_for_streams_is_counted(valkey: EmbeddedStore) -> None:
    grown, live = Grown(), Live(store_config(valkey.url), 1)
    live.commands.open()
    assert isinstance(live.commands.connection_id, int)
    live.commands.keep("crisps:{kept}:x", b"1", 1)
    nowhere = Live(store_config("unix:///nowhere/at/all"), 1)
    with pytest.raises(StoreUnavailable):
        nowhere.commands.keep("crisps:{kept}:x", b"1", 1)
    assert grown("crisps_store_calls_total", operation="keep") == 2
    assert grown("crisps_store_failures_total", operation="keep") == 1


def test_the_calls_of_the_reader_are_counted_too(table: Table, followed: Followed) -> None:
    grown = Grown()
    assert followed.follow(table).has(2)
    assert eventually(lambda: grown("crisps_store_calls_total", operation="read") > 0)
