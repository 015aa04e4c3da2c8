"""Proofs that a seat wins whatever is hidden and whatever is done, once every card has been drawn.

What a seat knows is then its hand, the other hand's size and known cards, and a pool of unseen cards of which the other
hand holds the rest. A pass tells nothing for certain and a play tells exactly its own cards, so this stays the form of
what it knows; a plan may go by what was played, never by the hidden hand. An action is proven when after everything
that any such hand could answer some action is proven again, down to the last card. `ai.certain` finds quickly the
proofs in which the other seat has no answer; here it may have some.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ai.bits import lowest_bit, popcount
from ai.certain import certain_play
from ai.compiled import kernel
from ai.tables import PASS_BIT, PASS_SLOT, WORDS, IntArray, Records
from ai.world import (
    DRAWS,
    FOURS,
    HAND,
    KNOWN,
    NOTHING,
    PHASE,
    PLAY,
    PLAYED,
    TO_ACT,
    TO_FOLLOW,
    WORLD,
    counts_of,
    legal,
    thermometer_of,
    without,
)
from engine.deal import MAX_DRAWS

MOST_TRIED = 2_200
"""Decisions looked into at most, whatever the budget of a search; about 1 ms."""
LONGEST = 80
"""Plays and passes ahead; longer lines are taken as uncertain."""

NOT_PROVEN, PROVEN, OPEN = 0, 1, 2
OWN, OTHER = 0, 1

# a frame's places: who is to act, what the seat holds and knows, what is still to be tried, and where it is noted
MOVER, OWN_HAND, OTHER_KNOWN, GONE, SIZE, LAST_PLAY, PASSES, SLOT, NOTE = range(9)


class Proof(NamedTuple):
    """Room to look for one: `frames` int64[LONGEST, 9], and `words` int64[LONGEST, WORDS], what each has left to try.

    `world` int64[WORLD], in which the seat is 0. `found` int64[power of two, 4]: the seat's decisions that were looked
    into, the last column 0 for an empty place, else 1 + NOT_PROVEN or PROVEN.
    """

    frames: IntArray
    words: IntArray
    world: IntArray
    found: IntArray


@kernel
def empty_proof(most: int) -> Proof:
    """Room for so many decisions of the seat."""
    places = 16
    while places < 2 * most:
        places *= 2
    return Proof(
        np.zeros((LONGEST, 9), dtype=np.int64),
        np.zeros((LONGEST, WORDS), dtype=np.int64),
        np.zeros(WORLD, dtype=np.int64),
        np.zeros((places, 4), dtype=np.int64),
    )


@kernel
def place_of(found: IntArray, hand: int, known: int, played: int) -> int:
    """Where a decision is noted, or would be."""
    mixed = int(hand) ^ int(known) * 0x2545F4914F6CDD1D ^ int(played) * 0x1B03738712FAD5C9
    mixed ^= mixed >> 29
    place = (mixed >> 24) & (len(found) - 1)
    while found[place, 3] and (found[place, 0] != hand or found[place, 1] != known or found[place, 2] != played):
        place = place + 1 & len(found) - 1
    return place


@kernel
def with_played(t: Records, played: int, slot: int) -> int:
    """The played cards and those of one more play."""
    span = t[slot]["span"]
    return played & ~span | (played & span) << t[slot]["copies"] | t[slot]["cards"]  # type: ignore[no-any-return]


@kernel
def keep_possible(t: Records, words: IntArray, known: int, size: int) -> bool:
    """Keeps of the plays those that some hand of this size with these known cards can make; whether one empties it."""
    free = size - popcount(known)
    for word in range(WORDS):
        left = words[word]
        while left:
            bit = left & -left
            left ^= bit
            slot = 64 * word + lowest_bit(bit)
            if slot == PASS_SLOT:
                continue
            cards = t[slot]["cards"]
            if popcount(cards & ~known) > free:
                words[word] ^= bit
            elif popcount(cards) == size:
                return True
    return False


@kernel
def set_frame(f: IntArray, mover: int, own: int, known: int, gone: int, size: int, last_play: int) -> None:
    """What the seat knows at one moment, `gone` the played cards, `size` the other hand's."""
    f[MOVER], f[OWN_HAND], f[OTHER_KNOWN], f[GONE], f[SIZE], f[LAST_PLAY] = mover, own, known, gone, size, last_play


