"""Uniform random play to the end of a deal, with nothing but hands in registers."""

from __future__ import annotations

from ai.bits import advance, below, popcount, select_bit
from ai.compiled import kernel
from ai.tables import STAIRS, IntArray, Records
from ai.world import (
    CARDS,
    DRAW,
    DRAWS,
    FACE_UP,
    HAND,
    NOTHING,
    OVER,
    PHASE,
    RUN_RANKS,
    TO_ACT,
    TO_FOLLOW,
    WINNER,
    replies,
    with_card,
    without,
)
from engine.deal import MAX_DRAWS


@kernel
def random_lead(own: int, run_ranks: int, state: int) -> int:
    """The slot of one of a leader's plays, all equally likely."""
    run = own & run_ranks
    twos = run << 4 & run
    stairs = twos & STAIRS
    threes = twos << 4 & run
    groups = popcount(own)
    short = groups + popcount(stairs)
    count = short
    tops = threes
    while tops:
        count += popcount(tops)
        tops = tops << 4 & run
    k = below(state, count)
    if k < groups:
        return select_bit(own, k)
    if k < short:
        return 64 + select_bit(stairs, k - groups)
    k -= short
    length = 3
    tops = threes
    while k >= popcount(tops):
        k -= popcount(tops)
        tops = tops << 4 & run
        length += 1
    return 64 * (length >> 1) + 2 * (length & 1) + select_bit(tops, k)


@kernel
def rollout(t: Records, world: IntArray, state: int) -> tuple[int, int]:
    """The winner when both seats choose among their legal actions at random, and the generator's next state.

    The world stays as it is. Automatic passes (R27) are made as the forced passes that they are.
    """
    if world[PHASE] == OVER:
        return world[WINNER], state
    seat = world[TO_ACT]
    own, others = world[HAND + seat], world[HAND + 1 - seat]
    place, end = CARDS + 2 * world[DRAWS], CARDS + 2 * MAX_DRAWS
    run_ranks, choice = world[RUN_RANKS], world[FACE_UP]
    to_follow = world[TO_FOLLOW]
    drawing = world[PHASE] == DRAW
    while True:
        if drawing:
            first = 1
            if choice:
                state = advance(state)
                first = below(state, 2)
            own = with_card(own, world[place + 1 - first])
            others = with_card(others, world[place + first])
            place += 2
            to_follow = NOTHING
            drawing = False
        state = advance(state)
        if to_follow == NOTHING:
            slot = random_lead(own, run_ranks, state)
        else:
            groups, runs = replies(t, own, run_ranks, to_follow)
            several = popcount(groups)
            k = below(state, several + popcount(runs) + 1)
            if k < several:
                slot = select_bit(groups, k)
            elif k < several + popcount(runs):
                slot = (to_follow & ~63) + select_bit(runs, k - several)
            else:
                own, others = others, own
                seat = 1 - seat
                drawing = place < end
                to_follow = NOTHING
                continue
        own = without(t, own, slot)
        if own == 0:
            return seat, state
        to_follow = slot
        own, others = others, own
        seat = 1 - seat
