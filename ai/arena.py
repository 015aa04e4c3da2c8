"""Who is stronger: mirrored pairs of deals between two players, with an interval for the result.

    python -m ai.arena A B --deals N --seed S [--rules crisps_in_runs,no_face_up_draw] [--threads 2] [--test 0.50 0.53]

A pair is one deck and start player, played twice with the seats swapped; the pair is the unit of analysis. A player's
seeds come from (seed, pair, its name), so a player against itself scores exactly one half in every pair. With a test it
ends as soon as one of two shares is ruled out (scores.py). Players: random, greedy, textbook-N, clairvoyant-N
(baselines.py), net, net:FILE, guided-N, uniform-N, misled-N, level-K (players.py).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from ai.baselines import Player
from ai.players import player_of
from ai.policy import warm_up
from ai.scores import Score, Sequential, Verdict, elo_text
from ai.search import MAX_SEED
from engine.actions import Action
from engine.cards import FULL_DECK, Edition, Seat
from engine.deal import Deal
from engine.rules import Rules

OPTIONS = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")


@dataclass(slots=True)
class Entrant:
    """A player under its name, and the processor time it has taken."""

    name: str
    player: Player = field(init=False)
    decisions: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.player = player_of(self.name)

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
    origin = f"{seed}/{pair}"
    deck = list(FULL_DECK)
    random.Random(origin).shuffle(deck)
    deal = Deal.start(rules, tuple(deck), starter=pair % 2)
    wins = (play_deal(deal, (first, second), origin) == 0) + (play_deal(deal, (second, first), origin) == 1)
    return wins / 2


def play_pairs(
    first: Entrant, second: Entrant, rules: Rules, pairs: int, seed: int, threads: int = 1
) -> Iterator[float]:
    """The first player's score in each mirrored pair, in order; threads change nothing but the time it takes."""

    def play(pair: int) -> tuple[float, Entrant, Entrant]:
        one, two = Entrant(first.name), Entrant(second.name)
        return play_pair(one, two, rules, pair, seed), one, two

    with ThreadPoolExecutor(threads) as pool:
        for begin in range(0, pairs, 4 * threads):
            for score, one, two in pool.map(play, range(begin, min(begin + 4 * threads, pairs))):
                first.add(one)
                second.add(two)
                yield score


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ai.arena", description="Mirrored pairs of deals.")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--deals", type=int, default=400, help="two for each pair (default 400)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", default="", help=f"options, comma between them: {', '.join(OPTIONS)}")
    parser.add_argument("--threads", type=int, default=1, help="changes the time it takes, never the scores")
    parser.add_argument("--test", type=float, nargs=2, metavar=("LOW", "HIGH"), help="stop when one share is ruled out")
    parser.add_argument("--every", type=int, default=0, help="also print every so many pairs")
    parsed = parser.parse_args(arguments)
    parsed.options = [option for option in parsed.rules.split(",") if option]
    if unknown := set(parsed.options) - set(OPTIONS):
        parser.error(f"no such option: {', '.join(sorted(unknown))}")
    if parsed.deals < 2:
        parser.error("--deals is at least 2, one pair")
    return parsed


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    try:
        first, second = Entrant(parsed.first), Entrant(parsed.second)
    except ValueError as unknown:
        print(unknown, file=sys.stderr)
        return 2
    warm_up()
    crisps_in_runs, no_face_up_draw, automatic_turn_skip = (option in parsed.options for option in OPTIONS)
    rules = Rules(Edition.BOXED, crisps_in_runs, no_face_up_draw, automatic_turn_skip)
    for entrant in (first, second):  # compiles what it needs, at nobody's cost
        entrant.player(Deal.start(rules, tuple(FULL_DECK), starter=0), 0)
    test = Sequential(*parsed.test) if parsed.test else None
    score = Score(())
    for one in play_pairs(first, second, rules, parsed.deals // 2, parsed.seed, parsed.threads):
        score = Score((*score.pairs, one))
        if parsed.every and len(score.pairs) % parsed.every == 0:
            print(f"  {score}", flush=True)
        if test and test.verdict(score) is not Verdict.OPEN:
            break
    print(f"{first.name} v {second.name}: {score}, {elo_text(score)}")
    if test:
        print(f"  {test.low} or {test.high}: {test.verdict(score)}")
    for entrant in (first, second):
        print(f"  {entrant.name}: {entrant.milliseconds:.3f} ms a decision over {entrant.decisions}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
