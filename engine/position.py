"""A seat's decision as somebody outside describes it, and the observation that it makes if it can have occurred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from engine.cards import COPIES, RANKS, Hand, Rank, Seat, other
from engine.combinations import Combination, combination_of
from engine.course import LATE, Course
from engine.deal import HAND_SIZE, MAX_DRAWS, Phase, Round
from engine.errors import HistoryFault, InconsistentPosition, InvalidDeck, NotACombination
from engine.events import Event
from engine.history import replay
from engine.observation import DealView, Observation
from engine.rules import Rules
from engine.turn_skip import some_hand_can_follow, unseen_in_public

T = TypeVar("T")
Fault = tuple[str, str]

MAX_HAND = HAND_SIZE + MAX_DRAWS
FIRST_PILE = 2 * MAX_DRAWS
"""Cards to draw in all: the face-down pile with the face-up card, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What `seat`, which is to act, says that it knows; untrusted: nothing in it need fit together.

    Cards come in any order. `own_known` and `opponent_known` may tell less than is known in public (R24), never more.
    `to_follow` is empty when the seat leads or draws.
    """

    hand: tuple[Rank, ...]
    opponent_hand_size: int
    played: tuple[Rank, ...]
    draw_pile: int
    rules: Rules = field(default_factory=Rules)
    phase: Phase = Phase.PLAY
    seat: Seat = 0
    own_known: tuple[Rank, ...] = ()
    opponent_known: tuple[Rank, ...] = ()
    face_up: Rank | None = None
    to_follow: tuple[Rank, ...] = ()

    @property
    def draws(self) -> int:
        """How often both seats have drawn, as the draw pile tells."""
        return (FIRST_PILE - self.draw_pile - (self.face_up is not None)) // 2


def observation_of(position: Position, events: Sequence[Event] | None = None) -> Observation:
    """What the seat may act upon in a described position.

    `events` are the deal's so far as that seat saw them. Without them the deal's number and starter and the round's
    earlier plays stay unknown: they are given as number 1 and a round that begins with its latest play.

    Raises InconsistentPosition: the position cannot occur, or the events do not lead to it; each wrong field is named.
    """
    faults = list(_faults(position))
    told = None
    if events and position.seat in {0, 1}:
        try:
            told = replay(position.rules, position.seat, events)
        except HistoryFault as fault:
            faults += fault.faults
    if not faults and told is not None:
        faults += _differences(position, told)
    if faults:
        raise InconsistentPosition(faults)
    hand = Hand.of(position.hand)
    return Observation(told or _view(position, hand), position.seat, hand, tuple(events) if events and told else None)


def _view(position: Position, hand: Hand) -> DealView:
    seat, opponent = position.seat, other(position.seat)
    latest = _combination(position)
    leader = seat if latest is None else opponent
    return DealView(
        rules=position.rules,
        viewer=seat,
        number=1,
        starter=leader,
        phase=position.phase,
        to_act=seat,
        hand=hand,
        hand_sizes=_by_seat(seat, hand.size, position.opponent_hand_size),
        known=_by_seat(seat, Hand.of(position.own_known), Hand.of(position.opponent_known)),
        face_up=position.face_up,
        draw_pile=position.draw_pile,
        played=Hand.of(position.played),
        round=Round(position.draws + 1, leader, () if latest is None else ((opponent, latest),)),
    )


def _differences(position: Position, told: DealView) -> Iterator[Fault]:
    """Where the end of the history is not the position."""
    seat, opponent = position.seat, other(position.seat)
    if told.to_act != seat:
        yield "history", "at its end another seat is to act, or none"
        return
    known = _by_seat(seat, Hand.of(position.own_known), Hand.of(position.opponent_known))
    follow = told.to_follow
    same = {
        "phase": told.phase is position.phase,
        "hand": told.hand == Hand.of(position.hand),
        "opponent_hand_size": told.hand_sizes[opponent] == position.opponent_hand_size,
        "played": told.played == Hand.of(position.played),
        "own_known": told.known[seat].contains(known[seat]),
        "opponent_known": told.known[opponent].contains(known[opponent]),
        "face_up": told.face_up == position.face_up,
        "draw_pile": told.draw_pile == position.draw_pile,
        "to_follow": follow == _combination(position),
    }
    for name, agrees in same.items():
        if not agrees:
            yield name, "not what the history leads to"


def _faults(position: Position) -> Iterator[Fault]:
    """Everything that is wrong with a position, as far as what is wrong leaves the rest to be judged."""
    first = [*_card_faults(position), *_hand_faults(position)]
    table = list(_table_faults(position))
    yield from first
    yield from table
    if not table:
        counts = list(_count_faults(position))
        yield from counts
        if not counts and not first:
            yield from _course_faults(position)


def _card_faults(position: Position) -> Iterator[Fault]:
    """Card counts that forty cards rule out (R1), and cards that are not among those they belong to (R24)."""
    cards = {
        "hand": Counter(position.hand),
        "own_known": Counter(position.own_known),
        "opponent_known": Counter(position.opponent_known),
        "played": Counter(position.played),
        "face_up": Counter(() if position.face_up is None else (position.face_up,)),
        "to_follow": Counter(position.to_follow),
    }
    label = position.rules.edition.label
    for name, counts in cards.items():
        if any(not 0 <= rank < RANKS for rank in counts):
            yield name, f"there are {RANKS} ranks"
        yield from (
            (name, f"{count} cards {label(rank)}: there are {COPIES}")
            for rank, count in counts.items()
            if count > COPIES and 0 <= rank < RANKS
        )
    apart = ("hand", "opponent_known", "played", "face_up")
    for rank in range(RANKS):
        fields = [name for name in apart if cards[name][rank]]
        count = sum(cards[name][rank] for name in fields)
        if count > COPIES and all(cards[name][rank] <= COPIES for name in fields):
            for name in fields:
                yield name, f"with {', '.join(fields)} there are {count} cards {label(rank)}, not {COPIES}"
    if not cards["own_known"] <= cards["hand"]:
        yield "own_known", "holds a card that the hand does not"
    if not cards["to_follow"] <= cards["played"]:
        yield "to_follow", "lies on the table, so it is among the played cards"


def _hand_faults(position: Position) -> Iterator[Fault]:
    """Hands of impossible size (R3, R19, R20) and cards to follow that are no combination (R10)."""
    for name, size in (("hand", len(position.hand)), ("opponent_hand_size", position.opponent_hand_size)):
        if not 1 <= size <= MAX_HAND:
            yield name, f"while a deal is played a hand has 1 to {MAX_HAND} cards, not {size}"
    if len(position.opponent_known) > position.opponent_hand_size:
        yield "opponent_known", "more cards than the other hand has"
    if position.to_follow and position.phase is Phase.DRAW:
        yield "to_follow", "nothing is to be followed when a draw choice is due"
    try:
        _combination(position)
    except NotACombination as refusal:
        yield "to_follow", refusal.detail
    except InvalidDeck:
        pass  # told already


def _table_faults(position: Position) -> Iterator[Fault]:
    """A seat, phase, face-up card and draw pile that do not go together (R5, R18, R19, R26)."""
    pile, face_up = position.draw_pile, position.face_up
    if position.seat not in {0, 1}:
        yield "seat", "0 or 1"
    if position.phase not in {Phase.PLAY, Phase.DRAW}:
        yield "phase", "a seat acts in the phases play and draw"
    if position.rules.no_face_up_draw:
        if position.phase is Phase.DRAW:
            yield "phase", "there is no draw choice under no_face_up_draw"
        if face_up is not None:
            yield "face_up", "nothing is turned up under no_face_up_draw"
        if pile not in range(0, FIRST_PILE + 1, 2):
            yield "draw_pile", f"under no_face_up_draw it is even, 0 to {FIRST_PILE}"
        return
    if position.phase is Phase.DRAW and face_up is None and pile == 0:
        yield "phase", "nothing is left to draw"
    if face_up is None and pile != 0:
        yield "face_up", "while the draw pile lasts a card lies face up"
    if pile not in range(1, FIRST_PILE, 2) and (face_up is not None or pile != 0):
        yield "draw_pile", f"beside a face-up card it is odd, 1 to {FIRST_PILE - 1}"


def _count_faults(position: Position) -> Iterator[Fault]:
    """Numbers of cards that do not fit the draws made (R3, R18, R24)."""
    dealt = HAND_SIZE + position.draws
    hand, opponent, played = len(position.hand), position.opponent_hand_size, len(position.played)
    after = f"after {position.draws} draws"
    if hand > dealt:
        yield "hand", f"{after} a seat has had {dealt} cards, not {hand}"
    latest = len(position.to_follow) if position.phase is Phase.PLAY else 0
    if opponent > dealt - latest:
        yield "opponent_hand_size", f"{after} and its latest play it has at most {dealt - latest} cards"
    if hand + opponent + played != 2 * dealt:
        total = (
            f"hand, opponent_hand_size and played have to be {2 * dealt} cards together {after} (two cards each), "
            f"but are {hand + opponent + played}"
        )
        yield from ((name, total) for name in ("hand", "opponent_hand_size", "played", "draw_pile"))
    known = {"own_known": position.own_known, "opponent_known": position.opponent_known}
    if sum(map(len, known.values())) > (0 if position.rules.no_face_up_draw else position.draws):
        told = "one card becomes known with each draw, none under no_face_up_draw"
        yield from ((name, told) for name, cards in known.items() if cards)


def _course_faults(position: Position) -> Iterator[Fault]:
    """Played cards that no course of play leaves behind, and a turn that R27 would have skipped."""
    draws, seat, played = position.draws, position.seat, Hand.of(position.played)
    counts = _by_seat(seat, HAND_SIZE + draws - len(position.hand), HAND_SIZE + draws - position.opponent_hand_size)
    course = Course(position.rules.crisps_in_runs)
    latest = _combination(position)
    if latest is not None:
        if not course.can_end_with(latest, other(seat), draws + 1, played, counts):
            for name in ("played", "to_follow"):
                yield name, f"{draws} rounds and one that is going on do not leave these cards in this order"
        if position.rules.automatic_turn_skip and not _can_be_followed(position, latest, played):
            yield "to_follow", "no possible hand can follow it: the turn was skipped (automatic_turn_skip)"
        return
    ended = draws + (position.phase is Phase.DRAW)
    if ended and not counts[seat]:
        yield "hand", "the seat won the last round, so it has played a card"
    elif ended:
        numbers = (MAX_DRAWS, LATE) if draws == MAX_DRAWS else (ended,)
        if not any(course.can_end(seat, number, played, counts) for number in numbers):
            yield "played", f"{ended} rounds, the last of them won by this seat, do not leave these cards"
    elif played:
        yield "played", "no round has ended and none has begun, so nothing is played"


def _can_be_followed(position: Position, latest: Combination, played: Hand) -> bool:
    known = Hand.of(position.own_known)
    return some_hand_can_follow(
        latest,
        unseen=unseen_in_public(played, position.face_up, (known, Hand.of(position.opponent_known))),
        known=known,
        hand_size=len(position.hand),
        crisps_in_runs=position.rules.crisps_in_runs,
    )


def _combination(position: Position) -> Combination | None:
    """What is to be followed. Raises NotACombination, InvalidDeck."""
    if not position.to_follow:
        return None
    return combination_of(Hand.of(position.to_follow), crisps_in_runs=position.rules.crisps_in_runs)


def _by_seat(seat: Seat, own: T, others: T) -> tuple[T, T]:
    return (own, others) if seat == 0 else (others, own)
