"""Told chances: the search's averages corrected for its hopefulness, without touching order, certainty or choices."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from ai import chances
from ai.advice import ONLY_ACTION, run
from ai.chances import Correction, chance_to_win, corrected, correction
from ai.evaluation import shipped
from ai.policy import LEVELS, Budget, choose_action, search
from ai.tables import action_of
from engine.actions import PASS, Pass
from engine.cards import EMPTY
from engine.deal import MAX_DRAWS
from tests.ai.moments import decisions, endgame, mover, scaled

UNCORRECTED = Correction(1.0, 0.0)
EVERY = [correction(left, follows=follows) for left in range(MAX_DRAWS + 1) for follows in (False, True)]
SOME = [mover(deal) for deal in [*decisions(range(scaled(16, 3)))][::23] if len(deal.legal_actions()) > 1]


def test_every_situation_has_a_correction_of_its_own_that_keeps_the_order() -> None:
    assert len(set(EVERY)) == 2 * (MAX_DRAWS + 1)
    assert all(one.slope > 0 for one in EVERY)


def test_the_constants_add_up() -> None:
    assert correction(0, follows=False) == chances.LAST
    two = correction(2, follows=True)
    assert two.slope == pytest.approx(chances.LAST.slope + 2 * chances.EACH_DRAW.slope)
    assert two.offset == pytest.approx(chances.LAST.offset + 2 * chances.EACH_DRAW.offset + chances.FOLLOWING.offset)


@pytest.mark.parametrize("one", [UNCORRECTED, *EVERY])
def test_a_higher_average_is_a_higher_chance(one: Correction) -> None:
    told = [corrected(step / 1000, one) for step in range(1001)]
    assert all(low < high for low, high in pairwise(told))
    assert (told[0], told[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("average", [5e-324, 1e-300, 1e-12, math.nextafter(1.0, 0.0)])
@pytest.mark.parametrize("one", [Correction(2.0, 3.0), Correction(0.5, -3.0), *EVERY])
def test_only_what_is_certain_is_told_as_certain(average: float, one: Correction) -> None:
    assert 0.0 <= corrected(average, one) < 1.0
    assert corrected(1.0, one) == 1.0
    assert corrected(0.0, one) == 0.0


def test_without_a_correction_the_average_is_told() -> None:
    for step in range(1, 100):
        assert corrected(step / 100, UNCORRECTED) == pytest.approx(step / 100, abs=1e-12)


@pytest.mark.jit
def test_a_search_tells_corrected_averages_in_the_order_of_the_averages() -> None:
    assert SOME
    for number, seen in enumerate(SOME):
        budget = Budget(scaled(60, 6))
        found = search(seen, budget, number)
        averages = {action_of(one.slot): one.chance for one in run(shipped(), seen, budget, number).actions}
        assert {value.action: value.average for value in found.actions} == averages
        follows = any(isinstance(value.action, Pass) for value in found.actions)
        one = correction(seen.now.draws_left, follows=follows)
        for value in found.actions:
            assert value.win_probability == chance_to_win(value.average, seen) == corrected(value.average, one)
        for better, worse in pairwise(found.actions):
            assert (better.visits, better.win_probability) >= (worse.visits, worse.win_probability)


@pytest.mark.parametrize("simulations", [10, 50])
def test_R16_a_pass_that_is_forced_and_proven_to_win_is_told_as_certain(simulations: int) -> None:
    deal = endgame("C-C", "1-2", to_follow="1-2-3")
    seen = mover(replace(deal, known=(EMPTY, deal.hands[1])))
    found = search(seen, Budget(simulations), 1)
    assert [value.action for value in found.actions] == [PASS]
    assert (found.win_probability, found.actions[0].average) == (1.0, 1.0)
    assert found.simulations == found.actions[0].visits == min(simulations, ONLY_ACTION)
    unproven = search(mover(deal), Budget(simulations), 1)
    assert unproven.win_probability < 1.0, "the other hand may be a pair"


def test_R20_a_certain_win_is_told_as_certain() -> None:
    found = search(mover(endgame("7-7-7", "1-1-2-2-9")), Budget(scaled(50, 10)), 1)
    assert (found.win_probability, found.actions[0].average) == (1.0, 1.0)


@pytest.mark.jit
def test_what_is_told_changes_no_levels_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = [LEVELS[number] for number in (1, 2, 3)]
    chosen = [choose_action(seen, level, 5).action for seen in SOME[: scaled(12, 2)] for level in weak]
    monkeypatch.setattr(chances, "LAST", Correction(0.2, -2.0))
    again = [choose_action(seen, level, 5).action for seen in SOME[: scaled(12, 2)] for level in weak]
    assert again == chosen


@pytest.mark.jit
def test_a_weak_level_draws_by_the_averages() -> None:
    level = LEVELS[1]
    for number, seen in enumerate(SOME[: scaled(12, 2)]):
        choice = choose_action(seen, level, number)
        weights = [math.exp((value.average - 1) / level.slip) for value in choice.result.actions]
        expected = random.Random(number).choices(choice.result.actions, weights)[0]
        assert (choice.action, choice.value) == (expected.action, expected)
