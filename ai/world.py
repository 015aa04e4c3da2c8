"""A deal with nothing hidden as one small array, and its kernels: legal actions, step, automatic passes.

A world is int64[WORLD]; the names below are its places. Cards are thermometers (see tables.py). CARDS are the twelve
cards that get drawn, in the deck's order; with a face-up draw (FACE_UP = 1) card 2 * DRAWS is the one that lies
face up.
What a kernel does is what engine.deal does, clause by clause, which tests hold it to.
"""

from __future__ import annotations

import numpy as np

from ai.bits import lowest_bit, popcount
from ai.compiled import kernel
from ai.tables import (
    ALL_RANKS,
    BASE_RANKS,
    DRAW_BITS,
    FACE_UP_SLOT,
    PASS_BIT,
    PASS_SLOT,
    STAIRS,
    WORDS,
    IntArray,
    Records,
    slot_of,
    thermometer,
)
from engine.actions import PLAYS
from engine.deal import FIRST_DRAW, MAX_DRAWS, Deal, Phase
from engine.rules import Rules

HAND = 0  # two places, by seat
KNOWN = 2  # two places, by seat (R24)
PLAYED = 4
TO_FOLLOW = 5  # slot of the last combination of the round, or NOTHING
PHASE = 6
TO_ACT = 7
WINNER = 8  # seat, or NOBODY; then TO_ACT is the winner too
DRAWS = 9  # how often both seats have drawn, 0 to 6
RUN_RANKS = 10  # BASE_RANKS or ALL_RANKS (R28)
FACE_UP = 11  # 1, or 0 under no_face_up_draw (R26)
TURN_SKIP = 12  # 1 under automatic_turn_skip (R27)
CARDS = 13  # twelve places
WORLD = CARDS + 2 * MAX_DRAWS

PLAY, DRAW, OVER = 0, 1, 2
_PHASES = {Phase.PLAY: PLAY, Phase.DRAW: DRAW, Phase.FINISHED: OVER}
NOTHING = -1
NOBODY = -1
FOURS = 0x4444444444  # four of every rank, as counts


@kernel
def with_card(cards: int, rank: int) -> int:
    """The cards and one more."""
    shift = 4 * rank
    return cards | ((cards >> shift & 15) + 1) << shift


@kernel
def without(t: Records, cards: int, slot: int) -> int:
    """The cards less those of a play; a rank that runs short becomes none, never less."""
    span, copies, left = t[slot]["span"], t[slot]["copies"], t[slot]["left"]
    return cards & ~span | (cards & span) >> copies & left  # type: ignore[no-any-return]


@kernel
def with_played(t: Records, played: int, slot: int) -> int:
    """The played cards and those of one more play."""
    span = t[slot]["span"]
    return played & ~span | (played & span) << t[slot]["copies"] | t[slot]["cards"]  # type: ignore[no-any-return]


@kernel
def runs_of(cards: int, run_ranks: int, length: int) -> int:
    """The runs of this length that can be formed, at bit 4 * top + copies - 1."""
    run = cards & run_ranks
    tops = run
    for _ in range(length - 1):
        tops = tops << 4 & run
    return tops


@kernel
def replies(t: Records, cards: int, run_ranks: int, to_follow: int) -> tuple[int, int]:
    """What cards can follow a play: bits of word 0, and of that play's own word when it is a run (R12-R15)."""
    length = t[to_follow]["length"]
    if length == 1:
        return cards & t[to_follow]["follow_groups"], 0
    runs = runs_of(cards, run_ranks, length) << 2 * (length & 1) & t[to_follow]["follow_runs"]
    return cards & t[to_follow]["follow_groups"], runs


@kernel
def legal(t: Records, world: IntArray, words: IntArray) -> int:
    """Sets `words` to the legal actions of the seat to act; answers how many there are."""
    for word in range(WORDS):
        words[word] = 0
    if world[PHASE] == OVER:
        return 0
    if world[PHASE] == DRAW:
        words[0] = DRAW_BITS
        return 2
    own = world[HAND + world[TO_ACT]]
    run_ranks = world[RUN_RANKS]
    to_follow = world[TO_FOLLOW]
    if to_follow != NOTHING:
        groups, runs = replies(t, own, run_ranks, to_follow)
        words[0] = groups | PASS_BIT
        if runs:
            words[to_follow >> 6] = runs
        return popcount(groups) + popcount(runs) + 1
    words[0] = own
    count = popcount(own)
    run = own & run_ranks
    tops = run << 4 & run
    words[1] = tops & STAIRS
    count += popcount(words[1])
    length = 3
    tops = tops << 4 & run
    while tops:
        words[length >> 1] |= tops << 2 * (length & 1)
        count += popcount(tops)
        length += 1
        tops = tops << 4 & run
    return count


@kernel
def face_up(world: IntArray) -> int:
    """The rank that lies face up, or NOTHING."""
    if world[FACE_UP] and world[DRAWS] < MAX_DRAWS:
        return world[CARDS + 2 * world[DRAWS]]  # type: ignore[no-any-return]
    return NOTHING


