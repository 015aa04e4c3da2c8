"""From what a search found to the chance to win the deal that it reports.

A search is too hopeful: its average over simulations supposes another seat that draws its actions from the network's
policy without searching, and a plan of its own that fits each sampled world. Between equal players less comes of it,
and the more so the later in the deal. The correction is logistic (Platt 1999), linear in the number of draws left, and
fitted on what came of level 4's deals against itself: `python -m ai.calibration --fit` computes its constants again. It
keeps the order of actions, for its slopes are positive, and leaves what is certain alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.deal import MAX_DRAWS
from engine.observation import Observation


class Correction(NamedTuple):
    """The logit of the chance is `slope` (above 0) times the average's logit, plus `offset`."""

    slope: float
    offset: float


UNCORRECTED = Correction(1.0, 0.0)

LAST = Correction(0.827, -0.766)
"""When all draws have been made."""
EACH_DRAW = Correction(0.070, 0.097)
"""What every draw still to come adds to it."""

BY_DRAWS_LEFT: tuple[Correction, ...] = tuple(
    Correction(LAST.slope + left * EACH_DRAW.slope, LAST.offset + left * EACH_DRAW.offset)
    for left in range(MAX_DRAWS + 1)
)
"""By how often both seats will still draw: 0 to 6."""

_BELOW_ONE = math.nextafter(1.0, 0.0)


def draws_left(observation: Observation) -> int:
    """How often both seats will still draw, if the deal lasts as long (R19)."""
    return (observation.now.draw_pile + 1) // 2


def corrected(average: float, correction: Correction) -> float:
    """The chance to win for a search's average, both 0 to 1: rising with it, and 0 or 1 for 0 or 1 only."""
    if average in {0.0, 1.0}:
        return average
    logit = correction.slope * (math.log(average) - math.log1p(-average)) + correction.offset
    if logit < 0:
        odds = math.exp(logit)
        return odds / (1 + odds)
    return min(1 / (1 + math.exp(-logit)), _BELOW_ONE)


def chance_to_win(average: float, observation: Observation) -> float:
    """The chance to win the deal when a search of this position found this average."""
    return corrected(average, BY_DRAWS_LEFT[draws_left(observation)])
