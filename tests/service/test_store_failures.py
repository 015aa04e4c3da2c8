"""The game store when things break: lost replies, silence, no memory, replicas, forgetful servers."""

from __future__ import annotations

import secrets
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from service.connections import connect
from service.errors import StoreUnavailable
from service.redis_store import RedisGameStore
from service.store import Committed, Conflict, KeyRecord, Loaded, StoredGame
from tests.running import store_config
from tests.stored import action, contents, new_game, raw

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore
    from tests.unreliable import UnreliableProxy


def test_a_commit_whose_reply_was_lost_ran_once_and_is_recognised_when_sent_again(
    valkey: EmbeddedStore, store: RedisGameStore, unreliable: UnreliableProxy, game_id: str
) -> None:
    store.create(new_game(game_id))
    behind = RedisGameStore(connect(store_config(unreliable.url)))
    commit = action(game_id, events=[b"a", b"b"], key=KeyRecord("k", b"answer", 100))
    unreliable.lose_replies_to = b"EVALSHA"
    with pytest.raises(StoreUnavailable):
        behind.commit(commit)
    assert sum(b"EVALSHA" in command for command in unreliable.seen) == 1
    assert store.load(game_id, "k") == Loaded(StoredGame(3, b"next", b"hashes"), b"answer")
    before = contents(store, game_id)
    unreliable.lose_replies_to = None
    assert behind.commit(commit) == Committed(3)
    assert behind.commit(action(game_id)) == Conflict(3)
    assert contents(store, game_id) == before
    store.commit(action(game_id, 3))
    assert behind.commit(commit) == Conflict(4)


def test_after_a_lost_reply_the_next_caller_gets_its_own_answer(
    store: RedisGameStore, unreliable: UnreliableProxy
) -> None:
    ids = [secrets.token_hex(6) for _ in range(3)]
    for game_id in ids:
        store.create(new_game(game_id, state=game_id.encode()))
    behind = RedisGameStore(connect(store_config(unreliable.url, store_timeout_seconds=0.2, store_connections=1)))
    unreliable.silent = True
    with pytest.raises(StoreUnavailable):
        behind.load(ids[0])
    unreliable.silent = False
    for game_id in ids:
        loaded = behind.load(game_id)
        assert loaded is not None
        assert loaded.game.state == game_id.encode()


def every_method(store: RedisGameStore, game_id: str) -> dict[str, Any]:
    return {
        "load": lambda: store.load(game_id),
        "load with key": lambda: store.load(game_id, "k"),
        "create": lambda: store.create(new_game(game_id)),
        "commit": lambda: store.commit(action(game_id)),
        "events": lambda: store.events(game_id, 0, 1),
        "deal_head": lambda: store.deal_head(game_id, 1),
        "deal_heads": lambda: store.deal_heads(game_id),
        "check": store.check,
    }


@pytest.mark.parametrize("url", ["unix:///nowhere/at/all", "redis://127.0.0.1:1/0", "redis://nowhere.invalid/0"])
def test_a_store_that_is_not_there_is_unavailable(url: str, game_id: str) -> None:
    store = RedisGameStore(connect(store_config(url, store_timeout_seconds=0.5)))
    for method in every_method(store, game_id).values():
        with pytest.raises(StoreUnavailable) as caught:
            method()
        assert caught.value.retry_after >= 1
        assert caught.value.reason


def test_a_store_that_never_answers_is_unavailable_and_holds_nobody_for_long(
    unreliable: UnreliableProxy, game_id: str
) -> None:
    unreliable.silent = True
    store = RedisGameStore(connect(store_config(unreliable.url, store_timeout_seconds=0.1)))
    for name, method in every_method(store, game_id).items():
        begin = time.monotonic()
        with pytest.raises(StoreUnavailable):
            method()
        # redis-py's own defaults hold a caller for a minute; what is promised is 0.1 s
        assert time.monotonic() - begin < 5, name


def test_more_callers_than_connections_wait_for_one_and_then_give_up(unreliable: UnreliableProxy, game_id: str) -> None:
    unreliable.silent = True
    store = RedisGameStore(connect(store_config(unreliable.url, store_timeout_seconds=0.3, store_connections=1)))
    failures: list[str] = []

    def read() -> None:
        try:
            store.load(game_id)
        except StoreUnavailable as error:
            failures.append(error.reason)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(failures) == 6
    assert any("No connection available" in reason for reason in failures)


