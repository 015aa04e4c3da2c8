"""The settings of a game (R1, R21, R26-R28)."""

from __future__ import annotations

import pytest

from engine.cards import Edition
from engine.errors import InvalidRules
from engine.rules import MAX_POINTS_TO_WIN, Rules


def test_every_option_is_off_by_default_and_three_points_win() -> None:
    assert Rules() == Rules(Edition.BOXED, False, False, False, 3)


@pytest.mark.parametrize("points", [1, MAX_POINTS_TO_WIN])
def test_R21_points_to_win_are_1_to_99(points: int) -> None:
    assert Rules(points_to_win=points).points_to_win == points


@pytest.mark.parametrize("points", [-1, 0, 100])
def test_R21_other_points_to_win_are_refused(points: int) -> None:
    with pytest.raises(InvalidRules) as refusal:
        Rules(points_to_win=points)
    assert refusal.value.clause == "R21"
