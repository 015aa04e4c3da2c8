"""Bit counting and the generator, compiled against interpreted."""

from __future__ import annotations

import random

from ai.bits import advance, below, lowest_bit, popcount, select_bit
from ai.compiled import kernel

WORD = 1 << 64
REFERENCE = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)
"""What splitmix64 answers from state 1234567, as published with it."""


@kernel
def all_of(bits: int, k: int, state: int, n: int) -> tuple[int, int, int, int, int]:
    return popcount(bits), lowest_bit(bits), select_bit(bits, k), advance(state), below(state, n)


def test_the_generator_is_splitmix64() -> None:
    state, outputs = 1234567, []
    for _ in REFERENCE:
        state = advance(state)
        outputs.append(below(state, 1 << 31))
    assert outputs == [value >> 33 for value in REFERENCE]


def test_compiled_and_interpreted_answers_are_equal() -> None:
    rng = random.Random(7)
    for _ in range(2000):
        bits, state, n = rng.randrange(1, 1 << 62), rng.randrange(-WORD // 2, WORD // 2), rng.randrange(1, 1 << 31)
        k = rng.randrange(popcount(bits))
        expected = (popcount(bits), lowest_bit(bits), select_bit(bits, k), advance(state), below(state, n))
        assert all_of(bits, k, state, n) == expected


def test_select_bit_counts_from_the_lowest_set_bit() -> None:
    assert [select_bit(0b1011000, k) for k in range(3)] == [3, 4, 6]


def test_small_numbers_are_equally_likely() -> None:
    state, counts = 99, [0] * 7
    for _ in range(70_000):
        state = advance(state)
        counts[below(state, 7)] += 1
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts) < 22.5  # chi-square, 6 degrees: 0.1 %
