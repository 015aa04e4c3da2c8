"""Proofs that a seat wins whatever is hidden and whatever is done, once every card has been drawn.

What a seat knows is then its hand, the other hand's size and known cards, and a pool of unseen cards of which the other
hand holds the rest. A pass tells nothing for certain and a play tells exactly its own cards, so this stays the form of
what it knows; a plan may go by what was played, never by the hidden hand. A moment is proven when the seat acts and one
of its actions leads to a proven one, down to the last card, or when the other acts and everything that any such hand
could do leads to one. `ai.certain` finds quickly the proofs in which the other seat has no answer; here it may have
some.

It is looked for by depth-first proof-number search (df-pn; Nagai 2002), which goes on where the fewest moments would
have to be settled. Where several have to be, they count as the hardest of them and one for each other, for many lead to
the same ones (weak proof numbers; Ueda, Hashimoto, Hashimoto and Iida 2008). No moment comes twice in a deal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ai.bits import lowest_bit, popcount
from ai.certain import certain_play
from ai.compiled import kernel
from ai.tables import PASS_BIT, PASS_SLOT, SLOTS, WORDS, IntArray, Records
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

MOST_TRIED = 16_000
"""Moments looked at at most, whatever the budget of a search: 10 ms, on average 0.2 (RESULTS.md)."""
LONGEST = 80
"""Plays and passes ahead; a proof that meets a longer line is given up."""
SETTLED = 1 << 40
"""More than any number of moments: the proof number of what is lost, the disproof number of what is proven."""

OWN, OTHER = 0, 1

# a frame's places: who acts, what the seat holds and knows, the last play or NOTHING, the numbers up to which to look,
# how many slots are to be tried or NOTHING, and the one that has proven it or NOTHING
MOVER, OWN_HAND, OTHER_KNOWN, GONE, SIZE, LAST_PLAY, LIMITS, COUNT, BEST, FRAME = 0, 1, 2, 3, 4, 5, 6, 8, 9, 10
# a noted moment's places: what tells it from others, then its proof and its disproof number
KNOWS, NUMBERS, NOTE = 0, 3, 5


class Proof(NamedTuple):
    """Room to look for one.

    `frames` int64[LONGEST, FRAME] the moments on the way to the one that is looked at, `slots` int64[LONGEST, SLOTS]
    what can be done there; `words` int64[WORDS]; `world` int64[WORLD], in
    which the seat is 0; `found` int64[power of two, NOTE] what is known of moments, free places without any number;
    `allowed` int64[1] how many more may be noted.
    """

    frames: IntArray
    slots: IntArray
    words: IntArray
    world: IntArray
    found: IntArray
    allowed: IntArray


@kernel
def empty_proof(most: int) -> Proof:
    """Room for so many moments."""
    places = 16
    while places < 2 * most:
        places *= 2
    return Proof(
        np.zeros((LONGEST, FRAME), dtype=np.int64),
        np.zeros((LONGEST, SLOTS), dtype=np.int64),
        np.zeros(WORDS, dtype=np.int64),
        np.zeros(WORLD, dtype=np.int64),
        np.zeros((places, NOTE), dtype=np.int64),
        np.full(1, most, dtype=np.int64),
    )


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
def find_moves(t: Records, p: Proof, f: IntArray) -> bool:
    """Sets `words` to what can be done at this moment; answers whether somebody to act may play the last cards."""
    words, world = p.words, p.world
    own, known, size = f[OWN_HAND], f[OTHER_KNOWN], f[SIZE]
    world[HAND + OWN] = own
    world[HAND + OTHER] = thermometer_of(FOURS - counts_of(own) - counts_of(f[GONE]))
    world[TO_ACT], world[TO_FOLLOW] = f[MOVER], f[LAST_PLAY]
    legal(t, world, words)
    if f[MOVER] == OWN:
        known, size = own, popcount(own)
    passes = words[0] & PASS_BIT
    words[0] ^= passes
    is_last = keep_possible(t, words, known, size)
    words[0] |= passes
    return is_last


@kernel
def begin(t: Records, p: Proof, depth: int) -> None:
    """Notes what can be done at this frame, long plays first."""
    find_moves(t, p, p.frames[depth])
    count = 0
    for back in range(WORDS):
        word = WORDS - 1 - back
        left = p.words[word]
        while left:
            p.slots[depth, count] = 64 * word + lowest_bit(left)
            left &= left - 1
            count += 1
    p.frames[depth, COUNT] = count


@kernel
def follow(t: Records, f: IntArray, slot: int, after: IntArray) -> None:
    """Sets `after` to the moment that an action leads to."""
    own, known, gone, size = f[OWN_HAND], f[OTHER_KNOWN], f[GONE], f[SIZE]
    last_play = NOTHING
    if slot != PASS_SLOT:
        last_play = slot
        gone = with_played(t, gone, slot)
        if f[MOVER] == OWN:
            own = without(t, own, slot)
        else:
            known = without(t, known, slot)
            size -= popcount(t[slot]["cards"])
    after[MOVER], after[OWN_HAND], after[OTHER_KNOWN], after[GONE] = 1 - f[MOVER], own, known, gone
    after[SIZE], after[LAST_PLAY], after[COUNT] = size, last_play, NOTHING


@kernel
def place_of(found: IntArray, f: IntArray) -> int:
    """Where a moment is noted, or would be."""
    key, known, gone = f[OWN_HAND] | f[SIZE] << 40 | (f[LAST_PLAY] + 1) << 46 | f[MOVER] << 57, f[OTHER_KNOWN], f[GONE]
    mixed = int(key) * 0x9E3779B97F4A7C1 ^ int(known) * 0x2545F4914F6CDD1D ^ int(gone) * 0x1B03738712FAD5C9
    mixed ^= mixed >> 29
    place = (mixed >> 24) & (len(found) - 1)
    while found[place, NUMBERS] or found[place, NUMBERS + 1]:
        if found[place, KNOWS] == key and found[place, KNOWS + 1] == known and found[place, KNOWS + 2] == gone:
            return place
        place = place + 1 & len(found) - 1
    found[place, KNOWS], found[place, KNOWS + 1], found[place, KNOWS + 2] = key, known, gone
    return place


@kernel
def note(t: Records, p: Proof, f: IntArray, place: int) -> None:
    """Notes a new moment with a guess of its numbers, how much can be done there, unless it is settled."""
    mine, others = NUMBERS + f[MOVER], NUMBERS + 1 - f[MOVER]
    p.allowed[0] -= 1
    if find_moves(t, p, f):
        p.found[place, others] = SETTLED
    else:
        p.found[place, mine] = 1
        for word in range(WORDS):
            p.found[place, others] += popcount(p.words[word])


@kernel
def look(t: Records, p: Proof, depth: int) -> int:
    """Goes on from a frame into its easiest move, or back if that is too hard or all is settled.

    Answers the depth it came to: -1 from the first frame back, LONGEST if no more may be noted. Who acts brings one of
    both numbers down to 0, `mine`, by one move; the other is 0 only if it is so after all of them.
    """
    f, after, slots, found = p.frames[depth], p.frames[depth + 1], p.slots[depth], p.found
    mover = f[MOVER]
    if f[COUNT] == NOTHING:
        begin(t, p, depth)
    best, least, second, beside = NOTHING, SETTLED, SETTLED, 0
    hardest, left = 0, 0
    for i in range(f[COUNT]):
        follow(t, f, slots[i], after)
        place = place_of(found, after)
        if not found[place, NUMBERS] and not found[place, NUMBERS + 1]:
            if not p.allowed[0]:
                return LONGEST
            note(t, p, after, place)
        mine, others = found[place, NUMBERS + mover], found[place, NUMBERS + 1 - mover]
        if mine < least:
            best, least, second, beside = slots[i], mine, least, others
        elif mine < second:
            second = mine
        if others:
            hardest = max(hardest, others)
            left += 1
        if not mine:
            break
    total = min(hardest + left - 1, SETTLED) if left else 0
    if least >= f[LIMITS + mover] or total >= f[LIMITS + 1 - mover]:
        place = place_of(found, f)
        found[place, NUMBERS + mover], found[place, NUMBERS + 1 - mover] = least, total
        f[BEST] = NOTHING if least else best
        return depth - 1
    follow(t, f, best, after)
    # a little further than the second best, or both would be taken up in turns (1 + epsilon; Pawlewicz and Lew 2007)
    after[LIMITS + mover] = min(f[LIMITS + mover], second + least // 4 + 1)
    after[LIMITS + 1 - mover] = f[LIMITS + 1 - mover] - total + beside
    return depth + 1


@kernel
def proven_action(t: Records, world: IntArray, most: int) -> int:
    """An action after which the seat to act wins whatever is hidden, or NOTHING if none is found.

    At most `most` moments are looked at, and no more than MOST_TRIED. Of the other hand only its size is read.
    """
    certain = certain_play(t, world)
    if certain != NOTHING or world[DRAWS] < MAX_DRAWS or world[PHASE] != PLAY:
        return certain
    seat = world[TO_ACT]
    most = min(most, MOST_TRIED)
    p = empty_proof(most)
    p.world[:] = world
    f = p.frames[0]
    f[OWN_HAND], f[OTHER_KNOWN], f[GONE] = world[HAND + seat], world[KNOWN + 1 - seat], world[PLAYED]
    f[MOVER], f[SIZE], f[LAST_PLAY] = OWN, popcount(world[HAND + 1 - seat]), world[TO_FOLLOW]
    f[LIMITS], f[LIMITS + 1], f[COUNT], f[BEST] = SETTLED, SETTLED, NOTHING, NOTHING
    depth = 0
    while 0 <= depth < LONGEST - 1:
        depth = look(t, p, depth)
    return f[BEST] if depth < 0 else NOTHING
