"""What a move costs on one core: time by level, the guided search's simulations per second, two threads' gain.

Run: PYTHONPATH=. python tests/bench/bench_levels.py [DEALS]

Positions are those of deals that the network plays against itself, with their past; an only action is no decision.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from ai.advice import GROWTH, run
from ai.belief import NOT_BELIEVED, Growth
from ai.evaluation import shipped
from ai.guided_tree import start_search
from ai.players import player_of
from ai.policy import LEVELS, Budget, choose_action, warm_up
from engine.cards import FULL_DECK
from engine.deal import Deal
from engine.observation import Observation, observe
from engine.rules import Rules
from tests.bench.timing import seconds, two_threads

SIMULATIONS = 1_000
THREADED = 40  # decisions
RUNS = 7


def positions(deals: int) -> list[Observation]:
    """Every decision of some deals."""
    rng, network, found = random.Random(1), player_of("net"), []
    for number in range(deals):
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        deal = Deal.start(Rules(), tuple(deck), number % 2)
        while deal.to_act is not None:
            if len(deal.legal_actions()) > 1:
                found.append(observe(deal, deal.to_act))
            deal, _ = deal.apply(deal.to_act, network(deal, 0))
    return found


def milliseconds(call: Callable[[], object]) -> float:
    """Processor time of a call."""
    return 1000 * seconds(call)


def searches(seen: list[Observation], simulations: int, growth: Growth) -> float:
    """Milliseconds of a search, on average."""
    budget = Budget(simulations)
    return statistics.mean(milliseconds(partial(run, shipped(), one, budget, 1, growth=growth)) for one in seen)


def main(deals: int) -> None:
    """Prints the figures."""
    warm_up()
    seen = positions(deals)
    print(f"{len(seen)} decisions of {deals} deals")
    for number, level in LEVELS.items():
        times = [milliseconds(partial(choose_action, one, level, 1)) for one in seen]
        p95 = statistics.quantiles(times, n=20)[-1]
        figures = f"{statistics.mean(times):.2f} mean, {statistics.median(times):.2f} median, {p95:.2f} p95 ms"
        print(f"level {number}, {level.budget.simulations} simulations: {figures}")
    openings = [one for one in seen if one.events is not None and len(one.events) == 1]
    for name, some in (("the opening", openings), ("all decisions", seen)):
        alone = searches(some, SIMULATIONS, NOT_BELIEVED)
        with_belief = searches(some, SIMULATIONS, GROWTH)
        rates = (1000 * SIMULATIONS / each for each in (alone, with_belief))
        print("guided simulations per second, {}: {:,.0f}, with belief {:,.0f}".format(name, *rates))
    calls = [partial(choose_action, one, LEVELS[5], 1) for one in seen[:THREADED]]
    print("level 5,", two_threads(calls, RUNS))
    search = start_search(100_000, 1, np.zeros(2, dtype=np.int64))
    print(f"a search of 100,000 simulations: {(search.nodes.nbytes + search.options.nbytes) / 1e6:.1f} MB at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
