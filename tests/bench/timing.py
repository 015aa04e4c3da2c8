"""Processor time of calls, and what a second thread gains."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor


def seconds(call: Callable[[], object]) -> float:
    """Processor time of a call."""
    begin = time.thread_time()
    call()
    return time.thread_time() - begin


def two_threads(calls: Sequence[Callable[[], object]], runs: int) -> str:
    """In words what calls in two threads gain over one after the other: medians of some runs, and their range.

    By processor time it is what the clock would show on two free cores: 2 unless the threads get into each other's way.
    """
    gains = zip(*(_together(calls) for _ in range(runs)), strict=True)
    told = (f"{statistics.median(some):.2f} ({min(some):.2f} to {max(some):.2f})" for some in gains)
    return "two threads: {} times one by the clock, {} by processor time".format(*told)


def _together(calls: Sequence[Callable[[], object]]) -> tuple[float, float]:
    with ThreadPoolExecutor(2) as pool:
        begin = time.perf_counter()
        alone = [seconds(call) for call in calls]
        middle = time.perf_counter()
        beside = list(pool.map(seconds, calls))
        end = time.perf_counter()
    return (middle - begin) / (end - middle), 2 * sum(alone) / sum(beside)
