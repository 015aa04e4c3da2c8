"""One deal's whole truth, hidden cards included: what is legal and what follows (R3-R20, R26-R28)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.actions import (
    ACTIONS,
    NO_ACTIONS,
    PLAYS,
    Action,
    Draw,
    LegalActions,
    Pass,
    Play,
    Source,
    index_of,
)
from engine.cards import EMPTY, Hand, Rank, Seat, other
from engine.combinations import Combination, combination_of
from engine.errors import (
    CardsNotInHand,
    GameFinished,
    InvalidDeck,
    LeaderMayNotPass,
    NotYourTurn,
)
from engine.events import DealEnded, DealEvent, Dealt, Drew, Passed, Played
from engine.round import Phase, Round, check_follows, check_phase, legal_actions
from engine.rules import Rules
from engine.shuffle import Deck, checked_deck
from engine.turn_skip import some_hand_can_follow, unseen_in_public

__all__ = [
    "FIRST_DRAW",
    "FIRST_SET_ASIDE",
    "HAND_SIZE",
    "MAX_DRAWS",
    "Deal",
    "DealEvents",
    "Phase",
    "Round",
    "check_phase",
    "legal_actions",
]

HAND_SIZE = 12
FIRST_SET_ASIDE = 2 * HAND_SIZE
FIRST_DRAW = FIRST_SET_ASIDE + 4
MAX_DRAWS = 6

DealEvents = tuple[DealEvent | DealEnded, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal at one moment; immutable, `apply` answers the next one.

    `deck` is the order of the shuffle (shuffle.Deck), `draws` how often both seats have drawn (0 to 6), `known` each
    hand's public lower bound (R24), `history` the numbers (actions.ACTIONS) of the actions taken so far, without
    automatic passes: every event can be told again from it. `to_act` and `winner` are None where they do not apply.
    """

    rules: Rules
    number: int
    starter: Seat
    deck: Deck
    hands: tuple[Hand, Hand]
    round: Round
    to_act: Seat | None
    phase: Phase = Phase.PLAY
    known: tuple[Hand, Hand] = (EMPTY, EMPTY)
    played: Hand = EMPTY
    draws: int = 0
    winner: Seat | None = None
    history: tuple[int, ...] = ()

    @classmethod
    def start(cls, rules: Rules, deck: Deck, starter: Seat, number: int = 1) -> Deal:
        """A fresh deal from a deck (R3-R5).

        Raises InvalidDeck: not the 40 cards.
        """
        checked_deck(deck)
        hands = (Hand.of(deck[:HAND_SIZE]), Hand.of(deck[HAND_SIZE:FIRST_SET_ASIDE]))
        return cls(rules, number, starter, deck, hands, Round(1, starter), starter)

    @property
    def face_up(self) -> Rank | None:
        """The face-up card, None when there is none (R5, R18, R26)."""
        if self.rules.no_face_up_draw or self.draws == MAX_DRAWS:
            return None
        return self.deck[FIRST_DRAW + 2 * self.draws]

    @property
    def draw_pile(self) -> tuple[Rank, ...]:
        """The face-down cards that are left to draw, top first."""
        return self.deck[FIRST_DRAW + 2 * self.draws + (not self.rules.no_face_up_draw) :]

    @property
    def set_aside(self) -> tuple[Rank, ...]:
        """The four cards that nobody sees (R4)."""
        return self.deck[FIRST_SET_ASIDE:FIRST_DRAW]

    @property
    def is_over(self) -> bool:
        """Whether a seat has played its last card (R20)."""
        return self.winner is not None

    def legal_actions(self) -> LegalActions:
        """What the seat to act may do; empty once the deal is over."""
        if self.to_act is None:
            return NO_ACTIONS
        return legal_actions(self.rules, self.phase, self.hands[self.to_act], self.round.to_follow)

    def dealt(self) -> Dealt:
        """The event this deal began with."""
        first = None if self.rules.no_face_up_draw else self.deck[FIRST_DRAW]
        hands = (Hand.of(self.deck[:HAND_SIZE]), Hand.of(self.deck[HAND_SIZE:FIRST_SET_ASIDE]))
        return Dealt(self.number, self.starter, first, hands)

    def events(self) -> DealEvents:
        """Everything that has happened in this deal, told again from the deck and the history."""
        deal = Deal.start(self.rules, self.deck, self.starter, self.number)
        told: list[DealEvent | DealEnded] = [deal.dealt()]
        for index in self.history:
            deal, events = deal.apply_unchecked(ACTIONS[index])
            told.extend(events)
        return tuple(told)

    def apply(self, seat: Seat, action: Action) -> tuple[Deal, DealEvents]:
        """The deal after a seat's action, and what happened; this deal is unchanged.

        Raises GameFinished, WrongPhase, NotYourTurn, LeaderMayNotPass, CardsNotInHand, NotACombination, DoesNotFollow,
        the first that applies in this order.
        """
        self._check(seat, action)
        return self.apply_unchecked(action)

    def apply_unchecked(self, action: Action) -> tuple[Deal, DealEvents]:
        """As `apply`, for the seat to act and an action that is known to be legal."""
        history = (*self.history, index_of(action))
        if isinstance(action, Play):
            return _after_play(self, action.combination, history)
        if isinstance(action, Draw):
            return _after_draws(self, action.source, history)
        return _after_pass(self, history, automatic=False)

    def play_of(self, seat: Seat, cards: Iterable[Rank]) -> Play:
        """The play that these cards of a seat's hand make now, before it is known to follow.

        Raises GameFinished, WrongPhase, NotYourTurn, CardsNotInHand, NotACombination, the first that applies.
        """
        self._check_turn(seat, PLAYS[0])
        try:
            chosen = Hand.of(cards)
        except InvalidDeck:
            raise CardsNotInHand("nobody holds more than four cards of a rank") from None
        self._check_held(seat, chosen)
        return PLAYS[combination_of(chosen, crisps_in_runs=self.rules.crisps_in_runs).index]

    def _check_turn(self, seat: Seat, action: Action) -> None:
        if self.to_act is None:
            raise GameFinished("the deal is over", "R20")
        check_phase(self.phase, action)
        if seat != self.to_act:
            raise NotYourTurn(f"seat {self.to_act} is to act")

    def _check_held(self, seat: Seat, cards: Hand) -> None:
        if not self.hands[seat].contains(cards):
            raise CardsNotInHand("the hand does not hold all of those cards")

    def _check(self, seat: Seat, action: Action) -> None:
        self._check_turn(seat, action)
        to_follow = self.round.to_follow
        match action:
            case Pass() if to_follow is None:
                raise LeaderMayNotPass("the start player of a round has to lead")
            case Play(combination):
                self._check_held(seat, combination.cards)
                check_follows(self.rules, to_follow, combination)


