"""A seat's events played through again: they lead to its view, and what cannot have been is found."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

import pytest

from engine.actions import Source
from engine.cards import Hand
from engine.combinations import CATALOGUE
from engine.deal import Deal, Phase
from engine.errors import HistoryFault
from engine.events import DealEnded, Dealt, Drew, Event, GameEnded, Passed, Played, Reason
from engine.history import replay
from engine.notation import hand_of, play_of, ranks_of
from engine.observation import DealView, redact, view_deal
from engine.rules import Rules
from tests.engine.dealing import act, deck_with, some_deal

VIEWERS = (0, 1, None)
PILE = "9 3 5 6 2 2 8 4 7 1 6 C"
DECK = deck_with("1 1 1 2 2 3 3 4 4 5 7 7", "4 5 5 6 6 7 8 8 9 9 C C", draw=PILE)
ACTIONS = ("1", "4", "pass", "draw_pile", "5-5", "7-7", "8-8", "pass", "face_up", "6-6")


def seen(deal: Deal, viewer: int | None) -> tuple[Event, ...]:
    return tuple(redact(event, viewer) for event in deal.events())


def test_R24_R25_a_viewers_events_lead_to_the_viewers_view_at_every_moment() -> None:
    moments = 0
    for seed in range(0, 96, 5):
        for deal, _ in some_deal(seed):
            for viewer in VIEWERS:
                assert replay(deal.rules, viewer, seen(deal, viewer)) == view_deal(deal, viewer)
            moments += 1
    assert moments > 500


def test_a_prefix_leads_to_a_view_exactly_if_nothing_has_to_follow_at_once() -> None:
    for seed in range(0, 48, 5):
        moments = {deal.events(): deal for deal, _ in some_deal(seed)}
        *_, (last, _) = some_deal(seed)
        told = last.events()
        for length in range(1, len(told) + 1):
            deal = moments.get(told[:length])
            for viewer in VIEWERS:
                events = tuple(redact(event, viewer) for event in told[:length])
                if deal is not None:
                    assert replay(last.rules, viewer, events) == view_deal(deal, viewer)
                else:
                    with pytest.raises(HistoryFault) as fault:
                        replay(last.rules, viewer, events)
                    assert fault.value.index == length - 1


EDITS: list[tuple[str, int, int | None, Callable[[Event], Event]]] = []
"""What is changed, in which event, for which viewer, how."""


def edit(what: str, index: int, viewer: int | None, **changes: object) -> None:
    EDITS.append((what, index, viewer, lambda event: dataclasses.replace(event, **changes)))  # type: ignore[arg-type]


def instead(what: str, index: int, viewer: int | None, event: Event) -> None:
    EDITS.append((what, index, viewer, lambda _: event))


# 0 dealt, 1 "1", 2 "4", 3 passed, 4 drew, 5 "5-5", 6 "7-7", 7 "8-8", 8 passed, 9 drew, 10 "6-6"
edit("no own hand", 0, 0, hands=(None, None))
edit("eleven cards", 0, 0, hands=(hand_of("1 1 1 2 2 3 3 4 4 5 7"), None))
edit("both hands", 0, 0, hands=(Hand.of(DECK[:12]), Hand.of(DECK[12:24])))
edit("a hand that the public does not see", 0, None, hands=(Hand.of(DECK[:12]), None))
edit("no face-up card", 0, 0, face_up=None)
edit("a face-up card that there is not", 0, 0, face_up=10)
edit("number 0", 0, 1, number=0)
edit("a third seat starts", 0, 1, starter=2)
instead("no beginning", 0, 0, Passed(0))
edit("out of turn", 1, 0, seat=1)
edit("a third seat plays", 1, 0, seat=2)
edit("a card that is not in the hand", 1, 0, combination=play_of("9"))
edit("does not follow", 6, 0, combination=play_of("4-4"))
edit("another kind", 6, 1, combination=play_of("7"))
edit("a run with a Crisp", 5, 0, combination=play_of("7-8-9-C", crisps_in_runs=True))
instead("the leader passes", 1, 0, Passed(0))
instead("passed out of turn", 3, 0, Passed(1))
edit("automatic without the option", 3, 0, automatic=True)
instead("a play while the draw is due", 4, 1, Played(1, play_of("5-5")))
edit("the other seat chooses", 4, 1, seat=0)
edit("a third seat chooses", 4, 1, seat=7)
edit("no source", 4, 1, source=None)
edit("nobody chose", 4, 1, seat=None)
edit("the other source", 4, 1, source=Source.FACE_UP)
edit("the other seat's hidden card", 4, 0, drawn=ranks_of("9 3"))
edit("no own card", 4, 1, drawn=(ranks_of("9")[0], None))
edit("another face-up card taken", 4, 1, drawn=ranks_of("8 3"))
edit("a hidden card for the public", 4, None, drawn=ranks_of("9 3"))
edit("nothing turned up", 4, 1, face_up=None)
edit("a fifth card turned up", 4, 1, face_up=12)
instead("a draw without a pass", 2, 0, Drew(0, Source.FACE_UP, (8, None), 1))
instead("a second beginning", 5, 0, Dealt(1, 0, 8, (Hand.of(DECK[:12]), None)))
instead("an early end", 5, 0, DealEnded(1, 1))
instead("the end of the game", 5, 0, GameEnded(1, Reason.TIME))
instead("drawn twice", 5, 1, Drew(1, Source.DRAW_PILE, (4, 5), 1))


@pytest.mark.parametrize(("index", "viewer", "change"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS])
def test_an_event_that_cannot_have_been_is_found(
    index: int, viewer: int | None, change: Callable[[Event], Event]
) -> None:
    deal, _ = act(Deal.start(Rules(), DECK, 0), *ACTIONS)
    events = list(seen(deal, viewer))
    events[index] = change(events[index])
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), viewer, events)
    assert fault.value.index == index
    assert fault.value.faults == [(f"history/{index}", fault.value.detail.removeprefix(f"history/{index}: "))]


def test_a_card_that_the_dealt_hand_does_not_hold_cannot_be_played() -> None:
    deal, _ = act(Deal.start(Rules(), DECK, 0), *ACTIONS)
    dealt, *others = seen(deal, 0)
    assert isinstance(dealt, Dealt)
    dealt = dataclasses.replace(dealt, hands=(hand_of("2 2 2 2 3 3 3 4 4 5 7 7"), None))
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 0, [dealt, *others])
    assert fault.value.index == 1


def test_there_is_no_history_without_events() -> None:
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 0, ())
    assert fault.value.index == 0


def test_R1_a_fifth_card_of_a_rank_is_found_where_it_shows() -> None:
    deck = deck_with("9 9 9 9 1 1 2 2 3 3 4 5", "5 6 6 7 7 8 8 C C C C 1")
    deal, _ = act(Deal.start(Rules(), deck, 0), "1", "8", "pass")
    events = list(seen(deal, 0))
    events[2] = Played(1, play_of("9"))
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 0, events)
    assert fault.value.index == 2


def test_R3_a_hidden_hand_runs_out_of_cards() -> None:
    dealt = Dealt(1, 1, 0, (hand_of("1 1 1 2 2 2 C C C 9 9 9"), None))
    long = Played(1, play_of("3-3-4-4-5-5-6-6-7-7-8-8"))
    ended = replay(Rules(), 0, [dealt, long, DealEnded(1, 1)])
    assert (ended.phase, ended.to_act, ended.hand_sizes) == (Phase.FINISHED, None, (12, 0))
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 0, [dealt, Played(1, play_of("3-3-4-4-5-5-6-6-7-7-8-8-9-9"))])
    assert fault.value.index == 1


def test_R18_a_card_cannot_be_played_before_it_can_have_been_drawn() -> None:
    hand, (one, two, eight, nine) = hand_of("1 1 2 2 2 2 C C C C 9 9"), ranks_of("1 2 8 9")
    ten: list[Event] = [Dealt(1, 1, one, (hand, None)), Played(1, play_of("3-3-4-4-5-5-6-6-7-7")), Passed(0)]
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 0, [*ten, Drew(1, Source.FACE_UP, (two, one), eight)])
    assert fault.value.index == 3, "a fifth two"
    drew = Drew(1, Source.FACE_UP, (eight, one), nine)
    view = replay(Rules(), 0, [*ten, drew, Played(1, play_of("1"))])
    assert (view.hand_sizes, view.known) == ((13, 2), (Hand(), Hand()))
    with pytest.raises(HistoryFault) as fault:  # three of the eleven cards that are not ones cannot be in a hand of two
        replay(Rules(), 0, [*ten, drew, Played(1, play_of("8-8-8"))])
    assert fault.value.index == 4
    late = [*ten, drew, Played(1, play_of("8-8")), Passed(0)]
    assert replay(Rules(), 0, late).hand_sizes == (13, 1)


def test_R24_a_hidden_seat_plays_its_face_up_cards_first() -> None:
    hand, (one, eight, nine) = hand_of("2 2 2 2 1 1 C C C C 9 9"), ranks_of("1 8 9")
    events: list[Event] = [
        Dealt(1, 1, one, (hand, None)),
        Played(1, play_of("3-3-4-4-5-5-6-6-7-7")),
        Passed(0),
        Drew(1, Source.FACE_UP, (eight, one), eight),
        Played(1, play_of("1")),
        Passed(0),
        Drew(1, Source.FACE_UP, (nine, eight), nine),
        Played(1, play_of("8")),
    ]
    view = replay(Rules(), 0, events)
    assert (view.hand_sizes, view.known) == ((14, 2), (Hand(), Hand()))
    with pytest.raises(HistoryFault) as fault:  # of its three cards one came face up, the others cannot be eights too
        replay(Rules(), 0, [*events[:-1], Played(1, play_of("8-8-8"))])
    assert fault.value.index == 7


def test_the_first_of_several_faults_is_told() -> None:
    deal, _ = act(Deal.start(Rules(), DECK, 0), *ACTIONS)
    events = list(seen(deal, 0))
    events[2] = Passed(0)  # out of turn
    events[9] = Drew(1, Source.FACE_UP, (None, None), 12)  # and a card that there is not
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 0, events)
    assert fault.value.index == 2


def test_R27_an_automatic_pass_is_due_exactly_where_no_possible_hand_can_follow() -> None:
    skip = Rules(automatic_turn_skip=True)
    deck = deck_with("C C C C 1 1 1 1 2 2 2 2", "5 5 5 5 6 6 6 6 7 7 7 7", draw="3 4 3 4")
    deal, _ = act(Deal.start(skip, deck, 0), "C-C-C-C")
    events = list(seen(deal, 1))
    assert replay(skip, 1, events).phase is Phase.DRAW
    for wrong in ([*events[:2]], [*events[:2], Passed(1)], [*events[:2], Played(1, play_of("5-5-5-5"))]):
        with pytest.raises(HistoryFault):
            replay(skip, 1, wrong)
    with pytest.raises(HistoryFault):
        replay(Rules(), 1, events)
    possible, _ = act(Deal.start(skip, deck, 0), "1")
    with pytest.raises(HistoryFault):
        replay(skip, 1, [*seen(possible, 1), Passed(1, automatic=True)])


def test_R19_there_are_six_draws() -> None:
    deal = Deal.start(Rules(), DECK, 0)
    for lead in ("1", "1", "1", "2", "2", "3"):
        deal, _ = act(deal, lead, "pass", "face_up")
    deal, _ = act(deal, "3", "pass")
    events = [*seen(deal, 1), Drew(0, Source.FACE_UP, (0, 1), None)]
    with pytest.raises(HistoryFault) as fault:
        replay(Rules(), 1, events)
    assert fault.value.index == len(events) - 1


def test_R26_the_passing_seat_draws_second_where_nothing_is_turned_up() -> None:
    blind = Rules(no_face_up_draw=True)
    deal, _ = act(Deal.start(blind, DECK, 0), "1", "pass")
    events = list(seen(deal, 1))
    assert replay(blind, 1, events).draw_pile == 10
    for wrong in (
        Drew(0, Source.FACE_UP, (None, 2), None),
        Drew(None, None, (8, 2), None),
        Drew(None, None, (None, 2), 4),
    ):
        with pytest.raises(HistoryFault) as fault:
            replay(blind, 1, [*events[:3], wrong])
        assert fault.value.index == 3
    with pytest.raises(HistoryFault):
        replay(blind, 1, events[:3])


def test_a_history_with_one_event_altered_is_refused_or_leads_to_another_view() -> None:
    refused = 0
    for seed in range(64):
        rng = random.Random(seed)
        *_, (deal, _) = some_deal(seed)
        for viewer in VIEWERS:
            events = list(seen(deal, viewer))
            index = rng.randrange(1, len(events))
            told = events[index]
            if isinstance(told, Played):
                events[index] = Played(told.seat, rng.choice(CATALOGUE))
            elif isinstance(told, Passed):
                events[index] = Passed(1 - told.seat)
            elif isinstance(told, Drew):
                events[index] = dataclasses.replace(told, drawn=(told.drawn[1], told.drawn[0]))
            else:
                events[index] = DealEnded(told.number, 1 - told.winner) if isinstance(told, DealEnded) else told
            if events[index] == told:
                continue
            place, view = outcome(deal, viewer, events)
            assert view != view_deal(deal, viewer)
            assert place is None or place >= index
            refused += place is not None
    assert refused > 100


def outcome(deal: Deal, viewer: int | None, events: list[Event]) -> tuple[int | None, DealView | None]:
    """The place of the fault, or the view that the events lead to."""
    try:
        return None, replay(deal.rules, viewer, events)
    except HistoryFault as fault:
        return fault.index, None
