"""Leading, following and passing, and every refusal (R11-R17)."""

from __future__ import annotations

import pytest

from engine.actions import DRAW_FACE_UP, DRAW_PILE, PASS, PLAYS, Action, Play
from engine.cards import CRISP
from engine.deal import Deal, Phase, Round
from engine.errors import (
    CardsNotInHand,
    DoesNotFollow,
    GameFinished,
    IllegalAction,
    LeaderMayNotPass,
    NotACombination,
    NotYourTurn,
    WrongPhase,
)
from engine.events import Passed, Played
from engine.notation import action_of, action_text, hand_of, play_of, ranks_of
from engine.rules import Rules
from tests.engine.dealing import act, deck_with

HANDS = deck_with("1 1 1 4 5 6 7 7 7 7 C C", "1 2 2 3 3 6 6 8 8 8 9 C", draw="5 9")


@pytest.fixture
def deal() -> Deal:
    return Deal.start(Rules(), HANDS, starter=0)


def plays_of(deal: Deal) -> set[str]:
    return {action_text(action) for action in deal.legal_actions()}


def test_R11_the_leader_may_lead_any_combination_of_its_hand_standard_or_special(deal: Deal) -> None:
    runs = {"4-5-6", "5-6-7", "4-5-6-7"}
    same = {"1", "4", "5", "6", "7", "C", "1-1", "7-7", "C-C", "1-1-1", "7-7-7", "7-7-7-7"}
    assert plays_of(deal) == runs | same


def test_R11_the_leader_may_not_pass(deal: Deal) -> None:
    assert PASS not in deal.legal_actions()
    with pytest.raises(LeaderMayNotPass) as refusal:
        deal.apply(0, PASS)
    assert refusal.value.clause == "R11"


def test_R11_a_special_may_be_led(deal: Deal) -> None:
    after, _ = act(deal, "1-1-1")
    assert plays_of(after) == {"8-8-8", "pass"}


def test_R12_the_other_seat_follows_with_equal_or_higher_rank(deal: Deal) -> None:
    after, events = act(deal, "6")
    assert plays_of(after) == {"6", "8", "9", "C", "pass"}
    assert events == (Played(0, play_of("6")),)
    assert (after.to_act, after.phase) == (1, Phase.PLAY)
    assert after.round == Round(1, 0, ((0, play_of("6")),))


def test_R12_seats_alternate_until_one_passes(deal: Deal) -> None:
    after, _ = act(deal, "5", "6", "6", "8", "C")
    assert [seat for seat, _ in after.round.plays] == [0, 1, 0, 1, 0]
    assert after.to_act == 1


def test_R13_a_special_may_follow_a_single_crisp_and_a_pair_of_crisps(deal: Deal) -> None:
    single, _ = act(deal, "C")
    assert plays_of(single) == {"C", "8-8-8", "pass"}
    pair, _ = act(deal, "C-C")
    assert plays_of(pair) == {"8-8-8", "pass"}


def test_R13_a_special_may_not_follow_any_other_standard_combination(deal: Deal) -> None:
    after, _ = act(deal, "7-7")
    with pytest.raises(DoesNotFollow):
        after.apply(1, action_of("8-8-8"))


def test_R14_a_quad_may_follow_any_triple_and_a_triple_a_lower_one(deal: Deal) -> None:
    after, _ = act(deal, "C", "8-8-8")
    assert plays_of(after) == {"7-7-7-7", "pass"}
    higher = Deal.start(Rules(), deck_with("7 7 7", "8 8 8 9 9 9 9"), 0)
    assert plays_of(act(higher, "7-7-7")[0]) == {"8-8-8", "9-9-9", "9-9-9-9", "pass"}


def test_R15_after_a_quad_of_crisps_only_a_pass_is_left() -> None:
    deal = Deal.start(Rules(), deck_with("C C C C", "9 9 9 9 1 1 2 2 3 3 4 4"), 0)
    assert plays_of(act(deal, "C-C-C-C")[0]) == {"pass"}
    assert plays_of(act(deal, "C-C-C")[0]) == {"9-9-9-9", "pass"}


def test_R16_who_can_follow_may_pass_all_the_same(deal: Deal) -> None:
    after, events = act(deal, "4", "pass")
    assert events[-1] == Passed(1, automatic=False)
    assert after.phase is Phase.DRAW


def test_R16_who_cannot_follow_must_pass(deal: Deal) -> None:
    after, _ = act(deal, "4-5-6-7")
    assert plays_of(after) == {"pass"}
    assert after.to_act == 1, "without the option nobody is passed over"


def test_R17_a_pass_ends_the_round_and_the_other_seat_leads_the_next(deal: Deal) -> None:
    led, _ = act(deal, "4", "6", "pass", "draw_pile")
    assert (led.round, led.to_act) == (Round(2, 1), 1)
    followed, _ = act(deal, "4", "pass", "draw_pile")
    assert (followed.round, followed.to_act) == (Round(2, 0), 0)


