"""The guided search's tree and what a search in progress holds; `ai.guided` walks it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ai.compiled import kernel
from ai.evaluation import MOST_ACTIONS, Scratch, empty_scratch
from ai.tables import SLOTS, IntArray, Records
from ai.world import NOTHING, WORLD

ROOT = 0
NO_NODE = -1
LONGEST_PATH = 96

NODE = np.dtype(
    [
        ("total", np.float64),
        ("hand", np.int64),
        ("own_known", np.int64),
        ("other_known", np.int64),
        ("visits", np.int32),
        ("first_child", np.int32),
        ("sibling", np.int32),
        ("slot", np.int16),
        ("count", np.int16),
        ("first_option", np.int32),
        ("room", np.int32),
    ]
)
"""`total` the sum of the searching seat's chances over so many `visits`, `slot` the action that leads
here, the children as a linked list. Where the searching seat acts, `count` options (OPTION) from `first_option` on, in
a place with `room` for so many, are what it last had to choose from: with this `hand` and face-up card, and these cards
known.
"""

OPTION = np.dtype([("value", np.float32), ("prior", np.float32), ("child", np.int32), ("slot", np.int32)])
"""An action the searching seat can take at a node: what the network says, and the child it leads to or NO_NODE."""

CERTAIN = 2.0
"""The value of the one option of a node where the searching seat has a certain win (certain.py)."""

STATE = 0
FREE_NODE = 1
FREE_OPTION = 2
FOUND = 3
PROVEN = 4

Values = npt.NDArray[np.float64]


class GuidedSearch(NamedTuple):
    """A search in progress: its tree, its generator, and room to work in.

    `nodes` NODE[simulations + 2], untouched until they are used; `options` OPTION[8 * simulations + …], the last
    MOST_ACTIONS of them for nodes that got no place; `progress` int64[5]: the generator's STATE, the first FREE places,
    how many options were FOUND last, and the root action that is PROVEN to win (proof.py) or NOTHING; `past` int64[2],
    the memory (features.py) at the root; `child` int64[SLOTS], NO_NODE between uses; `chances`
    float64[2, MOST_ACTIONS], values and a policy.
    """

    nodes: Records
    options: Records
    progress: IntArray
    world: IntArray
    past: IntArray
    memory: IntArray
    path: IntArray
    child: IntArray
    chances: Values
    scratch: Scratch


def start_search(simulations: int, seed: int, past: IntArray, proven: int = NOTHING) -> GuidedSearch:
    """A search of nothing but the root, with room for so many simulations; `proven` is a root action that wins."""
    nodes = np.zeros(simulations + 2, dtype=NODE)
    nodes[ROOT]["first_child"] = nodes[ROOT]["sibling"] = NO_NODE
    return GuidedSearch(
        nodes=nodes,
        options=np.zeros(8 * simulations + 4 * MOST_ACTIONS, dtype=OPTION),
        progress=np.array([seed, ROOT + 1, 0, 0, proven], dtype=np.int64),
        world=np.zeros(WORLD, dtype=np.int64),
        past=past.copy(),
        memory=np.zeros(2, dtype=np.int64),
        path=np.zeros(LONGEST_PATH, dtype=np.int64),
        child=np.full(SLOTS, NO_NODE, dtype=np.int64),
        chances=np.zeros((2, MOST_ACTIONS), dtype=np.float64),
        scratch=empty_scratch(),
    )


@kernel
def child_of(nodes: Records, parent: int, slot: int) -> int:
    """The child that an action leads to, or NO_NODE."""
    child = nodes[parent]["first_child"]
    while child != NO_NODE and nodes[child]["slot"] != slot:
        child = nodes[child]["sibling"]
    return child  # type: ignore[no-any-return]


@kernel
def add_child(search: GuidedSearch, parent: int, slot: int) -> int:
    """A new child for an action that has none."""
    nodes = search.nodes
    child = search.progress[FREE_NODE]
    search.progress[FREE_NODE] = child + 1
    nodes[child]["slot"] = slot
    nodes[child]["first_child"] = NO_NODE
    nodes[child]["sibling"] = nodes[parent]["first_child"]
    nodes[parent]["first_child"] = child
    return child  # type: ignore[no-any-return]