@kernel
def begin(t: Records, p: Proof, depth: int, may_try: bool) -> int:  # noqa: FBT001 - a kernel has no keywords
    """Sets what there is to try at this frame; answers its verdict if that is clear at once, else OPEN."""
    f, words, world = p.frames[depth], p.words[depth], p.world
    own, known, gone = f[OWN_HAND], f[OTHER_KNOWN], f[GONE]
    if f[MOVER] == OWN:
        key = own | f[SIZE] << 40 | (f[LAST_PLAY] + 1) << 46
        place = place_of(p.found, key, known, gone)
        f[NOTE] = place
        if p.found[place, 3]:
            return p.found[place, 3] - 1  # type: ignore[no-any-return]
        if not may_try:
            return NOT_PROVEN
        p.found[place, 0], p.found[place, 1], p.found[place, 2], p.found[place, 3] = key, known, gone, 1 + NOT_PROVEN
    world[HAND + OWN] = own
    world[HAND + OTHER] = thermometer_of(FOURS - counts_of(own) - counts_of(gone))
    world[TO_ACT], world[TO_FOLLOW] = f[MOVER], f[LAST_PLAY]
    legal(t, world, words)
    f[PASSES] = words[0] & PASS_BIT
    words[0] &= ~PASS_BIT
    if f[MOVER] == OTHER and keep_possible(t, words, known, f[SIZE]):
        return NOT_PROVEN
    return OPEN


@kernel
def next_slot(words: IntArray) -> int:
    """Takes out a play that is still to be tried, long ones first; NOTHING when none is left."""
    for back in range(WORDS):
        word = WORDS - 1 - back
        if words[word]:
            bit = lowest_bit(words[word])
            words[word] &= words[word] - 1
            return 64 * word + bit
    return NOTHING


@kernel
def advance_line(t: Records, p: Proof, depth: int) -> int:
    """Sets the next frame to what follows from what is tried next; answers OPEN, or the verdict if nothing is left."""
    f, after = p.frames[depth], p.frames[depth + 1]
    own, known, gone, size = f[OWN_HAND], f[OTHER_KNOWN], f[GONE], f[SIZE]
    slot = PASS_SLOT
    if f[MOVER] == OWN or not f[PASSES]:  # the other seat's pass is tried first, the own one last
        slot = next_slot(p.words[depth])
    if slot == NOTHING and f[PASSES]:
        slot = PASS_SLOT
    f[SLOT] = slot
    if slot == NOTHING:
        return NOT_PROVEN if f[MOVER] == OWN else PROVEN
    if slot == PASS_SLOT:
        f[PASSES] = 0
        set_frame(after, 1 - f[MOVER], own, known, gone, size, NOTHING)
    elif f[MOVER] == OWN:
        left = without(t, own, slot)
        if not left:
            return PROVEN
        set_frame(after, OTHER, left, known, with_played(t, gone, slot), size, slot)
    else:
        left = size - popcount(t[slot]["cards"])
        set_frame(after, OWN, own, without(t, known, slot), with_played(t, gone, slot), left, slot)
    return OPEN


@kernel
def proven_action(t: Records, world: IntArray, most: int) -> int:
    """An action after which the seat to act wins whatever is hidden, or NOTHING if none is found.

    At most `most` decisions are looked into. Of the other hand only its size is read.
    """
    certain = certain_play(t, world)
    if certain != NOTHING or world[DRAWS] < MAX_DRAWS or world[PHASE] != PLAY:
        return certain
    seat = world[TO_ACT]
    size = popcount(world[HAND + 1 - seat])
    most = min(most, MOST_TRIED)
    p = empty_proof(most)
    p.world[:] = world
    set_frame(p.frames[0], OWN, world[HAND + seat], world[KNOWN + 1 - seat], world[PLAYED], size, world[TO_FOLLOW])
    depth, tried, verdict, is_new = 0, 0, OPEN, True
    while depth >= 0:
        f = p.frames[depth]
        if is_new:
            tried += f[MOVER] == OWN
            verdict = begin(t, p, depth, tried <= most)
            is_new = False
        elif verdict == (PROVEN if f[MOVER] == OTHER else NOT_PROVEN):
            verdict = OPEN  # something else may decide
        if verdict == OPEN:
            verdict = advance_line(t, p, depth)
            if verdict == OPEN and depth + 2 < LONGEST:
                depth += 1
                is_new = True
                continue
            if verdict == OPEN:
                verdict = NOT_PROVEN
        if verdict == PROVEN and f[MOVER] == OWN:
            p.found[f[NOTE], 3] = 1 + PROVEN
        depth -= 1
    return p.frames[0, SLOT] if verdict == PROVEN else NOTHING
