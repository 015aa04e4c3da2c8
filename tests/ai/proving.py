"""Wins that a seat can force whatever is hidden, found by trying everything: slow, plain, no kernel.

Once all six draws are made nothing happens by chance any more. The seat then knows its hand, what the other hand holds
for certain, and a pool of unseen cards of which the other hand holds so many: every such hand is consistent. A plan may
depend on what both seats did, never on the hidden hand; it wins for certain if it wins against everything that any
consistent hand could do. A pass tells nothing for certain, since it is always allowed (R16), and a play tells exactly
its own cards: after either the consistent hands are again all that a pool and a size allow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple

from engine.actions import PASS, Action, Play
from engine.cards import FULL_DECK, Hand
from engine.combinations import Combination, followers, leads
from engine.deal import Phase
from engine.observation import Observation


class Knowledge(NamedTuple):
    """The seat's hand, the cards known to be in the other hand, a pool of unseen ones, and the other hand's size."""

    own: Hand
    known: Hand
    pool: Hand
    size: int

    def hands(self) -> Iterator[Hand]:
        """Every hand that the other seat may hold."""
        for chosen in sorted(set(itertools.combinations(self.pool, self.size - self.known.size))):
            yield self.known + Hand.of(chosen)

    def without(self, cards: Hand) -> Knowledge | None:
        """What the seat knows once the other has played these cards; None if no consistent hand holds them."""
        shown = self.known.common(cards)
        new = cards - shown
        if new.size > self.size - self.known.size or not self.pool.contains(new):
            return None
        return Knowledge(self.own, self.known - shown, self.pool - new, self.size - cards.size)


class TooLong(Exception):
    """More was tried than the prover has patience for."""


@dataclass
class Prover:
    """Finds the certain wins of one rule set; what it has found it remembers. Tries `patience` decisions at most."""

    crisps_in_runs: bool
    patience: int = 100_000
    _found: dict[tuple[Knowledge, Combination | None], bool] = field(default_factory=dict)

    def winning_actions(self, knows: Knowledge, to_follow: Combination | None) -> list[Action]:
        """The actions after which the seat to act can still win for certain. Raises TooLong."""
        found: list[Action] = []
        for play in self.plays(to_follow):
            if knows.own.contains(play.cards):
                left = knows._replace(own=knows.own - play.cards)
                if not left.own or self.withstands(left, play):
                    found.append(Play(play))
        if to_follow is not None and self.withstands(knows, None):
            found.append(PASS)
        return found

    def plays(self, to_follow: Combination | None) -> tuple[Combination, ...]:
        """What may be played, by whoever holds it; long and high first, since that decides soonest."""
        return _plays(to_follow, crisps_in_runs=self.crisps_in_runs)

    def wins(self, knows: Knowledge, to_follow: Combination | None) -> bool:
        """Whether the seat, to act, can win for certain."""
        key = (knows, to_follow)
        if key not in self._found:
            if len(self._found) >= self.patience:
                raise TooLong
            self._found[key] = self._can_win(knows, to_follow)
        return self._found[key]

    def _can_win(self, knows: Knowledge, to_follow: Combination | None) -> bool:
        plays = [play for play in self.plays(to_follow) if knows.own.contains(play.cards)]
        if any(play.cards == knows.own for play in plays):
            return True
        if any(self.withstands(knows._replace(own=knows.own - play.cards), play) for play in plays):
            return True
        return to_follow is not None and self.withstands(knows, None)

    def withstands(self, knows: Knowledge, to_follow: Combination | None) -> bool:
        """Whether the seat can win for certain against everything that the other, to act, may do."""
        held = knows.known + knows.pool
        likely = [play for play in self.plays(to_follow) if held.contains(play.cards)]
        answers = [(play, after) for play in likely if (after := knows.without(play.cards))]
        if not all(after.size for _, after in answers):
            return False  # its last cards
        if to_follow is not None and not self.wins(knows, None):
            return False  # it passes
        return all(self.wins(after, play) for play, after in answers)


@cache
def _plays(to_follow: Combination | None, *, crisps_in_runs: bool) -> tuple[Combination, ...]:
    some = leads if to_follow is None else partial(followers, to_follow)
    return tuple(sorted(some(crisps_in_runs=crisps_in_runs), key=lambda play: (-play.size, -play.rank)))


def knowledge_of(seen: Observation) -> Knowledge:
    """What the observing seat knows once all draws are made."""
    assert not seen.now.draw_pile
    assert seen.now.face_up is None
    assert seen.now.phase is Phase.PLAY
    pool = FULL_DECK - seen.hand - seen.now.played - seen.opponent_known
    return Knowledge(seen.hand, seen.opponent_known, pool, seen.opponent_hand_size)


def proven_wins(seen: Observation, patience: int = 100_000) -> list[Action]:
    """The actions of the seat to act after which it can win whatever is hidden and whatever is done. Raises TooLong."""
    prover = Prover(seen.now.rules.crisps_in_runs, patience)
    return prover.winning_actions(knowledge_of(seen), seen.now.to_follow)


def wins_against(knows: Knowledge, hands: frozenset[Hand], to_follow: Combination | None, prover: Prover) -> bool:
    """`Prover.wins` once more, the consistent hands written out one by one instead of as a pool."""
    for play in prover.plays(to_follow):
        if knows.own.contains(play.cards):
            left = knows._replace(own=knows.own - play.cards)
            if not left.own or _withstands_all(left, hands, play, prover):
                return True
    return to_follow is not None and _withstands_all(knows, hands, None, prover)


def _withstands_all(knows: Knowledge, hands: frozenset[Hand], to_follow: Combination | None, prover: Prover) -> bool:
    if to_follow is not None and not wins_against(knows, hands, None, prover):
        return False
    for play in prover.plays(to_follow):
        after = frozenset(hand - play.cards for hand in hands if hand.contains(play.cards))
        if after and (Hand() in after or not wins_against(knows, after, play, prover)):
            return False
    return True
