"""What the store costs: latencies of its operations, by appendfsync, as ratios to PING on the same connection.

    python tests/bench/bench_store.py [COUNT]

Measures on this machine with the embedded store on a temporary folder below the current one (a RAM disk would
make fsync free). Prints medians and 99th percentiles in microseconds, and commits per second with several threads.
"""

from __future__ import annotations

import secrets
import statistics
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from service.config import Config
from service.connections import connect
from service.embedded import EmbeddedStore
from service.redis_store import RedisGameStore
from service.store import Commit, Committed, KeyRecord, NewGame

if TYPE_CHECKING:
    from collections.abc import Callable

STATE, ACCESS, EVENT, ANSWER = b"s" * 600, b"a" * 64, b"e" * 120, b"r" * 2000  # about what a game has
THREADS = 8


class Player:
    """Commits one action after another to a game of its own."""

    def __init__(self, store: RedisGameStore, *, with_key: bool = False) -> None:
        self._store = store
        self._with_key = with_key
        self.game_id = secrets.token_hex(8)
        self.version = 1
        store.create(NewGame(self.game_id, STATE, ACCESS, [EVENT], 3600))

    def act(self) -> None:
        """One action with three events."""
        key = KeyRecord(secrets.token_hex(16), ANSWER, 3600) if self._with_key else None
        events = [EVENT] * 3
        commit = Commit(self.game_id, secrets.token_hex(8), self.version, STATE, events, 3600, key=key)
        if self._store.commit(commit) != Committed(self.version + 3):
            raise RuntimeError("the commit did not take place")
        self.version += 3


def measure(action: Callable[[], Any], count: int) -> tuple[float, float]:
    """Median and 99th percentile, in microseconds."""
    for _ in range(count // 10):
        action()
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        action()
        times.append((time.perf_counter() - begin) * 1e6)
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def together(store: RedisGameStore, count: int) -> float:
    """Commits per second of THREADS players at once."""
    players = [Player(store) for _ in range(THREADS)]
    threads = [threading.Thread(target=lambda one=one: [one.act() for _ in range(count)]) for one in players]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return THREADS * count / (time.perf_counter() - begin)


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for appendfsync in ("everysec", "always"):
        with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
            running = EmbeddedStore(Path(folder), appendfsync)
            running.start()
            client = connect(Config.from_env({"REDIS_URL": running.url, "STORE_TIMEOUT_SECONDS": "30"}))
            store = RedisGameStore(client)
            player, keyed = Player(store), Player(store, with_key=True)
            operations: dict[str, Callable[[], Any]] = {
                "PING": client.ping,
                "load": partial(store.load, player.game_id),
                "load with key": partial(store.load, player.game_id, "unused"),
                "commit, 3 events": player.act,
                "commit with key": keyed.act,
                "events, 100": partial(store.events, player.game_id, 1, 100),
                "check": store.check,
            }
            print(f"appendfsync {appendfsync}")
            ping = 1.0
            for name, operation in operations.items():
                median, slow = measure(operation, count)
                ping = median if name == "PING" else ping
                print(f"  {name:18} median {median:7.0f} us   p99 {slow:7.0f} us   {median / ping:5.1f} x PING")
            print(f"  {THREADS} threads        {together(store, count // 4):7.0f} commits/s")
            client.close()
            running.stop()


if __name__ == "__main__":
    main()
