"""A deal's past as one seat saw it, and the same deal played again with another hidden hand.

Of a card that was drawn unseen, every card that the hand may have drawn then is equally likely.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ai.bits import advance, below
from ai.compiled import kernel
from ai.tables import PASS_SLOT, IntArray, slot_of, thermometer
from ai.world import CARDS, HAND, TO_ACT, counts_of, empty_world, thermometer_of
from engine.actions import PLAYS, Draw
from engine.cards import EMPTY, RANKS, other
from engine.deal import MAX_DRAWS
from engine.events import Dealt, Drew, Passed, Played
from engine.observation import Observation

HIDDEN = -1
"""In the place of a card that the other seat drew unseen."""


class Past(NamedTuple):
    """How a deal came to where it is, as one seat saw it.

    `world` int64[WORLD] at the beginning, without the other hand, HIDDEN for cards the other seat drew unseen; `slots`
    the actions since, automatic passes left out; `played` int64[MAX_DRAWS + 1] what the other seat played before each
    draw and since the last, as counts; `took` int64[MAX_DRAWS] the rank it was seen to take or HIDDEN; `known`
    int64[MAX_DRAWS] what was known of its hand after each draw; `places` int64[MAX_DRAWS] where its cards were in the
    world.
    """

    world: IntArray
    slots: IntArray
    played: IntArray
    took: IntArray
    known: IntArray
    places: IntArray


def past_of(observation: Observation) -> Past:
    """The deal's past; without any action when nobody told it."""
    seat, rules = observation.seat, observation.now.rules
    rival = other(seat)
    world = empty_world(rules)
    slots: list[int] = []
    played = np.zeros(MAX_DRAWS + 1, dtype=np.int64)
    took = np.full(MAX_DRAWS, HIDDEN, dtype=np.int64)
    places = np.zeros(MAX_DRAWS, dtype=np.int64)
    draws, leader = 0, 0
    known, known_then = EMPTY, np.zeros(MAX_DRAWS, dtype=np.int64)
    for event in observation.events or ():
        match event:
            case Dealt():
                hand = event.hands[seat]
                assert hand is not None  # noqa: S101 - an observation holds the own hand
                world[HAND + seat] = thermometer(hand)
                world[TO_ACT] = event.starter
                if event.face_up is not None:
                    world[CARDS] = event.face_up
            case Played():
                slots.append(slot_of(PLAYS[event.combination.index]))
                if event.seat == rival:
                    played[draws] += event.combination.cards.packed
                    known -= known.common(event.combination.cards)
            case Passed():
                leader = other(event.seat)
                if not event.automatic:
                    slots.append(PASS_SLOT)
            case Drew():
                taker = leader if event.taker is None else event.taker
                first = CARDS + 2 * draws
                for place, drawer in ((first, taker), (first + 1, other(taker))):
                    card = event.drawn[drawer]
                    world[place] = HIDDEN if card is None else card
                    if drawer == rival:
                        places[draws] = place
                        took[draws] = HIDDEN if card is None else card
                        known = known if card is None else known.plus_rank(card)
                        known_then[draws] = known.packed
                if event.source is not None:
                    slots.append(slot_of(Draw(event.source)))
                draws += 1
                if event.face_up is not None and draws < MAX_DRAWS:
                    world[CARDS + 2 * draws] = event.face_up
            case _:
                pass
    return Past(world, np.array(slots, dtype=np.int64), played, took, known_then, places)


@kernel
def rewind(past: Past, seat: int, hand: int, draws: int, world: IntArray, state: int) -> int:
    """Sets `world` to the deal's beginning if the other hand is `hand` now; answers the generator's next state."""
    world[:] = past.world
    counts = counts_of(hand) + past.played[draws]
    for draw in range(draws - 1, -1, -1):
        rank = past.took[draw]
        if rank == HIDDEN:
            candidates = counts - past.known[draw]
            total = 0
            for one in range(RANKS):
                total += candidates >> 4 * one & 15
            state = advance(state)
            left = below(state, total)
            rank = 0
            while left >= (candidates >> 4 * rank & 15):
                left -= candidates >> 4 * rank & 15
                rank += 1
            world[past.places[draw]] = rank
        counts += past.played[draw] - (1 << 4 * rank)
    world[HAND + 1 - seat] = thermometer_of(counts)
    return state
