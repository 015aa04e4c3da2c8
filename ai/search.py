"""A search from budget to ranked actions: chunks of simulations until the budget is used up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ai.budget import Budget
from ai.determinization import InformationSet
from ai.tables import tables
from ai.textbook import simulate, start_search
from ai.tree import ROOT

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


def spend(
    budget: Budget, step: Callable[[int], None], pace: Pace, should_stop: Callable[[], bool] | None, begin: float
) -> int:
    """Has `step` run simulations, so many at a time, until the budget is used up; answers how many it ran.

    The time is counted from `begin`, as time.perf_counter tells it. Raises SearchStopped.
    """
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
    done = spend(budget, lambda chunk: simulate(tables(), known, search, chunk), PACE, should_stop, begin)
    first = int(search.nodes[ROOT]["first_child"])
    children = search.nodes[first : first + int(search.nodes[ROOT]["children"])]
    tallies = {int(child["slot"]): Tally(int(child["visits"]), int(child["wins"])) for child in children}
    return Findings(tallies, done, (time.perf_counter() - begin) * 1000)
