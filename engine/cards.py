"""Ranks, hands and the labels that each edition prints on its cards (R1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from engine.errors import CardsNotInHand, InvalidDeck, UnreadableNotation

T = TypeVar("T")

Rank: TypeAlias = int
"""0 (lowest) to 9, the Crisp; a card's only property (R1)."""

Seat: TypeAlias = int
"""0 or 1 (R2)."""

RANKS = 10
COPIES = 4
CARDS = RANKS * COPIES
CRISP: Rank = 9

_NIBBLES = 0x0F0F0F0F0F
_GUARDS = 0x8888888888


def other(seat: Seat) -> Seat:
    """The seat across the table."""
    return 1 - seat


class Edition(StrEnum):
    """Which labels the cards carry; the ten ranks are the same (R1)."""

    BOXED = "boxed"
    CLASSIC = "classic"

    @property
    def labels(self) -> tuple[str, ...]:
        """The ten labels, lowest rank first."""
        return _LABELS[self]

    def label(self, rank: Rank) -> str:
        """The label of a rank."""
        return _LABELS[self][rank]

    def rank(self, label: str) -> Rank:
        """The rank that a label stands for.

        Raises UnreadableNotation: the edition has no such card ("10" is none of *boxed*).
        """
        try:
            return _RANKS[self][label]
        except KeyError:
            raise UnreadableNotation(f"{label!r} is no card of the {self} edition", "R1") from None


_LABELS: dict[Edition, tuple[str, ...]] = {
    Edition.BOXED: ("1", "2", "3", "4", "5", "6", "7", "8", "9", "C"),
    Edition.CLASSIC: ("2", "3", "4", "5", "6", "7", "8", "9", "10", "Q"),
}
_RANKS = {edition: {label: rank for rank, label in enumerate(labels)} for edition, labels in _LABELS.items()}


@dataclass(frozen=True, slots=True)
class Hand:
    """How many cards of each rank: a hand, the played cards, a combination's cards.

    `packed` holds the ten counts (0 to 4 each) in four bits apiece, rank r in bits 4r to 4r+3, so that
    containment, sum and difference are one integer operation each.
    """

    packed: int = 0

    @classmethod
    def of(cls, ranks: Iterable[Rank]) -> Hand:
        """The hand that holds these cards.

        Raises InvalidDeck: a rank outside 0 to 9, or more than four of a rank (R1).
        """
        counts = [0] * RANKS
        for rank in ranks:
            if not 0 <= rank < RANKS:
                raise InvalidDeck(f"there is no rank {rank}")
            counts[rank] += 1
        return cls.from_counts(counts)

    @classmethod
    def from_counts(cls, counts: Iterable[int]) -> Hand:
        """The hand with these ten counts, lowest rank first.

        Raises InvalidDeck: not ten counts of 0 to 4 (R1).
        """
        counts = tuple(counts)
        if len(counts) != RANKS or not all(0 <= count <= COPIES for count in counts):
            raise InvalidDeck(f"a hand has ten counts of 0 to {COPIES}, not {counts}")
        return cls(sum(count << 4 * rank for rank, count in enumerate(counts)))

    @property
    def size(self) -> int:
        """The number of cards."""
        return ((self.packed & _NIBBLES) + (self.packed >> 4 & _NIBBLES)) % 255

    @property
    def counts(self) -> tuple[int, ...]:
        """The ten counts, lowest rank first."""
        packed = self.packed
        return tuple([packed >> shift & 15 for shift in range(0, 4 * RANKS, 4)])

    def count(self, rank: Rank) -> int:
        """How many cards of this rank."""
        return self.packed >> 4 * rank & 15

    def contains(self, cards: Hand) -> bool:
        """Whether every one of `cards` is here."""
        return ((self.packed | _GUARDS) - cards.packed) & _GUARDS == _GUARDS

    def plus_rank(self, rank: Rank) -> Hand:
        """This hand with one more card.

        Raises InvalidDeck: all four of that rank are here already (R1).
        """
        return self + Hand(1 << 4 * rank)

    def common(self, cards: Hand) -> Hand:
        """What both hold: per rank the smaller count."""
        enough = (((self.packed | _GUARDS) - cards.packed & _GUARDS) >> 3) * 15  # where this holds as many
        return Hand(cards.packed & enough | self.packed & ~enough)

    def holding(self, choices: Iterable[tuple[int, T]]) -> list[T]:
        """Which of the choices this hand can make; each comes with the packed cards that it takes."""
        guarded = self.packed | _GUARDS
        return [choice for packed, choice in choices if (guarded - packed) & _GUARDS == _GUARDS]

    def __add__(self, cards: Hand) -> Hand:
        """Both together; raises InvalidDeck where that makes five of a rank (R1)."""
        total = self.packed + cards.packed
        if (total + 0x3333333333) & _GUARDS:
            raise InvalidDeck(f"more than {COPIES} cards of one rank")
        return Hand(total)

    def __sub__(self, cards: Hand) -> Hand:
        """This hand without `cards`; raises CardsNotInHand where one of them is not here."""
        if not self.contains(cards):
            raise CardsNotInHand("those cards are not all there")
        return Hand(self.packed - cards.packed)

    def __iter__(self) -> Iterator[Rank]:
        """Every card's rank, ascending."""
        packed = self.packed
        for rank in range(RANKS):
            for _ in range(packed >> 4 * rank & 15):
                yield rank

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self.packed != 0

    def __repr__(self) -> str:
        return f"Hand({'-'.join(map(str, self))})"


EMPTY = Hand()
FULL_DECK = Hand.from_counts([COPIES] * RANKS)
