"""Whether some course of play leaves the cards that lie played in a described position (R11-R20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from engine.cards import Hand, Seat, other
from engine.combinations import CATALOGUE, Combination, can_follow, leads
from engine.deal import HAND_SIZE, MAX_DRAWS

LIMIT = 400
"""How many plays a search looks at (a few milliseconds) before it gives up and takes the course for possible."""

LATE = MAX_DRAWS + 1
"""The number of every round after the last draw: how many there have been, a position does not tell."""


@dataclass(slots=True)
class Course:
    """A search backwards, from the latest play to the first lead, for a way to part the played cards into rounds.

    In a round the seats alternate and each play can follow the one before it; the seat that ended it leads the next;
    no play was a seat's last cards. Rounds count from 1, with one draw after each of the first six. The answer no is
    proven; the answer yes is so only while `looked_at` is within LIMIT.
    """

    crisps_in_runs: bool
    looked_at: int = 0
    _impossible: set[tuple[int, ...]] = field(default_factory=set)

    def can_end(self, seat: Seat, number: int, played: Hand, counts: tuple[int, int]) -> bool:
        """Whether round `number` can have ended with a play by `seat` that leaves exactly `played`.

        `counts` tells how many of those cards either seat has played.
        """
        return any(
            self.can_end_with(play, seat, number, played, counts)
            for play in _small_first(crisps_in_runs=self.crisps_in_runs)
            if played.contains(play.cards)
        )

    def can_end_with(self, play: Combination, seat: Seat, number: int, played: Hand, counts: tuple[int, int]) -> bool:
        """As `can_end`, when the latest play is `play`, which is among `played`."""
        if play.size > counts[seat] or counts[seat] >= HAND_SIZE + number - 1:
            return False
        rest = Hand(played.packed - play.cards.packed)
        if not rest or rest.size < number - 1:  # each earlier round has a lead
            return not rest and number == 1
        before = (counts[0] - play.size, counts[1]) if seat == 0 else (counts[0], counts[1] - play.size)
        state = (rest.packed, before[0], play.index, seat, number)
        if state in self._impossible:
            return False
        self.looked_at += 1
        if self.looked_at > LIMIT:
            return True
        possible = any(
            self.can_end_with(earlier, other(seat), number, rest, before)
            for earlier in self._answered_by(play, number, rest)
            if rest.contains(earlier.cards)
        ) or any(self.can_end(seat, earlier, rest, before) for earlier in _rounds_before(number))
        if not possible:
            self._impossible.add(state)
        return possible

    def _answered_by(self, play: Combination, number: int, rest: Hand) -> Iterator[Combination]:
        """What `play` can follow, highest first; in the first round the rest has to lie below it in order (R12)."""
        answered = _answered_by(play.index, crisps_in_runs=self.crisps_in_runs)
        if number > 1 or play.is_special:
            return iter(answered)
        top = max(rest)
        return (earlier for earlier in answered if earlier.rank == top)


def _rounds_before(number: int) -> tuple[int, ...]:
    if number == LATE:
        return LATE, MAX_DRAWS
    return (number - 1,) if number > 1 else ()


@cache
def _small_first(*, crisps_in_runs: bool) -> tuple[Combination, ...]:
    """Every combination, in the order that finds a course soonest: few cards first, of those the highest rank."""
    return tuple(sorted(leads(crisps_in_runs=crisps_in_runs), key=lambda c: (c.size, -c.rank)))


@cache
def _answered_by(index: int, *, crisps_in_runs: bool) -> tuple[Combination, ...]:
    """What the combination with this place in CATALOGUE can follow, highest rank first."""
    answered = [c for c in leads(crisps_in_runs=crisps_in_runs) if can_follow(c, CATALOGUE[index])]
    return tuple(sorted(answered, key=lambda c: -c.rank))
