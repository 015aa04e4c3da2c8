"""What the service counts, for Prometheus; right also where several processes serve, one after the other or at once.

With PROMETHEUS_MULTIPROC_DIR set before this module is imported (server.py does), every process keeps its figures
in files of that folder, and whichever is asked adds them up; otherwise they are this process's. Labels are routes,
levels and names of ours: never an id, a token or an address.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from service import metrics_folder
from service.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
OTHER = "other"

_SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_LONG = (*_SHORT, 5.0, 10.0, 30.0)

_UNTIMED = "/suggestions"
"""How routes end whose time is told to nobody: it would show an opponent what the hand that was asked about allows."""

REGISTRY = CollectorRegistry()

_requests = Counter("crisps_requests", "Answered requests.", ["route", "method", "status"], registry=REGISTRY)
_request_seconds = Histogram(
    "crisps_request_seconds",
    "From a request's start to the start of its answer; advice left out.",
    ["route"],
    buckets=_LONG,
    registry=REGISTRY,
)
_searches = Counter(
    "crisps_searches", "Finished searches; level 0: a budget of its own.", ["kind", "level"], registry=REGISTRY
)
_search_seconds = Histogram(
    "crisps_search_seconds", "Time a due move's search took.", ["kind"], buckets=_LONG, registry=REGISTRY
)
_search_wait_seconds = Histogram(
    "crisps_search_wait_seconds",
    "Time a search waited for its slot, those that got none included.",
    ["kind"],
    buckets=_LONG,
    registry=REGISTRY,
)
_search_refusals = Counter(
    "crisps_search_refusals",
    "Searches that got no slot, or were given up: queue (too many wait), wait (too long), gone (so is the client).",
    ["kind", "reason"],
    registry=REGISTRY,
)
_search_queue = Gauge(
    "crisps_search_queue", "Searches waiting now.", ["kind"], multiprocess_mode="livesum", registry=REGISTRY
)
_slots_busy = Gauge(
    "crisps_search_slots_busy", "Searches running now.", ["kind"], multiprocess_mode="livesum", registry=REGISTRY
)
_store_calls = Counter("crisps_store_calls", "Calls of the store.", ["operation"], registry=REGISTRY)
_store_failures = Counter(
    "crisps_store_failures", "Calls that the store did not answer, or refused.", ["operation"], registry=REGISTRY
)
_store_seconds = Histogram(
    "crisps_store_seconds", "Time a call of the store took.", ["operation"], buckets=_SHORT, registry=REGISTRY
)
_games = Counter("crisps_games", "Games by the state they came to: created, finished.", ["state"], registry=REGISTRY)
_games_ended = Counter("crisps_games_ended", "Finished games by why they ended.", ["reason"], registry=REGISTRY)
_unlimited = Counter(
    "crisps_rate_limit_failures", "Requests let pass because the store could not count them.", registry=REGISTRY
)
_build = Gauge(
    "crisps_build", "1, labelled with what runs.", ["version", "commit"], multiprocess_mode="max", registry=REGISTRY
)
streams_open = Gauge(
    "crisps_streams_open", "Live streams and long polls open now.", multiprocess_mode="livesum", registry=REGISTRY
)


@cache
def _labelled(metric: Any, *labels: str) -> Any:  # noqa: ANN401 - one of the metrics above
    # What labels() answers never changes; it takes a lock and some microseconds each time.
    return metric.labels(*labels)


def request_answered(route: str | None, method: str, status: int, seconds: float) -> None:
    """Count an answer, and its time but for advice; `route` is the path's pattern, None where there is none."""
    route = route or OTHER
    _labelled(_requests, route, method if method in METHODS else OTHER, str(status)).inc()
    if not route.endswith(_UNTIMED):
        _labelled(_request_seconds, route).observe(seconds)


def request_refused(status: int) -> None:
    """Count an answer to what could not be read as a request; it took no time to speak of."""
    _labelled(_requests, OTHER, OTHER, str(status)).inc()


def searched(kind: str, level: int, seconds: float | None = None) -> None:
    """Count a search that has ended well, and how long it took, unless that is to be told to nobody."""
    if seconds is not None:
        _labelled(_search_seconds, kind).observe(seconds)
    _labelled(_searches, kind, str(level)).inc()


@contextmanager
def waiting(kind: str) -> Iterator[None]:
    """Count a search among those that wait."""
    gauge, begin = _labelled(_search_queue, kind), time.perf_counter()
    gauge.inc()
    try:
        yield
    finally:
        gauge.dec()
        _labelled(_search_wait_seconds, kind).observe(time.perf_counter() - begin)


@contextmanager
def running(kind: str) -> Iterator[None]:
    """Count a search among those that hold a slot."""
    gauge = _labelled(_slots_busy, kind)
    gauge.inc()
    try:
        yield
    finally:
        gauge.dec()


def search_refused(kind: str, reason: str) -> None:
    """Count a search that did not take place; `reason` is queue, wait or gone."""
    _labelled(_search_refusals, kind, reason).inc()


def game_created() -> None:
    """Count a new game."""
    _labelled(_games, "created").inc()


def game_finished(reason: str) -> None:
    """Count a game that has ended."""
    _labelled(_games, "finished").inc()
    _labelled(_games_ended, reason).inc()


def limit_failed() -> None:
    """Count a request that no limit was applied to, for want of the store."""
    _unlimited.inc()


def build(version: str, commit: str) -> None:
    """Tell what runs."""
    _labelled(_build, version, commit).set(1)


class _Measured:
    """A store whose calls are counted and timed by the name of its method."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the store has
        found = getattr(self._store, name)
        if not callable(found):
            return found
        measured = _measured(name, found)
        setattr(self, name, measured)
        return measured


def measured(store: T) -> T:
    """The same store, its calls counted."""
    return cast("T", _Measured(store))


def _measured(operation: str, call: Callable[..., Any]) -> Callable[..., Any]:
    calls, failures = _store_calls.labels(operation), _store_failures.labels(operation)
    seconds = _store_seconds.labels(operation)

    def calling(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the method
        calls.inc()
        begin = time.perf_counter()
        try:
            return call(*args, **kwargs)
        except StoreUnavailable:
            failures.inc()
            raise
        finally:
            seconds.observe(time.perf_counter() - begin)

    return calling


def exposition() -> bytes:
    """All figures in Prometheus's text format."""
    folder = os.environ.get(metrics_folder.VARIABLE)
    if folder is None:
        return generate_latest(REGISTRY)
    together = CollectorRegistry()
    multiprocess.MultiProcessCollector(together, folder)  # type: ignore[no-untyped-call]
    return generate_latest(together)


def forget(pid: int) -> None:
    """A process has ended: what it had going on ended with it; what it counted stays counted."""
    folder = os.environ.get(metrics_folder.VARIABLE)
    if folder is not None:
        multiprocess.mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]
