"""The front door of the computer player: advice for an observation, a level's move, and being ready in time."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass

from ai.advice import run
from ai.budget import MAX_SEED, Budget
from ai.chances import chance_to_win
from ai.evaluation import shipped
from ai.levels import DEFAULT_LEVEL, LEVELS, Level
from ai.proof import MOST_TRIED
from ai.search import SearchStopped
from ai.tables import action_of
from engine.actions import Action, index_of
from engine.cards import FULL_DECK
from engine.deal import Deal
from engine.errors import NotYourTurn
from engine.observation import Observation, observe
from engine.rules import Rules

__all__ = [
    "DEFAULT_LEVEL",
    "LEVELS",
    "ActionValue",
    "Budget",
    "Choice",
    "Level",
    "SearchResult",
    "SearchStopped",
    "choose_action",
    "is_warm",
    "search",
    "warm_up",
]

_warm = threading.Event()


@dataclass(frozen=True, slots=True)
class ActionValue:
    """A legal action with how often it was tried and the chance to win the deal with it, 0.0 to 1.0.

    `average` is what the search itself found, 0.0 to 1.0, before its hopefulness was taken off (chances.py).
    """

    action: Action
    visits: int
    win_probability: float
    average: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Every legal action, best first: by visits, then by win probability, then by action index."""

    actions: tuple[ActionValue, ...]
    simulations: int
    elapsed_ms: float
    seed: int

    @property
    def best(self) -> Action:
        """The action to take."""
        return self.actions[0].action

    @property
    def win_probability(self) -> float:
        """The chance to win the deal with the best action."""
        return self.actions[0].win_probability


@dataclass(frozen=True, slots=True)
class Choice:
    """A level's move and the search that it was chosen from."""

    action: Action
    result: SearchResult

    @property
    def value(self) -> ActionValue:
        """What the search says of the move."""
        return next(value for value in self.result.actions if value.action == self.action)


def search(
    observation: Observation,
    budget: Budget,
    seed: int = 0,
    should_stop: Callable[[], bool] | None = None,
    *,
    spares: bool = True,
    proof: int = MOST_TRIED,
) -> SearchResult:
    """The best that the budget allows for the seat to act.

    The same knowledge, seed and simulations give the same answer in any process on the same kind of processor. An
    action that no simulation tried gets the network's own value; an only action gets few simulations if the search
    `spares`. What happened earlier in the deal, if the observation tells it, weighs the hands that the other seat may
    have. A win is proven in at most `proof` moments. `should_stop` is asked now and then; once it answers True the
    search is given up.

    Raises NotYourTurn: the observing seat is not to act; SearchStopped; ValueError: a seed outside 0 to MAX_SEED, a
    negative `proof`.
    """
    if not 0 <= seed <= MAX_SEED or proof < 0:
        raise ValueError(f"a seed is 0 to {MAX_SEED}, a proof's moments 0 or more, not {seed} and {proof}")
    if not observation.legal_actions():
        raise NotYourTurn("the observing seat is not to act")
    advised = run(shipped(), observation, budget, seed, should_stop, spares=spares, proof=proof)
    values = [
        ActionValue(action_of(one.slot), one.visits, chance_to_win(one.chance, observation), one.chance)
        for one in advised.actions
    ]
    values.sort(key=lambda value: (-value.visits, -value.average, index_of(value.action)))
    return SearchResult(tuple(values), advised.simulations, advised.elapsed_ms, seed)


def choose_action(observation: Observation, level: Level, seed: int = 0, *, spares: bool = True) -> Choice:
    """The level's move, the same for the same knowledge and seed, whether the search `spares` or not.

    One that does takes little time where there is nothing to choose, which tells of the hand. A level that slips looks
    for a win in as many moments as it has simulations, so it sees only short ones. One that does not chooses as
    `search` with its simulations: whoever knows what the seat knew can compute its choice again. Raises as `search`.
    """
    proof = level.budget.most if level.slip else MOST_TRIED
    result = search(observation, level.budget, seed, spares=spares, proof=proof)
    return Choice(_slipping(result, level.slip, seed) if level.slip else result.best, result)


def _slipping(result: SearchResult, slip: float, seed: int) -> Action:
    weights = [math.exp((value.average - 1.0) / slip) for value in result.actions]
    return random.Random(seed).choices(result.actions, weights)[0].action


def warm_up() -> None:
    """Compiles, or loads from the cache, every kernel that `search` and `choose_action` run."""
    deal = Deal.start(Rules(), tuple(FULL_DECK), starter=0)
    search(observe(deal, 0), Budget(simulations=2))
    deal, _ = deal.apply(0, next(iter(deal.legal_actions())))
    search(observe(deal, 1), Budget(simulations=2))
    _warm.set()


def is_warm() -> bool:
    """Whether `warm_up` has run in this process or before it was forked."""
    return _warm.is_set()
