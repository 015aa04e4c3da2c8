"""Told against won: the figures against a plain count, intervals over deals, and corrections that are found again."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ai.chances import Correction, corrected
from ai.reliability import DECISION, Decisions, fit, reliability


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


def test_repeating_a_deals_decisions_makes_nothing_surer() -> None:
    once, often = (reliability(drawn(500, each, 2), samples=300) for each in (1, 20))
    assert often.won.value == pytest.approx(once.won.value)
    assert often.won.margin == pytest.approx(once.won.margin)
    alone = 1.96 * math.sqrt(once.won.value * (1 - once.won.value) / 500)
    assert once.won.margin == pytest.approx(alone, rel=0.2)


def test_the_correction_that_made_the_outcomes_is_found_again() -> None:
    draw = np.random.default_rng(4)
    averages = draw.uniform(0.01, 0.99, 40_000)
    chances = [corrected(average, Correction(1.3, -0.4)) for average in averages.tolist()]
    slope, offset = fit(averages, draw.random(40_000) < chances)
    assert slope == pytest.approx(1.3, abs=0.05)
    assert offset == pytest.approx(-0.4, abs=0.05)


def test_what_is_certain_takes_no_part_in_the_fit() -> None:
    draw = np.random.default_rng(5)
    averages = draw.uniform(0.1, 0.9, 500)
    won = draw.random(500) < averages
    certain = np.concatenate([averages, np.ones(300)]), np.concatenate([won, np.ones(300, dtype=np.bool_)])
    assert fit(*certain) == fit(averages, won)


@pytest.mark.parametrize("averages", [[0.2, 0.9], [], [0.5, 0.5]])
def test_too_few_decisions_make_no_correction(averages: list[float]) -> None:
    won = np.array([average > 0.5 for average in averages], dtype=np.bool_)
    with pytest.raises(ValueError, match="too few"):
        fit(np.array(averages, dtype=np.float64), won)
