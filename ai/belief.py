"""How likely each hand of the other seat is, and which kind of player holds it, given what it chose to do so far.

Hands are sampled that agree with what the observing seat knows. For each, the deal is played again from its beginning
as that hand would have seen it (past.py), and weighted by how likely each kind of player was to choose what was chosen
(Bayes): one that plays well, by the network's policy, and one that plays by rules of thumb (greedy.py). More hands join
while a search goes on, so that what it knows after n simulations does not depend on how many follow.
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
from ai.greedy import greedy_slot
from ai.past import Past, past_of, rewind
from ai.tables import IntArray, Records
from ai.world import DRAWS, HAND, TO_ACT, WORLD, counts_of, legal, step, with_card
from engine.cards import RANKS
from engine.observation import Observation

HEAT = 0.03
"""Divides value differences: how far the other seat is taken to follow the network."""
FLOOR = 0.03
"""Every action is at least this likely: people do what no network would."""

LEARNED = 0
GREEDY = 1
KINDS = 2
"""How many kinds of player the other seat may be."""

GREEDY_SHARE = 0.1
"""How likely the other seat is to play by rules of thumb before it has done anything."""
STRAY = 0.05
"""How often such a player takes any action instead, all equally likely.

FLOOR forgives the other kind more, for a choice that neither would make counts FLOOR there and STRAY / actions here:
only who plays by the rules of thumb all along is taken for a beginner, never a strong player for a few odd choices.
"""

Values = npt.NDArray[np.float64]


class Growth(NamedTuple):
    """How many hands are weighed: `first` at the start, one more with every `every` simulations, `most` at most."""

    first: int
    every: int
    most: int


class Belief(NamedTuple):
    """Hands of the other seat, int64[n] thermometers, and the running sums of their weights, float64[KINDS * n].

    Each hand has one weight for each kind of player, hand after hand. So far `counted`, int64[1], hands count. Without
    a past, or with no room for a hand, all that agree with what is known are equally likely, and held by a player that
    plays well.
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
    return Belief(past, growth, np.zeros(room, np.int64), np.zeros(KINDS * room, np.float64), np.zeros(1, np.int64))


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
def likelihood(
    net: Network, t: Records, r: Rows, past: Past, seat: int, world: IntArray, memory: IntArray, s: Scratch
) -> tuple[float, float]:
    """How likely each kind of player was to act as the other seat did from the deal's beginning in `world` on."""
    memory[:] = 0
    learned = greedy = 1.0
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
            learned *= max(chosen / total, FLOOR)
            greedy *= STRAY / found + (1.0 - STRAY if greedy_slot(t, world, s.words) == slot else 0.0)
        remember(r, world, memory, slot)
        step(t, world, slot)
    return learned, greedy


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
    seat, draws, sums = sizes[SEAT], template[DRAWS], belief.sums
    for k in range(belief.counted[0], upto):
        hand, state = sample_hand(known, state)
        state = rewind(belief.past, seat, hand, draws, world, state)
        belief.hands[k] = hand
        learned, greedy = likelihood(net, t, r, belief.past, seat, world, memory, s)
        place = KINDS * k
        sums[place + LEARNED] = (1.0 - GREEDY_SHARE) * learned + (sums[place - 1] if k else 0.0)
        sums[place + GREEDY] = GREEDY_SHARE * greedy + sums[place]
    belief.counted[0] = upto
    return state


@kernel
def believed_world(known: InformationSet, belief: Belief, world: IntArray, state: int) -> tuple[int, int]:
    """Sets `world` to one whose other hand is drawn by weight; answers who holds it and the generator's next state."""
    template, unseen, sizes = known
    state = advance(state)
    at = below(state, 1 << 30) / float(1 << 30)
    low, high = 0, KINDS * belief.counted[0] - 1
    at *= belief.sums[high]
    while low < high:
        middle = (low + high) >> 1
        if belief.sums[middle] > at:
            high = middle
        else:
            low = middle + 1
    world[:] = template
    place = HAND + 1 - sizes[SEAT]
    hand, kind = belief.hands[low // KINDS], low % KINDS
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
    return kind, state
