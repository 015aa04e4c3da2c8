"""The learned evaluation: for every legal action the chance that its seat wins the deal, from that seat's knowledge.

A network with rows of features as sparse inputs: ROWS -> WIDTH -> DEPTH -> 1, ReLU between, sigmoid at the end. An
action's input differs in a few rows from what its seat knows, so the first layer is summed once for each decision. A
play of the last cards needs no network: it wins. A second network of the same form judges worlds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ai.bits import lowest_bit, popcount
from ai.compiled import kernel
from ai.features import (
    MOST_ROWS,
    OTHER_KNOWN,
    OWN_HAND,
    OWN_KNOWN,
    ROWS,
    Rows,
    action_rows,
    add_rows_of,
    knowledge_rows,
    left_by,
    reachable,
)
from ai.tables import WORDS, IntArray, Records
from ai.vectors import DEPTH, WIDTH, FloatArray, deep_layers, sum_rows
from ai.world import HAND, KNOWN, TO_ACT
from ai.world_features import WORLD_ROWS, world_rows

FORMAT = 1
"""Version of the weight file: what the rows mean and the shapes below. A file of another version is refused."""

MOST_ACTIONS = 128
"""No seat has more legal actions."""

WON = 40.0
"""The logit of an action that wins at once; its sigmoid is 1.0 in float64."""


class Network(NamedTuple):
    """Weights, float32 each: `first` [inputs, WIDTH], `second` [WIDTH, DEPTH], `last` [DEPTH], `last_bias` [1].

    The first layer's bias is the row that is always on.
    """

    first: FloatArray
    second: FloatArray
    second_bias: FloatArray
    last: FloatArray
    last_bias: FloatArray


class Scratch(NamedTuple):
    """Where an evaluation works, and its answer: `slots` and `logits` of the legal actions, ascending by slot."""

    words: IntArray
    rows: IntArray
    nothing: FloatArray
    base: FloatArray
    hidden: FloatArray
    deep: FloatArray
    slots: IntArray
    logits: FloatArray


class Weights(NamedTuple):
    """The two networks: `actions` sees what a seat knows and one action, `worlds` both hands (world_features.py)."""

    actions: Network
    worlds: Network


class UnusableWeights(ValueError):
    """The weight file is of another format version, or not what it should be."""


def empty_scratch() -> Scratch:
    """A place to work for one thread."""
    return Scratch(
        words=np.zeros(WORDS, dtype=np.int64),
        rows=np.zeros(MOST_ROWS, dtype=np.int64),
        nothing=np.zeros(WIDTH, dtype=np.float32),
        base=np.zeros(WIDTH, dtype=np.float32),
        hidden=np.zeros(WIDTH, dtype=np.float32),
        deep=np.zeros(DEPTH, dtype=np.float32),
        slots=np.zeros(MOST_ACTIONS, dtype=np.int64),
        logits=np.zeros(MOST_ACTIONS, dtype=np.float32),
    )


def empty_weights() -> Weights:
    """Weights of the right shapes, all zero."""
    return Weights(actions=_empty_network(ROWS), worlds=_empty_network(WORLD_ROWS))


def _empty_network(inputs: int) -> Network:
    shapes = ((inputs, WIDTH), (WIDTH, DEPTH), (DEPTH,), (DEPTH,), (1,))
    return Network(*(np.zeros(shape, dtype=np.float32) for shape in shapes))


def arrays_of(weights: Weights) -> dict[str, FloatArray]:
    """Every array under its name, the network's name before its own."""
    return {
        f"{network}_{name}": array
        for network, arrays in weights._asdict().items()
        for name, array in arrays._asdict().items()
    }


def save(weights: Weights, file: Path) -> None:
    """Writes a weight file; equal weights make equal bytes."""
    np.savez(file, allow_pickle=False, format=np.int64(FORMAT), **arrays_of(weights))


