"""Bit counting and random numbers on int64, the same compiled and interpreted.

Each function's Python body says what it answers and serves NUMBA_DISABLE_JIT=1; its overload is what kernels run.
Everything stays int64: Numba turns int64 mixed with uint64 into float64.

Random numbers are splitmix64 (Steele, Lea, Flood 2014): the state is a counter, `below` scrambles it. Usage:
`state = advance(state)`, then `below(state, n)`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

# ruff: noqa: ARG001 - Numba compares an overload's argument names with those of what it returns

Compiling: TypeAlias = Any
"""What Numba and LLVM pass around while they compile; they publish no types for it."""

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST_MIX = 0xBF58476D1CE4E5B9
_SECOND_MIX = 0x94D049BB133111EB
_WORD = 1 << 64

_STEP = np.int64(_GOLDEN - _WORD)
_MIX_1 = np.uint64(_FIRST_MIX)
_MIX_2 = np.uint64(_SECOND_MIX)
_30, _27, _31, _32 = (np.uint64(shift) for shift in (30, 27, 31, 32))


def popcount(bits: int) -> int:
    """The number of set bits of a non-negative number."""
    return int(bits).bit_count()


def lowest_bit(bits: int) -> int:
    """The place of the lowest set bit of a positive number."""
    return (int(bits) & -int(bits)).bit_length() - 1


def select_bit(bits: int, k: int) -> int:
    """The place of the set bit that has exactly `k` set bits below it."""
    bits = int(bits)
    for _ in range(k):
        bits &= bits - 1
    return lowest_bit(bits)


def advance(state: int) -> int:
    """The generator's next state."""
    moved = (int(state) + _GOLDEN) % _WORD
    return moved - _WORD if moved >> 63 else moved


def below(state: int, n: int) -> int:
    """The random number of this state, 0 to n - 1, for n up to 2**31; off uniform by at most n / 2**32 (Lemire)."""
    z = int(state) % _WORD
    z = (z ^ z >> 30) * _FIRST_MIX % _WORD
    z = (z ^ z >> 27) * _SECOND_MIX % _WORD
    return ((z ^ z >> 31) >> 32) * int(n) >> 32


def _emit_popcount(_context: Compiling, _bits: Compiling) -> Compiling:
    def generate(_target: Compiling, builder: Compiling, _signature: Compiling, values: Compiling) -> Compiling:
        return builder.ctpop(values[0])

    return types.int64(types.int64), generate


def _emit_lowest_bit(_context: Compiling, _bits: Compiling) -> Compiling:
    def generate(target: Compiling, builder: Compiling, _signature: Compiling, values: Compiling) -> Compiling:
        zero_is_undefined = target.get_constant(types.boolean, 1)
        return builder.cttz(values[0], zero_is_undefined)

    return types.int64(types.int64), generate


_ctpop: Compiling = intrinsic(_emit_popcount)
_cttz: Compiling = intrinsic(_emit_lowest_bit)


@overload(popcount)
def _popcount(bits: Compiling) -> Compiling:
    def count(bits: Compiling) -> Compiling:
        return _ctpop(bits)

    return count


@overload(lowest_bit)
def _lowest_bit(bits: Compiling) -> Compiling:
    def place(bits: Compiling) -> Compiling:
        return _cttz(bits)

    return place


@overload(select_bit)
def _select_bit(bits: Compiling, k: Compiling) -> Compiling:
    def select(bits: Compiling, k: Compiling) -> Compiling:
        for _ in range(k):
            bits &= bits - 1
        return _cttz(bits)

    return select


@overload(advance)
def _advance(state: Compiling) -> Compiling:
    def moved(state: Compiling) -> Compiling:
        return state + _STEP

    return moved


@overload(below)
def _below(state: Compiling, n: Compiling) -> Compiling:
    def scrambled(state: Compiling, n: Compiling) -> Compiling:
        z = np.uint64(state)
        z = (z ^ (z >> _30)) * _MIX_1
        z = (z ^ (z >> _27)) * _MIX_2
        return (np.int64((z ^ (z >> _31)) >> _32) * n) >> 32

    return scrambled
