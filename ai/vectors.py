"""Float32 sums on whole vector registers, in a fixed order of additions: what the network and its training consist of.

Each function's Python body says what it answers and serves NUMBA_DISABLE_JIT=1; its overload is what kernels run. Lanes
never mix except in `tree_sum`, and a multiplication is never fused with an addition, so that both give the same bits.
Numba would vectorise none of these sums as well: it cannot know that the arrays do not overlap.
"""

from __future__ import annotations

# ruff: noqa: ARG005 - Numba compares an overload's argument names with those of what it returns
import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from ai.vector_code import INT, Compiling, Writer, code_of

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

WIDTH = 128
"""Units of the first hidden layer; the length of a row of the first layer's weights."""
DEPTH = 32
"""Units of the second hidden layer."""


def tree_sum(lanes: FloatArray) -> np.float32:
    """The sum of a power of two of lanes: halves added to each other until one lane is left."""
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return np.float32(lanes[0])


def sum_rows(start: FloatArray, table: FloatArray, rows: IntArray, gone: int, count: int, out: FloatArray) -> None:
    """Sets `out` to `start` less the first `gone` rows that `rows` numbers, and more the others up to `count`.

    `start` and `out` are float32[WIDTH], `table` float32[:, WIDTH].
    """
    total = start.copy()
    for k in range(gone):
        total -= table[rows[k]]
    for k in range(gone, count):
        total += table[rows[k]]
    out[:] = total


def move_rows(table: FloatArray, rows: IntArray, count: int, move: FloatArray) -> None:
    """Adds `move`, float32[WIDTH], to each of the first `count` numbered rows of `table`."""
    for k in range(count):
        table[rows[k]] += move


def deep_layers(
    first: FloatArray, weights: FloatArray, bias: FloatArray, last: FloatArray, out: FloatArray
) -> np.float32:
    """What the second layer and the `last` weights make of the first layer's sums, float32[WIDTH].

    ReLU comes after each of both layers; `out`, float32[DEPTH], gets the second one's sums before it.
    """
    out[:] = bias
    for unit in range(WIDTH):
        if first[unit] > 0:
            out += first[unit] * weights[unit]
    return tree_sum(np.maximum(out, np.float32(0)) * last)


def learn_last(
    out: FloatArray, bias: FloatArray, last: FloatArray, error: float, rate: float, slope: FloatArray
) -> None:
    """Moves `last` and the second layer's `bias` against `error`, by `rate`.

    `slope` gets the slope of each second unit, from the weights as they were; all arrays are float32[DEPTH].
    """
    wrong, step = np.float32(error), np.float32(rate)
    on = out > 0
    slope[:] = np.where(on, wrong * last, np.float32(0))
    last -= np.where(on, (step * wrong) * out, np.float32(0))
    bias -= step * slope


def learn_second(first: FloatArray, weights: FloatArray, slope: FloatArray, rate: float, back: FloatArray) -> None:
    """Moves the second layer's `weights` against `slope`, by `rate`.

    `back`, float32[WIDTH], gets by how much each first unit's sum should move, from the weights as they were.
    """
    against = -np.float32(rate)
    back[:] = 0
    for unit in range(WIDTH):
        if first[unit] > 0:
            back[unit] = against * tree_sum(weights[unit] * slope)
            weights[unit] += (against * first[unit]) * slope


def _write_sum_rows(w: Writer) -> None:
    start, table, rows, gone, count, out = w.arguments

    def row(k: Compiling) -> Compiling:
        return w.load(table, w.row(w.number(rows, k), WIDTH), WIDTH)

    total = w.load(start, INT(0), WIDTH)
    total = w.count(INT(0), gone, total, lambda k, total: w.b.fsub(total, row(k)))
    w.store(w.count(gone, count, total, lambda k, total: w.b.fadd(total, row(k))), out, INT(0))


