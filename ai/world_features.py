"""Inputs for the chance that the seat to act wins a deal in which nothing is hidden but the order of the pile.

A search looks at worlds, where it has filled in the other hand itself: there it may as well see that hand. The rows are
those of `ai.features` where they have the same name there; cards lie in thermometers as everywhere.
"""

from __future__ import annotations

from ai.bits import popcount
from ai.compiled import kernel
from ai.features import CARD_ROWS, NO_COMBINATION, SIZE_ROWS, Rows, add_rows_of, reachable
from ai.tables import ALL_RANKS, IntArray
from ai.world import (
    DRAWS,
    FACE_UP,
    HAND,
    KNOWN,
    NOTHING,
    PHASE,
    PLAY,
    RUN_RANKS,
    TO_ACT,
    TO_FOLLOW,
    TURN_SKIP,
    counts_of,
    face_up,
    thermometer_of,
)
from engine.cards import RANKS
from engine.combinations import CATALOGUE
from engine.deal import MAX_DRAWS

_MOST_TOPS = 5

OWN_HAND = 0
OTHER_HAND = OWN_HAND + CARD_ROWS
OWN_KNOWN = OTHER_HAND + CARD_ROWS
OTHER_KNOWN = OWN_KNOWN + CARD_ROWS
HIDDEN = OTHER_KNOWN + CARD_ROWS  # cards in neither hand and not yet seen
OWN_SIZE = HIDDEN + CARD_ROWS
OTHER_SIZE = OWN_SIZE + SIZE_ROWS
LIES = OTHER_SIZE + SIZE_ROWS
DRAWS_MADE = LIES + RANKS + 1
OPTIONS = DRAWS_MADE + MAX_DRAWS + 1
FOLLOWS = OPTIONS + 3  # the combination to follow, then: none; after a pass: as if none
DRAWING = FOLLOWS + len(CATALOGUE) + 1  # a draw choice is due
TOPS = DRAWING + 1  # ranks of the own hand above all singles, all pairs of the other hand; the same the other way round
ALWAYS = TOPS + 4 * (_MOST_TOPS + 1)
WORLD_ROWS = ALWAYS + 1


@kernel
def tops(cards: int, against: int) -> int:
    """How many ranks of `cards` are above every rank of `against`, 5 at most; both with one bit for each rank.

    Against a Crisp alone the lowest rank counts as above it: a slip that the shipped weights have learned to live with,
    and that a training to come should do without (`below` lacks the ninth rank down).
    """
    below = against | against >> 4 | against >> 8
    below |= below >> 12 | below >> 24
    return min(popcount(cards & ~below), _MOST_TOPS)


@kernel
def world_rows(r: Rows, world: IntArray, rows: IntArray) -> int:
    """The rows that are on in this world; answers how many."""
    seat = world[TO_ACT]
    own, others = world[HAND + seat], world[HAND + 1 - seat]
    n = add_rows_of(own, OWN_HAND, rows, 0)
    n = add_rows_of(others, OTHER_HAND, rows, n)
    n = add_rows_of(world[KNOWN + seat], OWN_KNOWN, rows, n)
    n = add_rows_of(world[KNOWN + 1 - seat], OTHER_KNOWN, rows, n)
    hidden = thermometer_of(counts_of(reachable(world)) - counts_of(others))
    n = add_rows_of(hidden, HIDDEN, rows, n)
    rows[n] = OWN_SIZE + popcount(own)
    rows[n + 1] = OTHER_SIZE + popcount(others)
    lying = face_up(world)
    rows[n + 2] = LIES + (lying if lying != NOTHING else RANKS)
    rows[n + 3] = DRAWS_MADE + world[DRAWS]
    to_follow = world[TO_FOLLOW]
    follows = world[PHASE] == PLAY and to_follow != NOTHING
    rows[n + 4] = FOLLOWS + (r.place[to_follow] if follows else NO_COMBINATION)
    rows[n + 5] = ALWAYS
    n += 6
    place = TOPS
    for copies in range(2):
        mine, theirs = own >> copies & 0x1111111111, others >> copies & 0x1111111111
        rows[n] = place + tops(mine, theirs)
        rows[n + 1] = place + _MOST_TOPS + 1 + tops(theirs, mine)
        place += 2 * (_MOST_TOPS + 1)
        n += 2
    if world[PHASE] != PLAY:
        rows[n] = DRAWING
        n += 1
    options = (world[RUN_RANKS] == ALL_RANKS) | (1 - world[FACE_UP]) << 1 | world[TURN_SKIP] << 2
    return add_rows_of(options, OPTIONS, rows, n)
