"""Textbook simulations and random deals per second on one core, also as multiples of the engine's random deals.

Run: PYTHONPATH=. python tests/bench/bench_search.py [SIMULATIONS]

Figures are per second of processor time, of the median and of the quickest of some runs, so that other work on the
machine disturbs them little; what two threads gain by the clock needs two free cores to be seen.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ai.bits import advance
from ai.compiled import kernel
from ai.determinization import InformationSet, determinize, information_set
from ai.policy import warm_up
from ai.rollout import rollout
from ai.tables import IntArray, Records, tables
from ai.textbook import simulate, start_search
from ai.world import WORLD
from engine.cards import FULL_DECK
from engine.deal import Deal
from engine.observation import Observation, observe
from engine.rules import Rules
from tests.bench.timing import seconds, two_threads

OPENINGS = 10
RUNS = 3
ENGINE_DEALS = 100
KERNEL_DEALS = 100_000


def openings() -> list[Observation]:
    """What the leader sees of some fresh deals."""
    rng = random.Random(1)
    found = []
    for _ in range(OPENINGS):
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        found.append(observe(Deal.start(Rules(), tuple(deck), 0), 0))
    return found


@kernel
def random_deals(t: Records, known: InformationSet, world: IntArray, deals: int, state: int) -> int:
    """Deals dealt and played at random; answers how many seat 1 won."""
    wins = 0
    for _ in range(deals):
        state = determinize(known, world, advance(state))
        winner, state = rollout(t, world, state)
        wins += winner
    return wins


def engine_random_deals() -> None:
    """The same with the engine."""
    rng = random.Random(2)
    for _ in range(ENGINE_DEALS):
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        deal = Deal.start(Rules(), tuple(deck), 0)
        while deal.to_act is not None:
            deal, _ = deal.apply_unchecked(rng.choice(list(deal.legal_actions())))


def search(known: InformationSet, simulations: int) -> None:
    """One search from scratch."""
    simulate(tables(), known, start_search(simulations, 7), simulations)


def rate(label: str, count: int, calls: Sequence[Callable[[], object]]) -> float:
    """Prints and answers how often per second, at the median run, something happens that a call does `count` times."""
    times = [seconds(call) for call in calls]
    median = count / statistics.median(times)
    print(f"{label}: {median:,.0f} / s (quickest run {count / min(times):,.0f})")
    return median


def main(simulations: int) -> None:
    """Prints the figures."""
    warm_up()
    known = [information_set(seen) for seen in openings()]
    world = np.zeros(WORLD, dtype=np.int64)
    random_deals(tables(), known[0], world, 1, 1)
    engine = rate("engine, random deals", ENGINE_DEALS, [engine_random_deals] * RUNS)
    deals = rate(
        "kernels, random deals",
        KERNEL_DEALS,
        [lambda: random_deals(tables(), known[0], world, KERNEL_DEALS, 1)] * RUNS,
    )
    print(f"  {deals / engine:,.0f} times the engine's")
    for size in sorted({1_000, simulations}):
        repeats = max(1, 20_000 // size)
        calls = [partial(search, one, size) for _ in range(repeats) for one in known]
        found = rate(f"textbook-{size} from the opening, simulations", size, calls)
        print(f"  {found / engine:,.0f} times the engine's random deals")
    pairs = [information_set(seen) for seen in openings()[:2]]
    calls = [partial(search, one, 100_000) for one in pairs]
    print(two_threads(calls, RUNS))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
