"""The table option no_face_up_draw (R26)."""

from __future__ import annotations

import pytest

from engine.actions import DRAW_FACE_UP, DRAW_PILE
from engine.cards import EMPTY
from engine.deal import Deal, Phase
from engine.errors import WrongPhase
from engine.events import Drew, Passed
from engine.notation import ranks_of
from engine.rules import Rules
from tests.engine.dealing import act, deck_with, some_deal

RULES = Rules(no_face_up_draw=True)
PILE = "9 3 5 6 2 2 8 4 7 1 6 C"
DECK = deck_with("1 1 1 2 2 3 3 4 4 5 7 7", "4 5 5 6 6 7 8 8 9 9 C C", draw=PILE)


def test_R26_nothing_is_turned_up_and_the_pile_has_twelve_cards() -> None:
    deal = Deal.start(RULES, DECK, 0)
    assert deal.face_up is None
    assert deal.draw_pile == ranks_of(PILE)
    assert deal.dealt().face_up is None


@pytest.mark.parametrize(("actions", "winner"), [(("1", "pass"), 0), (("1", "4", "pass"), 1)])
def test_R26_after_a_pass_the_seat_that_did_not_pass_draws_the_top_card_then_the_other(
    actions: tuple[str, ...], winner: int
) -> None:
    top, second = ranks_of("9 3")
    after, events = act(Deal.start(RULES, DECK, 0), *actions)
    drawn = (top, second) if winner == 0 else (second, top)
    assert events[-2:] == (Passed(1 - winner), Drew(None, None, drawn, None))
    assert all(after.hands[seat].count(drawn[seat]) for seat in (0, 1))
    assert (after.phase, after.to_act, after.round.number) == (Phase.PLAY, winner, 2)
    assert after.draw_pile == ranks_of(PILE)[2:]


def test_R26_there_is_no_draw_choice() -> None:
    deal, _ = act(Deal.start(RULES, DECK, 0), "1", "pass")
    for draw in (DRAW_FACE_UP, DRAW_PILE):
        with pytest.raises(WrongPhase):
            deal.apply(0, draw)


def test_R26_nothing_becomes_known_and_no_draw_phase_comes() -> None:
    for seed in range(24):
        for deal, _ in some_deal(seed, RULES):
            assert deal.known == (EMPTY, EMPTY)
            assert deal.phase is not Phase.DRAW


def test_R26_R19_once_the_pile_is_used_up_a_pass_brings_no_draw() -> None:
    deal = Deal.start(RULES, DECK, 0)
    for lead in ("1", "1", "1", "2", "2", "3"):
        assert deal.draw_pile
        deal, events = act(deal, lead, "pass")
        assert isinstance(events[-1], Drew)
    assert (deal.draw_pile, deal.draws) == ((), 6)
    after, events = act(deal, "3", "pass")
    assert events[-1] == Passed(1)
    assert (after.to_act, after.round.number) == (0, 8)


def test_R26_a_draw_tells_no_source_and_nobody_took_a_face_up_card() -> None:
    _, events = act(Deal.start(RULES, DECK, 0), "1", "pass")
    drew = events[-1]
    assert isinstance(drew, Drew)
    assert (drew.seat, drew.source, drew.taker) == (None, None, None)
