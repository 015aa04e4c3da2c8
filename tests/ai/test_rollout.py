"""Random play: the compiled rollout against the same rollout played with the engine, draw for draw."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from ai.bits import advance, below
from ai.rollout import random_lead, rollout
from ai.tables import ALL_RANKS, BASE_RANKS, action_of, slot_of, thermometer
from ai.world import world_of
from engine.actions import DRAW_FACE_UP, DRAW_PILE, Action, Play
from engine.cards import FULL_DECK, Hand
from engine.combinations import leads
from engine.deal import Deal, Phase
from tests.ai.moments import LAW_DEALS, T, scaled
from tests.engine.dealing import some_deal


def in_order(action: Action) -> tuple[int, int]:
    """Groups before runs, short runs before long ones, each by slot; a pass comes last."""
    if isinstance(action, Play):
        return (action.combination.length, slot_of(action))
    return (99, 0)


def engine_rollout(deal: Deal, state: int) -> tuple[int, int]:
    """The rollout as the rules read, no bit of a hand touched."""
    while deal.to_act is not None:
        state = advance(state)
        if deal.phase is Phase.DRAW:
            action: Action = DRAW_FACE_UP if below(state, 2) else DRAW_PILE
        else:
            actions = sorted(deal.legal_actions(), key=in_order)
            action = actions[below(state, len(actions))]
        deal, _ = deal.apply(deal.to_act, action)
    assert deal.winner is not None
    return deal.winner, state


@pytest.mark.parametrize("rules", range(8))
def test_a_rollout_is_the_engines_random_play(rules: int) -> None:
    played = 0
    for seed in range(rules, scaled(LAW_DEALS, 64), 8):
        for number, (deal, action) in enumerate(some_deal(seed)):
            if deal.rules.automatic_turn_skip or number % 5 or action is None:
                continue
            assert rollout(T, world_of(deal), seed + 1) == engine_rollout(deal, seed + 1)
            played += 1
    assert played > 20 or rules % 2


def test_a_rollout_of_an_ended_deal_is_its_winner() -> None:
    deal = list(some_deal(5))[-1][0]
    assert rollout(T, world_of(deal), 17) == (deal.winner, 17)


def test_R27_a_rollout_plays_automatic_passes_as_forced_ones() -> None:
    with_skip, without_skip = (next(some_deal(seed))[0] for seed in (1, 0))
    assert with_skip.rules.automatic_turn_skip
    world = world_of(with_skip)
    plain = Deal.start(without_skip.rules, with_skip.deck, with_skip.starter)
    for state in range(scaled(200)):
        assert rollout(T, world, state) == rollout(T, world_of(plain), state)


@pytest.mark.parametrize("crisps_in_runs", [False, True])
def test_a_random_lead_is_any_lead_equally_often(crisps_in_runs: bool) -> None:
    rng = random.Random(11)
    repeats = 300
    for _ in range(scaled(40, 4)):
        hand = Hand.of(rng.sample(list(FULL_DECK), rng.randrange(1, 19)))
        expected = {c for c in leads(crisps_in_runs=crisps_in_runs) if hand.contains(c.cards)}
        seen: Counter[object] = Counter()
        state = rng.randrange(2**62)
        for _ in range(repeats * len(expected)):
            state = advance(state)
            slot = random_lead(thermometer(hand), ALL_RANKS if crisps_in_runs else BASE_RANKS, state)
            action = action_of(slot)
            assert isinstance(action, Play)
            seen[action.combination] += 1
        assert set(seen) == expected
        chi_square = sum((count - repeats) ** 2 / repeats for count in seen.values())
        assert chi_square < len(expected) + 5 * (2 * len(expected)) ** 0.5  # five standard deviations
