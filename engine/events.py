"""What happened in a deal, in order; a card that a viewer may not know is None in that viewer's copy (R24, R25)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engine.actions import Source
from engine.cards import Hand, Rank, Seat
from engine.combinations import Combination


class Reason(StrEnum):
    """Why a game ended."""

    POINTS = "points"
    RESIGNATION = "resignation"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began (R3-R5); `hands` by seat."""

    number: int
    starter: Seat
    face_up: Rank | None
    hands: tuple[Hand | None, Hand | None]


@dataclass(frozen=True, slots=True)
class Played:
    """A seat led or followed."""

    seat: Seat
    combination: Combination


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed, or was passed over because no possible hand could follow (R27)."""

    seat: Seat
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Drew:
    """Both seats drew (R18, R26).

    `seat` chose the source (None where there is no choice, R26), `drawn` by seat, `face_up` the card that was
    turned up then, None when the pile is used up or nothing is ever turned up.
    """

    seat: Seat | None
    source: Source | None
    drawn: tuple[Rank | None, Rank | None]
    face_up: Rank | None

    @property
    def taker(self) -> Seat | None:
        """The seat that took the face-up card, which everybody saw (R24); None where there was none."""
        if self.seat is None:
            return None
        return self.seat if self.source is Source.FACE_UP else 1 - self.seat


@dataclass(frozen=True, slots=True)
class DealEnded:
    """A seat played its last card and scored (R20)."""

    number: int
    winner: Seat


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game has a winner (R21), by points, resignation or time."""

    winner: Seat
    reason: Reason


DealEvent: TypeAlias = Dealt | Played | Passed | Drew
Event: TypeAlias = DealEvent | DealEnded | GameEnded
