"""Worlds sampled from an observation agree with it, and every one of them is equally likely."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

import numpy as np
import pytest

from ai.determinization import (
    FIRST,
    OTHERS,
    UNSEEN,
    InformationSet,
    conceal,
    determinize,
    empty_information,
    full_information,
    information_set,
)
from ai.tables import IntArray, hand_of
from ai.world import CARDS, DRAWS, HAND, TO_ACT, TURN_SKIP, WORLD, world_of
from engine.cards import FULL_DECK, Hand, other
from engine.observation import observe, view_deal
from tests.ai.moments import LAW_DEALS, deal_of, decisions, endgame, mover, scaled

Key = TypeVar("Key", bound=Hashable)


def new_world() -> IntArray:
    return np.zeros(WORLD, dtype=np.int64)


@pytest.mark.parametrize("part", range(8))
def test_R24_R25_a_sampled_world_looks_like_the_real_one_to_its_seat(part: int) -> None:
    world, state, looked = new_world(), 5, 0
    for seed in range(part, max(LAW_DEALS // 4, 64), 8):
        for deal in decisions(range(seed, seed + 1)):
            seen = mover(deal)
            known = information_set(seen)
            for _ in range(2):
                state = determinize(known, world, state)
                sampled = deal_of(world, seen.now)
                assert view_deal(sampled, seen.seat) == seen.now
                assert sampled.hands[other(seen.seat)].contains(seen.opponent_known)
                looked += 1
    assert looked > 100


def test_R1_R4_a_sampled_world_leaves_four_cards_of_the_deck_aside() -> None:
    world, state = new_world(), 5
    for deal in decisions(range(24)):
        state = determinize(information_set(mover(deal)), world, state)
        to_draw = [int(rank) for rank in world[CARDS + 2 * int(world[DRAWS]) :]]
        counts = Counter(to_draw) + Counter(deal.played)
        counts += Counter(hand_of(world[HAND])) + Counter(hand_of(world[HAND + 1]))
        aside = Counter(FULL_DECK)
        aside.subtract(counts)
        assert min(aside.values()) >= 0
        assert aside.total() == 4


def test_the_unseen_cards_are_the_observations() -> None:
    for deal in decisions(range(40)):
        seen = mover(deal)
        known = information_set(seen)
        count = int(known.sizes[UNSEEN])
        assert Hand.of(int(rank) for rank in known.unseen[:count]) == seen.unseen()
        drawn = WORLD - int(known.sizes[FIRST])
        assert drawn == seen.now.draw_pile
        assert count == int(known.sizes[OTHERS]) + drawn + 4


def test_hidden_cards_leave_no_trace_in_what_a_seat_knows() -> None:
    rng = random.Random(4)
    for deal in decisions(range(40)):
        assert deal.to_act is not None
        seat, real = deal.to_act, world_of(deal)
        twin = real.copy()
        twin[HAND + other(seat)] = rng.randrange(2**40)
        lying = deal.face_up is not None
        for place in range(CARDS + 2 * deal.draws + lying, WORLD):
            twin[place] = rng.randrange(10)
        one, two = empty_information(), empty_information()
        conceal(real, seat, deal.hands[other(seat)].size, one)
        conceal(twin, seat, deal.hands[other(seat)].size, two)
        assert all((a == b).all() for a, b in zip(one, two, strict=True))


def test_an_observation_and_a_concealed_world_are_the_same_knowledge() -> None:
    for deal in decisions(range(40)):
        seen = mover(deal)
        known, concealed = information_set(seen), empty_information()
        conceal(world_of(deal), seen.seat, seen.opponent_hand_size, concealed)
        # drawn cards are history that nothing asks for, and an observation does not keep their order
        first = CARDS + 2 * deal.draws
        concealed.template[CARDS:first] = 0
        assert all((a == b).all() for a, b in zip(known, concealed, strict=True))


def test_who_sees_everything_samples_the_real_world() -> None:
    world = new_world()
    for deal in decisions(range(16)):
        real = world_of(deal)
        assert deal.to_act is not None
        assert determinize(full_information(real, deal.to_act), world, 8) == 8
        real[TURN_SKIP] = 0
        assert world.tolist() == real.tolist()


def chi_square(seen: Counter[Key], expected: dict[Key, float]) -> float:
    assert set(seen) <= set(expected)
    return sum((seen[key] - count) ** 2 / count for key, count in expected.items())


def samples(known: InformationSet, n: int) -> list[IntArray]:
    state, worlds = 77, []
    for _ in range(n):
        world = new_world()
        state = determinize(known, world, state)
        worlds.append(world)
    return worlds


def test_every_hand_is_as_likely_as_the_ways_to_deal_it() -> None:
    known = information_set(mover(endgame("5-5-5-5", "1-2")))
    unseen = sorted(int(rank) for rank in known.unseen[: int(known.sizes[UNSEEN])])
    assert len(unseen) == 6
    n = scaled(60_000, 3_000)
    ways = Counter(tuple(sorted(pair)) for pair in itertools.combinations(unseen, 2))
    expected = {hand: n * count / ways.total() for hand, count in ways.items()}
    seen = Counter(tuple(hand_of(world[HAND + 1])) for world in samples(known, n))
    assert chi_square(seen, expected) < len(expected) + 4 * (2 * len(expected)) ** 0.5


def test_every_place_of_the_pile_gets_every_unseen_card_equally_often() -> None:
    deal = next(deal for deal in decisions(range(0, 80, 8)) if deal.draws == 3)
    seen = mover(deal)
    n = scaled(20_000, 2_000)
    unseen = seen.unseen()
    worlds = samples(information_set(seen), n)
    for place in range(WORLD - seen.now.draw_pile, WORLD):
        drawn = Counter((int(world[place]),) for world in worlds)
        expected = {(rank,): n * unseen.count(rank) / unseen.size for rank in set(unseen)}
        assert chi_square(drawn, expected) < len(expected) + 5 * (2 * len(expected)) ** 0.5


def test_a_waiting_seat_knows_its_part_too() -> None:
    for deal in decisions(range(16)):
        assert deal.to_act is not None
        waiting = other(deal.to_act)
        seen, world = observe(deal, waiting), new_world()
        determinize(information_set(seen), world, 3)
        assert world[TO_ACT] == deal.to_act
        assert view_deal(deal_of(world, seen.now), waiting) == seen.now
