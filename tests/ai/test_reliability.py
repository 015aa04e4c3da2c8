"""Told against won: the figures against a plain count, intervals over deals, and corrections that are found again."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ai.chances import Correction, corrected
from ai.reliability import DECISION, FOLLOW, Decisions, fit, reliability


def decisions_of(rows: list[tuple[int, float, bool]]) -> Decisions:
    return np.array([(deal, 0, 0, told, told, won) for deal, told, won in rows], dtype=DECISION)


def drawn(deals: int, each: int, seed: int, hope: float = 0.0) -> Decisions:
    """Deals of `each` decisions with chances around one of the deal's own, told too high by `hope`."""
    draw = np.random.default_rng(seed)
    rows = []
    for deal in range(deals):
        chance = draw.uniform(0.1, 0.8)
        won = bool(draw.random() < chance)
        rows += [(deal, chance + hope, won)] * each
    return decisions_of(rows)


def test_the_figures_are_those_of_a_plain_count() -> None:
    draw = np.random.default_rng(3)
    rows = [(number // 5, float(draw.random()), bool(draw.random() < 0.6)) for number in range(400)]
    rows += [(80, 1.0, True), (80, 0.0, False), (80, 0.1, True)]
    found = reliability(decisions_of(rows), samples=20)
    error = 0.0
    for place, one in zip(range(10), found.bins, strict=True):
        inside = [(told, won) for _, told, won in rows if min(int(told * 10), 9) == place]
        assert one.count == len(inside)
        assert one.low == place / 10
        assert one.told == pytest.approx(sum(told for told, _ in inside) / len(inside))
        assert one.won.value == pytest.approx(sum(won for _, won in inside) / len(inside))
        error += abs(sum(told for told, _ in inside) - sum(won for _, won in inside)) / len(rows)
    assert found.error.value == pytest.approx(error)
    assert found.brier.value == pytest.approx(sum((told - won) ** 2 for _, told, won in rows) / len(rows))
    assert found.told == pytest.approx(sum(told for _, told, _ in rows) / len(rows))
    assert found.won.value == pytest.approx(sum(won for *_, won in rows) / len(rows))
    assert (found.count, found.deals) == (403, 81)


def test_empty_bins_are_left_out() -> None:
    found = reliability(decisions_of([(0, 0.55, True), (1, 0.55, False)]), samples=5)
    assert [(one.low, one.count) for one in found.bins] == [(0.5, 2)]


def test_hope_shows_as_calibration_error() -> None:
    honest, hopeful = (reliability(drawn(4_000, 2, 1, hope), samples=50) for hope in (0.0, 0.1))
    assert honest.error.value < 0.03
    assert hopeful.error.value == pytest.approx(0.1, abs=0.03)
    assert hopeful.error.value - hopeful.error.margin > honest.error.value


def test_what_chance_alone_makes_is_told() -> None:
    errors, by_chance = zip(
        *((found.error.value, found.by_chance) for found in (reliability(drawn(300, 3, k), 100) for k in range(20))),
        strict=True,
    )
    assert sum(by_chance) == pytest.approx(sum(errors), rel=0.15)


def test_repeating_a_deals_decisions_makes_nothing_surer() -> None:
    once, often = (reliability(drawn(500, each, 2), samples=300) for each in (1, 20))
    assert often.won.value == pytest.approx(once.won.value)
    assert often.won.margin == pytest.approx(once.won.margin)
    alone = 1.96 * math.sqrt(once.won.value * (1 - once.won.value) / 500)
    assert once.won.margin == pytest.approx(alone, rel=0.2)


def outcomes(count: int, seed: int, right: tuple[float, ...]) -> Decisions:
    """Decisions whose outcomes were drawn with the chances that a correction by these constants gives."""
    draw = np.random.default_rng(seed)
    found = np.zeros(count, dtype=DECISION)
    found["average"] = draw.uniform(0.01, 0.99, count)
    found["draws_left"] = draw.integers(7, size=count)
    found["kind"] = draw.integers(3, size=count)
    a, b, c, d, e = right
    chances = [
        corrected(float(average), Correction(a + left * c, b + left * d + e * (kind == FOLLOW)))
        for average, left, kind in zip(found["average"], found["draws_left"], found["kind"], strict=True)
    ]
    found["won"] = draw.random(count) < chances
    return found


def test_the_correction_that_made_the_outcomes_is_found_again() -> None:
    right = (1.3, -0.6, -0.05, 0.1, -0.3)
    assert fit(outcomes(40_000, 4, right)) == pytest.approx(right, abs=0.08)


def test_what_is_certain_takes_no_part_in_the_fit() -> None:
    some = outcomes(800, 5, (1.0, 0.0, 0.0, 0.0, 0.0))
    certain = some[:300].copy()
    certain["average"], certain["won"] = 1.0, True
    assert fit(np.concatenate([some, certain])) == fit(some)


@pytest.mark.parametrize("slopes", [(-0.5, 0.0), (1.0, -0.25), (-0.2, 0.2)])
def test_a_correction_that_would_turn_the_order_round_is_refused(slopes: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="draws left a higher average is no higher chance"):
        fit(outcomes(5_000, 7, (slopes[0], 0.0, slopes[1], 0.0, 0.0)))


def test_one_deal_tells_no_interval() -> None:
    found = reliability(decisions_of([(4, 0.55, True), (4, 0.65, True)]), samples=5)
    assert str(found.won) == "1.0000 ± inf"
    assert {one.won.margin for one in found.bins} == {math.inf}


@pytest.mark.parametrize("count", [0, 3])
def test_too_few_decisions_make_no_correction(count: int) -> None:
    with pytest.raises(ValueError, match="too few"):
        fit(outcomes(count, 1, (1.0, 0.0, 0.0, 0.0, 0.0)))