@kernel
def step(t: Records, world: IntArray, slot: int) -> None:
    """Takes a legal action, and the automatic pass that R27 may join to it."""
    seat = world[TO_ACT]
    if world[PHASE] == DRAW:
        exchange(world, seat if slot == FACE_UP_SLOT else 1 - seat)
    elif slot == PASS_SLOT:
        end_round(world)
    else:
        world[HAND + seat] = without(t, world[HAND + seat], slot)
        world[KNOWN + seat] = without(t, world[KNOWN + seat], slot)
        world[PLAYED] = with_played(t, world[PLAYED], slot)
        if world[HAND + seat] == 0:
            world[TO_FOLLOW] = NOTHING
            world[PHASE] = OVER
            world[WINNER] = seat
            return
        world[TO_FOLLOW] = slot
        world[TO_ACT] = 1 - seat
        if world[TURN_SKIP] and not reply_is_possible(t, world):
            end_round(world)


@kernel
def end_round(world: IntArray) -> None:
    """The seat to act passes (R17, R18)."""
    leader = 1 - world[TO_ACT]
    world[TO_ACT] = leader
    world[TO_FOLLOW] = NOTHING
    if world[DRAWS] == MAX_DRAWS:
        return
    if world[FACE_UP]:
        world[PHASE] = DRAW
    else:
        exchange(world, leader)


@kernel
def exchange(world: IntArray, taker: int) -> None:
    """Both seats draw, `taker` the first card due; the seat to act, who won the round, is to lead (R18, R26)."""
    place = CARDS + 2 * world[DRAWS]
    world[HAND + taker] = with_card(world[HAND + taker], world[place])
    world[HAND + 1 - taker] = with_card(world[HAND + 1 - taker], world[place + 1])
    if world[FACE_UP]:
        world[KNOWN + taker] = with_card(world[KNOWN + taker], world[place])
    world[DRAWS] += 1
    world[PHASE] = PLAY


@kernel
def counts_of(cards: int) -> int:
    """A thermometer as four-bit counts."""
    return cards - (cards >> 1 & 0x7777777777) - (cards >> 2 & 0x3333333333) - (cards >> 3 & 0x1111111111)


@kernel
def thermometer_of(counts: int) -> int:
    """Four-bit counts of 0 to 4 as a thermometer."""
    one, two, four = counts & 0x1111111111, counts >> 1 & 0x1111111111, counts >> 2 & 0x1111111111
    return one | two | four | (two | four) << 1 | (one & two | four) << 2 | four << 3


@kernel
def reply_is_possible(t: Records, world: IntArray) -> bool:
    """Whether any hand of the seat to act that agrees with public information can follow (R27)."""
    seat = world[TO_ACT]
    known = world[KNOWN + seat]
    free = popcount(world[HAND + seat]) - popcount(known)
    gone = counts_of(world[PLAYED]) + counts_of(world[KNOWN + 1 - seat])
    lying = face_up(world)
    if lying != NOTHING:
        gone += 1 << 4 * lying
    reachable = thermometer_of(FOURS - gone)
    to_follow = world[TO_FOLLOW]
    groups, runs = replies(t, reachable, world[RUN_RANKS], to_follow)
    for base, bits in ((0, groups), (to_follow & ~63, runs)):
        left = bits
        while left:
            slot = base + lowest_bit(left)
            if popcount(t[slot]["cards"]) - popcount(t[slot]["cards"] & known) <= free:
                return True
            left &= left - 1
    return False


def empty_world(rules: Rules) -> IntArray:
    """A world with these options and no cards."""
    world = np.zeros(WORLD, dtype=np.int64)
    world[TO_FOLLOW], world[WINNER] = NOTHING, NOBODY
    world[RUN_RANKS] = ALL_RANKS if rules.crisps_in_runs else BASE_RANKS
    world[FACE_UP] = not rules.no_face_up_draw
    world[TURN_SKIP] = rules.automatic_turn_skip
    return world


def world_of(deal: Deal) -> IntArray:
    """The deal as a world, hidden cards included."""
    world = empty_world(deal.rules)
    world[HAND : HAND + 2] = [thermometer(hand) for hand in deal.hands]
    world[KNOWN : KNOWN + 2] = [thermometer(known) for known in deal.known]
    world[PLAYED] = thermometer(deal.played)
    if deal.phase is Phase.PLAY and deal.round.to_follow is not None:
        world[TO_FOLLOW] = slot_of(PLAYS[deal.round.to_follow.index])
    world[PHASE] = _PHASES[deal.phase]
    winner = NOBODY if deal.winner is None else deal.winner
    world[TO_ACT] = winner if deal.to_act is None else deal.to_act
    world[WINNER] = winner
    world[DRAWS] = deal.draws
    world[CARDS:] = deal.deck[FIRST_DRAW:]
    return world