def _write_move_rows(w: Writer) -> None:
    table, rows, count, move = w.arguments
    half = WIDTH // 2  # so that the moves stay in registers

    for part in (0, half):

        def one(k: Compiling, moves: Compiling, part: int = part) -> Compiling:
            place = w.b.add(w.row(w.number(rows, k), WIDTH), INT(part))
            w.store(w.b.fadd(w.load(table, place, half), moves), table, place)
            return moves

        w.count(INT(0), count, w.load(move, INT(part), half), one)


def _write_deep_layers(w: Writer) -> Compiling:
    first, weights, bias, last, out = w.arguments

    def one(unit: Compiling, sums: Compiling) -> Compiling:
        term = w.b.fmul(w.spread(w.number(first, unit), DEPTH), w.load(weights, w.row(unit, DEPTH), DEPTH))
        return w.b.fadd(sums, term)

    sums = w.load(bias, INT(0), DEPTH)
    for start in range(0, WIDTH, 64):
        sums = w.each_bit(w.positive(first, start), start, sums, one)
    w.store(sums, out, INT(0))
    return w.tree_sum(w.b.fmul(w.relu(sums), w.load(last, INT(0), DEPTH)))


def _write_learn_last(w: Writer) -> None:
    out, bias, last, error, rate, slope = w.arguments
    sums, weights = w.load(out, INT(0), DEPTH), w.load(last, INT(0), DEPTH)
    on, none = w.above_zero(sums), w.zeros(DEPTH)
    slopes = w.b.select(on, w.b.fmul(w.spread(error, DEPTH), weights), none)
    moves = w.b.select(on, w.b.fmul(w.spread(w.b.fmul(rate, error), DEPTH), sums), none)
    w.store(slopes, slope, INT(0))
    w.store(w.b.fsub(weights, moves), last, INT(0))
    w.store(w.b.fsub(w.load(bias, INT(0), DEPTH), w.b.fmul(w.spread(rate, DEPTH), slopes)), bias, INT(0))


def _write_learn_second(w: Writer) -> None:
    first, weights, slope, rate, back = w.arguments
    slopes = w.load(slope, INT(0), DEPTH)
    against = w.b.fneg(rate)
    w.store(w.zeros(WIDTH), back, INT(0))

    def one(unit: Compiling, slopes: Compiling) -> Compiling:
        place = w.row(unit, DEPTH)
        row = w.load(weights, place, DEPTH)
        w.b.store(w.b.fmul(against, w.tree_sum(w.b.fmul(row, slopes))), w.b.gep(back, [unit]))
        pull = w.spread(w.b.fmul(against, w.number(first, unit)), DEPTH)
        w.store(w.b.fadd(row, w.b.fmul(pull, slopes)), weights, place)
        return slopes

    for start in range(0, WIDTH, 64):
        slopes = w.each_bit(w.positive(first, start), start, slopes, one)


_sum_rows = code_of(_write_sum_rows)
_move_rows = code_of(_write_move_rows)
_deep_layers = code_of(_write_deep_layers, types.float32)
_learn_last = code_of(_write_learn_last)
_learn_second = code_of(_write_learn_second)

overload(sum_rows)(
    lambda start, table, rows, gone, count, out: (
        lambda start, table, rows, gone, count, out: _sum_rows((start, table, rows, gone, count, out))
    )
)
overload(move_rows)(
    lambda table, rows, count, move: lambda table, rows, count, move: _move_rows((table, rows, count, move))
)
overload(deep_layers)(
    lambda first, weights, bias, last, out: (
        lambda first, weights, bias, last, out: _deep_layers((first, weights, bias, last, out))
    )
)
overload(learn_last)(
    lambda out, bias, last, error, rate, slope: (
        lambda out, bias, last, error, rate, slope: _learn_last((out, bias, last, error, rate, slope))
    )
)
overload(learn_second)(
    lambda first, weights, slope, rate, back: (
        lambda first, weights, slope, rate, back: _learn_second((first, weights, slope, rate, back))
    )
)
