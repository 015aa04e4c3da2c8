"""The table option automatic_turn_skip (R27)."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.cards import EMPTY, Hand
from engine.deal import Deal, Phase
from engine.events import Drew, Passed, Played
from engine.notation import hand_of, play_of
from engine.rules import Rules
from engine.turn_skip import some_hand_can_follow, unseen_in_public
from tests.engine import naive
from tests.engine.dealing import act, deck_with, some_deal

SKIP = Rules(automatic_turn_skip=True)
QUAD = deck_with("C C C C 1 1 1 1 2 2 2 2", "5 5 5 5 6 6 6 6 7 7 7 7", draw="3 4 3 4")


def test_R27_after_a_quad_of_crisps_the_other_seat_passes_by_itself_and_the_draw_is_due() -> None:
    after, events = act(Deal.start(SKIP, QUAD, 0), "C-C-C-C")
    assert events == (Played(0, play_of("C-C-C-C")), Passed(1, automatic=True))
    assert (after.phase, after.to_act) == (Phase.DRAW, 0)


def test_R27_without_the_option_the_pass_has_to_be_said() -> None:
    after, events = act(Deal.start(Rules(), QUAD, 0), "C-C-C-C")
    assert len(events) == 1
    assert after.to_act == 1


def test_R27_R26_with_no_face_up_draw_the_cards_are_drawn_at_once_too() -> None:
    both = Rules(automatic_turn_skip=True, no_face_up_draw=True)
    after, events = act(Deal.start(both, QUAD, 0), "C-C-C-C")
    assert [type(event) for event in events] == [Played, Passed, Drew]
    assert (after.phase, after.to_act, after.round.number) == (Phase.PLAY, 0, 2)


def test_R27_the_real_hand_is_never_looked_at() -> None:
    # seat 1 holds no pair at all, but for all the public knows it could hold two nines
    deck = deck_with("8 8 1 1 1 2 2 2 3 3 3 4", "1 2 3 4 4 4 5 6 7 8 9 C")
    after, events = act(Deal.start(SKIP, deck, 0), "8-8")
    assert (after.to_act, len(events)) == (1, 1)
    assert [str(a) for a in after.legal_actions()] == ["Pass()"]


def test_R27_a_seat_that_could_only_follow_with_a_known_card_is_not_skipped() -> None:
    assert some_hand_can_follow(
        play_of("C"), unseen=hand_of("1-2-3"), known=hand_of("C"), hand_size=2, crisps_in_runs=False
    )


def test_R27_a_hand_too_small_for_what_would_follow_is_skipped() -> None:
    unseen = hand_of("5-5-6-6-7-7-8-8-9")
    stair = play_of("5-5-6-6")
    for size, expected in ((3, False), (4, True)):
        assert some_hand_can_follow(stair, unseen=unseen, known=EMPTY, hand_size=size, crisps_in_runs=False) is expected


def test_R27_known_cards_leave_less_room_for_others() -> None:
    unseen = hand_of("5-5-6-6-7-7-8-8-9")
    for known, expected in (("1", False), ("8", True), ("8-8", True), ("1-8", False)):
        possible = some_hand_can_follow(
            play_of("5-5-6-6"),
            unseen=unseen - hand_of(known).common(unseen),
            known=hand_of(known),
            hand_size=4,
            crisps_in_runs=False,
        )
        assert possible is expected, known


def test_R27_a_face_up_card_is_in_nobodys_hand() -> None:
    played, known = hand_of("C-C-C"), (EMPTY, EMPTY)
    assert unseen_in_public(played, 9, known).count(9) == 0
    assert unseen_in_public(played, None, known).count(9) == 1
    assert unseen_in_public(played, None, (hand_of("C"), EMPTY)).count(9) == 0
    assert unseen_in_public(EMPTY, 3, (hand_of("1"), hand_of("1-2"))) == Hand.from_counts([2, 3, 4, 3, *[4] * 6])


def test_R27_a_card_known_to_be_the_other_s_cannot_follow() -> None:
    left = unseen_in_public(hand_of("C-C-C"), None, (hand_of("C"), EMPTY))
    assert not some_hand_can_follow(
        play_of("C"),
        unseen=left - left.common(hand_of("1-1-1-1-2-2-2-2")),
        known=EMPTY,
        hand_size=2,
        crisps_in_runs=False,
    )


def test_R27_never_skips_a_leader_or_a_draw_choice() -> None:
    for seed in range(60):
        for deal, action in some_deal(seed, SKIP):
            if action is None:
                continue
            assert deal.to_act is not None
            _, events = deal.apply(deal.to_act, action)
            for event in events:
                if isinstance(event, Passed) and event.automatic:
                    assert isinstance(events[0], Played)
                    assert events[0].seat != event.seat


@pytest.mark.parametrize("runs", [False, True])
def test_R27_skips_exactly_when_trying_every_possible_hand_finds_none_that_follows(runs: bool) -> None:
    options = naive.Options(crisps_in_runs=runs, no_face_up_draw=True, automatic_turn_skip=True)
    answers = {True: 0, False: 0}
    for seed in range(0, 60, 2):
        for deal, _ in some_deal(seed, Rules(crisps_in_runs=runs)):
            follow = deal.round.to_follow
            if deal.phase is not Phase.PLAY or follow is None or deal.to_act is None or deal.draws < 6:
                continue
            hand, known = deal.hands[deal.to_act], deal.known[deal.to_act]
            if hand.size - known.size > 3:
                continue
            table = naive.Table(options, [[], []], None, [], deal.to_act)
            table.hands[deal.to_act] = list(hand)
            table.known = [Counter(cards) for cards in deal.known]
            table.played, table.on_table = list(deal.played), tuple(follow.cards)
            possible = some_hand_can_follow(
                follow,
                unseen=unseen_in_public(deal.played, None, deal.known),
                known=known,
                hand_size=hand.size,
                crisps_in_runs=runs,
            )
            assert possible == naive.could_follow_by_trying(table) == naive.could_follow(table)
            answers[possible] += 1
    assert min(answers.values()) >= 10, answers
