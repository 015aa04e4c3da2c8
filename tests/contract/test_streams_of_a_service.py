"""A service of its own, full, crashing, reloading and stopping under its streams."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.contract.client import connected
from tests.contract.folding import foldable, folded
from tests.contract.listening import NDJSON, SSE, Follower
from tests.contract.processes import children_of, own_service
from tests.contract.tables import Table
from tests.running import embedded_store, eventually
from tests.stored import raw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.embedded import EmbeddedStore
    from tests.contract.processes import OwnService

Json = dict[str, Any]

SMALL = {"WORKERS": "1", "THREADS": "4", "SEARCH_SLOTS": "1"}
PLACES = 3
MANY = 64


def refusal(url: str, path: str) -> tuple[int, Json, str | None]:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=10)
    connection.request("GET", f"{path}/events")
    answer = connection.getresponse()
    if answer.status == 200:
        answer.close()
        connection.close()
        return 200, {}, None
    body = answer.read()
    connection.close()
    return answer.status, json.loads(body), answer.headers["Retry-After"]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnService]:
    """A service for a few tests, which fill it and crash its store."""
    folder = tmp_path_factory.mktemp("own")
    with own_service(folder, **SMALL, STREAMS_PER_WORKER=str(PLACES)) as service:
        yield service


def following(service: OwnService, table: Table, accept: str, **query: Any) -> Follower:
    """A stream; the places of a test before may be noticed to be free only now."""
    deadline = time.monotonic() + 30
    while (found := Follower(service.url, table.path, accept=accept, **query)).status == 503:
        found.leave()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


@pytest.mark.slow
def test_above_the_cap_a_stream_is_refused_a_long_poll_answers_and_requests_go_on(own: OwnService) -> None:
    with connected(own.url) as client:
        table = Table(client)
        followers = [Follower(own.url, table.path) for _ in range(PLACES)]
        for follower in followers:
            assert follower.tell()["type"] == "snapshot"
        status, problem, retry_after = refusal(own.url, table.path)
        assert (status, problem["code"], retry_after) == (503, "streams_busy", "1")
        began = time.monotonic()
        assert client.want(200, "GET", f"{table.path}?wait=20&version=1")["version"] == 1
        table.act("deal")
        assert time.monotonic() - began < 10
        assert [follower.tell()["type"] for follower in followers] == ["dealt"] * PLACES
        for follower in followers:
            follower.leave()
        # a client that has left is noticed when there is something to tell, or at the next sign of life
        assert eventually(lambda: refusal(own.url, table.path)[0] == 200, 30)


@pytest.mark.slow
def test_streams_live_through_crashes_of_the_store(own: OwnService) -> None:
    with connected(own.url) as client:
        table, chance = Table(client), random.Random(3)
        table.act("deal")
        follower = following(own, table, SSE)
        state = follower.tell()["game"]
        for _ in range(3):
            victim = own.store()
            victim.kill()
            assert eventually(lambda victim=victim: not victim.alive)  # type: ignore[misc]
            own.store()
            assert eventually(lambda: client.ask("GET", "/readyz").status == 200)
            before = table.version
            table.step(chance)
            events = [follower.next_event() for _ in range(before, table.version)]
            state = folded(state, events)
            assert foldable(state) == foldable(table.view())
        follower.leave()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_on_a_reload_and_on_a_stop_streams_end_with_an_end_and_resume(tmp_path: Path, number: int) -> None:
    with own_service(tmp_path, **SMALL) as own, connected(own.url) as client:
        table = Table(client)
        followers = [following(own, table, accept) for accept in (SSE, NDJSON)]
        for follower in followers:
            assert follower.tell()["type"] == "snapshot"
        os.kill(own.everything()[-1].pid, number)
        ended = {"type": "stream_ended", "reason": "stopping"}
        for follower in followers:
            assert list(follower.messages())[-1] == ended  # and the answer is whole
        if number == signal.SIGHUP:
            with connected(own.url) as another:
                table.client = another
                table.act("deal")
            resumed = following(own, table, SSE, after=1)
            assert resumed.tell()["type"] == "dealt"
            resumed.leave()
        else:
            assert own.wait() == 0


@dataclass
class Full:
    """A service whose one worker has places for many streams, and a store of its own for it."""

    service: OwnService
    store: EmbeddedStore

    def connections(self) -> int:
        """The store's, without the one that asks."""
        return len(raw(self.store).client_list()) - 1

    def threads(self) -> int:
        """The worker's."""
        (worker,) = children_of(self.service.pid)  # with a store of another's there is no supervisor
        return len(list(Path(f"/proc/{worker.pid}/task").iterdir()))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Full]:
    folder = tmp_path_factory.mktemp("full")
    with (
        embedded_store(folder / "store") as store,
        own_service(folder, **SMALL, STREAMS_PER_WORKER=str(MANY), REDIS_URL=store.url) as service,
    ):
        yield Full(service, store)


@pytest.mark.slow
def test_streams_that_have_closed_leave_neither_connections_nor_threads(full: Full) -> None:
    with connected(full.service.url) as client:
        table = Table(client)
        before = full.connections(), full.threads()
        followers = [following(full.service, table, (SSE, NDJSON)[number % 2]) for number in range(MANY)]
        for follower in followers:
            assert follower.tell()["type"] == "snapshot"
        assert (full.connections() > before[0], full.threads()) == (True, before[1] + 1)  # who reads
        for follower in followers:
            follower.leave()
        assert eventually(lambda: full.threads() == before[1], 60)
        assert eventually(lambda: full.connections() <= before[0], 60), raw(full.store).client_list()


@pytest.mark.slow
def test_a_move_reaches_as_many_idle_streams_as_there_are_places(full: Full) -> None:
    with connected(full.service.url) as client, contextlib.ExitStack() as leaving:
        table = Table(client)
        followers = [following(full.service, table, (SSE, NDJSON)[number % 2]) for number in range(MANY)]
        for follower in followers:
            leaving.callback(follower.leave)
            assert follower.tell()["type"] == "snapshot"
        assert refusal(full.service.url, table.path)[0] == 503
        for follower in followers:
            while not follower.parsed.signs_of_life:
                assert follower.read() == []
        client.close()  # it may have been idle for longer than connections are kept
        table.act("deal")
        assert [follower.tell()["type"] for follower in followers] == ["dealt"] * MANY
