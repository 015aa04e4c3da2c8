"""What a seat knows as arrays, and worlds sampled from it.

An information set keeps the public facts and the own hand in a template world; the other hand holds there only the
cards publicly known to be in it (R24). What is missing is drawn from the unseen cards, every assignment equally likely.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ai.bits import advance, below
from ai.compiled import kernel
from ai.tables import IntArray, slot_of, thermometer
from ai.world import (
    CARDS,
    DRAW,
    DRAWS,
    FOURS,
    HAND,
    KNOWN,
    NOTHING,
    PHASE,
    PLAY,
    PLAYED,
    TO_ACT,
    TO_FOLLOW,
    TURN_SKIP,
    WORLD,
    counts_of,
    empty_world,
    face_up,
)
from engine.actions import PLAYS
from engine.cards import CARDS as DECK
from engine.cards import RANKS, Seat
from engine.deal import MAX_DRAWS, Phase
from engine.observation import Observation

UNSEEN = 0  # how many entries of `unseen` count
OTHERS = 1  # how many of them are in the other hand
FIRST = 2  # the place in the world of the first unseen card that gets drawn
SEAT = 3  # whose knowledge it is


class InformationSet(NamedTuple):
    """All worlds that one seat cannot tell apart.

    `template` int64[WORLD]; `unseen` int64[40], the ranks of the unseen cards in any order (sampling reorders them);
    `sizes` int64[4], the places UNSEEN, OTHERS, FIRST and SEAT.

    Worlds sampled from it make no automatic passes (R27): they only ever take the place of a pass that is forced, so a
    search loses nothing when it plays that pass itself.
    """

    template: IntArray
    unseen: IntArray
    sizes: IntArray


def empty_information() -> InformationSet:
    """Arrays for `conceal` to fill."""
    sizes = (WORLD, DECK, 4)
    return InformationSet(*(np.zeros(size, dtype=np.int64) for size in sizes))


@kernel
def conceal(world: IntArray, seat: int, others_size: int, known: InformationSet) -> None:
    """Sets `known` to what `seat` knows in this world, the other hand having so many cards.

    Of the world only what the seat may know is read: the other hand and the cards still to come may be anything.
    """
    template, unseen, sizes = known
    first = CARDS + 2 * world[DRAWS]
    lying = face_up(world)
    gone = counts_of(world[HAND + seat]) + counts_of(world[PLAYED]) + counts_of(world[KNOWN + 1 - seat])
    if lying != NOTHING:
        gone += 1 << 4 * lying
        first += 1
    for place in range(WORLD):
        template[place] = world[place] if place < first else 0
    template[HAND + 1 - seat] = world[KNOWN + 1 - seat]
    template[TURN_SKIP] = 0
    count = 0
    for rank in range(RANKS):
        for _ in range((FOURS - gone) >> 4 * rank & 15):
            unseen[count] = rank
            count += 1
    known_size = 0
    for rank in range(RANKS):
        known_size += counts_of(world[KNOWN + 1 - seat]) >> 4 * rank & 15
    sizes[UNSEEN], sizes[OTHERS], sizes[FIRST], sizes[SEAT] = count, others_size - known_size, first, seat


def information_set(observation: Observation) -> InformationSet:
    """What the observing seat knows now, without this deal's past."""
    now = observation.now
    world = empty_world(now.rules)
    world[HAND + observation.seat] = thermometer(observation.hand)
    world[KNOWN : KNOWN + 2] = [thermometer(known) for known in now.known]
    world[PLAYED] = thermometer(now.played)
    world[PHASE] = DRAW if now.phase is Phase.DRAW else PLAY
    world[TO_ACT] = observation.seat if now.to_act is None else now.to_act
    world[DRAWS] = MAX_DRAWS - now.draws_left
    if now.face_up is not None:
        world[CARDS + 2 * world[DRAWS]] = now.face_up
    if now.to_follow is not None:
        world[TO_FOLLOW] = slot_of(PLAYS[now.to_follow.index])
    known = empty_information()
    conceal(world, observation.seat, observation.opponent_hand_size, known)
    return known


def full_information(world: IntArray, seat: Seat) -> InformationSet:
    """The information set of somebody who sees everything: this world is the only one in it."""
    known = empty_information()
    known.template[:] = world
    known.template[TURN_SKIP] = 0
    known.sizes[:] = (0, 0, WORLD, seat)
    return known


@kernel
def determinize(known: InformationSet, world: IntArray, state: int) -> int:
    """Sets `world` to one of the information set, each equally likely; answers the generator's next state."""
    template, unseen, sizes = known
    for place in range(WORLD):
        world[place] = template[place]
    total, others, first = sizes[UNSEEN], sizes[OTHERS], sizes[FIRST]
    hand = HAND + 1 - sizes[SEAT]
    cards = world[hand]
    for i in range(others + WORLD - first):
        state = advance(state)
        j = i + below(state, total - i)
        rank = unseen[j]
        unseen[j] = unseen[i]
        unseen[i] = rank
        if i < others:
            cards |= ((cards >> 4 * rank & 15) + 1) << 4 * rank
        else:
            world[first + i - others] = rank
    world[hand] = cards
    return state
