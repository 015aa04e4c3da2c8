"""Idle streams in numbers: how soon a move reaches all of them, and what playing costs beside them.

    python tests/bench/bench_streams.py                                       64 streams on the service itself
    python tests/bench/bench_streams.py --process streams --streams 1000      on the process type for streams

Prints latencies in milliseconds: of an action's answer without streams, beside and after them, and from an event's own
time, which is before its commit, to its arrival at each watcher. Then the store's connections and the threads of the
workers before, during and after. Everybody shares this machine, the watchers' side of the streams included.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import redis

from service.open_files import allow_files
from tests.contract.client import Client, connected
from tests.contract.processes import children_of
from tests.running import ROOT, embedded_store, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE: Final = [{"kind": "human"}, {"kind": "human"}]
AT: Final = re.compile(rb'"version":(\d+),"type":"(?!snapshot)[a-z_]+","seat":[^,]+,"at":"([^"]+)"')
OPENING: Final = 50
"""Connections that are opened at the same time."""


class Game:
    """A long game between two people, both played by this client."""

    def __init__(self, client: Client) -> None:
        settings = {"seats": PEOPLE, "rules": {"points_to_win": 99}}
        made = client.want(201, "POST", "/v1/games", settings)
        self.path = f"/v1/games/{made['game']['id']}"
        self._client = client
        self._tokens = {one["seat"]: one["token"] for one in made["tokens"]}
        self._chance = random.Random(1)
        self.version = 1

    def act(self) -> float:
        """One random action; how long its answer took, in milliseconds."""
        view = self._client.want(200, "GET", self.path)
        seat = view["to_act"] or 0
        mine = self._client.want(200, "GET", self.path, token=self._tokens[seat])
        if view["phase"] == "awaiting_deal":
            operation, body = "deal", {}
        else:
            action = self._chance.choice(mine["legal_actions"])
            operation = {"play": "play", "pass": "pass", "draw": "draw-choice"}[action["type"]]
            body = {name: action[name] for name in ("cards", "source") if name in action}
        body["version"] = view["version"]
        begin = time.perf_counter()
        done = self._client.want(200, "POST", f"{self.path}/{operation}", body, self._tokens[seat])
        milliseconds = (time.perf_counter() - begin) * 1000
        self.version = done["game"]["version"]
        return milliseconds


class Watchers:
    """Streams that one process follows, and when each event came to each of them."""

    def __init__(self, url: str, path: str) -> None:
        self._where = urlsplit(url)
        self._path = path
        self.latencies: dict[int, list[float]] = {}
        self.refused = 0
        self.writers: list[asyncio.StreamWriter] = []

    async def open(self, gate: asyncio.Semaphore) -> asyncio.Task[None]:
        """Open a stream, again while there is no place, and follow it once its snapshot has come."""
        async with gate:
            while True:
                reader, writer = await asyncio.open_connection(self._where.hostname, self._where.port)
                writer.write(f"GET {self._path}/events HTTP/1.1\r\nHost: {self._where.netloc}\r\n\r\n".encode())
                head = await reader.readuntil(b"\r\n\r\n")
                if b" 200 " in head.split(b"\r\n")[0]:
                    break
                self.refused += 1
                writer.close()
                await asyncio.sleep(0.05)
            await reader.readuntil(b'"type":"snapshot"')
        self.writers.append(writer)
        return asyncio.create_task(self._follow(reader))

    async def _follow(self, reader: asyncio.StreamReader) -> None:
        rest = b""
        while data := await reader.read(65536):
            now = time.time()
            whole, mark, rest = (rest + data).rpartition(b"\n\n")
            for version, at in AT.findall(whole + mark):
                happened = datetime.fromisoformat(at.decode()).timestamp()
                self.latencies.setdefault(int(version), []).append((now - happened) * 1000)


async def watch(url: str, path: str, count: int) -> None:
    """Follow a game `count` times until a line comes in; prints a line when all follow, and one with what came."""
    allow_files(count + 200)
    watchers, gate = Watchers(url, path), asyncio.Semaphore(OPENING)
    tasks = await asyncio.gather(*(watchers.open(gate) for _ in range(count)))
    print("following", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    for task in tasks:
        task.cancel()
    for writer in watchers.writers:
        writer.close()
    print(json.dumps({"refused": watchers.refused, "latencies": watchers.latencies}), flush=True)


@contextlib.contextmanager
def watching(url: str, path: str, count: int, told: dict[str, Any]) -> Iterator[None]:
    """Watchers in a process of their own; what they tell in the end goes into `told`."""
    command = [sys.executable, __file__, "--watch", url, path, str(count)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        if not child.stdout.readline():
            raise RuntimeError("the watchers did not come to follow")
        yield
        child.stdin.write("\n")
        child.stdin.flush()
        told.update(json.loads(child.stdout.readline()))
        child.wait(30)
    finally:
        child.kill()
        child.wait()


def described(milliseconds: list[float]) -> str:
    """Median, 99th percentile and maximum."""
    ordered = sorted(milliseconds)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"p50 {statistics.median(ordered):7.1f}   p99 {p99:7.1f}   max {ordered[-1]:7.1f}"


def held(store: redis.Redis, parent: int) -> str:
    """The store's connections, and the threads of a process's workers."""
    threads = [len(list(Path(f"/proc/{child.pid}/task").iterdir())) for child in children_of(parent)]
    connections: Any = store.client_list()
    return f"{len(connections) - 1} connections to the store, threads by worker {threads}"


def measure(arguments: argparse.Namespace) -> None:
    """Start everything, measure, and print."""
    count, moves = arguments.streams, arguments.moves
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd())))
        store = stack.enter_context(embedded_store(folder / "store", "always"))
        environ = {"REDIS_URL": store.url}
        service = stack.enter_context(running_service(folder / "service", environ))
        streaming = service
        if arguments.process == "streams":
            streaming = stack.enter_context(running_service(folder / "streams", environ, module="service.streaming"))
        client = stack.enter_context(connected(service.url))
        commands = redis.Redis.from_url(store.url)
        watched, alone = Game(client), Game(client)
        before = [alone.act() for _ in range(moves)]
        print(f"{count} streams on {arguments.process}, {moves} moves, {os.cpu_count()} cores shared by everything")
        print(f"  before: {held(commands, streaming.process.pid)}")
        told: dict[str, Any] = {}
        with watching(streaming.url, watched.path, count, told):
            client.close()  # it has been idle for longer than connections are kept
            first = watched.version
            beside = []
            for _ in range(moves):
                watched.act()
                time.sleep(arguments.pause)
                beside.append(alone.act())
            print(f"  during: {held(commands, streaming.process.pid)}")
            time.sleep(1)
        time.sleep(12)  # two signs of life: whoever has left is seen to
        client.close()
        after = [alone.act() for _ in range(moves)]
        print(f"  after:  {held(commands, streaming.process.pid)}")
        print(f"  an action without streams  {described(before)}")
        print(f"  an action beside them      {described(beside)}")
        print(f"  an action after them       {described(after)}")
        arrivals = told["latencies"]
        expected = {str(version) for version in range(first + 1, watched.version + 1)}
        assert arrivals.keys() == expected, "an event is missing, or one came too many"
        assert {len(each) for each in arrivals.values()} == {count}, "an event did not come to everybody once"
        everything = [milliseconds for each in arrivals.values() for milliseconds in each]
        print(f"  event to watcher           {described(everything)}   ({len(everything)} deliveries)")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.1, help="seconds after each watched move")
    parser.add_argument("--process", choices=["service", "streams"], default="service")
    parser.add_argument("--watch", nargs=3, metavar=("URL", "PATH", "COUNT"), help="be the watchers")
    arguments = parser.parse_args()
    if arguments.watch:
        asyncio.run(watch(arguments.watch[0], arguments.watch[1], int(arguments.watch[2])))
    else:
        measure(arguments)


if __name__ == "__main__":
    main()
