"""The search tree: one record for each node, a node's children side by side.

A child is keyed by the public action that leads to it, whoever acts; cards drawn or turned up are no part of the key.
Children lie in blocks of 2, 4, 8 …: a full block is copied into one twice its size, which keeps the scan over a node's
children in consecutive memory. A tree of n simulations needs at most 4n + 4 places.
"""

from __future__ import annotations

import numpy as np

from ai.compiled import kernel
from ai.tables import Records

ROOT = 0
FIRST_FREE = 2
"""The first place after the root: blocks start at even places, so that two children share a cache line."""

NO_CHILD = -1

NODE = np.dtype(
    [
        ("value", np.float64),
        ("visits", np.int32),
        ("wins", np.int32),
        ("availability", np.int32),
        ("first_child", np.int32),
        ("children", np.int32),
        ("slot", np.int16),
        ("seat", np.int16),
    ]
)
"""32 bytes.

`slot` the action that leads here and `seat` who takes it; `visits` simulations that came through, `wins` those
that `seat` won, `value` wins / visits; `availability` simulations that came through the parent with the action legal
(Cowling, Powley, Whitehouse 2012); the children are at `first_child` to `first_child + children - 1`.
"""


def empty_tree(simulations: int) -> Records:
    """A tree of the root alone with room for one new node in each of so many simulations; NODE[4 * simulations + 4]."""
    nodes = np.empty(4 * simulations + 4, dtype=NODE)
    nodes[ROOT] = (0.0, 0, 0, 0, FIRST_FREE, 0, 0, 0)
    return nodes


@kernel
def add_child(nodes: Records, parent: int, slot: int, seat: int, free: int) -> tuple[int, int]:
    """Gives `parent` a child that nothing has visited; answers its place and the new first free place."""
    count = int(nodes[parent]["children"])
    first = int(nodes[parent]["first_child"])
    if count == 0:
        first = free
        free += 2
    elif count > 1 and count & (count - 1) == 0:
        for i in range(count):
            nodes[free + i] = nodes[first + i]
        first = free
        free += 2 * count
    nodes[parent]["first_child"] = first
    nodes[parent]["children"] = count + 1
    child = first + count
    nodes[child]["value"] = 0.0
    nodes[child]["visits"] = 0
    nodes[child]["wins"] = 0
    nodes[child]["availability"] = 0
    nodes[child]["children"] = 0
    nodes[child]["slot"] = slot
    nodes[child]["seat"] = seat
    return child, free
