"""Combinations and the only home of what may follow what (R6-R15, R28)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engine.cards import CRISP, RANKS, Hand, Rank
from engine.errors import NotACombination


class Kind(StrEnum):
    """The six kinds of combination (R6-R9)."""

    SINGLE = "single"
    PAIR = "pair"
    SEQUENCE = "sequence"
    STAIR = "stair"
    TRIPLE = "triple"
    QUAD = "quad"

    @property
    def is_special(self) -> bool:
        """Whether the kind is special: a triple or a quad (R10)."""
        return self in {Kind.TRIPLE, Kind.QUAD}

    @property
    def copies(self) -> int:
        """How many cards of each rank that it spans."""
        return _COPIES[self]

    @property
    def min_length(self) -> int:
        """The smallest number of ranks that it spans."""
        return _MIN_LENGTHS[self]


_COPIES = {Kind.SINGLE: 1, Kind.PAIR: 2, Kind.SEQUENCE: 1, Kind.STAIR: 2, Kind.TRIPLE: 3, Kind.QUAD: 4}
_MIN_LENGTHS = {Kind.SINGLE: 1, Kind.PAIR: 1, Kind.SEQUENCE: 3, Kind.STAIR: 2, Kind.TRIPLE: 1, Kind.QUAD: 1}
_RUNS = (Kind.SEQUENCE, Kind.STAIR)


@dataclass(frozen=True, slots=True)
class Combination:
    """Cards that may be played together: a kind, the highest rank, and the number of ranks spanned."""

    kind: Kind
    rank: Rank
    length: int = 1
    cards: Hand = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spanned = range(self.rank - self.length + 1, self.rank + 1)
        object.__setattr__(self, "cards", Hand.of(rank for rank in spanned for _ in range(self.kind.copies)))

    @property
    def size(self) -> int:
        """The number of cards."""
        return self.length * self.kind.copies

    @property
    def is_special(self) -> bool:
        """Whether it is a triple or a quad (R10)."""
        return self.kind.is_special

    @property
    def contains_crisp(self) -> bool:
        """Whether a Crisp is among its cards: then a special may follow it (R13)."""
        return self.rank == CRISP

    @property
    def needs_crisps_in_runs(self) -> bool:
        """Whether it exists only under the table option R28: a sequence or stair with a Crisp."""
        return self.kind in _RUNS and self.contains_crisp

    @property
    def index(self) -> int:
        """Its place in CATALOGUE."""
        return _INDEX[self.cards.packed]


def can_follow(previous: Combination, following: Combination) -> bool:
    """Whether `following` may be played on `previous` (R12-R15)."""
    if following.is_special:
        if previous.is_special:  # R14
            return following.size > previous.size or (
                following.size == previous.size and following.rank > previous.rank
            )
        return previous.contains_crisp  # R13
    return (  # R12; a standard combination never follows a special one: the kinds differ (R15)
        following.kind is previous.kind and following.length == previous.length and following.rank >= previous.rank
    )


def _all_of(kind: Kind, *, longest: int) -> list[Combination]:
    return [
        Combination(kind, rank, length)
        for length in range(kind.min_length, longest + 1)
        for rank in range(length - 1, RANKS)
    ]


def _catalogue() -> tuple[Combination, ...]:
    combinations = [c for kind in Kind for c in _all_of(kind, longest=RANKS if kind in _RUNS else 1)]
    return tuple(sorted(combinations, key=lambda combination: combination.needs_crisps_in_runs))


CATALOGUE: tuple[Combination, ...] = _catalogue()
"""All 121 combinations: first the 104 of the base game, then the 17 runs with a Crisp (R28)."""

BASE_COMBINATIONS = sum(not combination.needs_crisps_in_runs for combination in CATALOGUE)

_INDEX = {combination.cards.packed: index for index, combination in enumerate(CATALOGUE)}


def combination_of(cards: Hand, *, crisps_in_runs: bool = False) -> Combination:
    """The one combination that these cards form (R10).

    Raises NotACombination: they form none, or only under R28.
    """
    index = _INDEX.get(cards.packed)
    if index is None:
        raise NotACombination("those cards form no combination")
    combination = CATALOGUE[index]
    if combination.needs_crisps_in_runs and not crisps_in_runs:
        raise NotACombination(f"a {combination.kind} has no Crisp unless crisps_in_runs is on", "R7")
    return combination


def leads(*, crisps_in_runs: bool = False) -> tuple[Combination, ...]:
    """Every combination that may be led by whoever holds it (R11), in CATALOGUE's order."""
    return CATALOGUE if crisps_in_runs else CATALOGUE[:BASE_COMBINATIONS]


def followers(previous: Combination, *, crisps_in_runs: bool = False) -> tuple[Combination, ...]:
    """Every combination that may follow `previous` (R12-R15), in CATALOGUE's order."""
    return _FOLLOWERS[crisps_in_runs][previous.index]


_FOLLOWERS = tuple(
    tuple(tuple(c for c in leads(crisps_in_runs=option) if can_follow(previous, c)) for previous in CATALOGUE)
    for option in (False, True)
)
