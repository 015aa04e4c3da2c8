"""The guided search: complete, reproducible, indifferent to hidden cards, and never blind to a win at hand."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from ai.advice import GROWTH, ONLY_ACTION, Advised, prepare, root_values, run
from ai.belief import NOT_BELIEVED, Growth, believed_world
from ai.budget import Budget
from ai.determinization import information_set
from ai.evaluation import Weights, arrays_of, empty_weights
from ai.features import rows_of_slots
from ai.greedy import greedy_slot
from ai.guided import simulate
from ai.guided_tree import NO_NODE, PROVEN, ROOT, start_search
from ai.tables import WORDS, action_of, tables
from ai.world import DRAWS, NOTHING, PHASE, PLAY, TO_ACT, WORLD, step
from engine.actions import Play
from engine.observation import Observation, observe
from tests.ai.moments import decisions, endgame, mover, opening, scaled
from tests.engine.twins import twins

R = rows_of_slots()
FEW_HANDS = Growth(2, 8, 12)


@pytest.fixture(scope="module")
def weights() -> Weights:
    draw = np.random.default_rng(1)
    made = empty_weights()
    for name, array in arrays_of(made).items():
        array[:] = draw.normal(0, 0.15 if "first" in name else 0.2, array.shape)
    return made


def advised(weights: Weights, seen: Observation, simulations: int, seed: int, growth: Growth = FEW_HANDS) -> Advised:
    return replace(run(weights, seen, Budget(simulations), seed, growth=growth), elapsed_ms=0.0)


def test_every_legal_action_is_answered_and_visits_add_up_to_the_simulations(weights: Weights) -> None:
    for deal in decisions(range(scaled(10, 1))):
        found = advised(weights, mover(deal), scaled(60, 10), seed=2)
        assert {action_of(one.slot) for one in found.actions} == set(deal.legal_actions())
        assert sum(one.visits for one in found.actions) == found.simulations
        assert all(0.0 <= one.chance <= 1.0 for one in found.actions)
        assert found.simulations == scaled(60, 10) or len(found.actions) == 1


def test_an_only_action_is_not_thought_about_for_long(weights: Weights) -> None:
    alone = [mover(deal) for deal in decisions(range(scaled(10, 2))) if len(deal.legal_actions()) == 1]
    assert alone
    for seen in alone[:5]:
        found = run(weights, seen, Budget(100_000), seed=2)
        assert found.simulations == found.actions[0].visits == ONLY_ACTION


def test_an_action_without_simulations_has_the_networks_value(weights: Weights) -> None:
    seen = opening(3)
    values = root_values(weights, seen)
    for one in advised(weights, seen, 2, seed=1).actions:
        assert one.visits or one.chance == values[one.slot]


def test_the_same_seed_gives_the_same_advice_and_another_seed_another(weights: Weights) -> None:
    seen = opening(4)
    n = scaled(200, 20)
    assert advised(weights, seen, n, seed=5) == advised(weights, seen, n, seed=5)
    assert advised(weights, seen, n, seed=5) != advised(weights, seen, n, seed=6)


@pytest.mark.parametrize("growth", [NOT_BELIEVED, Growth(5, 3, scaled(60, 8)), GROWTH])
def test_chunks_of_simulations_make_the_same_tree(weights: Weights, growth: Growth) -> None:
    seen = next(mover(deal) for deal in decisions(range(4)) if len(deal.history) > 5 and len(deal.legal_actions()) > 2)
    n = scaled(120, 12)
    trees = []
    for chunks in ((n,), (n // 3, n - n // 3), (1,) * n):
        prepared = prepare(seen, growth, n, 3)
        for chunk in chunks:
            simulate(weights, tables(), R, *prepared, chunk)
        trees.append(prepared.search.nodes.tobytes())
        assert prepared.search.nodes[ROOT]["visits"] == n
    assert trees[0] == trees[1] == trees[2]


def test_hands_join_the_belief_as_the_search_goes_on(weights: Weights) -> None:
    seen = next(mover(deal) for deal in decisions(range(4)) if len(deal.history) > 5 and len(deal.legal_actions()) > 2)
    known, belief, search = prepare(seen, Growth(3, 4, 7), 40, 1)
    hands = []
    for _ in range(20):
        simulate(weights, tables(), R, known, belief, search, 1)
        hands.append(int(belief.counted[0]))
    assert hands == [3] * 4 + [4] * 4 + [5] * 4 + [6] * 4 + [7] * 4


def test_advice_does_not_depend_on_cards_that_the_seat_cannot_see(weights: Weights) -> None:
    rng, differing = random.Random(8), 0
    for deal in decisions(range(scaled(6, 1))):
        twin = twins(deal, deal.to_act, rng)
        differing += twin.deck != deal.deck
        assert advised(weights, mover(deal), scaled(30, 5), 1) == advised(weights, mover(twin), scaled(30, 5), 1)
    assert differing


def test_who_plays_by_rules_of_thumb_does_so_in_the_tree(weights: Weights) -> None:
    answered = 0
    for deal in [*decisions(range(scaled(24, 8)))][7::5]:
        seen = mover(deal)
        known, belief, search = prepare(seen, Growth(1, 1, 1), 60, 4)
        if not len(belief.hands) or search.progress[PROVEN] != NOTHING:
            continue
        simulate(weights, tables(), R, known, belief, search, 1)
        belief.sums[:] = [0.0, 1.0]  # the one hand is a greedy player's
        search = start_search(60, 4, search.past)
        simulate(weights, tables(), R, known, belief, search, 60)
        child = int(search.nodes[ROOT]["first_child"])
        while child != NO_NODE:
            node, world = search.nodes[child], np.zeros(WORLD, dtype=np.int64)
            believed_world(known, belief, world, 9)
            step(tables(), world, int(node["slot"]))
            reply = int(node["first_child"])
            no_cards_came = world[DRAWS] == known.template[DRAWS]
            if reply != NO_NODE and world[TO_ACT] != seen.seat and world[PHASE] == PLAY and no_cards_came:
                words = np.zeros(WORDS, dtype=np.int64)
                assert int(search.nodes[reply]["slot"]) == greedy_slot(tables(), world, words)
                assert int(search.nodes[reply]["sibling"]) == NO_NODE
                answered += 1
            child = int(node["sibling"])
    assert answered > 5


def test_the_past_matters(weights: Weights) -> None:
    differing = 0
    for deal in [*decisions(range(scaled(8, 2)))][5::4]:
        seen = mover(deal)
        told, untold = (advised(weights, one, scaled(40, 5), 1) for one in (seen, replace(seen, events=None)))
        differing += told != untold
    assert differing > 0


def test_R20_a_play_of_the_last_cards_is_taken(weights: Weights) -> None:
    seen = replace(observe(endgame("5-5-5", "1-2-3-4"), 0), events=None)
    found = advised(weights, seen, scaled(100, 20), seed=1)
    best = max(found.actions, key=lambda one: one.visits)
    action = action_of(best.slot)
    assert isinstance(action, Play)
    assert action.combination.size == 3
    assert best.chance == 1.0
    assert best.visits == found.simulations


def test_a_position_without_a_past_is_believed_uniformly(weights: Weights) -> None:
    deal = next(deal for deal in decisions(range(4)) if len(deal.history) > 3)
    seen = replace(mover(deal), events=None)
    known, belief, _ = prepare(seen, GROWTH, 50, 9)
    assert len(belief.hands) == 0
    assert known.sizes.tolist() == information_set(seen).sizes.tolist()
    assert advised(weights, seen, 20, 3, GROWTH) == advised(weights, seen, 20, 3, NOT_BELIEVED)
