"""The rest of a deal, once every card has been drawn, as a game in sequence form: a public tree, hands as vectors.

All pairs of hands that agree with what is public are as likely as the cards make them: every way to tell the unseen
cards apart counts once, as in a shuffle.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.actions import PASS, PLAYS, Action
from engine.cards import FULL_DECK, RANKS, Hand, Seat
from engine.combinations import CATALOGUE, Combination, followers, leads
from engine.observation import DealView
from tests.ai.cfr import Floats, Ints, SequenceGame, Side

_GUARDS = 0x8888888888

Truths = npt.NDArray[np.bool_]


class TooLarge(Exception):
    """More sequences or ends than asked for."""


_BY_CARDS = {play.cards.packed: play for play in CATALOGUE}


class Holder(NamedTuple):
    """One player's hands that can be here: numbers of `some`, what is `left` of them, packed, and sequences `made`."""

    some: Ints
    left: Ints
    made: Ints


class Endgame:
    """The game that `view` leads to, its player 0 the seat to act; `hands` by player, `weights` of each pair of them.

    Raises TooLarge. Who can end the deal does so at once; that and an only action are no decisions.
    """

    def __init__(self, view: DealView, most: int = 3_000_000, *, notes_all: bool = False) -> None:
        assert view.to_act is not None
        assert not view.draw_pile
        seats = (view.to_act, 1 - view.to_act)
        self._runs, self._most, self._notes_all = view.rules.crisps_in_runs, most, notes_all
        pool = FULL_DECK - view.played - view.known[0] - view.known[1]
        self.hands = tuple(self._hands(view, seat, pool) for seat in seats)
        self.weights = self._weights(view, seats, pool)
        self.notes: dict[tuple[Action, ...], dict[int, dict[Action, int]]] = {}
        """After these actions, or at first only, the sequence of every action of each hand that has a choice."""
        none = np.zeros(0, dtype=np.int64)
        self._parents: tuple[list[Ints], list[Ints]] = ([none], [none])
        self._counts: tuple[list[Ints], list[Ints]] = ([none], [none])
        self._next = [1, 1]
        self._ends: list[tuple[Ints, Ints, Floats]] = [(none, none, np.zeros(0))]
        self._size = 0
        self._there, self._longest = FULL_DECK - view.played, max(view.hand_sizes)
        self._plays: dict[Combination | None, Ints] = {}
        holders = [
            Holder(np.arange(len(hands)), np.array([hand.packed for hand in hands]), np.zeros(len(hands), np.int64))
            for hands in self.hands
        ]
        self._grow(0, view.to_follow, holders, self.weights, ())
        self.game = self._game()

    @staticmethod
    def _hands(view: DealView, seat: Seat, pool: Hand) -> list[Hand]:
        known = view.known[seat]
        chosen = sorted(set(combinations(pool, view.hand_sizes[seat] - known.size)))
        return [known + Hand.of(cards) for cards in chosen]

    def _weights(self, view: DealView, seats: tuple[Seat, Seat], pool: Hand) -> Floats:
        there = np.array(pool.counts)
        ways = np.array([[comb(n, k) for k in range(5)] for n in range(5)], dtype=np.float64)
        first, second = (
            np.array([(hand - view.known[seat]).counts for hand in hands])
            for seat, hands in zip(seats, self.hands, strict=True)
        )
        weights: Floats = np.ones((len(first), len(second)))
        for rank in range(RANKS):
            left = there[rank] - first[:, rank]
            weights *= ways[there[rank], first[:, rank]][:, None] * ways[left][:, second[:, rank]]
        weights /= weights.sum()
        return weights

    def _grow(
        self, mover: int, to_follow: Combination | None, holders: list[Holder], pairs: Floats, past: tuple[Action, ...]
    ) -> None:
        """Adds what follows; the mover's holder comes first, in `pairs` too."""
        (some, mine, made), other = holders
        plays = self._choices(to_follow)
        ends = (mine == plays[:, None]).any(axis=0)
        if ends.any():
            if mover == 0:
                self._end(made[ends], other.made, pairs[ends])
            if ends.all():
                return
            some, mine, made, pairs = some[~ends], mine[~ends], made[~ends], pairs[~ends]
        passes = np.full((1, len(mine)), to_follow is not None)
        can = np.concatenate([((mine | _GUARDS) - plays[:, None]) & _GUARDS == _GUARDS, passes])
        count = can.sum(axis=0)
        chooses = count > 1
        new = np.where(chooses, count, 0)
        leads_to = np.where(chooses, self._next[mover] + np.cumsum(new) - new + np.cumsum(can, axis=0) - 1, made)
        self._parents[mover].append(made[chooses])
        self._counts[mover].append(count[chooses])
        self._next[mover] += int(new.sum())
        actions: list[Action] = [*(PLAYS[_BY_CARDS[int(cards)].index] for cards in plays), PASS]
        if self._notes_all or not past:
            self.notes[past] = {
                int(some[hand]): {actions[row]: int(leads_to[row, hand]) for row in np.flatnonzero(can[:, hand])}
                for hand in np.flatnonzero(chooses)
            }
        self._size += len(mine)
        if self._size > self._most:
            raise TooLarge
        for row in np.flatnonzero(can.any(axis=1)):
            those = can[row]
            met = pairs[those].any(axis=0)
            if met.any():
                cards = int(plays[row]) if row < len(plays) else 0
                after = Holder(some[those], mine[those] - cards, leads_to[row][those])
                across = Holder(other.some[met], other.left[met], other.made[met])
                now = _BY_CARDS[cards] if cards else None
                self._grow(1 - mover, now, [across, after], pairs[those][:, met].T, (*past, actions[row]))

    def _choices(self, to_follow: Combination | None) -> Ints:
        """The packed cards of what may be played by a hand of that size."""
        if to_follow not in self._plays:
            plays = followers(to_follow, crisps_in_runs=self._runs) if to_follow else leads(crisps_in_runs=self._runs)
            cards = [play.cards for play in plays if self._there.contains(play.cards) and play.size <= self._longest]
            self._plays[to_follow] = np.array([one.packed for one in cards], dtype=np.int64)
        return self._plays[to_follow]

    def _end(self, here: Ints, there: Ints, pairs: Floats) -> None:
        """Player 0 wins; where player 1 does, nothing is paid."""
        at, across = np.nonzero(pairs)
        self._ends.append((here[at], there[across], pairs[at, across]))
        self._size += len(at)

    def _game(self) -> SequenceGame:
        sides = tuple(
            Side(np.concatenate(parents), np.concatenate(counts))
            for parents, counts in zip(self._parents, self._counts, strict=True)
        )
        first, second, pays = (np.concatenate(column) for column in zip(*self._ends, strict=True))
        return SequenceGame((sides[0], sides[1]), (first, second), pays)
