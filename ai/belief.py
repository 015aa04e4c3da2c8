"""How likely each hand of the other seat is, given what it chose to do with it so far.

Hands are sampled that agree with what the observing seat knows. For each, the deal is played again from its beginning
as that hand would have seen it, and weighted by how likely the network's policy was to choose what was chosen (Bayes).
Of a card that was drawn unseen, every card that the hand may have drawn then is equally likely. More hands join while
a search goes on, so that what it knows after n simulations does not depend on how many follow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ai.bits import advance, below
from ai.compiled import kernel
from ai.determinization import FIRST, OTHERS, SEAT, UNSEEN, InformationSet
from ai.evaluation import Network, Scratch, best_of, evaluate, win_chance
from ai.features import Rows, remember
from ai.tables import PASS_SLOT, IntArray, Records, slot_of, thermometer
from ai.world import (
    CARDS,
    DRAWS,
    HAND,
    TO_ACT,
    WORLD,
    counts_of,
    empty_world,
    legal,
    step,
    thermometer_of,
    with_card,
)
from engine.actions import PLAYS, Draw
from engine.cards import EMPTY, RANKS, other
from engine.deal import MAX_DRAWS
from engine.events import Dealt, Drew, Passed, Played
from engine.observation import Observation

HEAT = 0.03
"""Divides value differences: how far the other seat is taken to follow the network."""
FLOOR = 0.03
"""Every action is at least this likely: people do what no network would."""

HIDDEN = -1
"""In the place of a card that the other seat drew unseen."""

Values = npt.NDArray[np.float64]


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


class Growth(NamedTuple):
    """How many hands are weighed: `first` at the start, one more with every `every` simulations, `most` at most."""

    first: int
    every: int
    most: int


class Belief(NamedTuple):
    """Hands of the other seat, int64[n] thermometers, and the sums of their weights up to each, float64[n].

    So far `counted`, int64[1], of them count. Without a past, or with no room for a hand, all that agree with what is
    known are equally likely.
    """

    past: Past
    growth: Growth
    hands: IntArray
    sums: Values
    counted: IntArray


NOT_BELIEVED = Growth(0, 1, 0)
"""Every hand that agrees with what is known stays equally likely."""


def start_belief(observation: Observation, growth: Growth) -> Belief:
    """A belief with no hand yet."""
    past = past_of(observation)
    room = growth.most if len(past.slots) else 0
    return Belief(past, growth, np.zeros(room, np.int64), np.zeros(room, np.float64), np.zeros(1, np.int64))


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
def sample_hand(known: InformationSet, state: int) -> tuple[int, int]:
    """A hand of the other seat, each equally likely, and the generator's next state."""
    template, unseen, sizes = known
    cards = template[HAND + 1 - sizes[SEAT]]
    for i in range(sizes[OTHERS]):
        state = advance(state)
        j = i + below(state, sizes[UNSEEN] - i)
        rank = unseen[j]
        unseen[j] = unseen[i]
        unseen[i] = rank
        cards = with_card(cards, rank)
    return cards, state


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


@kernel
def likelihood(
    net: Network, t: Records, r: Rows, past: Past, seat: int, world: IntArray, memory: IntArray, s: Scratch
) -> float:
    """How likely the other seat was to act as it did from the deal's beginning in `world` on."""
    memory[:] = 0
    product = 1.0
    for slot in past.slots:
        if world[TO_ACT] != seat and legal(t, world, s.words) > 1:
            found = evaluate(net, t, r, world, memory, s)
            highest = win_chance(np.float64(s.logits[best_of(s.logits, found)]))
            total = chosen = 0.0
            for k in range(found):
                weight = math.exp((win_chance(np.float64(s.logits[k])) - highest) / HEAT)
                total += weight
                if s.slots[k] == slot:
                    chosen = weight
            product *= max(chosen / total, FLOOR)
        remember(r, world, memory, slot)
        step(t, world, slot)
    return product


@kernel
def weigh(
    net: Network,
    t: Records,
    r: Rows,
    known: InformationSet,
    belief: Belief,
    upto: int,
    world: IntArray,
    memory: IntArray,
    s: Scratch,
    state: int,
) -> int:
    """Adds sampled hands and their weights until there are `upto`; answers the generator's next state."""
    template, _, sizes = known
    seat, draws = sizes[SEAT], template[DRAWS]
    for k in range(belief.counted[0], upto):
        hand, state = sample_hand(known, state)
        state = rewind(belief.past, seat, hand, draws, world, state)
        belief.hands[k] = hand
        weight = likelihood(net, t, r, belief.past, seat, world, memory, s)
        belief.sums[k] = weight + (belief.sums[k - 1] if k else 0.0)
    belief.counted[0] = upto
    return state


@kernel
def believed_world(known: InformationSet, belief: Belief, world: IntArray, state: int) -> int:
    """Sets `world` to one whose other hand is drawn by weight; answers the generator's next state."""
    template, unseen, sizes = known
    state = advance(state)
    at = below(state, 1 << 30) / float(1 << 30)
    low, high = 0, belief.counted[0] - 1
    at *= belief.sums[high]
    while low < high:
        middle = (low + high) >> 1
        if belief.sums[middle] > at:
            high = middle
        else:
            low = middle + 1
    world[:] = template
    place = HAND + 1 - sizes[SEAT]
    hand = belief.hands[low]
    world[place] = hand
    others, total, first = sizes[OTHERS], sizes[UNSEEN], sizes[FIRST]
    drawn = counts_of(hand) - counts_of(template[place])
    left = -drawn
    for i in range(total):
        left += 1 << 4 * unseen[i]
    k, i = 0, others
    for rank in range(RANKS):
        for _ in range(drawn >> 4 * rank & 15):
            unseen[k] = rank
            k += 1
        for _ in range(left >> 4 * rank & 15):
            unseen[i] = rank
            i += 1
    for i in range(others, others + WORLD - first):
        state = advance(state)
        j = i + below(state, total - i)
        rank = unseen[j]
        unseen[j] = unseen[i]
        unseen[i] = rank
        world[first + i - others] = rank
    return state
