"""Searches are let in within bounds: play goes on beside too much advice, and who has gone costs nothing."""

from __future__ import annotations

import argparse
import json
import socket
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.bench import bench_admission
from tests.contract.client import Client
from tests.contract.processes import OwnService, own_service
from tests.running import eventually
from tests.service.test_metrics import samples, value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG = 5_000  # milliseconds: the longest search there is

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnService]:
    """One worker with one slot for advice, where all wait as long as need be."""
    with own_service(tmp_path_factory.mktemp("admission"), WORKERS="1", SEARCH_WAIT_SECONDS="30") as running:
        yield running


def figure(service: OwnService, name: str, **labels: str) -> float:
    with closing(Client(service.url)) as client:
        return value(samples(client.ask("GET", "/metrics").body.decode()), name, **labels)


def ask_for_advice(service: OwnService, time_ms: int = LONG) -> socket.socket:
    """Ask, and wait for nothing."""
    where = urlsplit(service.url)
    body = json.dumps({**bench_admission.POSITION, "time_ms": time_ms}).encode()
    head = ["POST /v1/suggestions HTTP/1.1", "Host: x", "Content-Type: application/json"]
    connection = socket.create_connection((where.hostname, where.port or 0), timeout=60)
    connection.sendall("\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body)
    return connection


def searching(service: OwnService) -> bool:
    return figure(service, "crisps_search_slots_busy", kind="advice") == 1


def test_a_search_is_given_up_when_its_client_goes(service: OwnService) -> None:
    gone = figure(service, "crisps_search_refusals_total", kind="advice", reason="gone")
    done = figure(service, "crisps_searches_total", kind="advice", level="0")
    with ask_for_advice(service):
        assert eventually(lambda: searching(service))
    assert eventually(lambda: not searching(service))
    assert figure(service, "crisps_search_refusals_total", kind="advice", reason="gone") == gone + 1
    assert figure(service, "crisps_searches_total", kind="advice", level="0") == done


def test_who_goes_while_waiting_leaves_the_queue(service: OwnService) -> None:
    gone = figure(service, "crisps_search_refusals_total", kind="advice", reason="gone")
    with ask_for_advice(service):
        assert eventually(lambda: searching(service))
        with ask_for_advice(service):
            assert eventually(lambda: figure(service, "crisps_search_queue", kind="advice") == 1)
        assert eventually(lambda: figure(service, "crisps_search_queue", kind="advice") == 0)
        assert figure(service, "crisps_search_refusals_total", kind="advice", reason="gone") == gone + 1
    assert eventually(lambda: not searching(service))


def test_the_computer_answers_while_the_slots_for_advice_are_taken(service: OwnService) -> None:
    settings = {"seats": [{"kind": "ai", "level": 1}, {"kind": "human"}], "first_leader": 0}
    with ask_for_advice(service), closing(Client(service.url)) as client:
        assert eventually(lambda: searching(service))
        made = client.want(201, "POST", "/v1/games", settings)
        path, token = f"/v1/games/{made['game']['id']}", made["tokens"][0]["token"]
        dealt = client.want(200, "POST", f"{path}/deal", {"version": 1}, token)
        assert [event["type"] for event in dealt["events"]][:2] == ["dealt", "played"]
        assert searching(service)  # so it was not because the advice had ended
    assert eventually(lambda: not searching(service))


@pytest.mark.slow
def test_beside_twice_the_advice_that_can_be_served_play_goes_on_and_the_rest_is_refused(tmp_path: Path) -> None:
    small = argparse.Namespace(seconds=3.0, players=3, factor=4.0, time_ms=300)
    alone, beside = bench_admission.measure(tmp_path, small)
    for load in (alone, beside):
        for what in ("create", "view", "play"):
            assert load.count(what) == load.count(what, 200, 201) > 0  # each of them, and none refused
    assert beside.count("advice") == beside.count("advice", 200, 503) == 80
    assert beside.count("advice", 200) > 0
    assert beside.count("advice", 503) > 0
    assert set(beside.problems) <= {"search_busy"}
    assert all(1 <= seconds <= 30 for seconds in beside.retry_after)
