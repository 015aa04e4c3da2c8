"""Connections get lost, many come at once: everybody is told every event once, and in order."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.schemas.streams import MESSAGE
from tests.contract.client import connected, history_of
from tests.contract.folding import foldable, folded
from tests.contract.listening import NDJSON, SSE, Follower, is_event
from tests.contract.tables import Table
from tests.running import eventually
from tests.strictly import check_shape

Json = dict[str, Any]

GAMES = int(os.environ.get("CRISPS_STREAM_GAMES", "4"))
MANY = 20


class Watching(threading.Thread):
    """Follows a game to its end, losing the connection at random points.

    `state` is the view folded from what came, `seen` all such views by their version.
    """

    def __init__(self, url: str, table: Table, seat: int | None, accept: str, seed: str) -> None:
        super().__init__(daemon=True)
        self._url, self._table, self._accept = url, table, accept
        self._chance = random.Random(seed)
        self.seat = seat
        self.state: Json = {}
        self.seen: dict[int, Json] = {}
        self.events: list[Json] = []
        self.connections = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.events or self.events[-1]["type"] != "game_ended":
                self._follow_for_a_while()
        except BaseException as error:  # noqa: BLE001 - the test raises it
            self.failure = error

    def _follow_for_a_while(self) -> None:
        resumes: Json = {}
        if self.state:
            cursor = self.state["version"]
            resumes = {"headers": {"Last-Event-ID": str(cursor)}} if self._chance.random() < 0.5 else {"after": cursor}
        token = self._table.tokens.get(self.seat)
        follower = Follower(self._url, self._table.path, token, self._accept, **resumes)
        if follower.status == 503:
            follower.leave()
            time.sleep(0.05)
            return
        assert follower.status == 200
        self.connections += 1
        bytes_left = int(self._chance.expovariate(1 / 3000)) + 1
        while bytes_left > 0:
            size = self._chance.randrange(1, 1000)
            found = follower.read(min(size, bytes_left))
            bytes_left -= size
            if found is None:
                break
            for message in found:
                self._take(message)
        follower.leave()

    def _take(self, message: Json) -> None:
        check_shape(MESSAGE, message)
        if message["type"] == "snapshot":
            assert not self.state, "a stream that resumes has no snapshot"
            self.state = message["game"]
        elif is_event(message):
            assert message["version"] == self.state["version"] + 1
            self.events.append(message)
            self.state = folded(self.state, [message])
        else:
            assert message["type"] == "presence"
            return
        self.seen[self.state["version"]] = foldable(self.state)


@pytest.mark.slow
@pytest.mark.timeout(120 + 10 * GAMES)
def test_through_lost_connections_everybody_sees_every_event_once_and_in_order(service_url: str) -> None:
    connections = events = compared = 0
    with connected(service_url) as client:
        for number in range(GAMES):
            chance = random.Random(number)
            table = Table(client, rules={"points_to_win": 1 + number % 2})
            kinds = [(0, SSE), (1, NDJSON), (None, chance.choice([SSE, NDJSON]))]
            watching = [Watching(service_url, table, seat, form, f"{number}/{seat}") for seat, form in kinds]
            for one in watching:
                one.start()
            assert eventually(lambda watching=watching: all(one.state or one.failure for one in watching))  # type: ignore[misc]
            views: dict[Watching, list[Json]] = {one: [] for one in watching}
            winner = None
            while winner is None:
                winner = table.step(chance)["winner"]
                for one in watching:
                    views[one].append(table.view(one.seat))
                time.sleep(chance.random() / 100)
            for one in watching:
                one.join(30)
                assert not one.is_alive()
                if one.failure is not None:
                    raise one.failure
                token = table.tokens.get(one.seat)
                assert one.events == history_of(client, table.path, token, after=1)[-len(one.events) :]
                assert one.events[-1]["type"] == "game_ended"
                assert one.seen[one.state["version"]] == foldable(views[one][-1])
                for view in views[one]:
                    assert one.seen[view["version"]] == foldable(view)
                compared += len(views[one])
                connections += one.connections
                events += len(one.events)
    sys.stdout.write(
        f"{GAMES} games: {events} events over {connections} connections, each once; {compared} views as folded\n"
    )


def test_many_open_at_once_and_all_are_told(service_url: str) -> None:
    opened = threading.Barrier(MANY + 1, timeout=30)

    def follow(path: str, number: int) -> list[str]:
        follower = Follower(service_url, path, accept=(SSE, NDJSON)[number % 2])
        try:
            first = follower.next_event()["type"]
            opened.wait()
            return [first, follower.next_event()["type"]]
        finally:
            follower.leave()

    with connected(service_url) as client, ThreadPoolExecutor(MANY) as pool:
        table = Table(client)
        told = [pool.submit(follow, table.path, number) for number in range(MANY)]
        opened.wait()
        table.act("deal")
        assert [one.result(30) for one in told] == [["snapshot", "dealt"]] * MANY
