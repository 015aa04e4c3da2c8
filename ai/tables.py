"""Arrays that kernels read, all derived from the engine's catalogue and its `can_follow`.

Cards are thermometers: one int64, rank r in bits 4r to 4r+3, n cards as the n lowest of the four bits. A bit of a hand
is thus "holds at least that many of that rank": the groups (singles, pairs, triples, quads) a hand can form are its
own bits.

A set of actions is WORDS int64. Word 0 holds the groups at bit 4 * rank + copies - 1, and pass and the draws
at bits 40 to 42. Runs of length L are in word L // 2, those of odd length shifted up by two: bit 4 * top + copies - 1
(+ 2). The number of an action in this layout, 64 * word + bit, is its slot.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from engine.actions import ACTIONS, DRAW_FACE_UP, DRAW_PILE, FIRST_PLAY, PASS, Action, Play, index_of
from engine.cards import COPIES, CRISP, RANKS, Hand
from engine.combinations import CATALOGUE, Combination, can_follow

IntArray = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]

WORDS = 6
SLOTS = 64 * WORDS
PASS_SLOT, FACE_UP_SLOT, PILE_SLOT = 40, 41, 42
PASS_BIT = 1 << PASS_SLOT
DRAW_BITS = 1 << FACE_UP_SLOT | 1 << PILE_SLOT
NO_ACTION = -1

ALL_RANKS = 0x3333333333
"""The bits of a hand that runs are made of: one and two copies of every rank."""
BASE_RANKS = ALL_RANKS & ~(0xF << 4 * CRISP)
"""Likewise without the Crisp (R7, R8)."""
STAIRS = 0x2222222222
"""The bits of stairs among runs of length two, where a single copy of each rank is no combination (R7)."""


PLAY = np.dtype(
    [
        ("cards", np.int64),
        ("span", np.int64),
        ("left", np.int64),
        ("copies", np.int64),
        ("length", np.int64),
        ("follow_groups", np.int64),
        ("follow_runs", np.int64),
        ("action", np.int64),
    ]
)
"""What a play's slot stands for, one cache line.

`cards` a thermometer; `span` all four bits of the ranks spanned; `left` the bits of `span` that can still be set
once the cards are gone; `copies` per rank; `length` ranks spanned; `follow_groups` the bits of word 0, `follow_runs`
those of the slot's own word, that may follow; `action` the engine's index, NO_ACTION where a slot means nothing.
"""


def thermometer(hand: Hand) -> int:
    """The hand as kernels hold it."""
    return sum(((1 << count) - 1) << 4 * rank for rank, count in enumerate(hand.counts))


def hand_of(bits: int) -> Hand:
    """The inverse of `thermometer`."""
    return Hand.from_counts((int(bits) >> 4 * rank & 15).bit_count() for rank in range(RANKS))


def slot_of(action: Action) -> int:
    """The action's slot."""
    return _slots()[index_of(action)]


def action_of(slot: int) -> Action:
    """The action of a slot. Raises KeyError: the slot has none."""
    return _actions()[int(slot)]


def slots_of(words: IntArray) -> list[int]:
    """The slots of a set of actions, by action index."""
    found = [64 * word + bit for word in range(WORDS) for bit in range(64) if int(words[word]) >> bit & 1]
    return sorted(found, key=lambda slot: int(tables()["action"][slot]))


def _play_slot(combination: Combination) -> int:
    bit = COPIES * combination.rank + combination.kind.copies - 1
    if combination.length == 1:
        return bit
    return 64 * (combination.length // 2) + bit + 2 * (combination.length % 2)


@cache
def _actions() -> dict[int, Action]:
    return dict(zip(_slots(), ACTIONS, strict=True))


@cache
def _slots() -> tuple[int, ...]:
    """The slot of every action index."""
    fixed = {PASS: PASS_SLOT, DRAW_FACE_UP: FACE_UP_SLOT, DRAW_PILE: PILE_SLOT}
    return tuple(_play_slot(a.combination) if isinstance(a, Play) else fixed[a] for a in ACTIONS)


@cache
def tables() -> Records:
    """PLAY[SLOTS], the same for every option: what runs exist is a matter of BASE_RANKS or ALL_RANKS."""
    made = np.zeros(SLOTS, dtype=PLAY)
    slots = list(_slots())
    made["action"] = NO_ACTION
    made["action"][slots] = range(len(slots))
    plays = list(zip(CATALOGUE, slots[FIRST_PLAY:], strict=True))
    for combination, slot in plays:
        play, copies = made[slot], combination.kind.copies
        play["cards"], play["copies"], play["length"] = thermometer(combination.cards), copies, combination.length
        play["span"] = sum(15 << 4 * rank for rank in set(combination.cards))
        play["left"] = play["span"] & 0x1111111111 * (15 >> copies)
        for following, place in plays:
            if can_follow(combination, following):
                play["follow_runs" if following.length > 1 else "follow_groups"] |= 1 << place % 64
    made.flags.writeable = False
    return made
