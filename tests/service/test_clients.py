"""A client that has closed its connection is seen, and one that only says nothing is not mistaken for it."""

from __future__ import annotations

import socket
import struct
import sys
from typing import TYPE_CHECKING

import pytest
from flask import Flask

from service.clients import UNANSWERED_SECONDS, client_has_gone, give_up_when_unanswered, is_closed
from service.config import Config
from service.wiring import longest_queue
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture(name="pair")
def _pair() -> Iterator[Pair]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
        with client, server:
            yield client, server


def test_a_silent_client_is_there(pair: Pair) -> None:
    assert not is_closed(pair[1])


def test_a_client_that_sends_more_is_there_and_nothing_of_it_is_lost(pair: Pair) -> None:
    client, server = pair
    client.sendall(b"GET")
    assert not any(is_closed(server) for _ in range(3))
    assert server.recv(10) == b"GET"


def test_a_client_that_closed_has_gone(pair: Pair) -> None:
    pair[0].close()
    assert eventually(lambda: is_closed(pair[1]))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of it")
def test_a_client_that_closed_behind_what_it_sent_has_gone(pair: Pair) -> None:
    pair[0].sendall(b"GET")
    pair[0].close()
    assert eventually(lambda: is_closed(pair[1]))


def test_a_client_that_was_cut_off_has_gone(pair: Pair) -> None:
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    pair[0].close()  # resets
    assert eventually(lambda: is_closed(pair[1]))


def test_a_connection_closed_on_our_side_counts_as_gone(pair: Pair) -> None:
    pair[1].close()
    assert is_closed(pair[1])


def test_the_current_requests_connection_is_looked_at(pair: Pair) -> None:
    app = Flask("asking")
    assert not client_has_gone()
    with app.test_request_context():
        assert not client_has_gone()  # this server does not tell
    with app.test_request_context(environ_overrides={"gunicorn.socket": pair[1]}):
        assert not client_has_gone()
        pair[0].close()
        assert eventually(client_has_gone)


@pytest.mark.skipif(sys.platform != "linux", reason="not every system has the option")
def test_the_kernel_gives_up_a_client_that_acknowledges_nothing(pair: Pair) -> None:
    give_up_when_unanswered(pair[1])
    assert pair[1].getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 1000 * UNANSWERED_SECONDS


def test_a_connection_that_is_no_tcp_or_closed_is_left_as_it_is(pair: Pair) -> None:
    first, second = socket.socketpair()
    with first, second:
        give_up_when_unanswered(first)
        assert not is_closed(first)
    pair[1].close()
    give_up_when_unanswered(pair[1])
    assert is_closed(pair[1])


@pytest.mark.parametrize(
    ("threads", "slots", "asked", "longest"),
    [(16, 1, 6, 6), (16, 1, 100, 6), (16, 4, 100, 4), (64, 1, 100, 30), (2, 1, 6, 0), (16, 64, 6, 0), (16, 1, 2, 2)],
)
def test_searches_never_take_all_threads(threads: int, slots: int, asked: int, longest: int) -> None:
    config = Config(threads=threads, search_slots=slots, search_queue=asked)
    assert longest_queue(config) == longest
    assert longest == 0 or slots + 1 + 2 * longest <= threads - 2
