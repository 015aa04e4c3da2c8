"""What a seat can do in its turn, and the fixed number of every action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engine.cards import Hand
from engine.combinations import CATALOGUE, Combination, followers, leads


class Source(StrEnum):
    """Where the seat that did not pass draws from (R18)."""

    FACE_UP = "face_up"
    DRAW_PILE = "draw_pile"


@dataclass(frozen=True, slots=True)
class Play:
    """Lead or follow with a combination."""

    combination: Combination


@dataclass(frozen=True, slots=True)
class Pass:
    """End the round without playing (R16, R17)."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The draw choice after a pass (R18)."""

    source: Source


Action: TypeAlias = Play | Pass | Draw

PASS = Pass()
DRAW_FACE_UP = Draw(Source.FACE_UP)
DRAW_PILE = Draw(Source.DRAW_PILE)
PLAYS: tuple[Play, ...] = tuple(Play(combination) for combination in CATALOGUE)

FIRST_PLAY = 3
ACTIONS: tuple[Action, ...] = (PASS, DRAW_FACE_UP, DRAW_PILE, *PLAYS)
"""All 124 actions: pass, the two draws, then CATALOGUE; the first 107 are those of the base game."""


def index_of(action: Action) -> int:
    """The action's place in ACTIONS."""
    match action:
        case Play(combination):
            return FIRST_PLAY + combination.index
        case Draw(source):
            return 1 if source is Source.FACE_UP else 2
        case _:
            return 0


class LegalActions:
    """What a seat may do: iterable, sized, `in`; plays in CATALOGUE's order, then pass, or else the two draws."""

    __slots__ = ("_actions",)

    def __init__(self, actions: tuple[Action, ...]) -> None:
        self._actions = actions

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions)

    def __len__(self) -> int:
        return len(self._actions)

    def __contains__(self, action: object) -> bool:
        return action in self._actions

    def __repr__(self) -> str:
        return f"LegalActions{self._actions}"


NO_ACTIONS = LegalActions(())
DRAWS = LegalActions((DRAW_FACE_UP, DRAW_PILE))

_Choices = tuple[tuple[int, Play], ...]


def _choices(combinations: tuple[Combination, ...]) -> _Choices:
    return tuple((combination.cards.packed, PLAYS[combination.index]) for combination in combinations)


_LEADS = tuple(_choices(leads(crisps_in_runs=option)) for option in (False, True))
_FOLLOWERS = tuple(
    tuple(_choices(followers(combination, crisps_in_runs=option)) for combination in CATALOGUE)
    for option in (False, True)
)


def leading_actions(hand: Hand, *, crisps_in_runs: bool) -> LegalActions:
    """What a hand can lead; the leader may not pass (R11)."""
    return LegalActions(tuple(hand.holding(_LEADS[crisps_in_runs])))


def following_actions(hand: Hand, to_follow: Combination, *, crisps_in_runs: bool) -> LegalActions:
    """What a hand can follow with (R12-R15), and the pass that is always allowed (R16)."""
    return LegalActions((*hand.holding(_FOLLOWERS[crisps_in_runs][to_follow.index]), PASS))
