"""`python -m service.streaming`: streams of games that other processes play, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.asking import Api
from tests.contract.listening import NDJSON, SSE, Follower
from tests.running import ROOT, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.embedded import EmbeddedStore
    from tests.running import RunningService

CAPACITY = 50


@pytest.fixture(scope="module")
def streaming(valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    environ = {"REDIS_URL": valkey.url, "WORKERS": "1", "STREAM_CAPACITY": str(CAPACITY)}
    folder = tmp_path_factory.mktemp("streaming")
    with running_service(folder, environ, module="service.streaming") as service:
        yield service


def status_of(service: RunningService, path: str) -> int:
    try:
        with urllib.request.urlopen(f"{service.url}{path}", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_it_serves_streams_and_its_own_state_only(api: Api, streaming: RunningService) -> None:
    path = api.table().path
    assert [status_of(streaming, known) for known in ("/healthz", "/readyz", "/metrics")] == [200] * 3
    unknown = ("/v1/games", path, f"{path}/history", "/v1/levels", "/docs", "/openapi.json")
    assert [status_of(streaming, other) for other in unknown] == [404] * 6


def test_up_to_its_capacity_everybody_is_told_and_beyond_it_refused(api: Api, streaming: RunningService) -> None:
    table = api.table()
    forms = (SSE, NDJSON)
    followers = [
        Follower(streaming.url, table.path, table.tokens.get((0, 1, None)[number % 3]), forms[number % 2])
        for number in range(CAPACITY)
    ]
    for follower in followers:
        assert follower.next_event()["type"] == "snapshot"
    assert status_of(streaming, f"{table.path}/events") == 503
    table.deal()
    for number, follower in enumerate(followers):
        seat = (0, 1, None)[number % 3]
        hands = follower.next_event()["hands"]
        assert [hand is not None for hand in hands] == [seat == 0, seat == 1]
        follower.leave()


def followed_again(url: str, path: str) -> Iterator[Follower]:
    """One stream after the other, each resuming; what is no live stream fails."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        follower = Follower(url, path, after=1)
        assert follower.status == 200
        yield follower
        follower.leave()
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_on_a_reload_and_on_a_stop_streams_end_with_an_end(
    api: Api, valkey: EmbeddedStore, tmp_path: Path, number: int
) -> None:
    environ = {"REDIS_URL": valkey.url, "WORKERS": "2"}
    with running_service(tmp_path, environ, module="service.streaming") as service:
        table = api.table()
        followers = [Follower(service.url, table.path, accept=accept) for accept in (SSE, NDJSON) * 5]
        for follower in followers:
            assert follower.tell()["type"] == "snapshot"
        service.process.send_signal(number)
        for follower in followers:
            assert list(follower.messages()) == [{"type": "stream_ended", "reason": "stopping"}]
        if number == signal.SIGTERM:
            assert service.process.wait(20) == 0
        else:
            table.deal()
            # the old workers say so until they have closed
            resumed = next(one for one in followed_again(service.url, table.path) if one.tell()["type"] == "dealt")
            resumed.leave()


def test_without_a_store_it_says_what_is_missing() -> None:
    environ = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    command = [sys.executable, "-m", "service.streaming"]
    ended = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, "REDIS_URL must be set" in ended.stderr) == (2, True)
