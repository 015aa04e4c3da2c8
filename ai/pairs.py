"""Mirrored pairs of deals between two players, and the processor time each takes.

A pair is one deck and start player, played twice with the seats swapped; the pair is the unit of analysis. A player's
seeds come from (seed, pair, its name), so a player against itself scores exactly one half in every pair.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import InitVar, dataclass, field
from typing import TypeVar

from ai.baselines import Player
from ai.budget import MAX_SEED
from ai.players import player_of
from ai.policy import warm_up
from engine.actions import Action
from engine.cards import FULL_DECK, Seat
from engine.deal import Deal
from engine.rules import Rules

T = TypeVar("T")


@dataclass(slots=True)
class Entrant:
    """A player under its name, and the processor time it has taken.

    It plays as `given`, else as whoever has its name. Raises ValueError: nobody has.
    """

    name: str
    given: InitVar[Player | None] = None
    player: Player = field(init=False)
    decisions: int = 0
    seconds: float = 0.0

    def __post_init__(self, given: Player | None) -> None:
        self.player = given or player_of(self.name)

    def act(self, deal: Deal, seed: int) -> Action:
        """Its action in the deal."""
        begin = time.thread_time()
        action = self.player(deal, seed)
        self.seconds += time.thread_time() - begin
        self.decisions += 1
        return action

    def add(self, other: Entrant) -> None:
        """Takes in the time that the same player has taken elsewhere."""
        self.decisions += other.decisions
        self.seconds += other.seconds

    @property
    def milliseconds(self) -> float:
        """Its average processor time for a decision."""
        return 1000 * self.seconds / max(self.decisions, 1)


def compile_for(entrants: tuple[Entrant, Entrant], rules: Rules) -> None:
    """Compiles, or loads, what these players need, so that no decision's time contains it."""
    warm_up()
    for entrant in entrants:
        entrant.player(Deal.start(rules, tuple(FULL_DECK), starter=0), 0)


def origin_of(seed: int, pair: int) -> str:
    """What the pair's deck and both players' seeds are drawn from."""
    return f"{seed}/{pair}"


def dealt(rules: Rules, seed: int, pair: int) -> Deal:
    """The deal that the pair is about, before the first action."""
    deck = list(FULL_DECK)
    random.Random(origin_of(seed, pair)).shuffle(deck)
    return Deal.start(rules, tuple(deck), starter=pair % 2)


def play_deal(deal: Deal, entrants: tuple[Entrant, Entrant], origin: str) -> Seat:
    """The winner when the entrants, by seat, play the deal to its end."""
    seeds = tuple(random.Random(f"{origin}/{entrant.name}") for entrant in entrants)
    while deal.to_act is not None:
        seat = deal.to_act
        action = entrants[seat].act(deal, seeds[seat].randint(0, MAX_SEED))
        deal, _ = deal.apply(seat, action)
    assert deal.winner is not None  # noqa: S101 - nobody is to act, so the deal is over
    return deal.winner


def play_pair(first: Entrant, second: Entrant, rules: Rules, pair: int, seed: int) -> float:
    """The first player's score in one mirrored pair."""
    deal, origin = dealt(rules, seed, pair), origin_of(seed, pair)
    wins = (play_deal(deal, (first, second), origin) == 0) + (play_deal(deal, (second, first), origin) == 1)
    return wins / 2


def play_pairs(
    first: Entrant, second: Entrant, rules: Rules, pairs: int, seed: int, threads: int = 1, begin: int = 0
) -> Iterator[float]:
    """The first player's score in each mirrored pair from number `begin` to `pairs` - 1, in order.

    Threads change nothing but the time it takes; a player that is given has to bear being asked by several at once.
    """

    def play(pair: int) -> tuple[float, Entrant, Entrant]:
        # entrants of their own, for threads would add up their times at once
        one, two = Entrant(first.name, first.player), Entrant(second.name, second.player)
        return play_pair(one, two, rules, pair, seed), one, two

    for score, one, two in in_order(play, range(begin, pairs), threads):
        first.add(one)
        second.add(two)
        yield score


def in_order(play: Callable[[int], T], numbers: range, threads: int) -> Iterator[T]:
    """What `play` makes of each number, in order, some ahead of what has been taken: four for each thread at most."""
    ahead: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number in numbers:
                ahead.append(pool.submit(play, number))
                if len(ahead) == 4 * threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
