"""A deal's events as one viewer saw them, played through again to what that viewer knows now (R11-R28).

No rule is written here a second time. The hidden cards are filled in so that every play was possible, and the deal
is played again: what the viewer would have seen then has to be what was told. Nothing public depends on how the hidden
cards are filled in, so the view at the end does not either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import fields

from engine.actions import PASS, Action, Draw, Play
from engine.cards import CARDS, COPIES, RANKS, Rank, Seat, other
from engine.deal import FIRST_DRAW, HAND_SIZE, MAX_DRAWS, Deal
from engine.errors import GameFinished, HistoryFault, IllegalAction
from engine.events import DealEnded, Dealt, Drew, Event, GameEnded, Passed, Played
from engine.observation import DealView, redact, view_deal
from engine.rules import Rules
from engine.shuffle import Deck

_NAMES: dict[type[Event], str] = {
    Dealt: "dealt",
    Played: "played",
    Passed: "passed",
    Drew: "drew",
    DealEnded: "deal_ended",
    GameEnded: "game_ended",
}


def replay(rules: Rules, viewer: Seat | None, events: Sequence[Event]) -> DealView:
    """What `viewer` knows of a deal after these events, which are its copy of them from Dealt on.

    Raises HistoryFault, with the index of the first event that cannot have been: out of turn, illegal, automatic where
    R27 says otherwise or not where it does, a card too many, or a hidden card that the viewer does not see.
    """
    try:
        deck = _Layout.of(viewer, events).deck()
    except HistoryFault as fault:
        told = events[: fault.index]
        if told:  # an earlier event may be impossible for another reason
            _play_through(rules, viewer, told, _Layout.of(viewer, told).deck())
        raise
    deal, missing = _play_through(rules, viewer, events, deck)
    if missing is not None:
        raise HistoryFault(len(events) - 1, f"a {_name(missing)} event follows at once")
    return view_deal(deal, viewer)


def _play_through(rules: Rules, viewer: Seat | None, events: Sequence[Event], deck: Deck) -> tuple[Deal, Event | None]:
    """The deal after these events, and the event that has to come next of itself, if one has to."""
    start = events[0]
    if not isinstance(start, Dealt) or start.number < 1 or start.starter not in {0, 1}:
        raise HistoryFault(0, "a history begins with a dealt event, its number and starter")
    deal = Deal.start(rules, deck, start.starter, start.number)
    due: deque[Event] = deque([deal.dealt()])
    for index, event in enumerate(events):
        if not due:
            seat, action = _action(index, event)
            try:
                deal, happened = deal.apply(seat, action)
            except (IllegalAction, GameFinished) as refusal:
                raise HistoryFault(index, refusal.detail) from None
            due.extend(happened)
        _compare(index, event, redact(due.popleft(), viewer))
    return deal, due[0] if due else None


def _action(index: int, event: Event) -> tuple[Seat, Action]:
    match event:
        case Played(seat, combination):
            return seat, Play(combination)
        case Passed(seat):
            return seat, PASS
        case Drew(int(seat), source) if source is not None:
            return seat, Draw(source)
        case _:
            raise HistoryFault(index, f"no {_name(event)} event can come here")


def _compare(index: int, told: Event, seen: Event) -> None:
    if type(told) is not type(seen):
        raise HistoryFault(index, f"a {_name(seen)} event has to come here")
    wrong = [f.name for f in fields(seen) if getattr(told, f.name) != getattr(seen, f.name)]
    if wrong:
        raise HistoryFault(index, f"{', '.join(wrong)}: not what this viewer can have seen here")


def _name(event: Event) -> str:
    return _NAMES[type(event)]


class _Layout:
    """A deck in the making: which card lies where, as far as the events tell, None elsewhere.

    For each hand that the viewer does not see, `_open` lists the places of its unseen cards, oldest first, and `_held`
    counts the face-up cards that it took and still holds. Plays use those first, then the oldest place: if any choice
    explains the plays, this one does.
    """

    def __init__(self, viewer: Seat | None) -> None:
        self._viewer = viewer
        self._places: list[Rank | None] = [None] * CARDS
        self._left = [COPIES] * RANKS
        self._open = {s: list(range(HAND_SIZE * s, HAND_SIZE * s + HAND_SIZE)) for s in (0, 1) if s != viewer}
        self._held = {s: [0] * RANKS for s in self._open}
        self._draws = 0
        self._passer: Seat | None = None

    @classmethod
    def of(cls, viewer: Seat | None, events: Sequence[Event]) -> _Layout:
        """The layout that these events tell of. Raises HistoryFault where no deck could have led to one of them."""
        layout = cls(viewer)
        if not events or not isinstance(events[0], Dealt):
            raise HistoryFault(0, "a history begins with a dealt event")
        for index, event in enumerate(events):
            match event:
                case Dealt() if index == 0:
                    layout._deal(event)
                case Played() if event.seat in layout._open:
                    layout._play(index, event)
                case Passed():
                    layout._passer = event.seat
                case Drew():
                    layout._draw(index, event)
                case _:
                    pass  # tells no card; whether it may come here is seen when the deal is played again
        return layout

    def deck(self) -> Deck:
        """The deck with the cards that nobody told of in the places that are left."""
        rest = iter([rank for rank, left in enumerate(self._left) for _ in range(left)])
        return tuple(next(rest) if place is None else place for place in self._places)

    def _deal(self, event: Dealt) -> None:
        if self._viewer is not None:
            hand = event.hands[self._viewer]
            if hand is None or hand.size != HAND_SIZE:
                raise HistoryFault(0, f"hands: the viewer's own hand has {HAND_SIZE} cards (R3)")
            for place, rank in enumerate(hand, HAND_SIZE * self._viewer):
                self._put(0, place, rank)
        if event.face_up is not None:
            self._put(0, FIRST_DRAW, event.face_up)

    def _play(self, index: int, event: Played) -> None:
        held, places = self._held[event.seat], self._open[event.seat]
        for rank in event.combination.cards:
            if held[rank]:
                held[rank] -= 1
            elif places:
                self._put(index, places.pop(0), rank)
            else:
                raise HistoryFault(index, "the hand has not that many cards")

    def _draw(self, index: int, event: Drew) -> None:
        if self._passer not in {0, 1} or self._draws == MAX_DRAWS:
            raise HistoryFault(index, "there is nothing to draw here")
        taker = other(self._passer) if event.taker is None else event.taker
        if taker not in {0, 1}:
            raise HistoryFault(index, "seat: there are two, 0 and 1 (R2)")
        first = FIRST_DRAW + 2 * self._draws
        self._draws += 1
        for seat, place in ((taker, first), (other(taker), first + 1)):
            drawn, lies = event.drawn[seat], self._places[place]
            if lies is not None:  # the face-up card
                if seat in self._held:
                    self._held[seat][lies] += 1
            elif seat in self._open:
                self._open[seat].append(place)
            elif drawn is None:
                raise HistoryFault(index, "drawn: the viewer sees what it draws (R25)")
            else:
                self._put(index, place, drawn)
        if event.face_up is not None and self._draws < MAX_DRAWS:
            self._put(index, FIRST_DRAW + 2 * self._draws, event.face_up)

    def _put(self, index: int, place: int, rank: Rank) -> None:
        if not 0 <= rank < RANKS or not self._left[rank]:
            raise HistoryFault(index, f"a card too many: there are {COPIES} of each of the {RANKS} ranks (R1)")
        self._left[rank] -= 1
        self._places[place] = rank
