"""Hands weighted by what was done with them: each one explains the deal, and the weights are those of the policy."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from ai.advice import prepare
from ai.belief import (
    GREEDY,
    KINDS,
    STRAY,
    Belief,
    Growth,
    believed_world,
    likelihood,
    sample_hand,
    start_belief,
    weigh,
)
from ai.determinization import information_set
from ai.evaluation import Network, empty_scratch, empty_weights, shipped
from ai.features import rows_of_slots
from ai.greedy import greedy_slot
from ai.past import HIDDEN, past_of, rewind
from ai.players import WHOLE, foreign_deal, misled, player_of, weigh_all
from ai.tables import WORDS, IntArray, tables, thermometer
from ai.world import DRAWS, HAND, KNOWN, PHASE, PLAYED, TO_ACT, WORLD, legal, step, world_of
from engine.actions import ACTIONS
from engine.deal import Deal
from engine.observation import Observation
from engine.rules import Rules
from tests.ai.moments import decisions, mover, scaled
from tests.engine.dealing import shuffled

R = rows_of_slots()
T = tables()


def legal_slots(world: IntArray) -> int:
    words = np.zeros(WORDS, dtype=np.int64)
    return legal(T, world, words)


def is_legal(world: IntArray, slot: int) -> bool:
    words = np.zeros(WORDS, dtype=np.int64)
    legal(T, world, words)
    return bool(int(words[slot >> 6]) >> (slot & 63) & 1)


def moments_with_a_past(deals: int) -> list[Deal]:
    return [deal for deal in decisions(range(deals)) if deal.history]


def test_every_sampled_hand_explains_the_whole_deal() -> None:
    state = 7
    for deal in moments_with_a_past(scaled(50, 3)):
        seen = mover(deal)
        past, known = past_of(seen), information_set(seen)
        for _ in range(3):
            hand, state = sample_hand(known, state)
            world = np.zeros(WORLD, dtype=np.int64)
            state = rewind(past, seen.seat, hand, deal.draws, world, state)
            assert HIDDEN not in world[-12 : WORLD - 12 + 2 * deal.draws]
            for slot in past.slots.tolist():
                assert is_legal(world, slot)
                step(T, world, slot)
            truth = world_of(deal)
            assert int(world[HAND + 1 - seen.seat]) == hand
            same = [HAND + seen.seat, KNOWN, KNOWN + 1, PLAYED, PHASE, TO_ACT, DRAWS]
            assert [int(world[place]) for place in same] == [int(truth[place]) for place in same]


def test_with_equal_values_a_choice_is_as_likely_as_any_other() -> None:
    net, compared = empty_weights().actions, 0
    for deal in moments_with_a_past(scaled(20, 2)):
        seen = mover(deal)
        past = past_of(seen)
        world = np.zeros(WORLD, dtype=np.int64)
        rewind(past, seen.seat, thermometer(deal.hands[1 - seen.seat]), deal.draws, world, 5)
        expected = by_rules = 1.0
        again = world.copy()
        for slot in past.slots.tolist():
            size = int(again[HAND + again[TO_ACT]]).bit_count()
            if again[TO_ACT] != seen.seat and legal_slots(again) > 1:
                follows = greedy_slot(T, again, np.zeros(WORDS, dtype=np.int64)) == slot
                by_rules *= STRAY / legal_slots(again) + (1 - STRAY) * follows
                plays_all = any(ACTIONS[i].combination.size == size for i in _plays(again))  # type: ignore[union-attr]
                if plays_all:
                    expected = math.nan
                    break
                expected *= max(1 / legal_slots(again), 0.03)
            step(T, again, slot)
        found = likelihood(net, T, R, past, seen.seat, world, np.zeros(2, dtype=np.int64), empty_scratch())
        if not math.isnan(expected):
            assert found == pytest.approx((expected, by_rules))
            compared += 1
    assert compared


def _plays(world: IntArray) -> list[int]:
    words = np.zeros(WORDS, dtype=np.int64)
    legal(T, world, words)
    slots = [64 * w + b for w in range(WORDS) for b in range(63) if int(words[w]) >> b & 1]
    return [int(T["action"][slot]) for slot in slots if T["action"][slot] >= 3]


@pytest.mark.jit
def test_who_is_misled_weighs_its_hands_by_another_deals_past() -> None:
    seen = next(mover(deal) for deal in moments_with_a_past(30) if len(deal.history) > 10)
    own = prepare(seen, WHOLE, 1, 5)
    weights = weigh_all(own).copy()
    control = misled(seen, 1, 5)
    foreign = prepare(foreign_deal(len(own.belief.past.slots), 5), WHOLE, 1, 5)
    assert control.belief.hands.tolist() == own.belief.hands.tolist()
    assert control.belief.sums.tolist() == weigh_all(foreign).tolist() != weights.tolist()
    assert len(set(np.diff(weights).tolist())) > 10


def test_believed_worlds_hold_the_hands_by_weight_and_agree_with_what_is_known() -> None:
    rng = random.Random(2)
    deal = rng.choice([deal for deal in moments_with_a_past(scaled(30, 3)) if deal.draws in {2, 3}])
    seen = mover(deal)
    known = information_set(seen)
    sums, counted = np.array([0.2, 1.0, 1.0, 1.0, 1.8, 1.8, 1.8, 2.0]), np.array([4])
    belief = Belief(past_of(seen), Growth(4, 1, 4), np.zeros(4, dtype=np.int64), sums, counted)
    state = 3
    for k in range(4):
        belief.hands[k], state = sample_hand(known, state)
    counts: dict[int, int] = {}
    greedy = 0
    n = scaled(4000, 400)
    for _ in range(n):
        world = np.zeros(WORLD, dtype=np.int64)
        kind, state = believed_world(known, belief, world, state)
        greedy += kind == GREEDY
        hand = int(world[HAND + 1 - seen.seat])
        counts[hand] = counts.get(hand, 0) + 1
        assert hand.bit_count() == seen.opponent_hand_size
    expected: dict[int, float] = {}
    for hand, weight in zip(belief.hands.tolist(), (0.5, 0.0, 0.4, 0.1), strict=True):
        expected[hand] = expected.get(hand, 0.0) + weight
    for hand, weight in expected.items():
        assert counts.get(hand, 0) / n == pytest.approx(weight, abs=0.06)
    assert greedy / n == pytest.approx(0.5, abs=0.08)


def test_the_same_seed_gives_the_same_belief_in_one_go_or_in_two() -> None:
    seen = mover(moments_with_a_past(3)[-1])
    net = empty_weights().actions
    room, memory, scratch = np.zeros(WORLD, dtype=np.int64), np.zeros(2, dtype=np.int64), empty_scratch()
    beliefs = []
    for goes in ((20,), (7, 20)):
        known, belief, state = information_set(seen), start_belief(seen, Growth(20, 1, 20)), 11
        for upto in goes:
            state = weigh(net, T, R, known, belief, upto, room, memory, scratch, state)
        beliefs.append((belief.hands.tolist(), belief.sums.tolist(), state))
        assert belief.counted[0] == 20
        assert all(weight > 0 for weight in np.diff(belief.sums, prepend=0.0))
    assert beliefs[0] == beliefs[1]


def chance_of_greedy(seen: Observation, net: Network) -> float:
    """How likely the other seat plays by rules of thumb, after what it did in this deal."""
    hands = scaled(200, 20)
    known, belief = information_set(seen), start_belief(seen, Growth(hands, 1, hands))
    weigh(net, T, R, known, belief, hands, np.zeros(WORLD, np.int64), np.zeros(2, np.int64), empty_scratch(), 5)
    weights = np.diff(belief.sums, prepend=0.0).reshape(hands, KINDS)
    return float(weights[:, GREEDY].sum() / weights.sum())


@pytest.mark.parametrize(("name", "least", "most"), [("greedy", 0.8, 1.0), ("net", 0.0, 0.1)])
def test_the_kind_of_player_shows_in_what_it_did(name: str, least: float, most: float) -> None:
    rivals = (player_of("net"), player_of(name))
    told = []
    for number in range(scaled(30, 6)):
        rng = random.Random(f"kind {number}")
        deal = last = Deal.start(Rules(), shuffled(rng), number % 2)
        while deal.to_act is not None:
            last = deal if deal.to_act == 0 else last
            deal, _ = deal.apply(deal.to_act, rivals[deal.to_act](deal, 0))
        told.append(chance_of_greedy(mover(last), shipped().actions))
    assert least <= sum(told) / len(told) <= most
