"""The network's inputs: what a seat knows and one of its actions, as the numbers of the input rows that are on.

Knowledge is the seat's hand, the public cards, sizes and options, and a memory of what either seat last passed on; the
action adds itself and what it leaves in the hand. Rows that count cards are thermometers like the hands themselves: row
`block + 4 * rank + n - 1` is on for at least n cards of that rank. Nothing here reads a hidden card: of the other hand
only its size and its publicly known cards count.

A memory is int64[2], by seat: four bytes (single, pair, sequence, stair), each 1 + the CATALOGUE place of the latest
combination of that kind on which the seat passed, 0 when there was none.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ai.bits import lowest_bit, popcount
from ai.compiled import kernel
from ai.tables import ALL_RANKS, FACE_UP_SLOT, NO_ACTION, PASS_SLOT, PILE_SLOT, SLOTS, IntArray, Records, tables
from ai.world import (
    DRAWS,
    FACE_UP,
    FOURS,
    HAND,
    KNOWN,
    NOTHING,
    PHASE,
    PLAY,
    PLAYED,
    RUN_RANKS,
    TO_ACT,
    TO_FOLLOW,
    TURN_SKIP,
    counts_of,
    face_up,
    replies,
    thermometer_of,
    with_card,
    without,
)
from engine.actions import ACTIONS, Play
from engine.cards import COPIES, RANKS
from engine.combinations import CATALOGUE, Kind
from engine.deal import HAND_SIZE, MAX_DRAWS
from engine.events import Passed, Played
from engine.observation import Observation

CARD_ROWS = RANKS * COPIES
SIZE_ROWS = HAND_SIZE + MAX_DRAWS + 1
_KINDS = tuple(Kind)
_MOST_ANSWERS = 5
NO_COMBINATION = len(CATALOGUE)

OWN_HAND = 0  # after the action
OWN_KNOWN = OWN_HAND + CARD_ROWS  # after the action: what everybody knows of the own hand (R24)
OTHER_KNOWN = OWN_KNOWN + CARD_ROWS  # after the action
UNSEEN = OTHER_KNOWN + CARD_ROWS  # cards whose place the seat cannot tell
OTHER_SIZE = UNSEEN + CARD_ROWS
LIES = OTHER_SIZE + SIZE_ROWS  # the rank that lies face up, then: none
DRAWS_MADE = LIES + RANKS + 1
OPTIONS = DRAWS_MADE + MAX_DRAWS + 1  # crisps_in_runs, no_face_up_draw, automatic_turn_skip
FOLLOWS = OPTIONS + 3  # the combination to follow, then: none
OWN_PASSED = FOLLOWS + len(CATALOGUE) + 1  # combinations on which the seat passed
OTHER_PASSED = OWN_PASSED + len(CATALOGUE)
OWN_SIZE = OTHER_PASSED + len(CATALOGUE)  # after the action
ACTION = OWN_SIZE + SIZE_ROWS  # the action's place in ACTIONS
TOP = ACTION + len(ACTIONS)  # a play's highest rank
KIND = TOP + RANKS
ANSWERS = KIND + len(_KINDS)  # how many combinations could follow a play as far as the seat knows; the last: or more
ALWAYS = ANSWERS + _MOST_ANSWERS + 1  # on in every decision: the first layer's bias
ROWS = ALWAYS + 1

MOST_ROWS = 128
"""No decision has more rows on at once."""


class Rows(NamedTuple):
    """What depends on a slot alone; int64[SLOTS] each.

    `action`, `top`, `kind`: the rows of those blocks, -1 for a top or kind of what is no play. `size`: how many
    cards. `place`: the CATALOGUE place, or -1. `byte`: the shift of the memory's byte that a pass on this combination
    sets, or -1.
    """

    action: IntArray
    top: IntArray
    kind: IntArray
    size: IntArray
    place: IntArray
    byte: IntArray


@cache
def rows_of_slots() -> Rows:
    """The one set of rows, for every option."""
    made = Rows(*(np.full(SLOTS, -1, dtype=np.int64) for _ in Rows._fields))
    for slot, index in enumerate(tables()["action"]):
        if index == NO_ACTION:
            continue
        action = ACTIONS[index]
        made.action[slot] = ACTION + index
        if isinstance(action, Play):
            kind = _KINDS.index(action.combination.kind)
            made.top[slot] = TOP + action.combination.rank
            made.kind[slot] = KIND + kind
            made.size[slot] = action.combination.size
            made.place[slot] = action.combination.index
            if not action.combination.is_special:
                made.byte[slot] = 8 * kind
    for array in made:
        array.flags.writeable = False
    return made


def memory_of(observation: Observation) -> IntArray:
    """What the seats passed on in the deal so far; all zero when nobody told its past."""
    memory = np.zeros(2, dtype=np.int64)
    latest = None
    for event in observation.events or ():
        if isinstance(event, Played):
            latest = event.combination
        elif isinstance(event, Passed) and not event.automatic and latest is not None and not latest.is_special:
            shift = 8 * _KINDS.index(latest.kind)
            memory[event.seat] = int(memory[event.seat]) & ~(0xFF << shift) | latest.index + 1 << shift
    return memory


@kernel
def remember(r: Rows, world: IntArray, memory: IntArray, slot: int) -> None:
    """Notes what the seat to act passes on, if `slot` is a pass; to be called before the step."""
    to_follow = world[TO_FOLLOW]
    if slot == PASS_SLOT and r.byte[to_follow] >= 0:
        shift = r.byte[to_follow]
        seat = world[TO_ACT]
        memory[seat] = memory[seat] & ~(0xFF << shift) | (r.place[to_follow] + 1) << shift


@kernel
def add_rows_of(bits: int, block: int, rows: IntArray, n: int) -> int:
    """Appends the row of every set bit; answers the new number of rows, as all that append do."""
    while bits:
        rows[n] = block + lowest_bit(bits)
        n += 1
        bits &= bits - 1
    return n


@kernel
def reachable(world: IntArray) -> int:
    """The cards that the other hand may hold as far as the seat to act knows, as a thermometer."""
    gone = counts_of(world[HAND + world[TO_ACT]]) + counts_of(world[PLAYED])
    lying = face_up(world)
    if lying != NOTHING:
        gone += 1 << 4 * lying
    return thermometer_of(FOURS - gone)


@kernel
def knowledge_rows(r: Rows, world: IntArray, memory: IntArray, rows: IntArray, n: int) -> int:
    """The rows that are the same for every action of the seat to act."""
    seat = world[TO_ACT]
    known = world[KNOWN + 1 - seat]
    unseen = thermometer_of(counts_of(reachable(world)) - counts_of(known))
    n = add_rows_of(unseen, UNSEEN, rows, n)
    rows[n] = OTHER_SIZE + popcount(world[HAND + 1 - seat])
    lying = face_up(world)
    rows[n + 1] = LIES + (lying if lying != NOTHING else RANKS)
    rows[n + 2] = DRAWS_MADE + world[DRAWS]
    to_follow = world[TO_FOLLOW]
    follows = world[PHASE] == PLAY and to_follow != NOTHING
    rows[n + 3] = FOLLOWS + (r.place[to_follow] if follows else NO_COMBINATION)
    rows[n + 4] = ALWAYS
    n += 5
    options = (world[RUN_RANKS] == ALL_RANKS) | (1 - world[FACE_UP]) << 1 | world[TURN_SKIP] << 2
    n = add_rows_of(options, OPTIONS, rows, n)
    for passed, block in ((memory[seat], OWN_PASSED), (memory[1 - seat], OTHER_PASSED)):
        left = passed
        while left:
            if left & 0xFF:
                rows[n] = block + (left & 0xFF) - 1
                n += 1
            left >>= 8
    return n


@kernel
def left_by(t: Records, world: IntArray, slot: int) -> tuple[int, int, int]:
    """What an action leaves, as far as its seat can tell: the own hand, what is known of it and of the other hand."""
    seat = world[TO_ACT]
    own, known, others = world[HAND + seat], world[KNOWN + seat], world[KNOWN + 1 - seat]
    if slot == PASS_SLOT:
        return own, known, others
    if slot == FACE_UP_SLOT:
        return with_card(own, face_up(world)), with_card(known, face_up(world)), others
    if slot == PILE_SLOT:
        return own, known, with_card(others, face_up(world))
    return without(t, own, slot), without(t, known, slot), others


@kernel
def answers(t: Records, r: Rows, world: IntArray, slot: int, cards: int) -> int:
    """How many combinations could follow a play, of those that `cards` hold and the other hand has room for."""
    groups, runs = replies(t, cards, world[RUN_RANKS], slot)
    room = popcount(world[HAND + 1 - world[TO_ACT]])
    if room < COPIES:
        groups &= 0x1111111111 * ((1 << room) - 1)
    return popcount(groups) + (popcount(runs) if r.size[slot] <= room else 0)


@kernel
def action_rows(t: Records, r: Rows, world: IntArray, slot: int, left: int, cards: int, rows: IntArray, n: int) -> int:
    """The rows of the action itself; `left` is the own hand after it, `cards` what is `reachable`."""
    rows[n] = r.action[slot]
    rows[n + 1] = OWN_SIZE + popcount(left)
    n += 2
    if r.place[slot] >= 0:
        rows[n] = r.top[slot]
        rows[n + 1] = r.kind[slot]
        rows[n + 2] = ANSWERS + min(answers(t, r, world, slot, cards), _MOST_ANSWERS)
        n += 3
    return n


@kernel
def decision_rows(t: Records, r: Rows, world: IntArray, memory: IntArray, slot: int, rows: IntArray) -> int:
    """Every row that is on for the seat to act and one of its legal actions."""
    n = knowledge_rows(r, world, memory, rows, 0)
    own, known, others = left_by(t, world, slot)
    n = add_rows_of(own, OWN_HAND, rows, n)
    n = add_rows_of(known, OWN_KNOWN, rows, n)
    n = add_rows_of(others, OTHER_KNOWN, rows, n)
    return action_rows(t, r, world, slot, own, reachable(world), rows, n)
