"""A view that waits for a later version."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from service.stopping import STOPPING
from tests.running import eventually

if TYPE_CHECKING:
    from flask import Flask

    from tests.asking import Answer, Api, Table


def places(app: Flask) -> int:
    free: int = app.extensions["crisps"].live.places.free
    return free


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "events"]


def answered(table: Table, query: str, seat: int | None = None) -> Answer:
    return table.api.get(f"{table.path}?{query}", token=table.tokens.get(seat))


def seconds_of(table: Table, query: str, seat: int | None = None) -> tuple[Answer, float]:
    began = time.monotonic()
    return answered(table, query, seat), time.monotonic() - began


@pytest.mark.parametrize("query", ["wait=20&version=1", "wait=20&version=0", "version=7", "wait=0", "wait=0&version=2"])
def test_what_has_passed_already_is_answered_at_once(api: Api, query: str) -> None:
    table = api.table().deal()
    answer, seconds = seconds_of(table, query, 0)
    assert (answer.status_code, answer.json) == (200, table.view(0))
    assert seconds < 10


@pytest.mark.parametrize("query", ["wait=20&version=2", "wait=20"])
def test_the_answer_comes_with_the_version(api: Api, app: Flask, query: str) -> None:
    table, before = api.table().deal(), places(app)
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(seconds_of, table, query, seat) for seat in (0, 1, None)]
        assert eventually(lambda: places(app) == before - 3)
        table.play("5 5")
        for seat, one in zip((0, 1, None), waiting, strict=True):
            answer, seconds = one.result(20)
            assert answer.json == table.view(seat)
            assert answer.headers["ETag"].startswith('"3.')
            assert seconds < 15
    assert places(app) == before


def test_it_waits_for_the_version_asked_for_and_not_for_just_any(api: Api, app: Flask) -> None:
    table, before = api.table().deal(), places(app)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(answered, table, "wait=20&version=3", 0)
        assert eventually(lambda: places(app) == before - 1)
        table.play("5 5")
        time.sleep(0.3)
        assert not waiting.done()
        table.play("6 6")
        assert waiting.result(20).json["version"] == 4


def test_in_vain_it_answers_the_view_as_it_is(api: Api) -> None:
    table = api.table().deal()
    answer, seconds = seconds_of(table, "wait=0.3&version=2")
    assert (answer.status_code, answer.json) == (200, table.view())
    assert seconds >= 0.3


def test_in_vain_a_client_that_has_the_view_is_told_so(api: Api) -> None:
    table = api.table().deal()
    tag = api.get(table.path).headers["ETag"]
    path = f"{table.path}?wait=0.1&version=2"
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 304


def test_a_finished_game_is_not_waited_for(api: Api) -> None:
    table = api.table().deal()
    table.do(0, "resign")
    answer, seconds = seconds_of(table, "wait=20&version=3")
    assert (answer.json["phase"], seconds < 10) == ("finished", True)


def test_without_a_place_it_answers_at_once(api: Api, app: Flask) -> None:
    table = api.table()
    live = app.extensions["crisps"].live
    taken = [live.places.take() for _ in range(places(app))]
    answer, seconds = seconds_of(table, "wait=20&version=1")
    for place in taken:
        place.free()
    assert (answer.json["version"], seconds < 10) == (1, True)


def test_while_the_process_stops_nobody_waits(api: Api, app: Flask) -> None:
    table, before = api.table(), places(app)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(seconds_of, table, "wait=20&version=1")
        assert eventually(lambda: places(app) == before - 1)
        STOPPING.set()
        try:
            assert waiting.result(15)[0].json["version"] == 1
            assert seconds_of(table, "wait=20&version=1")[1] < 10
        finally:
            STOPPING.clear()


def test_a_stream_that_begins_while_the_process_stops_is_told_to_come_back(api: Api, app: Flask) -> None:
    table = api.table()
    ticket = api.post(f"{table.path}/stream-ticket", token=table.tokens[0]).json["ticket"]
    path, accept = f"{table.path}/events?ticket={ticket}", {"Accept": "application/x-ndjson"}
    STOPPING.set()
    try:
        ended = app.test_client().get(path, headers=accept)
    finally:
        STOPPING.clear()
    assert (ended.status_code, ended.get_data()) == (200, b'{"type":"stream_ended","reason":"stopping"}\n')
    assert app.test_client().head(path).status_code == 200  # the ticket is as good as before


BAD_QUERIES = [
    ("wait=-1", "wait"),
    ("wait=x", "wait"),
    ("wait=1&wait=1", "wait"),
    ("version=-1", "version"),
    ("for=1", "for"),
]


@pytest.mark.parametrize(("query", "parameter"), BAD_QUERIES)
def test_a_query_of_another_shape_is_refused(api: Api, query: str, parameter: str) -> None:
    refused = answered(api.table(), query)
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert [error["parameter"] for error in refused.json["errors"]] == [parameter]


def test_many_wait_for_one_reader(api: Api, app: Flask) -> None:
    assert eventually(lambda: not readers())  # of those who waited before
    tables, fanout = [api.table() for _ in range(4)], app.extensions["crisps"].live.fanout
    with ThreadPoolExecutor(40) as pool:
        waiting = [pool.submit(answered, tables[number % 4], "wait=20&version=1") for number in range(40)]
        assert eventually(lambda: sum(len(watch.listeners) for watch in tuple(fanout._watches.values())) == 40)
        (reader,) = readers()
        for table in tables:
            table.deal()
        assert [one.result(20).json["version"] for one in waiting] == [2] * 40
    assert eventually(lambda: not reader.is_alive())
