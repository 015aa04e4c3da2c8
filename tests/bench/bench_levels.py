"""What a move costs on one core: time by level and phase, simulations per second, two threads' gain, memory.

Run: PYTHONPATH=. python tests/bench/bench_levels.py [DEALS] [OPTIONS, comma between them]

Positions are those of deals that the network plays against itself, with their past; an only action is no decision.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable
from functools import partial

from ai.advice import GROWTH, prepare, run
from ai.arguments import options_of, rules_of
from ai.belief import NOT_BELIEVED, Growth
from ai.evaluation import shipped
from ai.players import player_of
from ai.policy import LEVELS, Budget, choose_action, warm_up
from ai.proof import MOST_TRIED, empty_proof
from engine.cards import FULL_DECK
from engine.deal import MAX_DRAWS, Deal, Phase
from engine.observation import Observation, observe
from engine.rules import Rules
from tests.bench.timing import seconds, two_threads

SIMULATIONS = 1_000
THREADED = 40  # decisions
RUNS = 7


def positions(deals: int, rules: Rules) -> list[Observation]:
    """Every decision of some deals."""
    rng, network, found = random.Random(1), player_of("net"), []
    for number in range(deals):
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        deal = Deal.start(rules, tuple(deck), number % 2)
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


def phase_of(seen: Observation) -> str:
    """The phase of the deal that a decision belongs to."""
    if seen.now.phase is Phase.DRAW:
        return "draw choices"
    drawn = MAX_DRAWS - seen.now.draws_left
    return "before the first draw" if not drawn else "after the last draw" if drawn == MAX_DRAWS else "between draws"


def told(times: list[float]) -> str:
    """Mean, median and p95 of some times."""
    p95 = statistics.quantiles(times, n=20)[-1]
    return f"{statistics.mean(times):.2f} mean, {statistics.median(times):.2f} median, {p95:.2f} p95 ms"


def megabytes(seen: Observation, simulations: int) -> float:
    """What a search takes at most: its tree, the belief, and the proof that is looked for before."""
    known, belief, search = prepare(seen, GROWTH, simulations, 1)
    arrays = [*known, belief.hands, belief.sums, search.nodes, search.options, *empty_proof(MOST_TRIED)]
    return sum(array.nbytes for array in arrays) / 1e6


def main(deals: int, options: str) -> None:
    """Prints the figures."""
    warm_up()
    seen = positions(deals, rules_of(options_of(options)))
    print(f"{len(seen)} decisions of {deals} deals")
    for number, level in LEVELS.items():
        times = [milliseconds(partial(choose_action, one, level, 1)) for one in seen]
        print(f"level {number}, {level.budget.simulations} simulations: {told(times)}")
        for phase in dict.fromkeys(map(phase_of, seen)) if number == max(LEVELS) else ():
            at = [spent for one, spent in zip(seen, times, strict=True) if phase_of(one) == phase]
            print(f"  {phase}: {told(at)}")
    openings = [one for one in seen if one.events is not None and len(one.events) == 1]
    for name, some in (("the opening", openings), ("all decisions", seen)):
        alone = searches(some, SIMULATIONS, NOT_BELIEVED)
        with_belief = searches(some, SIMULATIONS, GROWTH)
        rates = (1000 * SIMULATIONS / each for each in (alone, with_belief))
        print("guided simulations per second, {}: {:,.0f}, with belief {:,.0f}".format(name, *rates))
    calls = [partial(choose_action, one, LEVELS[5], 1) for one in seen[:THREADED]]
    print("level 5,", two_threads(calls, RUNS))
    for simulations in (LEVELS[4].budget.most, LEVELS[5].budget.most, 100_000):
        print(f"a search of {simulations:,} simulations: {megabytes(seen[-1], simulations):.1f} MB at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2] if len(sys.argv) > 2 else "")