def _after_play(deal: Deal, combination: Combination, history: tuple[int, ...]) -> tuple[Deal, DealEvents]:
    """The seat to act leads or follows; its last card ends the deal (R20)."""
    seat = _actor(deal)
    cards = combination.cards
    hand = deal.hands[seat] - cards
    over = not hand
    after = Deal(
        rules=deal.rules,
        number=deal.number,
        starter=deal.starter,
        deck=deal.deck,
        hands=_with(deal.hands, seat, hand),
        round=Round(deal.round.number, deal.round.leader, (*deal.round.plays, (seat, combination))),
        to_act=None if over else other(seat),
        phase=Phase.FINISHED if over else Phase.PLAY,
        known=_with(deal.known, seat, deal.known[seat] - deal.known[seat].common(cards)),
        played=deal.played + cards,
        draws=deal.draws,
        winner=seat if over else None,
        history=history,
    )
    played = Played(seat, combination)
    if over:
        return after, (played, DealEnded(deal.number, seat))
    if deal.rules.automatic_turn_skip and not _reply_is_possible(after, combination):
        skipped, events = _after_pass(after, history, automatic=True)
        return skipped, (played, *events)
    return after, (played,)


def _reply_is_possible(deal: Deal, to_follow: Combination) -> bool:
    responder = _actor(deal)
    return some_hand_can_follow(
        to_follow,
        unseen=unseen_in_public(deal.played, deal.face_up, deal.known),
        known=deal.known[responder],
        hand_size=deal.hands[responder].size,
        crisps_in_runs=deal.rules.crisps_in_runs,
    )


def _after_pass(deal: Deal, history: tuple[int, ...], *, automatic: bool) -> tuple[Deal, DealEvents]:
    """The round ends, and the seat that did not pass leads the next one (R17), once both have drawn (R18)."""
    passer = _actor(deal)
    leader = other(passer)
    passed = Passed(passer, automatic)
    used_up = deal.draws == MAX_DRAWS
    if deal.rules.no_face_up_draw and not used_up:
        after, events = _after_draws(deal, None, history)
        return after, (passed, *events)
    after = Deal(
        rules=deal.rules,
        number=deal.number,
        starter=deal.starter,
        deck=deal.deck,
        hands=deal.hands,
        round=Round(deal.round.number + 1, leader) if used_up else deal.round,
        to_act=leader,
        phase=Phase.PLAY if used_up else Phase.DRAW,
        known=deal.known,
        played=deal.played,
        draws=deal.draws,
        winner=None,
        history=history,
    )
    return after, (passed,)


def _after_draws(deal: Deal, source: Source | None, history: tuple[int, ...]) -> tuple[Deal, DealEvents]:
    """Both draw and the next round begins; no source: the leader takes the top card, the other the next (R26)."""
    leader = deal.round.plays[-1][0]
    first = FIRST_DRAW + 2 * deal.draws
    own, others = deal.deck[first : first + 2]
    if source is Source.DRAW_PILE:
        own, others = others, own
    drawn = (own, others) if leader == 0 else (others, own)
    known = deal.known
    if source is not None:
        taker = leader if source is Source.FACE_UP else other(leader)
        known = _with(known, taker, known[taker].plus_rank(drawn[taker]))
    after = Deal(
        rules=deal.rules,
        number=deal.number,
        starter=deal.starter,
        deck=deal.deck,
        hands=(deal.hands[0].plus_rank(drawn[0]), deal.hands[1].plus_rank(drawn[1])),
        round=Round(deal.round.number + 1, leader),
        to_act=leader,
        phase=Phase.PLAY,
        known=known,
        played=deal.played,
        draws=deal.draws + 1,
        winner=None,
        history=history,
    )
    return after, (Drew(None if source is None else leader, source, drawn, after.face_up),)


def _actor(deal: Deal) -> Seat:
    if deal.to_act is None:
        raise GameFinished("the deal is over", "R20")
    return deal.to_act


def _with(pair: tuple[Hand, Hand], seat: Seat, hand: Hand) -> tuple[Hand, Hand]:
    return (hand, pair[1]) if seat == 0 else (pair[0], hand)
