"""Who is stronger: mirrored pairs of deals between two players, with an interval for the result.

    python -m ai.arena A B --deals N --seed S [--rules crisps_in_runs,no_face_up_draw]

A pair is one deck and start player, played twice with the seats swapped; the pair is the unit of analysis. A player's
seeds come from (seed, pair, its name), so a player against itself scores exactly one half in every pair. Players:
random, greedy, textbook-N, clairvoyant-N (baselines.py), level-K (what the service plays).
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from ai.baselines import Player, baseline
from ai.policy import LEVELS, choose_action, warm_up
from ai.search import MAX_SEED
from engine.actions import Action
from engine.cards import FULL_DECK, Edition, Seat
from engine.deal import Deal
from engine.observation import observe
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

    @property
    def milliseconds(self) -> float:
        """Its average processor time for a decision."""
        return 1000 * self.seconds / max(self.decisions, 1)


@dataclass(frozen=True, slots=True)
class Score:
    """The share of deals that the first player won, from the scores of its pairs (0, 0.5 or 1 each)."""

    pairs: tuple[float, ...]

    @property
    def share(self) -> float:
        """The mean over pairs."""
        return sum(self.pairs) / len(self.pairs)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval, pairs as clusters; infinite for a single pair."""
        n = len(self.pairs)
        if n < 2:
            return math.inf
        variance = sum((score - self.share) ** 2 for score in self.pairs) / (n - 1)
        return 1.96 * math.sqrt(variance / n)

    def __str__(self) -> str:
        return f"{self.share:.4f} ± {self.margin:.4f} ({len(self.pairs)} pairs)"


def player_of(name: str) -> Player:
    """The player of this name. Raises ValueError: there is none."""
    kind, _, number = name.partition("-")
    if kind != "level":
        return baseline(name)
    if not number.isdecimal() or int(number) not in LEVELS:
        raise ValueError(f"no level is called {name!r}: level-1 to level-{max(LEVELS)}")
    level = LEVELS[int(number)]

    def choose(deal: Deal, seed: int) -> Action:
        assert deal.to_act is not None  # noqa: S101 - the arena asks only while a seat is to act
        return choose_action(observe(deal, deal.to_act), level, seed).action

    return choose


def play_deal(deal: Deal, entrants: tuple[Entrant, Entrant], origin: str) -> Seat:
    """The winner when the entrants, by seat, play the deal to its end."""
    seeds = tuple(random.Random(f"{origin}/{entrant.name}") for entrant in entrants)
    while deal.to_act is not None:
        seat = deal.to_act
        action = entrants[seat].act(deal, seeds[seat].randint(0, MAX_SEED))
        deal, _ = deal.apply(seat, action)
    assert deal.winner is not None  # noqa: S101 - nobody is to act, so the deal is over
    return deal.winner


def play_pairs(first: Entrant, second: Entrant, rules: Rules, pairs: int, seed: int) -> Iterator[float]:
    """The first player's score in each mirrored pair."""
    for pair in range(pairs):
        origin = f"{seed}/{pair}"
        deck = list(FULL_DECK)
        random.Random(origin).shuffle(deck)
        deal = Deal.start(rules, tuple(deck), starter=pair % 2)
        wins = (play_deal(deal, (first, second), origin) == 0) + (play_deal(deal, (second, first), origin) == 1)
        yield wins / 2


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ai.arena", description="Mirrored pairs of deals.")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--deals", type=int, default=400, help="two for each pair (default 400)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", default="", help=f"options, comma between them: {', '.join(OPTIONS)}")
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
    score = Score(tuple(play_pairs(first, second, rules, parsed.deals // 2, parsed.seed)))
    print(f"{first.name} v {second.name}: {score}")
    for entrant in (first, second):
        print(f"  {entrant.name}: {entrant.milliseconds:.3f} ms a decision over {entrant.decisions}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
