"""A beginner's rules of thumb, without a thought of hidden cards: a baseline, and a kind of player in the belief.

As a baseline it stays as it is for ever (baselines.py); a belief in another beginner needs rules of its own.
"""

from __future__ import annotations

from ai.bits import lowest_bit, popcount
from ai.compiled import kernel
from ai.tables import FACE_UP_SLOT, PASS_BIT, PASS_SLOT, PILE_SLOT, WORDS, IntArray, Records
from ai.world import DRAW, HAND, NOTHING, PHASE, TO_ACT, TO_FOLLOW, face_up, legal
from engine.cards import CRISP


@kernel
def greedy_slot(t: Records, world: IntArray, words: IntArray) -> int:
    """The action by rules of thumb, from the own hand and what lies open; `words` int64[WORDS] to work in.

    Draws the face-up card when the hand holds its rank or a neighbour, else from the pile. Plays its last cards when it
    can. Leads the most cards without Crisps and specials, of those the lowest rank; follows with the lowest standard
    combination, else with the special of the lowest rank; passes when nothing follows. Of equals the lower action
    index.
    """
    own = world[HAND + world[TO_ACT]]
    if world[PHASE] == DRAW:
        near = 0xFFF << 4 * face_up(world) >> 4
        return FACE_UP_SLOT if own & near else PILE_SLOT
    legal(t, world, words)
    leading = world[TO_FOLLOW] == NOTHING
    words[0] &= ~PASS_BIT
    best, highest = PASS_SLOT, -1
    for word in range(WORDS):
        left = words[word]
        while left:
            bit = lowest_bit(left)
            left &= left - 1
            slot = 64 * word + bit
            if t[slot]["cards"] == own:
                return slot
            rank = bit >> 2
            plain = t[slot]["copies"] <= 2
            merit = CRISP - rank
            if leading:
                merit += 16 * popcount(t[slot]["cards"])
                plain = plain and rank != CRISP
            if plain:
                merit += 1024
            if merit > highest or (merit == highest and t[slot]["action"] < t[best]["action"]):
                best, highest = slot, merit
    return best
