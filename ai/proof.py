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
from ai.tables import PASS_SLOT, SLOTS, WORDS, IntArray, Records
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
    with_played,
    without,
)
from engine.deal import MAX_DRAWS

MOST_TRIED = 16_000
"""Moments noted at most, whatever the budget of a search; each may be come back to (times: RESULTS.md)."""
LONGEST = 80
"""More plays and passes than a deal has (RULES.md)."""
GIVEN_UP = LONGEST
"""In the place of a depth: no more moments may be noted."""
SETTLED = 1 << 40
"""More than any number of moments: the proof number of what is lost, the disproof number of what is proven."""

OWN, OTHER = 0, 1

# a frame's places: who acts, what the seat holds and knows, the last play or NOTHING, the numbers up to which to look,
# how many actions there are or NOTHING, and the one that has won it for who acts or NOTHING
MOVER, OWN_HAND, OTHER_KNOWN, GONE, SIZE, LAST_PLAY, LIMITS, COUNT, BEST, FRAME = 0, 1, 2, 3, 4, 5, 6, 8, 9, 10
# a noted moment's places: what tells it from others of the same proof, then its proof and its disproof number
WHO, GONE_BY, NUMBERS, NOTE = 0, 1, 2, 4


class Proof(NamedTuple):
    """Room to look for one.

    `frames` int64[LONGEST, FRAME] the moments on the way to the one that is looked at, `slots` int64[LONGEST, SLOTS]
    the actions there; `words` int64[WORDS]; `world` int64[WORLD], in which the seat is 0; `found` int64[power of two,
    NOTE] what is known of moments, free places without any number; `allowed` int64[1] how many more may be noted.
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
        np.empty((LONGEST, SLOTS), dtype=np.int64),
        np.zeros(WORDS, dtype=np.int64),
        np.zeros(WORLD, dtype=np.int64),
        np.zeros((places, NOTE), dtype=np.int64),
        np.full(1, most, dtype=np.int64),
    )


@kernel
def keep_possible(t: Records, words: IntArray, known: int, size: int) -> bool:
    """Keeps of the plays those that some hand of this size with these known cards can make; whether one empties it.

    Then it leaves off: some of those that are kept may be impossible. A pass is always kept.
    """
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
def find_actions(t: Records, p: Proof, f: IntArray) -> bool:
    """Sets `words` to what can be done at this moment, unless who acts may play its last cards: answers whether."""
    words, world = p.words, p.world
    own, known, size = f[OWN_HAND], f[OTHER_KNOWN], f[SIZE]
    world[HAND + OWN] = own
    world[HAND + OTHER] = thermometer_of(FOURS - counts_of(own) - counts_of(f[GONE]))
    world[TO_ACT], world[TO_FOLLOW] = f[MOVER], f[LAST_PLAY]
    legal(t, world, words)
    if f[MOVER] == OWN:
        known, size = own, popcount(own)
    return keep_possible(t, words, known, size)


@kernel
def begin(t: Records, p: Proof, depth: int) -> None:
    """Sets the frame's actions, long plays first. Nobody can play the last cards there."""
    find_actions(t, p, p.frames[depth])
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
    """Where a moment is noted; else a free place, made its own.

    What the seat holds and what was played tell also what the other seat played, thus its size and known cards.
    """
    who, gone = f[OWN_HAND] | (f[LAST_PLAY] + 1) << 46 | f[MOVER] << 57, f[GONE]
    mixed = int(who) * 0x9E3779B97F4A7C1 ^ int(gone) * 0x1B03738712FAD5C9  # int: NumPy would warn of wrapping around
    mixed ^= mixed >> 29
    place = (mixed >> 24) & (len(found) - 1)
    while found[place, NUMBERS] or found[place, NUMBERS + 1]:
        if found[place, WHO] == who and found[place, GONE_BY] == gone:
            return place
        place = place + 1 & len(found) - 1
    found[place, WHO], found[place, GONE_BY] = who, gone
    return place


@kernel
def note(t: Records, p: Proof, f: IntArray, place: int) -> None:
    """Sets the numbers of a new moment: how much can be done there is its guess, unless it is settled."""
    easy, hard = NUMBERS + f[MOVER], NUMBERS + 1 - f[MOVER]
    p.allowed[0] -= 1
    if find_actions(t, p, f):
        p.found[place, hard] = SETTLED
    else:
        p.found[place, easy] = 1
        for word in range(WORDS):
            p.found[place, hard] += popcount(p.words[word])


@kernel
def look(t: Records, p: Proof, depth: int) -> int:
    """Goes on from a frame with its easiest action, or back if that is too hard or all is settled.

    Answers the depth it came to, -1 from the first frame back, or GIVEN_UP. Who acts brings one of both numbers down to
    0, `mine`, by one action; the other is 0 only if it is so after all of them.
    """
    f, after, slots, found = p.frames[depth], p.frames[depth + 1], p.slots[depth], p.found
    mover = f[MOVER]
    if f[COUNT] == NOTHING:
        begin(t, p, depth)
    best, least, second = NOTHING, SETTLED, SETTLED
    hardest, left = 0, 0
    for i in range(f[COUNT]):
        follow(t, f, slots[i], after)
        place = place_of(found, after)
        if not found[place, NUMBERS] and not found[place, NUMBERS + 1]:
            if not p.allowed[0]:
                return GIVEN_UP
            note(t, p, after, place)
        mine, others = found[place, NUMBERS + mover], found[place, NUMBERS + 1 - mover]
        if mine < least:
            best, least, second = slots[i], mine, least
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
    # a quarter further than the second best, or both would be taken up in turns (1 + epsilon; Pawlewicz and Lew 2007)
    after[LIMITS + mover] = min(f[LIMITS + mover], second + second // 4 + 1)
    after[LIMITS + 1 - mover] = f[LIMITS + 1 - mover] - left + 1  # where `total` reaches the limit
    return depth + 1


@kernel
def proven_action(t: Records, world: IntArray, most: int) -> int:
    """An action after which the seat to act wins whatever is hidden, or NOTHING if none is found.

    At most `most` moments are noted, and no more than MOST_TRIED. Of the other hand only its size is read.
    """
    certain = certain_play(t, world)
    if certain != NOTHING or world[DRAWS] < MAX_DRAWS or world[PHASE] != PLAY:
        return certain
    seat = world[TO_ACT]
    most = max(0, min(most, MOST_TRIED))
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
