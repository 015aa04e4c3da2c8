"""A search from budget to ranked actions: chunks of simulations until the budget is used up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ai.determinization import InformationSet
from ai.tables import tables
from ai.textbook import MAX_SIMULATIONS, simulate, start_search
from ai.tree import ROOT

MAX_TIME_MS = 5_000
MAX_SEED = 2**53 - 1
LOOK_SECONDS = 0.02
"""Time between two looks at `should_stop`, at least."""


class Pace(NamedTuple):
    """Simulations between two looks at the clock, and between two at `should_stop` where no clock runs."""

    timed: int
    untimed: int


PACE = Pace(timed=128, untimed=4096)
"""About 0.2 ms and 6 ms of the textbook search."""


class SearchStopped(Exception):
    """`should_stop` said so before the budget was used up."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may think: until either limit is reached, MAX_SIMULATIONS where only time is given.

    Raises ValueError: neither limit, `simulations` outside 1 to 100,000 or `time_ms` outside 1 to 5,000.
    """

    simulations: int | None = None
    time_ms: int | None = None

    def __post_init__(self) -> None:
        if self.simulations is None and self.time_ms is None:
            raise ValueError("a budget limits simulations or time_ms")
        if self.simulations is not None and not 1 <= self.simulations <= MAX_SIMULATIONS:
            raise ValueError(f"simulations is 1 to {MAX_SIMULATIONS}, not {self.simulations}")
        if self.time_ms is not None and not 1 <= self.time_ms <= MAX_TIME_MS:
            raise ValueError(f"time_ms is 1 to {MAX_TIME_MS}, not {self.time_ms}")

    @property
    def most(self) -> int:
        """The most simulations that a search may run."""
        return MAX_SIMULATIONS if self.simulations is None else self.simulations


@dataclass(frozen=True, slots=True)
class Tally:
    """What the simulations through one root action came to."""

    visits: int
    wins: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search found: a tally for every root action that was tried, by slot."""

    tallies: dict[int, Tally]
    simulations: int
    elapsed_ms: float


def spend(budget: Budget, step: Callable[[int], None], pace: Pace, should_stop: Callable[[], bool] | None) -> int:
    """Has `step` run simulations, so many at a time, until the budget is used up; answers how many it ran.

    The time is counted from this call. Raises SearchStopped.
    """
    begin = time.perf_counter()
    deadline = None if budget.time_ms is None else begin + budget.time_ms / 1000
    done, looked = 0, begin
    longest = pace.timed if deadline is not None else budget.most if should_stop is None else pace.untimed
    while done < budget.most:
        chunk = min(longest, budget.most - done)
        step(chunk)
        done += chunk
        now = time.perf_counter()
        if deadline is not None and now >= deadline:
            break
        if should_stop is not None and now >= looked + LOOK_SECONDS:
            looked = now
            if should_stop():
                raise SearchStopped
    return done


def run(known: InformationSet, budget: Budget, seed: int, should_stop: Callable[[], bool] | None = None) -> Findings:
    """Searches the position of the seat to act.

    The same information set, seed and number of simulations give the same tallies, however they were cut into chunks.
    Raises SearchStopped.
    """
    begin = time.perf_counter()
    search = start_search(budget.most, seed)
    done = spend(budget, lambda chunk: simulate(tables(), known, search, chunk), PACE, should_stop)
    first = int(search.nodes[ROOT]["first_child"])
    children = search.nodes[first : first + int(search.nodes[ROOT]["children"])]
    tallies = {int(child["slot"]): Tally(int(child["visits"]), int(child["wins"])) for child in children}
    return Findings(tallies, done, (time.perf_counter() - begin) * 1000)
