"""The one reader of events when things go wrong around it: nobody is forgotten, nothing is left, nothing flickers."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from service import live_store
from service.fanout import Fanout
from service.listeners import Ending, Listener, Told
from service.live_store import LiveStore
from service.usecases import history
from tests.asking import PEOPLE, Api, Table
from tests.running import eventually, store_config
from tests.service.heard import Followed, cut_readers, readers, waiting_in
from tests.stored import raw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask import Flask

    from service.embedded import EmbeddedStore
    from service.live import Live

Json = dict[str, Any]

UNREADABLE = {"type": "stream_ended", "reason": "unreadable"}
AGAINST_AI = [PEOPLE[0], {"kind": "ai", "level": 1}]


def events_key(table: Table) -> str:
    return f"crisps:{{{table.game_id}}}:events"


@pytest.mark.parametrize("bad", [{"e": b'{"format":99}'}, {"e": b"{"}, {"other": b"1"}])
def test_an_event_that_cannot_be_read_ends_the_streams_of_its_game_only(
    valkey: EmbeddedStore,
    app: Flask,
    followed: Followed,
    caplog: pytest.LogCaptureFixture,
    bad: dict[str, bytes],
) -> None:
    broken, twin, healthy = (Api(app).table().deal() for _ in range(3))
    told, well = [followed.follow(broken, seat) for seat in (0, 1, None)], followed.follow(healthy)
    assert all(one.has(2) for one in (*told, well))
    twin.play("5 5")
    ((_, good),) = raw(valkey).xrange(events_key(twin), "3-0")
    with caplog.at_level(logging.ERROR), raw(valkey).pipeline() as together:
        together.xadd(events_key(broken), good, "3-0")
        together.xadd(events_key(broken), bad, "4-0")
        together.execute()
        for one in told:
            one.join(20)
            assert (one.versions(), one.messages[-1]) == ([2, 3], UNREADABLE)
        healthy.play("5 5", "6 6")
        assert well.has(2, 3, 4)
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_a_stream_that_would_catch_up_on_an_unreadable_event_says_so(
    valkey: EmbeddedStore, table: Table, followed: Followed
) -> None:
    table.play("5 5")
    client, key = raw(valkey), events_key(table)
    entries = client.xrange(key)
    client.delete(key)
    for identity, fields in entries:
        client.xadd(key, {"e": b"?"} if identity == b"2-0" else fields, identity)
    told = followed.follow(table, None, 0)
    told.join(20)
    assert told.messages == [UNREADABLE]


def test_a_reader_that_cannot_start_leaves_nothing_and_the_next_one_can(
    monkeypatch: pytest.MonkeyPatch, app: Flask, table: Table, live: Live, followed: Followed
) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "events":
            raise RuntimeError("can't start new thread")
        start(thread)

    free = live.places.free
    with monkeypatch.context() as refusing:
        refusing.setattr(threading.Thread, "start", refuse)
        refused = table.api.get(f"{table.path}/events")
        assert (refused.status_code, refused.json["code"]) == (503, "streams_busy")
        assert table.api.get(f"{table.path}?wait=20&version=2").json["version"] == 2
    assert (live.places.free, live.fanout._watches) == (free, {})
    told = followed.follow(table)
    assert told.has(2)
    table.play("5 5")
    assert told.has(2, 3)


def test_a_listener_that_loses_while_it_looks_just_goes_on(table: Table, followed: Followed) -> None:
    first = Told(history(followed.ports, followed.opened(table), 0, 1).events[0])
    listener = Listener(table.game_id, None)

    class SetBackMeanwhile(deque[Told]):
        def popleft(self) -> Told:
            event = super().popleft()
            listener.lose()  # as another thread does, at any moment
            return event

    listener._events = SetBackMeanwhile()
    listener.tell([first] * 5)
    news = listener.wait(0)
    assert (news.events, news.lost) == ((first,), False)
    news = listener.wait(0)
    assert (news.events, news.lost) == ((), True)


class LateStore(LiveStore):
    """A store whose answers to the reader, who asks it about presence, can be held up."""

    late = threading.Event()
    asked = threading.Semaphore(0)
    go_on = threading.Semaphore(0)

    def present(self, vouched: Mapping[str, Sequence[str]]) -> dict[str, set[int]]:
        answer = super().present(vouched)
        if vouched and self.late.is_set():
            self.asked.release()
            assert self.go_on.acquire(timeout=20)
        return answer


def test_an_older_answer_about_presence_takes_nobody_away(table: Table, followed: Followed) -> None:
    config = followed.live._config
    fanout = followed.live.fanout = Fanout(lambda: LateStore(config), lambda: LiveStore(config))
    first = followed.follow(table, 0)
    assert first.has(2)
    LateStore.late.set()
    try:
        assert LateStore.asked.acquire(timeout=20)  # the reader's answer, without seat 1, is under way
        assert followed.follow(table, 1).has(2)
        came = {"type": "presence", "seat": 1, "online": True}
        assert eventually(lambda: first.messages[1:] == [came])
        LateStore.go_on.release()
        assert LateStore.asked.acquire(timeout=20)  # it was taken in: the reader asks again
        assert fanout._watches[table.game_id].presence == (True, True)
    finally:
        LateStore.late.clear()
        LateStore.go_on.release(2)
    assert first.messages[1:] == [came]


@pytest.mark.parametrize("seat", [0, None])
def test_where_presence_cannot_be_asked_for_the_computer_and_those_who_are_here_are_there(
    app: Flask, followed: Followed, seat: int | None
) -> None:
    nowhere = store_config("unix:///nowhere/at/all")
    followed.live.fanout = Fanout(lambda: LiveStore(nowhere), lambda: LiveStore(nowhere))
    told = followed.follow(Api(app).table(seats=AGAINST_AI), seat)
    assert told.has(1)
    assert told.messages[0]["presence"] == [seat == 0, True]


def test_in_a_finished_game_the_computer_is_still_there(app: Flask, followed: Followed) -> None:
    table = Api(app).table(seats=AGAINST_AI)
    table.do(0, "resign")
    told = followed.follow(table)
    told.join(20)
    assert told.messages[0]["presence"] == [False, True]


def test_a_closed_store_has_no_connections_left(valkey: EmbeddedStore) -> None:
    store = LiveStore(store_config(valkey.url), 2)
    store.open()
    mine = str(store.connection_id)
    assert mine in {one["id"] for one in raw(valkey).client_list()}
    store.close()
    assert eventually(lambda: mine not in {one["id"] for one in raw(valkey).client_list()})


def test_a_process_vouches_under_a_name_that_it_draws_when_it_starts_to_read(
    valkey: EmbeddedStore, table: Table, followed: Followed
) -> None:
    """What is drawn before, all processes forked from this one would have in common."""
    key, names = f"crisps:{{{table.game_id}}}:present", set()
    for _ in range(2):
        assert eventually(lambda: not readers())
        raw(valkey).delete(key)
        told = followed.follow(table, 0)
        assert told.has(2)
        names.update(raw(valkey).zrange(key, 0, -1))
        told.stream.close()
    assert len(names) == 2


def test_a_reader_that_is_over_does_not_hide_the_next_one(
    monkeypatch: pytest.MonkeyPatch, app: Flask, valkey: EmbeddedStore, table: Table, followed: Followed
) -> None:
    fanout, leaving, leave = followed.live.fanout, threading.Event(), threading.Event()
    is_over = fanout._is_over

    def is_over_and_takes_its_time() -> bool:
        over = is_over()
        if over:
            leaving.set()
            assert leave.wait(20)
        return over

    monkeypatch.setattr(fanout, "_is_over", is_over_and_takes_its_time)
    told = followed.follow(table)
    assert told.has(2)
    told.stream.close()
    assert leaving.wait(20)
    # The next reader's read lasts longer than the patience of this test: it has to be woken.
    monkeypatch.setattr(live_store, "BLOCK_SECONDS", 60.0)
    told.stream._listener.end(Ending.STOPPING)
    assert followed.follow(table).has(2)
    assert eventually(lambda: len(waiting_in(valkey)) == 1)
    leave.set()
    assert eventually(lambda: len(readers()) == 1)
    another = Api(app).table()
    news = followed.follow(another)
    assert news.has(1)
    another.deal()
    assert news.has(1, 2)
    cut_readers(valkey)


def test_a_stream_whose_game_ends_unseen_says_that_it_is_over(table: Table, followed: Followed) -> None:
    told = followed.follow(table)
    assert told.has(2)
    told.stream.close()
    table.do(0, "resign")
    told.stream._listener.lose()
    told.join(20)
    assert told.types() == ["snapshot", "snapshot", "stream_ended"]
    assert told.messages[-1]["reason"] == "game_finished"
