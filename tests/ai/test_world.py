"""The compiled world against the engine, after every action of random deals.

CRISPS_LAW_DEALS sets the number of deals (default 400), spread over all eight option combinations.
"""

from __future__ import annotations

import numpy as np
import pytest

from ai.tables import WORDS, hand_of, slot_of, slots_of, thermometer
from ai.world import (
    HAND,
    TO_FOLLOW,
    counts_of,
    legal,
    reply_is_possible,
    step,
    thermometer_of,
    with_card,
    without,
    world_of,
)
from engine.actions import PLAYS
from engine.cards import Hand, other
from engine.combinations import CATALOGUE, Combination
from engine.deal import Deal, Phase
from engine.turn_skip import some_hand_can_follow, unseen_in_public
from tests.ai.moments import LAW_DEALS, T, scaled
from tests.engine.dealing import some_deal

PARTS = 4


def engine_reply_is_possible(deal: Deal) -> bool:
    assert deal.round.to_follow is not None
    assert deal.to_act is not None
    return some_hand_can_follow(
        deal.round.to_follow,
        unseen=unseen_in_public(deal.played, deal.face_up, deal.known),
        known=deal.known[deal.to_act],
        hand_size=deal.hands[deal.to_act].size,
        crisps_in_runs=deal.rules.crisps_in_runs,
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_kernels_and_engine_agree_after_every_action(part: int) -> None:
    words = np.zeros(WORDS, dtype=np.int64)
    moments = 0
    for seed in range(part, scaled(LAW_DEALS, 16 * PARTS), PARTS):
        course = list(some_deal(seed))
        world = world_of(course[0][0])
        for deal, action in course:
            assert world.tolist() == world_of(deal).tolist()
            count = legal(T, world, words)
            slots = slots_of(words)
            assert count == len(slots)
            assert slots == sorted((slot_of(a) for a in deal.legal_actions()), key=lambda slot: T[slot]["action"])
            if deal.phase is Phase.PLAY and deal.round.to_follow is not None:
                assert reply_is_possible(T, world) == engine_reply_is_possible(deal)
            if action is not None:
                step(T, world, slot_of(action))
            moments += 1
    assert moments > 100


def test_R27_the_sweep_meets_automatic_passes_and_deals_without_them() -> None:
    skipped = 0
    for seed in range(4, 240, 8):  # ALL_RULES[4] is crisps_in_runs alone, [5] adds automatic_turn_skip
        for part in (seed, seed + 1):
            course = list(some_deal(part))
            events = course[-1][0].events()
            automatic = sum(getattr(event, "automatic", False) for event in events)
            assert automatic == 0 or course[0][0].rules.automatic_turn_skip
            skipped += automatic
    assert skipped > 20


@pytest.mark.parametrize("combination", CATALOGUE, ids=repr)
def test_R24_known_cards_run_out_but_never_below_none(combination: Combination) -> None:
    play = PLAYS[combination.index]
    cards = play.combination.cards
    assert without(T, thermometer(cards), slot_of(play)) == 0
    for rank in set(cards):
        known = Hand.of([rank] + [(rank + 5) % 10] * 2)
        left = hand_of(without(T, thermometer(known), slot_of(play)))
        assert left == known - known.common(cards)


def test_cards_are_added_one_by_one() -> None:
    for rank in range(10):
        cards = 0
        for count in range(1, 5):
            cards = with_card(cards, rank)
            assert hand_of(cards) == Hand.of([rank] * count)


def test_counts_and_thermometers_are_inverse() -> None:
    for count in range(5):
        counts = int(f"{count}" * 10, 16)
        assert counts_of(thermometer_of(counts)) == counts
        assert hand_of(thermometer_of(counts)).counts == (count,) * 10


def test_a_world_holds_every_hand_of_its_deal() -> None:
    for seed in range(16):
        for deal, _ in some_deal(seed):
            world = world_of(deal)
            assert tuple(hand_of(world[HAND + seat]) for seat in (0, other(0))) == deal.hands
            assert world[TO_FOLLOW] == -1 or deal.phase is Phase.PLAY