@contextmanager
def stored_arrays(file: Path, unreadable: ValueError) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
    """The arrays of an .npz file by their names. Raises OSError; `unreadable`, for whatever the file does not hold."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            yield stored
    except (KeyError, ValueError, EOFError, BadZipFile) as fault:
        if isinstance(fault, type(unreadable)):
            raise
        raise unreadable from fault


def load(file: Path) -> Weights:
    """The weights of a file. Raises UnusableWeights, OSError."""
    weights = empty_weights()
    with stored_arrays(file, UnusableWeights(f"{file}: not a weight file")) as stored:
        if int(stored["format"]) != FORMAT:
            raise UnusableWeights(f"{file}: weights of format {int(stored['format'])}, not {FORMAT}")
        for name, array in arrays_of(weights).items():
            read = stored[name]
            if read.shape != array.shape or read.dtype != array.dtype or not np.isfinite(read).all():
                raise UnusableWeights(f"{file}: {name} is not {array.shape} finite float32 numbers")
            array[:] = read
    return weights


@cache
def shipped() -> Weights:
    """The weights that the package carries; nobody may change them."""
    return load(Path(__file__).with_name("weights.npz"))


@kernel
def win_chance(logit: float) -> float:
    """The sigmoid, compiled in the precision of its argument."""
    return 1.0 / (1.0 + math.exp(-float(logit)))


@kernel
def forward(net: Network, rows: IntArray, count: int, s: Scratch) -> float:
    """The logit for these rows, from nothing; leaves both layers before their ReLU in `hidden` and `deep`."""
    sum_rows(s.nothing, net.first, rows, 0, count, s.hidden)
    return deep_layers(s.hidden, net.second, net.second_bias, net.last, s.deep) + net.last_bias[0]  # type: ignore[no-any-return]


@kernel
def world_logit(net: Network, r: Rows, world: IntArray, s: Scratch) -> float:
    """The logit of the chance that the seat to act wins in this world, both seats playing well but not seeing it."""
    return forward(net, s.rows, world_rows(r, world, s.rows), s)


@kernel
def evaluate(net: Network, t: Records, r: Rows, world: IntArray, memory: IntArray, s: Scratch) -> int:
    """Sets the scratch's `slots` and `logits` for the legal actions that are in its `words`; answers how many."""
    seat = world[TO_ACT]
    own, known, others = world[HAND + seat], world[KNOWN + seat], world[KNOWN + 1 - seat]
    n = knowledge_rows(r, world, memory, s.rows, 0)
    n = add_rows_of(own, OWN_HAND, s.rows, n)
    n = add_rows_of(known, OWN_KNOWN, s.rows, n)
    n = add_rows_of(others, OTHER_KNOWN, s.rows, n)
    sum_rows(s.nothing, net.first, s.rows, 0, n, s.base)
    cards = reachable(world)
    size = popcount(own)
    found = 0
    for word in range(WORDS):
        bits = s.words[word]
        while bits:
            slot = 64 * word + lowest_bit(bits)
            bits &= bits - 1
            s.slots[found] = slot
            if r.size[slot] == size:
                s.logits[found] = np.float32(WON)
            else:
                own_left, known_left, others_left = left_by(t, world, slot)
                n = add_rows_of(own & ~own_left, OWN_HAND, s.rows, 0)
                n = add_rows_of(known & ~known_left, OWN_KNOWN, s.rows, n)
                gone = n
                n = action_rows(t, r, world, slot, own_left, cards, s.rows, n)
                n = add_rows_of(own_left & ~own, OWN_HAND, s.rows, n)
                n = add_rows_of(known_left & ~known, OWN_KNOWN, s.rows, n)
                n = add_rows_of(others_left & ~others, OTHER_KNOWN, s.rows, n)
                sum_rows(s.base, net.first, s.rows, gone, n, s.hidden)
                value = deep_layers(s.hidden, net.second, net.second_bias, net.last, s.deep)
                s.logits[found] = value + net.last_bias[0]
            found += 1
    return found


@kernel
def best_of(logits: FloatArray, count: int) -> int:
    """The place of the highest logit, the first of equals."""
    best = 0
    for place in range(1, count):
        if logits[place] > logits[best]:
            best = place
    return best
