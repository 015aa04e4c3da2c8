"""Setting up a deal (R3-R5)."""

from __future__ import annotations

import random

import pytest

from engine.cards import EMPTY, FULL_DECK, Hand
from engine.deal import Deal, Phase, Round
from engine.errors import InvalidDeck
from engine.events import Dealt
from engine.notation import deck_of
from engine.rules import Rules
from tests.engine.dealing import ALL_RULES, name_of, shuffled

DECK = deck_of("2 5 8 2 9 5 8 3 5 9 2 5 8 C 6 1 4 C 6 4 4 9 1 3 3 C 1 3 7 7 7 C 6 6 2 1 4 7 8 9")


def test_R3_each_seat_gets_twelve_cards_in_the_deck_s_order() -> None:
    deal = Deal.start(Rules(), DECK, starter=0)
    assert deal.hands == (Hand.of(DECK[:12]), Hand.of(DECK[12:24]))
    assert [hand.size for hand in deal.hands] == [12, 12]


def test_R4_four_cards_are_set_aside() -> None:
    assert Deal.start(Rules(), DECK, starter=0).set_aside == DECK[24:28]


def test_R5_one_card_is_turned_up_and_eleven_are_the_draw_pile() -> None:
    deal = Deal.start(Rules(), DECK, starter=0)
    assert deal.face_up == DECK[28]
    assert deal.draw_pile == DECK[29:]
    assert len(deal.draw_pile) == 11


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
@pytest.mark.parametrize("starter", [0, 1])
def test_R3_a_deal_begins_with_the_starter_s_lead_and_nothing_played_or_known(rules: Rules, starter: int) -> None:
    deal = Deal.start(rules, DECK, starter, number=4)
    assert (deal.to_act, deal.phase, deal.round) == (starter, Phase.PLAY, Round(1, starter))
    assert (deal.played, deal.known, deal.draws, deal.winner, deal.is_over) == (EMPTY, (EMPTY, EMPTY), 0, None, False)
    face_up = None if rules.no_face_up_draw else DECK[28]
    assert deal.events() == (deal.dealt(),) == (Dealt(4, starter, face_up, deal.hands),)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_R3_R4_R5_all_forty_cards_are_somewhere(rules: Rules) -> None:
    deal = Deal.start(rules, shuffled(random.Random(7)), 0)
    face_up = [] if deal.face_up is None else [deal.face_up]
    assert Hand.of([*deal.hands[0], *deal.hands[1], *deal.set_aside, *face_up, *deal.draw_pile]) == FULL_DECK


@pytest.mark.parametrize("deck", [DECK[:-1], (*DECK[:-1], DECK[0]), (*DECK, 0), ()])
def test_R1_a_deal_needs_the_forty_cards(deck: tuple[int, ...]) -> None:
    with pytest.raises(InvalidDeck):
        Deal.start(Rules(), deck, 0)
