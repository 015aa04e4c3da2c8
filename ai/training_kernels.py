"""Self-play and learning in compiled code: deals played by the network against itself, each decision then learned from.

Both seats take the action with the best value, or any at random with a small chance. Once the deal is over every
decision is moved towards what came of it: the outcome, mixed on the way back with what the network that sees both hands
said at later decisions (TD(lambda)), which is far less a matter of luck. A random action cuts the way, since what came
of it says little about good play (Watkins 1989).

Against a frozen network one seat of each deal, in turn, plays by that network alone; only the other's decisions are
noted, so that what it learns is a best response: its targets pass from one of its own decisions to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ai.bits import advance, below, lowest_bit
from ai.compiled import kernel
from ai.evaluation import (
    WON,
    Network,
    Scratch,
    Weights,
    best_of,
    empty_scratch,
    evaluate,
    forward,
    win_chance,
)
from ai.features import MOST_ROWS, Rows, decision_rows, remember
from ai.tables import ALL_RANKS, BASE_RANKS, IntArray, Records
from ai.vectors import DEPTH, WIDTH, FloatArray, learn_last, learn_second, move_rows
from ai.world import (
    CARDS,
    FACE_UP,
    HAND,
    NOBODY,
    NOTHING,
    OVER,
    PHASE,
    RUN_RANKS,
    TO_ACT,
    TO_FOLLOW,
    TURN_SKIP,
    WINNER,
    WORLD,
    legal,
    step,
    with_card,
)
from ai.world_features import world_rows
from engine.cards import CARDS as DECK
from engine.cards import COPIES
from engine.deal import FIRST_DRAW, HAND_SIZE, MAX_DRAWS

MOST_DECISIONS = 96
"""No deal has more: 68 plays and passes, six draws."""

FORGETFUL = 8
"""In one of so many deals nobody remembers what was passed on, as in a position whose past nobody told."""

_CHANCE = 1 << 30

Values = npt.NDArray[np.float64]


class Course(NamedTuple):
    """How to play and learn for a while.

    `exploration` the chance of a random action; `rate` the step size; `trust` and `world_trust` lambda for either
    network; `base` how many sixteenths of the deals are base deals, the others having any of the eight combinations;
    `frozen` 1 if one seat of each deal is a network that stays as it is, 0 for self-play.
    """

    exploration: float
    rate: float
    trust: float
    world_trust: float
    base: int
    frozen: int


class Work(NamedTuple):
    """What one worker needs: a deck, a world, a memory, and the decisions of one deal.

    `rows` and `world_rows` int64[MOST_DECISIONS, MOST_ROWS], `counts` and `world_counts` how many of them count,
    `seats` who decided, `values` that seat's chance in the world as it was, `strayed` whether the action was random.
    """

    scratch: Scratch
    deck: IntArray
    world: IntArray
    memory: IntArray
    rows: IntArray
    counts: IntArray
    world_rows: IntArray
    world_counts: IntArray
    seats: IntArray
    values: Values
    strayed: IntArray
    slope: FloatArray
    back: FloatArray


def empty_work() -> Work:
    """A place to work for one thread."""
    return Work(
        scratch=empty_scratch(),
        deck=np.arange(DECK, dtype=np.int64) // COPIES,
        world=np.zeros(WORLD, dtype=np.int64),
        memory=np.zeros(2, dtype=np.int64),
        rows=np.zeros((MOST_DECISIONS, MOST_ROWS), dtype=np.int64),
        counts=np.zeros(MOST_DECISIONS, dtype=np.int64),
        world_rows=np.zeros((MOST_DECISIONS, MOST_ROWS), dtype=np.int64),
        world_counts=np.zeros(MOST_DECISIONS, dtype=np.int64),
        seats=np.zeros(MOST_DECISIONS, dtype=np.int64),
        values=np.zeros(MOST_DECISIONS, dtype=np.float64),
        strayed=np.zeros(MOST_DECISIONS, dtype=np.int64),
        slope=np.zeros(DEPTH, dtype=np.float32),
        back=np.zeros(WIDTH, dtype=np.float32),
    )


@kernel
def deal_cards(deck: IntArray, world: IntArray, options: int, state: int) -> int:
    """Shuffles and deals (R3-R5); `options` are bits as in features.OPTIONS; answers the generator's next state."""
    for last in range(DECK - 1, 0, -1):
        state = advance(state)
        place = below(state, last + 1)
        rank = deck[place]
        deck[place] = deck[last]
        deck[last] = rank
    world[:] = 0
    for place in range(2 * HAND_SIZE):
        seat = HAND + place // HAND_SIZE
        world[seat] = with_card(world[seat], deck[place])
    for place in range(2 * MAX_DRAWS):
        world[CARDS + place] = deck[FIRST_DRAW + place]
    state = advance(state)
    world[TO_ACT] = below(state, 2)
    world[TO_FOLLOW] = NOTHING
    world[WINNER] = NOBODY
    world[RUN_RANKS] = ALL_RANKS if options & 1 else BASE_RANKS
    world[FACE_UP] = 1 - (options >> 1 & 1)
    world[TURN_SKIP] = options >> 2 & 1
    return state


