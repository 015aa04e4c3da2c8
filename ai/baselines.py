"""Players that strength is measured against; they stay as they are, so that figures of different days compare.

`random` takes every legal action equally often, `greedy` follows a beginner's rules of thumb, `textbook-N` is the
published search with N simulations, and `clairvoyant-N` the same search given the true cards: a ceiling, never served.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ai.bits import advance, below
from ai.budget import Budget
from ai.compiled import kernel
from ai.determinization import InformationSet, full_information, information_set
from ai.greedy import greedy_slot
from ai.search import run
from ai.tables import WORDS, IntArray, Records, action_of, tables
from ai.textbook import chosen
from ai.world import legal, world_of
from engine.actions import Action
from engine.cards import Seat
from engine.deal import Deal
from engine.errors import GameFinished
from engine.observation import Observation, view_deal

Player: TypeAlias = Callable[[Deal, int], Action]
"""Chooses for the seat to act in a deal, given a seed; all but the clairvoyant look at that seat's observation only."""


@kernel
def random_slot(t: Records, world: IntArray, words: IntArray, state: int) -> int:
    """A legal action of the seat to act, all equally likely; `words` int64[WORDS] to work in."""
    count = legal(t, world, words)
    return chosen(words, below(advance(state), count))


def _random(deal: Deal, seed: int) -> Action:
    known = information_set(now(deal))
    return action_of(random_slot(tables(), known.template, np.zeros(WORDS, dtype=np.int64), seed))


def _greedy(deal: Deal, _seed: int) -> Action:
    known = information_set(now(deal))
    return action_of(greedy_slot(tables(), known.template, np.zeros(WORDS, dtype=np.int64)))


def _searching(simulations: int, knows: Callable[[Deal], InformationSet]) -> Player:
    budget = Budget(simulations=simulations)

    def choose(deal: Deal, seed: int) -> Action:
        tallies = run(knows(deal), budget, seed).tallies
        ranked = sorted(tallies, key=lambda slot: int(tables()["action"][slot]))
        return action_of(max(ranked, key=lambda slot: (tallies[slot].visits, tallies[slot].wins)))

    return choose


def now(deal: Deal) -> Observation:
    """What the seat to act sees, without the past."""
    seat = _seat(deal)
    return Observation(view_deal(deal, seat), seat, deal.hands[seat], None)


def _seat(deal: Deal) -> Seat:
    if deal.to_act is None:
        raise GameFinished("the deal is over", "R20")
    return deal.to_act


def _own_knowledge(deal: Deal) -> InformationSet:
    return information_set(now(deal))


def _everything(deal: Deal) -> InformationSet:
    return full_information(world_of(deal), _seat(deal))


def baseline(name: str) -> Player:
    """The baseline of this name. Raises ValueError: there is none, or N is out of a budget's bounds."""
    kind, _, number = name.partition("-")
    if name == "random":
        return _random
    if name == "greedy":
        return _greedy
    if kind in _KNOWS and number.isdecimal():
        return _searching(int(number), _KNOWS[kind])
    raise ValueError(f"no baseline is called {name!r}: {', '.join(BASELINES.values())}")


BASELINES = {"random": "random", "greedy": "greedy", "textbook": "textbook-N", "clairvoyant": "clairvoyant-N"}
"""How one writes the name of each, by its kind."""

_KNOWS = {"textbook": _own_knowledge, "clairvoyant": _everything}
