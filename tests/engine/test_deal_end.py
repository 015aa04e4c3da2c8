"""The end of a deal (R20)."""

from __future__ import annotations

from engine.deal import Deal, Phase
from engine.events import DealEnded, Passed, Played
from engine.notation import cards_text, play_of
from engine.rules import Rules
from tests.engine.dealing import act, deck_with

STAIR = "1-1-2-2-3-3-4-4-5-5-6-6"
ALL_TWELVE = deck_with(STAIR)


def test_R20_the_last_card_ends_the_deal_at_once_without_answer_or_draw() -> None:
    deal = Deal.start(Rules(), ALL_TWELVE, 0, number=3)
    over, events = act(deal, STAIR)
    assert events == (Played(0, play_of(STAIR)), DealEnded(3, 0))
    assert (over.winner, over.is_over, over.to_act, over.phase) == (0, True, None, Phase.FINISHED)
    assert (over.draws, len(over.draw_pile), over.face_up) == (0, 11, deal.face_up)
    assert list(over.legal_actions()) == []
    assert over.hands[1] == deal.hands[1]


def test_R20_a_seat_that_keeps_a_card_has_not_ended_the_deal() -> None:
    deal = Deal.start(Rules(), ALL_TWELVE, 0)
    after, events = act(deal, "1-1-2-2-3-3-4-4-5-5")
    assert not after.is_over
    assert (after.winner, after.to_act) == (None, 1)
    assert events == (Played(0, play_of("1-1-2-2-3-3-4-4-5-5")),)


def test_R20_the_drawn_cards_have_to_be_played_too() -> None:
    deal = Deal.start(Rules(), deck_with(STAIR, draw="9 C 8 7"), 0)
    after, _ = act(deal, "1-1-2-2-3-3-4-4-5-5", "pass", "face_up", "6-6")
    assert cards_text(after.hands[0]) == "9"
    after, _ = act(after, "pass", "face_up", "9")
    assert cards_text(after.hands[0]) == "8"
    after, events = act(after, "pass", "draw_pile")
    assert not after.is_over
    assert not any(isinstance(event, DealEnded) for event in events)


def test_R20_the_follower_ends_the_deal_with_its_last_card_just_so() -> None:
    deck = deck_with("1-1-2-2-3-3-4-4-5-8-9-C", "2-2-3-3-4-4-5-5-6-6-7-9", draw="5-6-1-1")
    after, _ = act(Deal.start(Rules(), deck, 0), "1-1-2-2-3-3-4-4", "2-2-3-3-4-4-5-5", "pass", "draw_pile")
    assert [cards_text(hand) for hand in after.hands] == ["5-5-8-9-C", "6-6-6-7-9"]
    after, _ = act(after, "6-6-6", "pass", "face_up", "1", "5", "7", "8")
    assert [cards_text(hand) for hand in after.hands] == ["1-5-9-C", "9"]
    over, events = act(after, "9")
    assert events == (Played(1, play_of("9")), DealEnded(1, 1))
    assert (over.winner, over.draws) == (1, 2)


def test_R20_the_last_card_is_no_matter_for_automatic_turn_skip() -> None:
    _, events = act(Deal.start(Rules(automatic_turn_skip=True), ALL_TWELVE, 0), STAIR)
    assert not any(isinstance(event, Passed) for event in events)
