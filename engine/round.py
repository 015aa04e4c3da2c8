"""A round: what the table waits for, and what may be done then (R10-R18, R28)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.actions import DRAWS, Action, Draw, LegalActions, following_actions, leading_actions
from engine.cards import Hand, Seat
from engine.combinations import Combination, can_follow
from engine.errors import DoesNotFollow, NotACombination, WrongPhase
from engine.rules import Rules


class Phase(StrEnum):
    """What a game, or its deal, waits for."""

    AWAITING_DEAL = "awaiting_deal"
    PLAY = "play"
    DRAW = "draw"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Round:
    """A lead and what followed it, until a pass or an empty hand."""

    number: int
    leader: Seat
    plays: tuple[tuple[Seat, Combination], ...] = ()

    @property
    def to_follow(self) -> Combination | None:
        """The last combination on the table; None while the leader has not led."""
        return self.plays[-1][1] if self.plays else None


def legal_actions(rules: Rules, phase: Phase, hand: Hand, to_follow: Combination | None) -> LegalActions:
    """What a seat that is to act may do, from what it knows itself (R11-R18)."""
    if phase is Phase.DRAW:
        return DRAWS
    if to_follow is None:
        return leading_actions(hand, crisps_in_runs=rules.crisps_in_runs)
    return following_actions(hand, to_follow, crisps_in_runs=rules.crisps_in_runs)


def check_phase(phase: Phase, action: Action) -> None:
    """Raises WrongPhase: the phase does not take this type of action (R16-R18)."""
    if isinstance(action, Draw) != (phase is Phase.DRAW):
        raise WrongPhase("a draw choice is due" if phase is Phase.DRAW else "there is nothing to draw now")


def check_follows(rules: Rules, to_follow: Combination | None, combination: Combination) -> None:
    """Raises DoesNotFollow or NotACombination: it may not be played now under these rules (R10-R15, R28)."""
    if combination.needs_crisps_in_runs and not rules.crisps_in_runs:
        raise NotACombination(f"a {combination.kind} has no Crisp unless crisps_in_runs is on", "R7")
    if to_follow is not None and not can_follow(to_follow, combination):
        raise DoesNotFollow(f"a {combination.kind} of length {combination.length} may not follow here")
