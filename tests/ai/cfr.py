"""CFR+ for two players and one sum (Tammelin 2014; Bowling et al. 2015) on games in sequence form, in flat arrays.

A sequence is what one player did so far with what it holds: number 0 is nothing yet. Each decision of a player hangs on
one of its sequences and leads to some more. What the game pays for a pair of sequences is already weighted by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Level(NamedTuple):
    """Decisions with equally many before them: what sequences they lead to, where each begins there, and parents."""

    sequences: Ints
    starts: Ints
    decisions: Ints
    parents: Ints


class Side:
    """One player's decisions, earlier ones first; decision d leads to count[d] sequences, numbered on from 1."""

    def __init__(self, parent: Ints, count: Ints) -> None:
        self.parent, self.count = parent, count
        self.first = 1 + np.cumsum(count) - count
        self.sequences = 1 + int(count.sum())
        self.owner = np.concatenate([[-1], np.repeat(np.arange(len(parent)), count)])
        depth = np.zeros(len(parent), dtype=np.int64)
        above = self.owner[parent]
        for _ in range(len(parent)):
            deeper = np.where(above >= 0, depth[above] + 1, 0)
            if (deeper == depth).all():
                break
            depth = deeper
        by_sequence = np.concatenate([[-1], depth[self.owner[1:]]])
        self.levels = []
        for level in range(int(depth.max(initial=-1)) + 1):
            some = np.flatnonzero(depth == level)
            starts = np.cumsum(count[some]) - count[some]
            self.levels.append(Level(np.flatnonzero(by_sequence == level), starts, some, parent[some]))

    def matched(self, regrets: Floats, tremble: float) -> Floats:
        """Chances in proportion to the regrets, all equal where there is none; none below its part of `tremble`."""
        owner = self.owner[1:]
        sums = np.bincount(owner, regrets[1:], minlength=len(self.parent))[owner]
        even = 1.0 / self.count[owner]
        chances = np.ones(self.sequences)
        chances[1:] = np.where(sums > 0.0, regrets[1:] / np.where(sums > 0.0, sums, 1.0), even)
        chances[1:] = (1.0 - tremble) * chances[1:] + tremble * even
        return chances

    def plan(self, chances: Floats) -> Floats:
        """How likely the player makes each sequence as far as it has a say."""
        made = np.ones(self.sequences)
        for level in self.levels:
            made[level.sequences] = made[self.parent[self.owner[level.sequences]]] * chances[level.sequences]
        return made

    def values(self, pays: Floats, chances: Floats | None) -> tuple[Floats, Floats]:
        """What each sequence and each decision is worth, by these chances, or with the best choice everywhere."""
        worth, decided = pays.copy(), np.zeros(len(self.parent))
        for level in reversed(self.levels):
            some = worth[level.sequences]
            if chances is None:
                best = np.maximum.reduceat(some, level.starts)
            else:
                best = np.add.reduceat(chances[level.sequences] * some, level.starts)
            decided[level.decisions] = best
            np.add.at(worth, level.parents, best)
        return worth, decided


class SequenceGame(NamedTuple):
    """Two sides, and what player 0 gets, player 1 losing it: `pays` for the sequences `made[0]` and `made[1]`."""

    sides: tuple[Side, Side]
    made: tuple[Ints, Ints]
    pays: Floats

    def paid(self, player: int, other_plan: Floats) -> Floats:
        """What each of a player's sequences is paid where it ends, the other player having this plan."""
        weights = self.pays * other_plan[self.made[1 - player]]
        total: Floats = np.bincount(self.made[player], weights, self.sides[player].sequences).astype(np.float64)
        return total if player == 0 else -total

    def best(self, player: int, other_plan: Floats) -> Floats:
        """What each of a player's sequences is worth if it plays as well as can be against this plan."""
        return self.sides[player].values(self.paid(player, other_plan), None)[0]


@dataclass(frozen=True)
class Solution:
    """Plans of both players, what player 0 gets, and `gap`: what both together could gain by a best response."""

    plans: tuple[Floats, Floats]
    value: float
    gap: float
    iterations: int


def solve(game: SequenceGame, gap: float, tremble: float = 0.0, every: int = 20, most: int = 20_000) -> Solution:
    """Plans whose gap is at most this. `tremble` keeps every action possible, so that each gets a sensible answer."""
    regrets = [np.zeros(side.sequences) for side in game.sides]
    chances = [side.matched(regret, tremble) for side, regret in zip(game.sides, regrets, strict=True)]
    totals = [np.zeros(side.sequences) for side in game.sides]
    for iteration in range(1, most + 1):
        for player, side in enumerate(game.sides):
            paid = game.paid(player, game.sides[1 - player].plan(chances[1 - player]))
            worth, decided = side.values(paid, chances[player])
            regrets[player][1:] = np.maximum(regrets[player][1:] + worth[1:] - decided[side.owner[1:]], 0.0)
            chances[player] = side.matched(regrets[player], tremble)
            totals[player] += iteration * side.plan(chances[player])
        if iteration % every == 0:
            plans = (totals[0] / totals[0][0], totals[1] / totals[1][0])
            reached = float(game.best(0, plans[1])[0] + game.best(1, plans[0])[0])
            if reached <= gap:
                value = float(game.paid(0, plans[1]) @ plans[0])
                return Solution(plans, value, reached, iteration)
    raise ArithmeticError(f"no gap of {gap} within {most} iterations")
