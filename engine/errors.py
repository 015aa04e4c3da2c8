"""What can go wrong with cards, actions and positions; every error names the rule clause it defends.

CrispsError
├── UnreadableNotation        a text is no label, combination, hand or position
├── InvalidRules              settings outside R1, R21, R26-R28
├── InvalidDeck               not the 40 cards of R1, or not a usable seed
├── InconsistentPosition      a described position that card counts or the course of play rule out
│   └── HistoryFault          one of its events cannot have happened
├── GameFinished              the game is over, nothing can be done any more (R21)
└── IllegalAction             readable, but not allowed here and now
    ├── WrongPhase            a play in the draw phase, a deal in mid-deal … (R18, R20)
    ├── NotYourTurn           the other seat is to act (R11-R18)
    ├── CardsNotInHand        the seat does not hold those cards (R3)
    ├── NotACombination       those cards form none (R10)
    ├── DoesNotFollow         the combination may not follow the last one (R12-R15)
    └── LeaderMayNotPass      the start player of a round has to lead (R11)
"""

from __future__ import annotations


class CrispsError(Exception):
    """Something the rules or the notation refuse; `clause` cites RULES.md, "" where no clause applies."""

    clause = ""

    def __init__(self, detail: str, clause: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        if clause is not None:
            self.clause = clause


class UnreadableNotation(CrispsError):
    """A text that is no label, combination, hand or position."""


class InvalidRules(CrispsError):
    """Settings that no table can be played with."""

    clause = "R21"


class InvalidDeck(CrispsError):
    """Cards that are not the 40 of R1, or a seed of the wrong size."""

    clause = "R1"


class InconsistentPosition(CrispsError):
    """A described position that cannot occur; `faults` lists (field, detail), one or more per wrong field."""

    clause = "R24"

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{field}: {detail}" for field, detail in faults))
        self.faults = faults


class HistoryFault(InconsistentPosition):
    """Events that no deal can have had; `index` is the place of the first that does not fit."""

    def __init__(self, index: int, detail: str) -> None:
        super().__init__([(f"history/{index}", detail)])
        self.index = index


class GameFinished(CrispsError):
    """The game has a winner; nothing can be done any more."""

    clause = "R21"


class IllegalAction(CrispsError):
    """An action that is readable but not allowed here and now; the deal is unchanged."""


class WrongPhase(IllegalAction):
    """The deal waits for another type of action, or no deal is being played."""

    clause = "R18"


class NotYourTurn(IllegalAction):
    """The other seat is to act."""

    clause = "R16"


class CardsNotInHand(IllegalAction):
    """The seat does not hold all of those cards."""

    clause = "R3"


class NotACombination(IllegalAction):
    """Those cards form no combination under the rules of this game."""

    clause = "R10"


class DoesNotFollow(IllegalAction):
    """The combination may not follow the last one of the round."""

    clause = "R12"


class LeaderMayNotPass(IllegalAction):
    """The start player of a round has to lead."""

    clause = "R11"
