"""The tables say what the engine's catalogue says."""

from __future__ import annotations

import random

import pytest

from ai.tables import NO_ACTION, WORDS, action_of, hand_of, slot_of, tables, thermometer
from engine.actions import ACTIONS, PLAYS
from engine.cards import FULL_DECK, Hand
from engine.combinations import CATALOGUE, Combination, can_follow


def test_every_action_has_a_slot_of_its_own() -> None:
    slots = [slot_of(action) for action in ACTIONS]
    assert len(set(slots)) == len(ACTIONS)
    assert [action_of(slot) for slot in slots] == list(ACTIONS)
    assert sum(tables()["action"] != NO_ACTION) == len(ACTIONS)


def test_a_slot_of_no_action_is_refused() -> None:
    with pytest.raises(KeyError):
        action_of(50)


@pytest.mark.parametrize("combination", CATALOGUE, ids=repr)
def test_R12_to_R15_follow_bits_are_can_follow(combination: Combination) -> None:
    slot = slot_of(PLAYS[combination.index])
    row = tables()[slot]
    for following in CATALOGUE:
        place = slot_of(PLAYS[following.index])
        bits = int(row["follow_groups" if place < 64 else "follow_runs"])
        allowed = bits >> place % 64 & 1 and (place < 64 or place // 64 == slot // 64)
        assert bool(allowed) == can_follow(combination, following)


@pytest.mark.parametrize("combination", CATALOGUE, ids=repr)
def test_a_row_describes_its_combination(combination: Combination) -> None:
    row = tables()[slot_of(PLAYS[combination.index])]
    assert hand_of(row["cards"]) == combination.cards
    assert (row["copies"], row["length"]) == (combination.kind.copies, combination.length)
    assert int(row["span"]) == sum(15 << 4 * rank for rank in set(combination.cards))


def test_thermometers_turn_back_into_hands() -> None:
    rng = random.Random(3)
    for _ in range(500):
        hand = Hand.of(rng.sample(list(FULL_DECK), rng.randrange(41)))
        assert hand_of(thermometer(hand)) == hand


def test_no_action_needs_more_words_than_there_are() -> None:
    assert max(slot_of(action) for action in ACTIONS) < 64 * WORDS
