"""Processor time of calls, and what a second thread gains."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor


def seconds(call: Callable[[], object]) -> float:
    """Processor time of a call."""
    begin = time.thread_time()
    call()
    return time.thread_time() - begin


def together(calls: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """What calls in two threads gain over one after the other: by the clock, and by processor time.

    The second is what the clock would show on two free cores: 2 unless the threads get into each other's way.
    """
    with ThreadPoolExecutor(2) as pool:
        begin = time.perf_counter()
        alone = [seconds(call) for call in calls]
        middle = time.perf_counter()
        beside = list(pool.map(seconds, calls))
        end = time.perf_counter()
    return (middle - begin) / (end - middle), 2 * sum(alone) / sum(beside)