@kernel
def choose_options(base: int, state: int) -> tuple[int, int]:
    """The options of the next deal as bits, and the generator's next state."""
    state = advance(state)
    if below(state, 16) < base:
        return 0, state
    state = advance(state)
    return below(state, 8), state


@kernel
def learn(net: Network, rows: IntArray, count: int, target: float, rate: float, w: Work) -> float:
    """One step down the slope of the log loss for one decision; answers the loss before it, as squared error."""
    s = w.scratch
    error = np.float32(win_chance(forward(net, rows, count, s)) - target)
    learn_last(s.deep, net.second_bias, net.last, error, rate, w.slope)  # type: ignore[arg-type]  # a float32
    net.last_bias[0] -= np.float32(rate) * error
    learn_second(s.hidden, net.second, w.slope, rate, w.back)
    move_rows(net.first, rows, count, w.back)
    return float(error * error)


@kernel
def first_of(words: IntArray) -> int:
    """The lowest slot of a set of actions, which is not empty."""
    word = 0
    while not words[word]:
        word += 1
    return 64 * word + lowest_bit(words[word])


@kernel
def play_deal(
    nets: Weights,
    rival: Network,
    rival_seat: int,
    t: Records,
    r: Rows,
    course: Course,
    w: Work,
    options: int,
    state: int,
) -> tuple[int, int]:
    """Plays one deal and notes its decisions; answers how many there were, and the generator's next state.

    `rival_seat`, unless it is NOBODY, takes the action that `rival` values most, and its decisions are not noted.
    """
    world, memory, s = w.world, w.memory, w.scratch
    state = deal_cards(w.deck, world, options, state)
    memory[:] = 0
    state = advance(state)
    remembers = rival_seat != NOBODY or below(state, FORGETFUL) > 0
    limit = int(course.exploration * _CHANCE)
    n = 0
    while world[PHASE] != OVER:
        if legal(t, world, s.words) == 1:
            slot = first_of(s.words)
        elif world[TO_ACT] == rival_seat:
            slot = s.slots[best_of(s.logits, evaluate(rival, t, r, world, memory, s))]
        else:
            found = evaluate(nets.actions, t, r, world, memory, s)
            best = best_of(s.logits, found)
            slot = s.slots[best]
            w.seats[n] = world[TO_ACT]
            w.values[n] = 1.0
            w.strayed[n] = 0
            w.counts[n] = 0
            if s.logits[best] < WON:
                state = advance(state)
                if below(state, _CHANCE) < limit:
                    state = advance(state)
                    place = below(state, found)
                    w.strayed[n] = place != best
                    slot = s.slots[place]
                w.counts[n] = decision_rows(t, r, world, memory, slot, w.rows[n])
                count = world_rows(r, world, w.world_rows[n])
                w.world_counts[n] = count
                w.values[n] = win_chance(forward(nets.worlds, w.world_rows[n], count, s))
            n += 1
        if remembers:
            remember(r, world, memory, slot)
        step(t, world, slot)
    return n, state


@kernel
def learn_deal(nets: Weights, course: Course, w: Work, decisions: int) -> tuple[float, float]:
    """Learns from the decisions of the deal that was just played, the last first.

    Answers the sums of squared errors of both networks.
    """
    winner = w.world[WINNER]
    due = 1.0  # what the winner is due to expect after a decision
    world_due = 1.0
    total = world_total = 0.0
    for n in range(decisions - 1, -1, -1):
        won = w.seats[n] == winner
        value = w.values[n] if won else 1.0 - w.values[n]
        if w.counts[n]:
            total += learn(nets.actions, w.rows[n], w.counts[n], due if won else 1.0 - due, course.rate, w)
            if not w.strayed[n]:
                target = world_due if won else 1.0 - world_due
                world_total += learn(nets.worlds, w.world_rows[n], w.world_counts[n], target, course.rate, w)
        trust = 0.0 if w.strayed[n] else course.trust
        due = trust * due + (1.0 - trust) * value
        trust = 0.0 if w.strayed[n] else course.world_trust
        world_due = trust * world_due + (1.0 - trust) * value
    return total, world_total


@kernel
def train(
    nets: Weights, rival: Network, t: Records, r: Rows, course: Course, w: Work, deals: int, state: int
) -> tuple[int, int, float, float]:
    """Plays and learns from so many deals; `rival` plays only if the course says so, and is never changed.

    Answers the generator's next state, the number of decisions and the squared errors of both networks.
    """
    decisions = 0
    total = world_total = 0.0
    for deal in range(deals):
        options, state = choose_options(course.base, state)
        rival_seat = deal & 1 if course.frozen else NOBODY
        n, state = play_deal(nets, rival, rival_seat, t, r, course, w, options, state)
        errors, world_errors = learn_deal(nets, course, w, n)
        total += errors
        world_total += world_errors
        decisions += n
    return state, decisions, total, world_total
