"""Live streams from within: one reader for all, no gap whatever happens to it, and nothing left of it afterwards."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import orjson
import pytest

from service import live_store, streams
from service.errors import StoreUnavailable
from service.fanout import Fanout
from service.listeners import MOST_WAITING, Ending, Listener, Told
from service.live import Live
from service.live_store import LiveStore
from service.stopping import STOPPING
from service.streams import Stream
from service.usecases import history
from tests.asking import Api, Table
from tests.running import eventually, store_config
from tests.service.heard import FORM, Followed, Heard, cut_readers, readers, waiting_in
from tests.stored import raw

if TYPE_CHECKING:
    from flask import Flask

    from service.embedded import EmbeddedStore
    from service.opening import Ports


def test_many_streams_of_many_games_have_one_reader_and_leave_nothing_behind(
    app: Flask, valkey: EmbeddedStore, followed: Followed
) -> None:
    assert eventually(lambda: not readers())
    tables = [Api(app).table() for _ in range(5)]
    told = [followed.follow(tables[number % 5], (0, 1, None)[number % 3]) for number in range(30)]
    assert all(one.has(1) for one in told)
    assert len(readers()) == 1
    assert eventually(lambda: len(waiting_in(valkey)) == 1)
    for one in tables:
        one.deal()
    assert all(one.has(1, 2) for one in told)
    for stream in told:
        stream.stream.close()
    assert eventually(lambda: not readers() and not waiting_in(valkey))


def test_a_game_that_is_followed_anew_is_read_at_once(
    monkeypatch: pytest.MonkeyPatch, app: Flask, valkey: EmbeddedStore, table: Table, followed: Followed
) -> None:
    # A read that lasted until its end would outlast the patience of this test.
    monkeypatch.setattr(live_store, "BLOCK_SECONDS", 60.0)
    assert followed.follow(table).has(2)
    assert eventually(lambda: len(waiting_in(valkey)) == 1)
    another = Api(app).table()
    told = followed.follow(another)
    assert told.has(1)
    another.deal()
    assert told.has(1, 2)
    cut_readers(valkey)


def test_what_happens_between_opening_and_following_is_not_lost(table: Table, followed: Followed) -> None:
    before = {seat: followed.opened(table, seat) for seat in (0, 1, None)}
    first = followed.follow(table)  # so that the reader is ahead of those who opened the game before
    table.play("5 5", "6 6")
    assert first.has(2, 3, 4)
    late = [followed.follow(table, opened=opened) for opened in before.values()]
    table.play("pass")
    assert all(told.has(2, 3, 4, 5) for told in late)


@pytest.mark.parametrize("cursor", [0, 1, 2, 3, 4, 5, 6])
def test_resuming_goes_on_page_by_page(
    monkeypatch: pytest.MonkeyPatch, table: Table, followed: Followed, cursor: int
) -> None:
    monkeypatch.setattr(streams, "PAGE", 2)
    table.play("5 5", "6 6", "pass", "draw_pile")
    told = followed.follow(table, 0, cursor)
    table.play(" ".join(table.view(table.view()["to_act"])["legal_actions"][0]["cards"]))
    assert told.has(*range(cursor + 1, 8))
    assert "snapshot" not in told.types()


def test_a_reader_that_loses_its_connection_goes_on_where_it_was(
    valkey: EmbeddedStore, table: Table, followed: Followed
) -> None:
    told = followed.follow(table, 1)
    assert told.has(2)
    for number, turn in enumerate(("5 5", "6 6", "pass", "draw_pile"), 3):
        cut_readers(valkey)
        table.play(turn)
        assert told.has(*range(2, number + 1))


def test_a_game_that_the_store_has_set_back_is_told_anew(
    valkey: EmbeddedStore, table: Table, followed: Followed
) -> None:
    key, client = f"crisps:{{{table.game_id}}}", raw(valkey)
    earlier = {name: client.dump(name) for name in (key, f"{key}:events")}
    told = followed.follow(table, 0)
    table.play("5 5", "6 6")
    assert told.has(2, 3, 4)
    # what a store without its latest writes looks like after a crash
    for name, form in earlier.items():
        client.restore(name, 1_000_000, form, replace=True)
    cut_readers(valkey)
    assert told.has(2, 3, 4, 2)
    table.play("8")
    assert told.has(2, 3, 4, 2, 3)
    assert told.types() == ["snapshot", "played", "played", "snapshot", "played"]
    assert told.messages[-1]["cards"] == ["8"]


def test_a_stream_of_a_game_that_is_gone_ends(valkey: EmbeddedStore, table: Table, followed: Followed) -> None:
    told = followed.follow(table)
    assert told.has(2)
    raw(valkey).delete(f"crisps:{{{table.game_id}}}")
    cut_readers(valkey)
    told.join(20)
    assert told.messages[-1] == {"type": "stream_ended", "reason": "game_gone"}


def test_all_streams_end_when_the_process_stops(table: Table, followed: Followed) -> None:
    told = [followed.follow(table, seat) for seat in (0, 1, None)]
    assert all(one.has(2) for one in told)
    STOPPING.set()
    try:
        for one in told:
            one.join(20)
            assert one.messages[-1] == {"type": "stream_ended", "reason": "stopping"}
    finally:
        STOPPING.clear()


def test_who_does_not_keep_up_is_sent_away_before_there_is_a_gap(table: Table, followed: Followed) -> None:
    opened = followed.opened(table)
    logged = [Told(event) for event in history(followed.ports, opened, 0, 1).events]
    listener = Listener(table.game_id, None)
    for _ in range(MOST_WAITING + 5):
        listener.tell(logged)
    news = listener.wait(0)
    assert (len(news.events), news.ending) == (MOST_WAITING, Ending.TOO_SLOW)


def test_what_one_kind_of_viewer_is_shown_is_made_once(table: Table, followed: Followed) -> None:
    opened = followed.opened(table)
    told = Told(history(followed.ports, opened, 1, 1).events[0])
    rules = opened.hosted.game.rules
    assert told.json(0, rules) is told.json(0, rules)
    hands = {viewer: orjson.loads(told.json(viewer, rules))["hands"] for viewer in (0, 1, None)}
    assert [hand is not None for viewer in (0, 1, None) for hand in hands[viewer]] == [
        True,
        False,
        False,
        True,
        False,
        False,
    ]


def test_a_random_game_reaches_every_viewer_whole(app: Flask, followed: Followed) -> None:
    table, chance = Api(app).table(rules={"points_to_win": 1}).deal(), random.Random(2)
    told = {seat: followed.follow(table, seat) for seat in (0, 1, None)}
    view = table.view()
    while view["winner"] is None:
        seat = view["to_act"]
        action = chance.choice(table.view(seat)["legal_actions"])
        turn = " ".join(action["cards"]) if "cards" in action else action.get("source", "pass")
        view = table.play(turn).view()
    for seat, one in told.items():
        one.join(20)
        assert not one.is_alive()
        page = table.api.get(f"{table.path}/history?after=2&limit=1000", token=table.tokens.get(seat)).json
        assert [message for message in one.messages if "seat" in message and message["type"] != "presence"] == page[
            "events"
        ]


@pytest.mark.slow
def test_presence_is_seen_across_processes(
    valkey: EmbeddedStore, table: Table, followed: Followed, ports: Ports
) -> None:
    elsewhere = Followed(ports, Live(store_config(valkey.url), 10))
    here = followed.follow(table, 0)
    assert here.has(2)
    assert here.messages[0]["presence"] == [True, False]
    there = elsewhere.follow(table, 1)
    assert there.has(2)
    assert there.messages[0]["presence"] == [True, True]
    came = {"type": "presence", "seat": 1, "online": True}
    assert eventually(lambda: here.messages[1:] == [came])
    there.stream.close()
    there.stream._listener.end(Ending.STOPPING)
    assert eventually(lambda: here.messages[1:] == [came, {**came, "online": False}], 40)
    assert all(message["type"] != "presence" for message in there.messages)


def test_without_a_store_a_stream_that_has_to_catch_up_says_so(
    app: Flask, table: Table, followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.play("5 5")
    store = followed.ports.store

    def away(*_: object) -> list[tuple[int, bytes]]:
        raise StoreUnavailable

    monkeypatch.setattr(store, "events", away)
    told = followed.follow(table, None, 1)
    told.join(20)
    assert told.messages == [{"type": "stream_ended", "reason": "store_unavailable"}]


def test_a_fanout_without_a_store_keeps_its_listeners_until_it_comes(table: Table, followed: Followed) -> None:
    config = followed.live._config
    nowhere = store_config("unix:///nowhere/at/all", store_timeout_seconds=0.2)
    targets = [nowhere, nowhere, config]

    def connect() -> LiveStore:
        return LiveStore(targets.pop(0) if len(targets) > 1 else targets[0])

    fanout = Fanout(connect, lambda: LiveStore(nowhere))
    stream = Stream(followed.ports, fanout, followed.opened(table), None, FORM)
    told = Heard(stream)
    assert told.has(2)
    table.play("5 5")
    assert told.has(2, 3)
    stream.close()
    stream._listener.end(Ending.STOPPING)
    told.join(20)
