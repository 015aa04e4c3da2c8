"""What a pass leads to: both seats draw, until the pile is used up (R17-R19)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine.actions import DRAW_FACE_UP, DRAW_PILE
from engine.deal import Deal, Phase
from engine.events import Drew
from engine.notation import ranks_of
from engine.rules import Rules
from tests.engine.dealing import ALL_RULES, act, deck_with, name_of, some_deal

PILE = "9 3 5 6 2 2 8 4 7 1 6 C"
DECK = deck_with("1 1 1 2 2 3 3 4 4 5 7 7", "4 5 5 6 6 7 8 8 9 9 C C", draw=PILE)


def drawn(deal: Deal, seat: int, before: Deal) -> Counter[int]:
    return Counter(deal.hands[seat]) - Counter(before.hands[seat])


@pytest.mark.parametrize(("source", "own", "others"), [("face_up", "9", "3"), ("draw_pile", "3", "9")])
def test_R18_the_seat_that_did_not_pass_chooses_and_the_other_takes_what_is_left(
    source: str, own: str, others: str
) -> None:
    before, _ = act(Deal.start(Rules(), DECK, 0), "1", "pass")
    assert (before.to_act, before.phase) == (0, Phase.DRAW)
    assert list(before.legal_actions()) == [DRAW_FACE_UP, DRAW_PILE]
    after, events = act(before, source)
    assert drawn(after, 0, before) == Counter(ranks_of(own))
    assert drawn(after, 1, before) == Counter(ranks_of(others))
    assert isinstance(events[0], Drew)
    assert events[0].drawn == (*ranks_of(own), *ranks_of(others))
    assert (events[0].seat, events[0].source) == (0, source)


def test_R18_the_follower_chooses_when_the_leader_passed() -> None:
    before, _ = act(Deal.start(Rules(), DECK, 0), "1", "4", "pass")
    after, events = act(before, "draw_pile")
    assert drawn(after, 1, before) == Counter(ranks_of("3"))
    assert drawn(after, 0, before) == Counter(ranks_of("9"))
    assert isinstance(events[0], Drew)
    assert (events[0].seat, events[0].taker) == (1, 0)


def test_R18_the_new_top_of_the_pile_is_turned_up_before_the_next_lead() -> None:
    after, events = act(Deal.start(Rules(), DECK, 0), "1", "pass", "face_up")
    assert isinstance(events[-1], Drew)
    assert events[-1].face_up == after.face_up == ranks_of("5")[0]
    assert after.draw_pile == ranks_of("6 2 2 8 4 7 1 6 C")
    assert (after.phase, after.to_act) == (Phase.PLAY, 0)


def test_R18_drawing_is_a_duty() -> None:
    before, _ = act(Deal.start(Rules(), DECK, 0), "1", "pass")
    assert len(before.legal_actions()) == 2


def test_R19_six_draws_use_up_the_twelve_cards_and_then_rounds_follow_without_draws() -> None:
    deal = Deal.start(Rules(), DECK, 0)
    sizes, events = [], deal.events()
    for lead in ("1", "1", "1", "2", "2", "3"):
        deal, events = act(deal, lead, "pass", "face_up")
        sizes.append((deal.draws, deal.face_up is not None, len(deal.draw_pile)))
    assert sizes == [(1, True, 9), (2, True, 7), (3, True, 5), (4, True, 3), (5, True, 1), (6, False, 0)]
    assert isinstance(events[-1], Drew)
    assert events[-1].face_up is None
    assert [hand.size for hand in deal.hands] == [12, 18]
    later, events = act(deal, "3", "pass")
    assert (later.phase, later.to_act, later.round.number) == (Phase.PLAY, 0, 8)
    assert [type(event).__name__ for event in events] == ["Played", "Passed"]
    assert later.hands[1] == deal.hands[1]


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_R19_no_deal_exceeds_six_draws_sixty_eight_turns_or_eighteen_cards(rules: Rules) -> None:
    for seed in range(0, 48, 3):
        turns = 0
        for deal, action in some_deal(seed, rules):
            assert deal.draws <= 6
            assert max(hand.size for hand in deal.hands) <= 18
            turns += action is not None and deal.phase is Phase.PLAY
        assert turns <= 68


def test_R19_the_longest_deal_is_led_card_by_card_and_always_passed() -> None:
    rng, deal, turns = random.Random(0), Deal.start(Rules(), DECK, 0), 0
    while (seat := deal.to_act) is not None:
        legal = list(deal.legal_actions())
        if deal.phase is Phase.DRAW:
            deal, _ = deal.apply(seat, rng.choice(legal))
        else:  # the lowest single, or a pass
            deal, _ = deal.apply(seat, legal[0] if deal.round.to_follow is None else legal[-1])
            turns += 1
    assert turns == 2 * 18 - 1, "the last card is never answered"
