"""How strong a network plays by itself, without any search: mirrored pairs of deals in compiled code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ai.baselines import random_slot
from ai.bits import advance
from ai.compiled import kernel
from ai.evaluation import Network, Scratch, best_of, empty_scratch, evaluate
from ai.features import Rows, remember, rows_of_slots
from ai.greedy import greedy_slot
from ai.tables import IntArray, Records, tables
from ai.training_kernels import deal_cards
from ai.world import OVER, PHASE, TO_ACT, WINNER, WORLD, legal, step
from engine.cards import CARDS, COPIES

RANDOM, GREEDY, NETWORK = 0, 1, 2

Scores = npt.NDArray[np.float64]


@kernel
def network_slot(net: Network, t: Records, r: Rows, world: IntArray, memory: IntArray, s: Scratch) -> int:
    """The action with the highest value for the seat to act, of equals the one with the lowest slot."""
    legal(t, world, s.words)
    return s.slots[best_of(s.logits, evaluate(net, t, r, world, memory, s))]  # type: ignore[no-any-return]


@kernel
def play_out(
    nets: tuple[Network, Network], kinds: IntArray, t: Records, r: Rows, world: IntArray, s: Scratch, state: int
) -> int:
    """Plays the deal to its end, each seat as its kind of player does; answers the generator's next state."""
    memory = np.zeros(2, dtype=np.int64)
    while world[PHASE] != OVER:
        seat = world[TO_ACT]
        if kinds[seat] == RANDOM:
            state = advance(state)
            slot = random_slot(t, world, s.words, state)
        elif kinds[seat] == GREEDY:
            slot = greedy_slot(t, world, s.words)
        else:
            slot = network_slot(nets[kinds[seat] - NETWORK], t, r, world, memory, s)
        remember(r, world, memory, slot)
        step(t, world, slot)
    return state


@kernel
def play_pairs(
    nets: tuple[Network, Network],
    kinds: IntArray,
    t: Records,
    r: Rows,
    options: int,
    s: Scratch,
    deck: IntArray,
    state: int,
    scores: Scores,
) -> None:
    """Sets `scores` to the share of deals that the first of both kinds of player won, pair by pair."""
    dealt = np.zeros(WORLD, dtype=np.int64)
    world = np.zeros(WORLD, dtype=np.int64)
    for pair in range(len(scores)):
        state = deal_cards(deck, dealt, options, state)
        scores[pair] = 0.0
        for seat in range(2):
            world[:] = dealt
            state = play_out(nets, kinds[::1] if seat == 0 else kinds[::-1].copy(), t, r, world, s, state)
            scores[pair] += 0.5 * (world[WINNER] == seat)


def pair_scores(net: Network, opponent: Network | int, pairs: int, seed: int, options: int = 0) -> Scores:
    """The network's scores in mirrored pairs against another network, or against RANDOM or GREEDY.

    `options` are bits: crisps_in_runs, no_face_up_draw, automatic_turn_skip.
    """
    other, kind = (net, opponent) if isinstance(opponent, int) else (opponent, NETWORK + 1)
    scores = np.zeros(pairs, dtype=np.float64)
    deck = np.arange(CARDS, dtype=np.int64) // COPIES
    kinds = np.array([NETWORK, kind], dtype=np.int64)
    play_pairs((net, other), kinds, tables(), rows_of_slots(), options, empty_scratch(), deck, seed, scores)
    return scores
