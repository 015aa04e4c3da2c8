"""A game: scores, who starts each deal, and the sequence of deals to the points to win (R2, R20-R23)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.actions import Action, Play
from engine.cards import Rank, Seat, other
from engine.deal import Deal, Phase, check_phase
from engine.errors import GameFinished, WrongPhase
from engine.events import Event, GameEnded, Reason
from engine.rules import Rules
from engine.shuffle import Deck

Events = tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class EndedDeal:
    """What remains in the game of a deal that was played to its end."""

    number: int
    winner: Seat


@dataclass(frozen=True, slots=True)
class Game:
    """A game at one moment; immutable, every change answers a new one.

    `deal` is the deal being played: None before the first and from the end of a deal until the next. `deals` counts the
    deals begun, `starter` is the start player of the latest of them (None before the first).
    """

    rules: Rules
    first_leader: Seat
    scores: tuple[int, int] = (0, 0)
    deals: int = 0
    starter: Seat | None = None
    deal: Deal | None = None
    last_deal: EndedDeal | None = None
    winner: Seat | None = None

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        if self.winner is not None:
            return Phase.FINISHED
        return Phase.AWAITING_DEAL if self.deal is None else self.deal.phase

    @property
    def to_act(self) -> Seat | None:
        """The seat to act, None when nobody's action is due."""
        return None if self.deal is None else self.deal.to_act

    def next_starter(self) -> Seat:
        """Who leads the next deal (R22, R23)."""
        if self.starter is None:
            return self.first_leader
        if self.scores[0] != self.scores[1]:
            return 0 if self.scores[0] < self.scores[1] else 1
        return other(self.starter)

    def start_deal(self, deck: Deck) -> tuple[Game, Events]:
        """The game with its next deal on the table (R3-R5).

        Raises GameFinished, WrongPhase (a deal is being played), InvalidDeck.
        """
        self.check_deal_is_due()
        deal = Deal.start(self.rules, deck, self.next_starter(), self.deals + 1)
        return replace(self, deal=deal, deals=deal.number, starter=deal.starter), (deal.dealt(),)

    def apply(self, seat: Seat, action: Action) -> tuple[Game, Events]:
        """The game after a seat's action, and what happened.

        Raises GameFinished, WrongPhase, NotYourTurn and the refusals of Deal.apply.
        """
        self.check_phase(action)
        deal, events = self._running_deal().apply(seat, action)
        if deal.winner is None:
            return replace(self, deal=deal), events
        return _scored(self, EndedDeal(deal.number, deal.winner), events)

    def check_running(self) -> None:
        """Raises GameFinished: the game has a winner (R21)."""
        if self.winner is not None:
            raise GameFinished("the game is over")

    def check_deal_is_running(self) -> None:
        """Raises GameFinished or WrongPhase: there is no deal in which anybody could act."""
        self._running_deal()

    def check_deal_is_due(self) -> None:
        """Raises GameFinished or WrongPhase: the game does not wait for a deal."""
        self.check_running()
        if self.deal is not None:
            raise WrongPhase("a deal is being played", "R21")

    def check_phase(self, action: Action) -> None:
        """Raises GameFinished or WrongPhase: the game does not wait for this type of action."""
        check_phase(self._running_deal().phase, action)

    def play_of(self, seat: Seat, cards: Iterable[Rank]) -> Play:
        """The play that these cards of a seat's hand make now, before it is known to follow.

        Raises GameFinished, WrongPhase, NotYourTurn, CardsNotInHand, NotACombination, the first that applies.
        """
        return self._running_deal().play_of(seat, cards)

    def concede(self, seat: Seat, reason: Reason) -> tuple[Game, Events]:
        """The game lost by `seat` through resignation or time; scores stay as they are.

        Raises GameFinished.
        """
        self.check_running()
        winner = other(seat)
        return replace(self, deal=None, winner=winner), (GameEnded(winner, reason),)

    def _running_deal(self) -> Deal:
        self.check_running()
        if self.deal is None:
            raise WrongPhase("the next deal is due", "R21")
        return self.deal


def _scored(game: Game, ended: EndedDeal, events: Events) -> tuple[Game, Events]:
    winner = ended.winner
    scores = (game.scores[0] + (winner == 0), game.scores[1] + (winner == 1))
    won = scores[winner] >= game.rules.points_to_win
    after = replace(game, scores=scores, deal=None, last_deal=ended, winner=winner if won else None)
    return after, (*events, GameEnded(winner, Reason.POINTS)) if won else events