def test_when_memory_runs_out_writes_fail_whole_and_reads_go_on(own_valkey: EmbeddedStore, game_id: str) -> None:
    store = RedisGameStore(connect(store_config(own_valkey.url)))
    store.create(new_game(game_id))
    before = contents(store, game_id)
    raw(own_valkey).config_set("maxmemory", "1mb")
    with pytest.raises(StoreUnavailable, match=r"OutOfMemory|OOM"):
        store.commit(action(game_id, ended_deals={1: b"h"}, key=KeyRecord("k", b"v", 100)))
    with pytest.raises(StoreUnavailable):
        store.create(new_game(f"{game_id}2"))
    with pytest.raises(StoreUnavailable):
        store.check()
    assert contents(store, game_id) == before
    assert store.load(f"{game_id}2") is None
    raw(own_valkey).config_set("maxmemory", "0")
    assert store.commit(action(game_id)) == Committed(2)


def test_a_server_that_forgot_the_script_learns_it_again(own_valkey: EmbeddedStore, game_id: str) -> None:
    store = RedisGameStore(connect(store_config(own_valkey.url)))
    store.create(new_game(game_id))
    raw(own_valkey).script_flush()
    assert store.commit(action(game_id)) == Committed(2)
    assert store.commit(action(game_id, 2)) == Committed(3)


def test_a_replica_is_not_ready_and_refuses_writes(own_valkey: EmbeddedStore, game_id: str) -> None:
    store = RedisGameStore(connect(store_config(own_valkey.url)))
    store.create(new_game(game_id))
    store.check()
    raw(own_valkey).replicaof("127.0.0.1", 1)
    with pytest.raises(StoreUnavailable, match="replica"):
        store.check()
    with pytest.raises(StoreUnavailable):
        store.commit(action(game_id))
    raw(own_valkey).replicaof("NO", "ONE")
    store.check()
    assert store.commit(action(game_id)) == Committed(2)


def test_a_server_that_refuses_writes_is_not_ready(own_valkey: EmbeddedStore) -> None:
    store = RedisGameStore(connect(store_config(own_valkey.url)))
    raw(own_valkey).config_set("min-replicas-to-write", "1")
    with pytest.raises(StoreUnavailable, match="NOREPLICAS"):
        store.check()
    raw(own_valkey).config_set("min-replicas-to-write", "0")
    store.check()


def test_a_server_that_would_evict_live_games_is_not_ready(own_valkey: EmbeddedStore) -> None:
    store = RedisGameStore(connect(store_config(own_valkey.url)))
    client = raw(own_valkey)
    client.config_set("maxmemory-policy", "volatile-lru")
    store.check()  # without a limit nothing is ever evicted
    client.config_set("maxmemory", "100mb")
    with pytest.raises(StoreUnavailable, match="volatile-lru"):
        store.check()
    client.config_set("maxmemory-policy", "noeviction")
    store.check()


def test_a_password_is_sent_and_a_wrong_one_is_unavailable(own_valkey: EmbeddedStore, game_id: str) -> None:
    raw(own_valkey).config_set("requirepass", "open-sesame")
    right = RedisGameStore(connect(store_config(f"{own_valkey.url}?password=open-sesame")))
    assert right.create(new_game(game_id))
    for url in (own_valkey.url, f"{own_valkey.url}?password=sesame"):
        with pytest.raises(StoreUnavailable) as caught:
            RedisGameStore(connect(store_config(url))).load(game_id)
        assert "sesame" not in caught.value.reason


def test_a_key_of_another_kind_is_reported_and_not_overwritten(
    valkey: EmbeddedStore, store: RedisGameStore, game_id: str
) -> None:
    raw(valkey).set(f"crisps:{{{game_id}}}", "something else", ex=100)
    for method in (lambda: store.load(game_id), lambda: store.commit(action(game_id))):
        with pytest.raises(StoreUnavailable, match="WRONGTYPE"):
            method()
    assert raw(valkey).get(f"crisps:{{{game_id}}}") == b"something else"


def test_without_a_url_there_is_nothing_to_connect_to(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="REDIS_URL"):
        connect(store_config("", data_dir=tmp_path))
