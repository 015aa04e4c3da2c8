"""The metrics: what is counted, and that several processes, dead ones included, add up."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service import metrics, metrics_folder
from service.app import create_app
from service.config import Config
from service.errors import StoreUnavailable
from tests.advised import suggest
from tests.asking import Api, app
from tests.running import ROOT
from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

__all__ = ["app"]  # a fixture

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    """Every sample of an exposition, by name and labels."""
    return {
        (one.name, frozenset(one.labels.items())): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


class Grown:
    """How much this process's figures have grown since it was made."""

    def __init__(self) -> None:
        self._before = samples(metrics.exposition().decode())

    def __call__(self, name: str, **labels: str) -> float:
        return value(samples(metrics.exposition().decode()), name, **labels) - value(self._before, name, **labels)


def test_requests_are_counted_by_route_method_and_status(app: Flask) -> None:
    grown, api = Grown(), Api(app)
    table = api.table()
    for _ in range(3):
        table.view(0)
    api.get(f"{table.path}1")
    name = "crisps_requests_total"
    assert grown(name, route="/v1/games", method="POST", status="201") == 1
    assert grown(name, route="/v1/games/<game_id>", method="GET", status="200") == 3
    assert grown(name, route="/v1/games/<game_id>", method="GET", status="404") == 1
    assert grown("crisps_request_seconds_count", route="/v1/games/<game_id>") == 4


def test_unknown_paths_and_methods_make_no_labels_of_their_own(app: Flask) -> None:
    client = app.test_client()
    grown = Grown()
    for path, method in (("/secret-token", "GET"), ("/another", "GET"), ("/healthz", "SECRET")):
        client.open(path, method=method)
    assert grown("crisps_requests_total", route="other", method="GET", status="404") == 2
    assert grown("crisps_requests_total", route="other", method="other", status="405") == 1
    assert "secret" not in metrics.exposition().decode().lower()


def test_a_mistake_of_ours_is_counted() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    grown = Grown()
    probe_app(fail).test_client().get("/raise")
    assert grown("crisps_requests_total", route="/raise", method="GET", status="500") == 1


def test_a_game_against_the_computer_leaves_its_traces(app: Flask) -> None:
    grown = Grown()
    seats = [{"kind": "human"}, {"kind": "ai", "level": 2}]
    table = Api(app).table(seats=seats).deal().play("5 5")
    suggest(table, 0, {"level": 3})
    suggest(table, 0, {"simulations": 7})
    table.do(0, "resign")
    assert grown("crisps_games_total", state="created") == grown("crisps_games_total", state="finished") == 1
    assert grown("crisps_games_ended_total", reason="resignation") == 1
    moves = grown("crisps_searches_total", kind="move", level="2")
    assert moves >= 1
    assert grown("crisps_search_seconds_count", kind="move") == moves
    assert grown("crisps_search_wait_seconds_count", kind="move") == moves
    assert grown("crisps_searches_total", kind="advice", level="3") == 1
    assert grown("crisps_searches_total", kind="advice", level="0") == 1
    # its time would show the other seat what the hand allows
    assert grown("crisps_search_seconds_count", kind="advice") == 0
    assert grown("crisps_request_seconds_count", route="/v1/games/<game_id>/suggestions") == 0
    assert grown("crisps_store_calls_total", operation="create") == 1
    assert grown("crisps_store_calls_total", operation="commit") == 3 + moves
    assert grown("crisps_store_failures_total", operation="commit") == 0
    for gauge in ("crisps_search_queue", "crisps_search_slots_busy"):
        assert value(samples(metrics.exposition().decode()), gauge, kind="move") == 0


class Failing:
    """A store that fails at one thing."""

    answer = 42

    def load(self) -> None:
        raise StoreUnavailable

    def events(self, after: int) -> int:
        if after < 0:
            raise ValueError
        return after


def test_a_measured_store_is_the_same_store_and_its_failures_are_counted() -> None:
    grown, store = Grown(), metrics.measured(Failing())
    assert (store.answer, store.events(3), store.events(after=4)) == (42, 3, 4)
    with pytest.raises(StoreUnavailable):
        store.load()
    with pytest.raises(ValueError):  # a mistake of ours is not the store's failure
        store.events(-1)
    assert grown("crisps_store_calls_total", operation="events") == 3
    assert grown("crisps_store_failures_total", operation="events") == 0
    assert grown("crisps_store_failures_total", operation="load") == grown(
        "crisps_store_seconds_count", operation="load"
    )
    with pytest.raises(AttributeError):
        _ = store.nothing  # type: ignore[attr-defined]


def test_the_page_is_in_prometheus_text_format_and_can_be_switched_off() -> None:
    answer = create_app(Config.from_env({})).test_client().get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert ("crisps_streams_open", frozenset()) in samples(answer.text)
    answer = create_app(Config.from_env({"METRICS": "off"})).test_client().get("/metrics")
    assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


PROCESS = """
import os, sys
from service import metrics
metrics.build("1", "c")
live = []
for role in sys.argv[1]:
    child = os.fork()
    if child == 0:
        metrics.request_answered("/x", "GET", 200, 0.1)
        metrics.streams_open.inc()
        if role == "d":
            os._exit(0)  # ends with its stream open
        os.kill(os.getpid(), 19)
        os._exit(0)
    _, status = os.waitpid(child, os.WUNTRACED)
    if role == "d":
        metrics.forget(child)
    else:
        live.append(child)
print(metrics.exposition().decode())
for child in live:
    os.kill(child, 9)
"""


def test_counts_of_dead_processes_stay_and_their_gauges_go(tmp_path: Path) -> None:
    environ = {**os.environ, metrics_folder.VARIABLE: str(tmp_path), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", PROCESS, "dddll"], env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    found = samples(ran.stdout)
    assert value(found, "crisps_requests_total", route="/x", method="GET", status="200") == 5
    assert value(found, "crisps_request_seconds_count", route="/x") == 5
    assert value(found, "crisps_streams_open") == 2
    assert value(found, "crisps_build", version="1", commit="c") == 1


def test_the_folder_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    with metrics_folder.metrics_folder(tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "counter_1.db").touch()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_service_left_is_swept_and_what_a_running_one_uses_is_not(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys\n"
        "from service.metrics_folder import metrics_folder\n"
        "with metrics_folder(pathlib.Path(sys.argv[1])):\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, timeout=60, check=False)
    (left,) = tmp_path.iterdir()
    with metrics_folder.metrics_folder(tmp_path) as first:
        assert not left.exists()
        with metrics_folder.metrics_folder(tmp_path) as second:
            assert {first, second} == set(tmp_path.iterdir())


def test_a_fork_that_ends_leaves_the_folder_to_its_owner(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys\n"
        "from service.metrics_folder import metrics_folder\n"
        "with metrics_folder(pathlib.Path(sys.argv[1])) as folder:\n"
        "    if os.fork() == 0:\n"
        "        sys.exit(0)\n"
        "    os.wait()\n"
        "    print(folder.exists())\n"
    )
    command: list[Any] = [sys.executable, "-c", script, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "True\n"
    assert list(tmp_path.iterdir()) == []
