"""A store behind Sentinels: the service follows the master that they choose, and what was answered stays."""

from __future__ import annotations

import contextlib
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from service.config import Config
from service.connections import connect
from service.errors import StoreUnavailable
from service.redis_store import RedisGameStore, store_of
from service.store import Committed, KeyRecord
from tests.replicated import PASSWORD, ReplicatedStore, free_port, replicated_store
from tests.running import eventually
from tests.stored import action, contents, new_game

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[ReplicatedStore]:
    with replicated_store(tmp_path) as running:
        yield running


def opened(replicated: ReplicatedStore, **settings: str) -> RedisGameStore:
    """The store with much patience, unless a test says otherwise: the machine may be busy."""
    return store_of(Config.from_env({**replicated.settings, "STORE_TIMEOUT_SECONDS": "10", **settings}))


def committed(store: RedisGameStore, game_id: str, version: int) -> bool:
    """Whether an action is stored now."""
    with contextlib.suppress(StoreUnavailable):
        return store.commit(action(game_id, version)) == Committed(version + 1)
    return False


def test_the_master_is_found_by_its_name_and_after_a_failover_the_next_one(
    replicated: ReplicatedStore, game_id: str
) -> None:
    store = opened(replicated, STORE_REPLICAS="1")
    store.check()
    assert store.create(new_game(game_id))
    before = contents(store, game_id)
    replicated.fail_over()
    assert contents(store, game_id) == before
    with pytest.raises(StoreUnavailable, match="fewer than 1 replicas"):
        store.check()
    assert committed(opened(replicated), game_id, 1)


def test_a_master_that_only_slept_answers_no_action_when_it_wakes(replicated: ReplicatedStore, game_id: str) -> None:
    knows_it = opened(replicated, STORE_REPLICAS="1", STORE_TIMEOUT_SECONDS="3")
    assert knows_it.create(new_game(game_id))
    asleep = replicated.master
    replicated.send(asleep, signal.SIGSTOP)
    assert eventually(lambda: replicated.master not in {0, asleep}, 60), replicated.log
    replicated.send(asleep, signal.SIGCONT)
    assert not committed(knows_it, game_id, 1)
    assert committed(opened(replicated), game_id, 1)


def test_a_master_that_went_silent_is_left_for_the_next_one(replicated: ReplicatedStore, game_id: str) -> None:
    store = opened(replicated, STORE_TIMEOUT_SECONDS="1.5")
    assert store.create(new_game(game_id))
    asleep = replicated.master
    replicated.send(asleep, signal.SIGSTOP)
    with pytest.raises(StoreUnavailable, match="Timeout"):
        store.load(game_id)
    assert eventually(lambda: replicated.master not in {0, asleep}, 60), replicated.log
    assert eventually(lambda: committed(store, game_id, 1)), replicated.log
    replicated.send(asleep, signal.SIGCONT)


def test_an_answer_that_comes_late_is_nobody_elses(replicated: ReplicatedStore, game_id: str) -> None:
    store = opened(replicated, STORE_TIMEOUT_SECONDS="1.5")
    for name in "ab":
        assert store.create(new_game(game_id + name, state=name.encode()))
    replicated.send(replicated.master, signal.SIGSTOP)
    with pytest.raises(StoreUnavailable, match="Timeout"):
        store.load(f"{game_id}a")
    replicated.send(replicated.master, signal.SIGCONT)
    for _ in range(3):
        loaded = store.load(f"{game_id}b")
        assert loaded is not None
        assert loaded.game.state == b"b"


def test_what_too_few_replicas_have_is_not_answered_as_done(replicated: ReplicatedStore, game_id: str) -> None:
    assert opened(replicated).create(new_game(game_id))
    store = opened(replicated, STORE_REPLICAS="1", STORE_TIMEOUT_SECONDS="2")
    key = KeyRecord("key", b"done", 1000)
    assert store.load(game_id) is not None
    replica = next(port for port in replicated.servers if port != replicated.master)
    replicated.send(replica, signal.SIGSTOP)
    for method in (
        lambda: store.commit(action(game_id, key=key)),
        lambda: store.load(game_id, "key"),  # it has taken place, and so is remembered
        lambda: store.record(game_id, "key"),
        lambda: store.settle(game_id, key),
        store.check,
    ):
        with pytest.raises(StoreUnavailable, match="0 replicas of 1"):
            method()
    assert store.load(game_id) is not None
    replicated.send(replica, signal.SIGCONT)
    assert eventually(lambda: committed(store, game_id, 2))
    assert store.record(game_id, "key") == b"done"


def test_a_node_of_a_cluster_is_not_ready(tmp_path: Path) -> None:
    node = ReplicatedStore(tmp_path, servers=1)
    (port,) = node.servers
    node.start_server(port, port, cluster_enabled="yes", cluster_port=str(free_port()))
    store = RedisGameStore(connect(Config.from_env({"REDIS_URL": f"redis://:{PASSWORD}@127.0.0.1:{port}"})))

    def told() -> str:
        with pytest.raises(StoreUnavailable) as caught:
            store.check()
        return caught.value.reason

    try:
        assert eventually(lambda: "node of a Redis Cluster" in told())
    finally:
        node.stop()


def test_many_at_once_find_the_master_though_a_sentinel_is_dead(replicated: ReplicatedStore) -> None:
    replicated.send(replicated.sentinels[0], signal.SIGKILL)
    store = opened(replicated)
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(store.create, [new_game(f"many{number}") for number in range(64)]))
    assert made == [True] * 64


def test_without_an_answer_of_any_sentinel_the_store_is_away_in_time(replicated: ReplicatedStore, game_id: str) -> None:
    before = opened(replicated)
    assert before.create(new_game(game_id))
    for port in replicated.sentinels:
        replicated.send(port, signal.SIGSTOP)
    before.check()  # over the connection that it has
    client: Any = connect(
        Config.from_env({**replicated.settings, "STORE_TIMEOUT_SECONDS": "0.9", "STORE_CONNECTIONS": "4"})
    )
    store = RedisGameStore(client)
    begin = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        failures = [failure.exception() for failure in [pool.submit(store.load, "a") for _ in range(24)]]
    assert time.monotonic() - begin < 30  # a few seconds; hangs are far longer
    assert {type(failure) for failure in failures} == {StoreUnavailable}
    assert len(client.connection_pool._connections) <= 4
    for port in replicated.sentinels:
        replicated.send(port, signal.SIGCONT)
    assert eventually(lambda: committed(store, game_id, 1))


def test_a_wrong_name_or_password_is_told_without_the_password(replicated: ReplicatedStore) -> None:
    others = {
        "REDIS_SENTINEL_PASSWORD": "open-rye",
        "REDIS_URL": "redis://:open-rye@Games/0",
        "REDIS_SENTINELS": f"127.0.0.1:{replicated.servers[0]}",
    }
    for name, text in {**others, "REDIS_URL ": "redis://:open-sesame@games/0"}.items():
        with pytest.raises(StoreUnavailable) as caught:
            opened(replicated, **{name.strip(): text}).check()
        assert "open-" not in caught.value.reason
