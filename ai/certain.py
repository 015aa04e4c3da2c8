"""Wins that no hidden card can prevent: the last cards played, or leads that nothing unseen can answer before them."""

from __future__ import annotations

import numpy as np

from ai.bits import lowest_bit, popcount
from ai.compiled import kernel
from ai.features import reachable
from ai.tables import PASS_BIT, WORDS, IntArray, Records
from ai.world import (
    DRAWS,
    HAND,
    KNOWN,
    NOTHING,
    PHASE,
    PLAY,
    RUN_RANKS,
    TO_ACT,
    TO_FOLLOW,
    WORLD,
    legal,
    replies,
    without,
)
from engine.deal import MAX_DRAWS

MOST_CARDS = 10
"""Longer hands are certain only as one play."""
MOST_STEPS = 200
"""Plays tried at most, so that no hand takes long; what is not found by then is taken as uncertain."""


@kernel
def is_answerable(t: Records, world: IntArray, slot: int, cards: int) -> bool:
    """Whether some hand of the other seat could follow a play, `cards` being what is `reachable`."""
    other = 1 - world[TO_ACT]
    known = world[KNOWN + other]
    free = popcount(world[HAND + other]) - popcount(known)
    groups, runs = replies(t, cards, world[RUN_RANKS], slot)
    for base, bits in ((0, groups), (slot & ~63, runs)):
        left = bits
        while left:
            if popcount(t[base + lowest_bit(left)]["cards"] & ~known) <= free:
                return True
            left &= left - 1
    return False


@kernel
def whole_hand(t: Records, world: IntArray, hand: int) -> int:
    """The one play of all these cards, if they are a combination that the seat to act may play now, or NOTHING."""
    bottom, copies = lowest_bit(hand) >> 2, 1
    if hand >> 4 * bottom < 16:
        slot = 4 * bottom + popcount(hand) - 1
    else:
        ranks = hand & 0x1111111111
        length = popcount(ranks)
        top = bottom + length - 1
        if ranks << 1 & hand:
            copies = 2
        if hand & ~world[RUN_RANKS] or popcount(hand) != copies * length or copies * length < 3:
            return NOTHING
        if ranks >> 4 * top != 1:  # a gap
            return NOTHING
        slot = 64 * (length >> 1) + 2 * (length & 1) + 4 * top + copies - 1
    to_follow = world[TO_FOLLOW]
    if to_follow == NOTHING:
        return slot
    groups, runs = replies(t, hand, world[RUN_RANKS], to_follow)
    bits = groups if slot < 64 else runs if slot >> 6 == to_follow >> 6 else 0
    return slot if bits >> (slot & 63) & 1 else NOTHING


@kernel
def keep_unanswerable(t: Records, world: IntArray, cards: int, lowest: int, words: IntArray) -> None:
    """Sets `words` to the plays of the seat to act, from slot `lowest` on, that nobody can answer."""
    legal(t, world, words)
    words[0] &= ~PASS_BIT
    for word in range(WORDS):
        left = words[word]
        while left:
            slot = 64 * word + lowest_bit(left)
            bit = left & -left
            left ^= bit
            if slot < lowest or is_answerable(t, world, slot, cards):
                words[word] ^= bit


@kernel
def certain_play(t: Records, world: IntArray) -> int:
    """A play after which the seat to act wins the deal whatever cards are hidden and whatever is done, or NOTHING.

    Reads nothing that this seat does not know. While cards are still to be drawn only the last cards count; after that
    plays are tried that nobody can answer, until one play is left. Leads that nobody can answer may come in any order,
    so they are tried in one.
    """
    seat = world[TO_ACT]
    own = world[HAND + seat]
    if world[PHASE] != PLAY:
        return NOTHING
    last = whole_hand(t, world, own)
    if last != NOTHING or world[DRAWS] < MAX_DRAWS or popcount(own) > MOST_CARDS:
        return last
    words = np.zeros((MOST_CARDS, WORDS), dtype=np.int64)
    cards = reachable(world)
    keep_unanswerable(t, world, cards, 0, words[0])
    ahead = np.empty(WORLD, dtype=np.int64)
    ahead[:] = world
    ahead[TO_FOLLOW] = NOTHING
    hands = np.zeros(MOST_CARDS, dtype=np.int64)
    plays = np.zeros(MOST_CARDS, dtype=np.int64)
    hands[0] = own
    depth = 0
    for _ in range(MOST_STEPS):
        word = 0
        while word < WORDS and not words[depth, word]:
            word += 1
        if word == WORDS:
            if depth == 0:
                return NOTHING
            depth -= 1
            continue
        bit = lowest_bit(words[depth, word])
        words[depth, word] &= words[depth, word] - 1
        plays[depth] = 64 * word + bit
        depth += 1
        hands[depth] = without(t, hands[depth - 1], plays[depth - 1])
        ahead[HAND + seat] = hands[depth]
        if whole_hand(t, ahead, hands[depth]) != NOTHING:
            return plays[0]  # type: ignore[no-any-return]
        keep_unanswerable(t, ahead, cards, plays[depth - 1] if depth > 1 else 0, words[depth])
    return NOTHING
