"""The game store on a real server: what it keeps, who wins a race, and what happens when things break."""

from __future__ import annotations

import secrets
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.crc import key_slot

from service.redis_store import RedisGameStore
from service.store import Committed, Conflict, KeyRecord, Loaded, StoredGame, UnknownGame
from tests.running import ROOT
from tests.stored import ALL_BYTES, action, contents, new_game, raw

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore

# ------------------------------------------------------------------------------------ what it keeps


def test_a_created_game_is_loaded_at_the_version_of_its_last_event(store: RedisGameStore, game_id: str) -> None:
    assert store.create(new_game(game_id, state=ALL_BYTES, access=b"\0\xff", events=[b"one", b"two"]))
    assert store.load(game_id) == Loaded(StoredGame(2, ALL_BYTES, b"\0\xff"))


def test_an_unknown_game_has_nothing(store: RedisGameStore, game_id: str) -> None:
    assert store.load(game_id) is None
    assert store.load(game_id, "key") is None
    assert store.events(game_id, 0, 10) == []
    assert store.deal_head(game_id, 1) is None
    assert store.deal_heads(game_id) == {}
    assert store.commit(action(game_id)) == UnknownGame()
    assert store.load(game_id) is None


def test_an_id_that_is_taken_changes_nothing(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    before = contents(store, game_id)
    again = new_game(game_id, state=b"other", access=b"other", events=[b"x"] * 3, key=KeyRecord("k", b"v", 10))
    assert not store.create(again)
    assert contents(store, game_id) == before
    loaded = store.load(game_id, "k")
    assert loaded is not None
    assert loaded.record is None


def test_a_game_created_anew_has_nothing_of_what_an_expired_one_left(
    valkey: EmbeddedStore, store: RedisGameStore, game_id: str
) -> None:
    store.create(new_game(game_id, events=[b"old"] * 5))
    store.commit(action(game_id, 5, ended_deals={1: b"old head"}))
    raw(valkey).delete(f"crisps:{{{game_id}}}")
    assert store.create(new_game(game_id))
    assert store.events(game_id, 0, 10) == [(1, b"created")]
    assert store.deal_heads(game_id) == {}


def test_a_commit_stores_state_events_and_ended_deals_and_leaves_access(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    commit = action(game_id, state=ALL_BYTES, events=[b"two", ALL_BYTES, b""], ended_deals={2: b"second", 11: b""})
    assert store.commit(commit) == Committed(4)
    assert store.load(game_id) == Loaded(StoredGame(4, ALL_BYTES, b"hashes"))
    assert store.events(game_id, 0, 10) == [(1, b"created"), (2, b"two"), (3, ALL_BYTES), (4, b"")]
    assert store.commit(action(game_id, 4, ended_deals={3: b"third"})) == Committed(5)
    assert store.deal_head(game_id, 2) == b"second"
    assert store.deal_head(game_id, 4) is None
    assert list(store.deal_heads(game_id).items()) == [(2, b"second"), (3, b"third"), (11, b"")]


@pytest.mark.parametrize("expected_version", [0, 1, 3, 2**53])
def test_a_commit_on_any_other_version_changes_nothing(
    store: RedisGameStore, game_id: str, expected_version: int
) -> None:
    store.create(new_game(game_id, events=[b"one", b"two"]))
    before = contents(store, game_id)
    late = action(game_id, expected_version, ended_deals={1: b"head"}, key=KeyRecord("k", b"v", 10))
    assert store.commit(late) == Conflict(2)
    assert contents(store, game_id) == before
    assert store.load(game_id, "k") == store.load(game_id)


def test_a_request_id_is_recognised_only_for_the_version_it_led_to(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    first = action(game_id, 1)
    assert store.commit(first) == store.commit(first) == Committed(2)
    for other in (replace(first, expected_version=3), replace(first, events=[b"a", b"b"])):
        assert store.commit(other) == Conflict(2)
    assert store.events(game_id, 1, 10) == [(2, b"played")]


def test_events_are_read_in_pages_above_a_version(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id, events=[b"%d" % n for n in range(1, 8)]))
    assert store.events(game_id, 0, 3) == [(1, b"1"), (2, b"2"), (3, b"3")]
    assert store.events(game_id, 5, 100) == [(6, b"6"), (7, b"7")]
    for beyond in (7, 2**53, 2**64 - 2, 2**64 - 1, 2**64, 10**30):
        assert store.events(game_id, beyond, 5) == []


def test_a_commit_without_events_or_request_id_is_a_mistake_of_the_caller(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    with pytest.raises(ValueError, match="without events"):
        store.commit(action(game_id, events=[]))
    with pytest.raises(ValueError, match="request id"):
        store.commit(action(game_id, request_id=""))


def test_many_events_fit_one_commit(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    assert store.commit(action(game_id, events=[b"e"] * 20_000)) == Committed(20_001)
    assert store.events(game_id, 20_000, 5) == [(20_001, b"e")]


def test_versions_are_exact_above_2_to_the_53(valkey: EmbeddedStore, store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    raw(valkey).hset(f"crisps:{{{game_id}}}", "v", str(2**53 + 1))
    assert store.commit(action(game_id, 2**53)) == Conflict(2**53 + 1)
    assert store.commit(action(game_id, 2**53 + 2)) == Conflict(2**53 + 1)
    assert store.commit(action(game_id, 2**53 + 1, events=[b"a", b"b"])) == Committed(2**53 + 3)
    assert store.events(game_id, 2**53 + 1, 5) == [(2**53 + 2, b"a"), (2**53 + 3, b"b")]


# -------------------------------------------------------------------------------- idempotency keys


def test_a_key_record_comes_with_its_commit_and_is_read_with_the_game(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id, key=KeyRecord("made", ALL_BYTES, 50)))
    store.commit(action(game_id, 1, key=KeyRecord("digest", b"pending", 50)))
    store.commit(action(game_id, 2, key=KeyRecord("digest", b"final", 50)))
    stored = StoredGame(3, b"next", b"hashes")
    assert store.load(game_id, "made") == Loaded(stored, ALL_BYTES)
    assert store.load(game_id, "digest") == Loaded(stored, b"final")
    assert store.load(game_id, "other") == Loaded(stored)


# --------------------------------------------------------------------------------- time to live


def test_every_key_of_a_game_has_a_time_to_live_that_each_commit_renews(
    valkey: EmbeddedStore, store: RedisGameStore, game_id: str
) -> None:
    client = raw(valkey)
    store.create(new_game(game_id, ttl_seconds=100))
    store.commit(action(game_id, ended_deals={1: b"h"}, key=KeyRecord("k", b"v", 20), ttl_seconds=5000))
    times = {key.decode(): client.ttl(key) for key in client.scan_iter(f"crisps:{{{game_id}}}*")}
    base = f"crisps:{{{game_id}}}"
    assert set(times) == {base, f"{base}:events", f"{base}:deals", f"{base}:key:k"}
    assert 0 < times.pop(f"{base}:key:k") <= 20
    assert all(4900 < seconds <= 5000 for seconds in times.values())
    store.commit(action(game_id, 2, ttl_seconds=60))
    assert all(0 < client.ttl(key) <= 60 for key in times)


def test_an_expired_game_is_unknown(valkey: EmbeddedStore, store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    for key in raw(valkey).scan_iter(f"crisps:{{{game_id}}}*"):
        raw(valkey).pexpire(key, 1)
    time.sleep(0.01)
    assert store.load(game_id) is None
    assert store.events(game_id, 0, 5) == []
    assert store.commit(action(game_id)) == UnknownGame()


def test_all_keys_of_a_game_share_one_cluster_slot(valkey: EmbeddedStore, store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id, key=KeyRecord("k", b"v", 20)))
    store.commit(action(game_id, ended_deals={1: b"h"}))
    slots = [key_slot(key) for key in raw(valkey).scan_iter(f"crisps:{{{game_id}}}*")]
    assert len(slots) == 4
    assert len(set(slots)) == 1


# ------------------------------------------------------------------------------------------- races


def test_of_fifty_racing_commits_exactly_one_succeeds(store: RedisGameStore, game_id: str) -> None:
    store.create(new_game(game_id))
    outcomes: list[tuple[int, Committed | Conflict | UnknownGame]] = []
    barrier = threading.Barrier(50)

    def race(number: int) -> None:
        commit = action(game_id, state=b"%d" % number, events=[b"%d" % number] * 2)
        barrier.wait()
        outcomes.append((number, store.commit(commit)))

    threads = [threading.Thread(target=race, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [number for number, outcome in outcomes if outcome == Committed(3)]
    assert len(winners) == 1
    assert [outcome for _, outcome in outcomes].count(Conflict(3)) == 49
    winner = b"%d" % winners[0]
    assert store.load(game_id) == Loaded(StoredGame(3, winner, b"hashes"))
    assert store.events(game_id, 1, 10) == [(2, winner), (3, winner)]


def test_of_racing_creators_of_one_id_exactly_one_succeeds(store: RedisGameStore, game_id: str) -> None:
    answers: list[bool] = []
    barrier = threading.Barrier(20)

    def race() -> None:
        barrier.wait()
        answers.append(store.create(new_game(game_id)))

    threads = [threading.Thread(target=race) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [False] * 19 + [True]
    assert store.events(game_id, 0, 10) == [(1, b"created")]


FORKING = """
import os, sys
from service.config import Config
from service.connections import connect
from service.redis_store import RedisGameStore
from service.store import NewGame
store = RedisGameStore(connect(Config(redis_url=sys.argv[1], store_timeout_seconds=10)))
for number in range(5):
    store.create(NewGame(f"{sys.argv[2]}-{number}", b"%d" % number, b"", [b"e"], 100))
children = []
for number in range(4):
    child = os.fork()
    if child == 0:
        right = all(store.load(f"{sys.argv[2]}-{number}").game.state == b"%d" % number for _ in range(300))
        os._exit(0 if right else 1)
    children.append(child)
assert all(store.load(f"{sys.argv[2]}-4").game.state == b"4" for _ in range(300))
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


def test_a_store_used_before_a_fork_mixes_up_no_answers_after_it(valkey: EmbeddedStore, game_id: str) -> None:
    command = [sys.executable, "-c", FORKING, valkey.url, game_id]
    subprocess.run(command, check=True, cwd=ROOT, timeout=60)


# --------------------------------------------------------------------------------------------- laws

STEPS = st.lists(
    st.tuples(
        st.integers(-1, 2),  # how far from the current version the commit believes the game to be
        st.lists(st.binary(max_size=40), min_size=1, max_size=4),
        st.dictionaries(st.integers(1, 9), st.binary(max_size=20), max_size=2),
        st.booleans(),  # send it twice, as after a lost reply
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_store_equals_a_log_kept_beside_it(
    store: RedisGameStore, steps: list[tuple[int, list[bytes], dict[int, bytes], bool]]
) -> None:
    game_id = secrets.token_hex(8)
    log, heads, state = [b"created"], dict[int, bytes](), b"at 1"
    store.create(new_game(game_id))
    for number, (offset, events, ended, twice) in enumerate(steps):
        commit = action(game_id, len(log) + offset, state=b"%d" % number, events=events, ended_deals=ended)
        if offset == 0:
            log, heads, state = [*log, *events], {**heads, **ended}, commit.state
            assert store.commit(commit) == Committed(len(log))
            if twice:
                assert store.commit(commit) == Committed(len(log))
        else:
            assert store.commit(commit) == Conflict(len(log))
    assert contents(store, game_id) == (
        Loaded(StoredGame(len(log), state, b"hashes")),
        list(enumerate(log, 1)),
        dict(sorted(heads.items())),
    )
