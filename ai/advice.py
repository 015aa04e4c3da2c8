"""From what a seat knows to advice on every legal action: a guided search within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ai.belief import NOT_BELIEVED, Belief, Growth, start_belief
from ai.budget import Budget
from ai.certain import certain_play
from ai.determinization import InformationSet, determinize, information_set
from ai.evaluation import Weights, empty_scratch, evaluate, win_chance
from ai.features import memory_of, rows_of_slots
from ai.guided import simulate
from ai.guided_tree import NO_NODE, PROVEN, ROOT, GuidedSearch, start_search
from ai.proof import MOST_TRIED, proven_action
from ai.search import Pace, spend
from ai.tables import IntArray, tables
from ai.world import NOTHING, TURN_SKIP, WORLD, legal
from engine.observation import Observation

GROWTH = Growth(first=32, every=4, most=400)
"""How the belief grows with a search."""

ONLY_ACTION = 32
"""Simulations at most where there is nothing to choose."""

PACE = Pace(timed=32, untimed=512)
"""About 0.5 ms and 8 ms."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A root action, how often it was tried and the chance to win the deal with it."""

    slot: int
    visits: int
    chance: float


@dataclass(frozen=True, slots=True)
class Advised:
    """What a guided search found: advice for every legal action, and what it took."""

    actions: tuple[Advice, ...]
    simulations: int
    elapsed_ms: float


class Prepared(NamedTuple):
    """What `simulate` takes beside weights and tables."""

    known: InformationSet
    belief: Belief
    search: GuidedSearch


def prepare(observation: Observation, growth: Growth, simulations: int, seed: int, proof: int = MOST_TRIED) -> Prepared:
    """A search that has not run yet, and what it goes out from; a proven win is looked for in `proof` moments."""
    known = information_set(observation)
    known.template[TURN_SKIP] = observation.now.rules.automatic_turn_skip
    proven = proven_action(tables(), some_world(known), proof)
    search = start_search(simulations, seed, memory_of(observation), proven)
    return Prepared(known, start_belief(observation, growth), search)


def run(
    weights: Weights,
    observation: Observation,
    budget: Budget,
    seed: int,
    should_stop: Callable[[], bool] | None = None,
    growth: Growth = GROWTH,
    *,
    spares: bool = True,
    proof: int = MOST_TRIED,
) -> Advised:
    """Searches the position of the seat to act, which has a legal action.

    A chance is the average of an action's simulations with the network's own value as one more; without a simulation it
    is that value. A certain or proven win has chance 1. An only action gets a few simulations for its chance and no
    more, unless nothing is to be spared, so that time does not tell that there was no choice. A win is proven in at
    most `proof` moments (proof.py), however long the search may think: how many simulations the time allowed tells all.

    The time that is told, and that `time_ms` limits, contains all that is made ready before the first simulation; one
    chunk of simulations (PACE) is run all the same.

    The same knowledge, seed and number of simulations give the same advice in any process on the same kind of
    processor, however they were cut into chunks. Takes at most 200 bytes for each simulation that is run, and 1.6 MB to
    look for a proof.

    Raises SearchStopped.
    """
    begin = time.perf_counter()
    if spares and len(observation.legal_actions()) == 1:
        budget = Budget(min(budget.most, ONLY_ACTION), budget.time_ms)
        growth = NOT_BELIEVED
    prepared = prepare(observation, growth, budget.most, seed, proof)
    return carry_out(weights, observation, prepared, budget, begin, should_stop)


def carry_out(
    weights: Weights,
    observation: Observation,
    prepared: Prepared,
    budget: Budget,
    begin: float,
    should_stop: Callable[[], bool] | None = None,
) -> Advised:
    """Runs a search that has been prepared; see `run`. Its time counts from `begin`, as time.perf_counter tells it."""

    def some_more(simulations: int) -> None:
        simulate(weights, tables(), rows_of_slots(), *prepared, simulations)

    done = spend(budget, some_more, PACE, should_stop, begin)
    advice = []
    tried = tried_actions(prepared.search)
    values = root_values(weights, observation)
    proven = int(prepared.search.progress[PROVEN])
    for slot, value in values.items():
        visits, total = tried.get(slot, (0, 0.0))
        # the simulations of an only action are played on without regard to its proof
        chance = 1.0 if slot == proven else (total + value) / (visits + 1)
        advice.append(Advice(slot, visits, chance))
    return Advised(tuple(advice), done, (time.perf_counter() - begin) * 1000)


def tried_actions(search: GuidedSearch) -> dict[int, tuple[int, float]]:
    """Visits and summed chances of the root actions that were tried, by slot."""
    tried = {}
    child = int(search.nodes[ROOT]["first_child"])
    while child != NO_NODE:
        node = search.nodes[child]
        tried[int(node["slot"])] = int(node["visits"]), float(node["total"])
        child = int(node["sibling"])
    return tried


def some_world(known: InformationSet) -> IntArray:
    """A world that agrees with what is known, for those who read only the size of the other hand."""
    world = np.zeros(WORLD, dtype=np.int64)
    determinize(known._replace(unseen=known.unseen.copy()), world, 0)  # sampling reorders
    return world


def root_values(weights: Weights, observation: Observation) -> dict[int, float]:
    """What the network says of every legal action, by slot; 1 for a certain win."""
    known, scratch = information_set(observation), empty_scratch()
    known.template[TURN_SKIP] = observation.now.rules.automatic_turn_skip
    world = some_world(known)
    legal(tables(), world, scratch.words)
    found = evaluate(weights.actions, tables(), rows_of_slots(), world, memory_of(observation), scratch)
    slots = scratch.slots[:found].tolist()
    values = dict(zip(slots, map(win_chance, scratch.logits[:found].tolist()), strict=True))
    certain = certain_play(tables(), world)
    if certain != NOTHING:
        values[certain] = 1.0
    return values
