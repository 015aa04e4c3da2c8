"""Every player that can enter the arena, by name.

Beside the baselines: `net` is the network alone, `net:FILE` one of another weight file, `guided-N` the search that is
served, with N simulations. Two more take the belief apart: `uniform-N` has none, and `misled-N` gives its hands, one by
one, the weights that the hands of another deal got from its past: what a belief gains has to vanish there. `level-K` is
what the service plays. Players that search with what is served also tell what they expect of their action.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from ai.advice import GROWTH, Advised, Prepared, carry_out, prepare, root_values, run
from ai.baselines import BASELINES, Player, baseline
from ai.belief import NOT_BELIEVED, Growth, Values, weigh
from ai.budget import Budget
from ai.evaluation import Weights, load, shipped
from ai.features import rows_of_slots
from ai.levels import LEVELS, Level
from ai.policy import ActionValue, choose_action, search
from ai.tables import action_of, tables
from engine.actions import Action
from engine.cards import FULL_DECK
from engine.deal import Deal
from engine.observation import Observation, observe
from engine.rules import Rules

T = TypeVar("T")

PLAYERS = ("net", "net:FILE", "guided-N", "uniform-N", "misled-N", f"level-1 to level-{max(LEVELS)}")
"""The others, as one writes their names."""

WHOLE = Growth(GROWTH.most, 1, GROWTH.most)
"""All hands before the first simulation."""


Expecting: TypeAlias = Callable[[Deal, int], ActionValue]
"""A player that answers its action with what its search says of it."""


def player_of(name: str) -> Player:
    """The player of this name.

    Raises ValueError: there is none, N is out of a budget's bounds, or the file has no weights to play by.
    """
    kind, _, number = name.partition("-")
    if name == "net":
        return _seeing(_by_network)
    if name.startswith("net:"):
        return _seeing(partial(_by_weights, _weights_of(name.removeprefix("net:"))))
    if kind == "level":
        level = _level(name)
        return _seeing(lambda seen, seed: choose_action(seen, level, seed).action)
    if kind in _SEARCHES and number.isdecimal():
        return _seeing(partial(_SEARCHES[kind], Budget(simulations=int(number))))
    if kind in BASELINES:
        return baseline(name)
    raise ValueError(f"no player is called {name!r}: {', '.join((*BASELINES.values(), *PLAYERS))}")


def expecting(name: str) -> Expecting:
    """The player of this name, level-K or guided-N, with what it expects.

    Raises ValueError: there is none, or it tells nothing.
    """
    kind, _, number = name.partition("-")
    if kind == "level":
        level = _level(name)
        return _seeing(lambda seen, seed: choose_action(seen, level, seed).value)
    if kind == "guided" and number.isdecimal():
        budget = Budget(simulations=int(number))
        return _seeing(lambda seen, seed: search(seen, budget, seed).actions[0])
    player_of(name)
    raise ValueError(f"{name} tells no chance to win: level-K and guided-N do")


def _level(name: str) -> Level:
    _, _, number = name.partition("-")
    if not number.isdecimal() or int(number) not in LEVELS:
        raise ValueError(f"no level is called {name!r}: level-1 to level-{max(LEVELS)}")
    return LEVELS[int(number)]


def _seeing(choose: Callable[[Observation, int], T]) -> Callable[[Deal, int], T]:
    def player(deal: Deal, seed: int) -> T:
        assert deal.to_act is not None  # noqa: S101 - the arena asks only while a seat is to act
        return choose(observe(deal, deal.to_act), seed)

    return player


@cache
def _weights_of(file: str) -> Weights:
    try:
        return load(Path(file))
    except OSError as fault:  # what cannot be used is a ValueError already
        raise ValueError(str(fault)) from fault


def _by_network(seen: Observation, seed: int) -> Action:
    return _by_weights(shipped(), seen, seed)


def _by_weights(weights: Weights, seen: Observation, _seed: int) -> Action:
    values = root_values(weights, seen)
    return action_of(max(values, key=lambda slot: (values[slot], -slot)))


def _guided(growth: Growth, budget: Budget, seen: Observation, seed: int) -> Action:
    return _most_visited(run(shipped(), seen, budget, seed, growth=growth))


def _misled(budget: Budget, seen: Observation, seed: int) -> Action:
    begin = time.perf_counter()
    return _most_visited(carry_out(shipped(), seen, misled(seen, budget.most, seed), budget, begin))


def misled(seen: Observation, simulations: int, seed: int) -> Prepared:
    """A search that has not run yet, its belief weighed by the past of another deal of the base rules."""
    prepared = prepare(seen, WHOLE, simulations, seed)
    if len(prepared.belief.hands):
        foreign = foreign_deal(len(prepared.belief.past.slots), seed)
        weigh_all(prepared)
        prepared.belief.sums[:] = weigh_all(prepare(foreign, WHOLE, 1, seed))
    return prepared


def weigh_all(prepared: Prepared) -> Values:
    """The running sums of the weights of all hands that the belief of a search has room for."""
    known, belief, search = prepared
    net, r = shipped().actions, rows_of_slots()
    weigh(net, tables(), r, known, belief, WHOLE.most, search.world, search.memory, search.scratch, 1)
    return belief.sums


def foreign_deal(actions: int, seed: int) -> Observation:
    """What the seat to act sees of another deal that the network played, after so many actions if it lasts so long."""
    deck = list(FULL_DECK)
    random.Random(f"foreign {seed}").shuffle(deck)
    deal = Deal.start(Rules(), tuple(deck), starter=seed % 2)
    for _ in range(actions):
        assert deal.to_act is not None  # noqa: S101 - an ended deal is not gone on with
        following, _ = deal.apply(deal.to_act, _by_network(observe(deal, deal.to_act), 0))
        if following.to_act is None:
            break
        deal = following
    assert deal.to_act is not None  # noqa: S101
    return observe(deal, deal.to_act)


def _most_visited(advised: Advised) -> Action:
    return action_of(max(advised.actions, key=lambda one: (one.visits, one.chance, -one.slot)).slot)


_SEARCHES: dict[str, Callable[[Budget, Observation, int], Action]] = {
    "guided": partial(_guided, GROWTH),
    "uniform": partial(_guided, NOT_BELIEVED),
    "misled": _misled,
}