def test_R17_the_round_that_a_pass_ended_stays_visible_while_the_draw_is_due(deal: Deal) -> None:
    after, _ = act(deal, "4", "pass")
    assert after.round == Round(1, 0, ((0, play_of("4")),))


REFUSALS: list[tuple[tuple[str, ...], int, Action, type[IllegalAction]]] = [
    ((), 1, PASS, NotYourTurn),
    ((), 1, action_of("1"), NotYourTurn),
    ((), 0, DRAW_PILE, WrongPhase),
    ((), 1, DRAW_PILE, WrongPhase),
    ((), 0, action_of("9"), CardsNotInHand),
    ((), 0, action_of("C-C-C"), CardsNotInHand),
    (("4",), 0, action_of("5"), NotYourTurn),
    (("4",), 1, action_of("4"), CardsNotInHand),
    (("4",), 1, action_of("1"), DoesNotFollow),
    (("4",), 1, action_of("6-6"), DoesNotFollow),
    (("4",), 1, action_of("8-8-8"), DoesNotFollow),
    (("4",), 1, action_of("9-9"), CardsNotInHand),  # neither in hand nor able to follow
    (("4",), 1, DRAW_FACE_UP, WrongPhase),
    (("4", "pass"), 1, DRAW_FACE_UP, NotYourTurn),
    (("4", "pass"), 0, PASS, WrongPhase),
    (("4", "pass"), 1, PASS, WrongPhase),
    (("4", "pass"), 0, action_of("5"), WrongPhase),
    (("4", "pass", "face_up"), 0, PASS, LeaderMayNotPass),
    (("4", "pass", "face_up"), 1, PASS, NotYourTurn),
]


@pytest.mark.parametrize(("before", "seat", "action", "error"), REFUSALS)
def test_R11_to_R18_what_is_not_allowed_is_refused_and_changes_nothing(
    deal: Deal, before: tuple[str, ...], seat: int, action: Action, error: type[IllegalAction]
) -> None:
    deal, _ = act(deal, *before)
    copy = Deal.start(Rules(), HANDS, 0)
    copy, _ = act(copy, *before)
    with pytest.raises(IllegalAction) as refusal:
        deal.apply(seat, action)
    assert type(refusal.value) is error
    assert refusal.value.clause
    assert refusal.value.detail == str(refusal.value)
    assert deal == copy


def test_R28_a_run_with_a_crisp_is_no_combination_without_the_option() -> None:
    deal = Deal.start(Rules(), deck_with("8 9 C 1"), 0)
    with pytest.raises(NotACombination):
        deal.apply(0, action_of("8-9-C", crisps_in_runs=True))


def test_R20_after_its_end_a_deal_refuses_every_action() -> None:
    deal = Deal.start(Rules(), deck_with("1 1 2 2 3 3 4 4 5 5 6 6"), 0)
    over, _ = act(deal, "1-1-2-2-3-3-4-4-5-5-6-6")
    for action in (PASS, DRAW_PILE, PLAYS[0]):
        for seat in (0, 1):
            with pytest.raises(GameFinished) as refusal:
                over.apply(seat, action)
            assert refusal.value.clause == "R20"
    with pytest.raises(GameFinished):
        over.apply_unchecked(PASS)


def test_cards_become_the_play_that_they_make(deal: Deal) -> None:
    assert deal.play_of(0, ranks_of("6-4-5")) == Play(play_of("4-5-6"))
    following, _ = act(deal, "7-7")
    assert following.play_of(1, ranks_of("3-3")) == Play(play_of("3-3")), "whether it follows is asked later"


@pytest.mark.parametrize(
    ("before", "seat", "cards", "error"),
    [
        ((), 1, "1", NotYourTurn),
        ((), 0, "9", CardsNotInHand),
        ((), 0, "1 4 9", CardsNotInHand),
        ((), 0, "7 7 7 7 7", CardsNotInHand),
        ((), 0, "1 4", NotACombination),
        ((), 0, "", NotACombination),
        (("4", "pass"), 0, "1", WrongPhase),
        (("4", "pass"), 1, "9 9", WrongPhase),
    ],
)
def test_R10_cards_that_cannot_be_a_play_now_are_refused(
    deal: Deal, before: tuple[str, ...], seat: int, cards: str, error: type[IllegalAction]
) -> None:
    deal, _ = act(deal, *before)
    with pytest.raises(error):
        deal.play_of(seat, ranks_of(cards))


def test_R28_cards_of_a_run_with_a_crisp_are_a_play_only_with_the_option() -> None:
    deck = deck_with("8 9 C 1")
    with pytest.raises(NotACombination):
        Deal.start(Rules(), deck, 0).play_of(0, (7, 8, CRISP))
    made = Deal.start(Rules(crisps_in_runs=True), deck, 0).play_of(0, (7, 8, CRISP))
    assert made.combination.cards == hand_of("8-9-C")
