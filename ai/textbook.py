"""Single-observer information-set Monte-Carlo tree search as Cowling, Powley and Whitehouse (2012) published it.

Each simulation samples one world, walks down the tree through the actions that are legal in it (UCB1 with availability
counts), adds one untried action, plays on at random to the end of the deal, and counts who won. Strength is measured
against this search, so it stays as it is.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ai.bits import advance, below, popcount, select_bit
from ai.budget import MAX_SIMULATIONS
from ai.compiled import kernel
from ai.determinization import InformationSet, determinize
from ai.rollout import rollout
from ai.tables import WORDS, IntArray, Records
from ai.tree import FIRST_FREE, NO_CHILD, ROOT, add_child, empty_tree
from ai.world import OVER, PHASE, TO_ACT, WORLD, legal, step

FloatArray = npt.NDArray[np.float64]

EXPLORATION = 0.7
LONGEST_PATH = 96
"""Actions of a deal at most, automatic passes played as actions: 68 plays and passes, 6 draws (R19); rounded up."""

STATE = 0
FREE = 1


class Search(NamedTuple):
    """A search in progress: its tree, its generator, and room to work in.

    `nodes` NODE[4n + 4] (tree.py); `progress` int64[2]: the generator's STATE and the tree's first FREE place; `world`
    int64[WORLD]; `words` int64[WORDS], legal actions; `path` int64[LONGEST_PATH], the nodes of one simulation; `widths`
    and `roots` float64[MAX_SIMULATIONS + 1]: EXPLORATION / sqrt(visits) and sqrt(ln(availability)).
    """

    nodes: Records
    progress: IntArray
    world: IntArray
    words: IntArray
    path: IntArray
    widths: FloatArray
    roots: FloatArray


def start_search(simulations: int, seed: int) -> Search:
    """A search of nothing but the root, with room for so many simulations (at most MAX_SIMULATIONS)."""
    widths, roots = _bounds()
    return Search(
        empty_tree(simulations),
        np.array([seed, FIRST_FREE], dtype=np.int64),
        np.zeros(WORLD, dtype=np.int64),
        np.zeros(WORDS, dtype=np.int64),
        np.zeros(LONGEST_PATH, dtype=np.int64),
        widths,
        roots,
    )


@cache
def _bounds() -> tuple[FloatArray, FloatArray]:
    counts = np.arange(MAX_SIMULATIONS + 1, dtype=np.float64)
    counts[0] = 1.0  # no child is ever compared before its first visit
    return EXPLORATION / np.sqrt(counts), np.sqrt(np.log(counts))


@kernel
def simulate(t: Records, known: InformationSet, search: Search, simulations: int) -> None:
    """Runs so many more simulations; n and then m give the same tree as n + m."""
    nodes, progress, world, words, path, widths, roots = search
    state, free = progress[STATE], progress[FREE]
    for _ in range(simulations):
        state = determinize(known, world, state)
        node, depth, untried = ROOT, 0, 0
        while world[PHASE] != OVER and untried == 0:
            count = legal(t, world, words)
            child, tried = select(nodes, node, words, widths, roots)
            untried = count - tried
            if untried:
                state = advance(state)
                slot = chosen(words, below(state, untried))
                child, free = add_child(nodes, node, slot, world[TO_ACT], free)
                nodes[child]["availability"] = 1
            node = child
            path[depth] = node
            depth += 1
            step(t, world, int(nodes[node]["slot"]))
        winner, state = rollout(t, world, state)
        for i in range(depth):
            backpropagate(nodes, path[i], winner)
        nodes[ROOT]["visits"] += 1
    progress[STATE], progress[FREE] = state, free


@kernel
def select(nodes: Records, parent: int, words: IntArray, widths: FloatArray, roots: FloatArray) -> tuple[int, int]:
    """The legal child with the highest upper confidence bound, the first of equals, and how many children are legal.

    Takes the legal children out of `words`, which leaves the untried actions there, and counts them as available.
    """
    best, highest, tried = NO_CHILD, -1.0, 0
    first = int(nodes[parent]["first_child"])
    for child in range(first, first + int(nodes[parent]["children"])):
        slot = int(nodes[child]["slot"])
        bit = slot & 63
        word = words[slot >> 6]
        available = word >> bit & 1
        words[slot >> 6] = word ^ available << bit
        tried += available
        availability = nodes[child]["availability"]
        bound = nodes[child]["value"] + widths[nodes[child]["visits"]] * roots[availability]
        nodes[child]["availability"] = availability + available
        bound = bound if available else -1.0
        if bound > highest:
            best, highest = child, bound
    return best, tried


@kernel
def chosen(words: IntArray, k: int) -> int:
    """The slot of a set of actions that has exactly `k` slots below it."""
    word = 0
    while k >= popcount(words[word]):
        k -= popcount(words[word])
        word += 1
    return 64 * word + select_bit(words[word], k)


@kernel
def backpropagate(nodes: Records, node: int, winner: int) -> None:
    """Counts one simulation in a node: a win for the seat that chose it, or none."""
    visits = nodes[node]["visits"] + 1
    wins = nodes[node]["wins"] + (nodes[node]["seat"] == winner)
    nodes[node]["visits"], nodes[node]["wins"] = visits, wins
    nodes[node]["value"] = wins / visits
