"""The only way out for hidden state: what a seat, or somebody without a seat, may know (R24, R25).

Everything here is built by copying what may be seen; there is no way to ask for more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from engine.actions import NO_ACTIONS, LegalActions
from engine.cards import EMPTY, FULL_DECK, Hand, Rank, Seat, other
from engine.combinations import Combination
from engine.deal import Deal, Phase, Round, legal_actions
from engine.events import Dealt, Drew, Event
from engine.game import EndedDeal, Game
from engine.rules import Rules

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class DealView:
    """What `viewer` may know of a deal at this moment; viewer and hand are None for somebody without a seat.

    `hand_sizes` and `known` by seat; `draw_pile` counts the face-down cards.
    """

    rules: Rules
    viewer: Seat | None
    number: int
    starter: Seat
    phase: Phase
    to_act: Seat | None
    hand: Hand | None
    hand_sizes: tuple[int, int]
    known: tuple[Hand, Hand]
    face_up: Rank | None
    draw_pile: int
    played: Hand
    round: Round

    @property
    def to_follow(self) -> Combination | None:
        """The combination that the seat to act has to follow; None when it leads or draws."""
        return self.round.to_follow if self.phase is Phase.PLAY else None

    @property
    def draws_left(self) -> int:
        """How often both seats will still draw, if the deal lasts as long (R19), a face-up card with the pile's."""
        return (self.draw_pile + 1) // 2

    def legal_actions(self) -> LegalActions:
        """What the viewer may do now; empty when it is not to act."""
        if self.hand is None or self.to_act is None or self.to_act != self.viewer:
            return NO_ACTIONS
        return legal_actions(self.rules, self.phase, self.hand, self.to_follow)


@dataclass(frozen=True, slots=True)
class GameView:
    """What `viewer` may know of a game."""

    rules: Rules
    viewer: Seat | None
    phase: Phase
    to_act: Seat | None
    scores: tuple[int, int]
    winner: Seat | None
    last_deal: EndedDeal | None
    deal: DealView | None


@dataclass(frozen=True, slots=True)
class Observation:
    """All that a seat may act upon: what it sees now and, with perfect recall, how the deal came to it.

    `events` starts with the seat's Dealt; None for a position whose past nobody told.
    """

    now: DealView
    seat: Seat
    hand: Hand
    events: tuple[Event, ...] | None

    @property
    def opponent_hand_size(self) -> int:
        """The number of cards in the other hand."""
        return self.now.hand_sizes[other(self.seat)]

    @property
    def own_known(self) -> Hand:
        """The own cards that everybody knows of."""
        return self.now.known[self.seat]

    @property
    def opponent_known(self) -> Hand:
        """The cards publicly known to be in the other hand."""
        return self.now.known[other(self.seat)]

    def unseen(self) -> Hand:
        """The cards whose place the seat cannot tell: in the other hand, the draw pile or set aside."""
        unseen = FULL_DECK - self.hand - self.now.played - self.opponent_known
        return unseen if self.now.face_up is None else unseen - EMPTY.plus_rank(self.now.face_up)

    def legal_actions(self) -> LegalActions:
        """What the seat may do now; empty when it is not to act."""
        return self.now.legal_actions()


def view_deal(deal: Deal, viewer: Seat | None) -> DealView:
    """What `viewer` may know of the deal at this moment."""
    return DealView(
        rules=deal.rules,
        viewer=viewer,
        number=deal.number,
        starter=deal.starter,
        phase=deal.phase,
        to_act=deal.to_act,
        hand=None if viewer is None else deal.hands[viewer],
        hand_sizes=(deal.hands[0].size, deal.hands[1].size),
        known=deal.known,
        face_up=deal.face_up,
        draw_pile=len(deal.draw_pile),
        played=deal.played,
        round=deal.round,
    )


def view_game(game: Game, viewer: Seat | None) -> GameView:
    """What `viewer` may know of the game."""
    return GameView(
        rules=game.rules,
        viewer=viewer,
        phase=game.phase,
        to_act=game.to_act,
        scores=game.scores,
        winner=game.winner,
        last_deal=game.last_deal,
        deal=None if game.deal is None else view_deal(game.deal, viewer),
    )


def observe(deal: Deal, seat: Seat) -> Observation:
    """What a seat may act upon in this deal, its events included."""
    events = tuple(redact(event, seat) for event in deal.events())
    return Observation(view_deal(deal, seat), seat, deal.hands[seat], events)


def redact(event: E, viewer: Seat | None) -> E:
    """The event as `viewer` may know it: hidden cards become None (R25)."""
    if isinstance(event, Dealt):
        first, second = (event.hands[seat] if viewer == seat else None for seat in (0, 1))
        return Dealt(event.number, event.starter, event.face_up, (first, second))  # type: ignore[return-value]
    if isinstance(event, Drew):
        left, right = (event.drawn[seat] if seat in {viewer, event.taker} else None for seat in (0, 1))
        return Drew(event.seat, event.source, (left, right), event.face_up)  # type: ignore[return-value]
    return event
