"""From what a search found to the chance to win the deal that it reports.

A search is too hopeful: its average over simulations supposes another seat that draws its actions from the network's
policy without searching (or plays by rules of thumb, as far as it has done so), and a plan of its own that fits each
sampled world. Between equal players less comes of it,
and the more so the later in the deal and while the other seat leads. The correction is logistic (Platt 1999), linear in
the number of draws left, and fitted on what came of level 4's deals against itself when that level had 250 simulations:

    python -m ai.calibration level-4 level-4 --decisions 40000 --seed 4001 --fit

It keeps the order of actions, for the slope of every sum of its parts is positive, and leaves what is certain alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.observation import Observation


class Correction(NamedTuple):
    """The logit of the chance is `slope` times the average's logit, plus `offset`; or a part of such a correction.

    The slope of a whole correction is above 0, that of a part may be anything.
    """

    slope: float
    offset: float


LAST = Correction(0.791, -0.608)
"""When all draws have been made."""
EACH_DRAW = Correction(0.019, 0.100)
"""What every draw still to come adds to it."""

FOLLOWING = Correction(0.0, -0.188)
"""What it adds to it that the seat follows: the other seat leads, whose plans the search knows least of."""

_BELOW_ONE = math.nextafter(1.0, 0.0)


def corrected(average: float, correction: Correction) -> float:
    """The chance to win for a search's average, both 0 to 1: rising with it, and 0 or 1 for 0 or 1 only."""
    if average in {0.0, 1.0}:
        return average
    logit = correction.slope * (math.log(average) - math.log1p(-average)) + correction.offset
    if logit < 0:
        odds = math.exp(logit)
        return odds / (1 + odds)
    return min(1 / (1 + math.exp(-logit)), _BELOW_ONE)


def correction(left: int, *, follows: bool) -> Correction:
    """What corrects an average with so many draws left, of a seat that follows, or that leads or chooses a draw."""
    parts = (LAST, *(EACH_DRAW,) * left, *(FOLLOWING,) * follows)
    return Correction(sum(part.slope for part in parts), sum(part.offset for part in parts))


def chance_to_win(average: float, observation: Observation) -> float:
    """The chance to win the deal when a search of this position found this average."""
    follows = observation.now.to_follow is not None
    return corrected(average, correction(observation.now.draws_left, follows=follows))
