"""How far told chances can be relied on: what was told against what came of it, over many decisions.

Errors of decisions of one deal go together, so every interval takes deals as clusters: it comes from deals drawn again
with replacement (bootstrap).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.deal import MAX_DRAWS

DECISION = np.dtype(
    [
        ("deal", np.int32),
        ("draws_left", np.int8),
        ("kind", np.int8),
        ("average", np.float64),
        ("told", np.float64),
        ("won", np.bool_),
    ]
)
"""A decision of deal number `deal`: how often both seats will still draw, what kind of decision (an index of KINDS),
the search's average and the chance that was told for the action taken, and whether its seat won.
"""

KINDS = ("lead", "follow", "draw")
FOLLOW = KINDS.index("follow")

BINS = 10
SAMPLES = 1_000
LEAST_SLOPE = 0.01
"""Of a correction; more than its constants lose when they are written with three decimals."""
_NORMAL = 1.96

Decisions = npt.NDArray[np.void]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number with half the width of its 95 % interval; infinite where a single deal told it."""

    value: float
    margin: float

    def __str__(self) -> str:
        return f"{self.value:.4f} ± {self.margin:.4f}"


@dataclass(frozen=True, slots=True)
class Bin:
    """Decisions whose told chance lies in one tenth: how many, the mean told, and the share that was won."""

    low: float
    count: int
    told: float
    won: Figure


@dataclass(frozen=True, slots=True)
class Reliability:
    """Over all decisions: the bins that are not empty, Brier score (mean squared error), expected calibration error.

    The calibration error is the mean over decisions of the distance between told and won in their bin. `by_chance` is
    about what it would be, over as many deals, if every chance were told rightly.
    """

    count: int
    deals: int
    bins: tuple[Bin, ...]
    told: float
    won: Figure
    brier: Figure
    error: Figure
    by_chance: float


def reliability(decisions: Decisions, samples: int = SAMPLES) -> Reliability:
    """What these decisions, at least one, say."""
    _, cluster = np.unique(decisions["deal"], return_inverse=True)
    deals = int(cluster.max()) + 1
    tenth = np.minimum((decisions["told"] * BINS).astype(np.int64), BINS - 1)

    def by_deal(values: Floats) -> Floats:
        """Summed by deal and bin, float64[deals, BINS]."""
        sums = np.zeros((deals, BINS))
        np.add.at(sums, (cluster, tenth), values)
        return sums

    won = decisions["won"].astype(np.float64)
    sums = np.stack(
        [by_deal(np.ones(len(won))), by_deal(decisions["told"]), by_deal(won), by_deal((decisions["told"] - won) ** 2)],
        axis=1,
    )
    drawn = _drawn_again(sums, samples)
    total = sums.sum(axis=0)

    def figure(of: Callable[[Floats], Floats]) -> Figure:
        value, others = of(total[None])[0], of(drawn)
        return Figure(float(value), _NORMAL * float(np.nanstd(others)) if deals > 1 else math.inf)

    def bin_at(place: int) -> Bin:
        count, told = total[:2, place].tolist()
        won = figure(lambda s: s[:, 2, place] / np.where(s[:, 0, place], s[:, 0, place], np.nan))
        return Bin(place / BINS, int(count), told / count, won)

    apart = drawn[:, 1] - drawn[:, 2] - (total[1] - total[2])

    return Reliability(
        count=len(decisions),
        deals=deals,
        bins=tuple(bin_at(place) for place in np.flatnonzero(total[0]).tolist()),
        told=float(total[1].sum() / total[0].sum()),
        won=figure(lambda s: s[:, 2].sum(axis=1) / s[:, 0].sum(axis=1)),
        brier=figure(lambda s: s[:, 3].sum(axis=1) / s[:, 0].sum(axis=1)),
        error=figure(lambda s: np.abs(s[:, 1] - s[:, 2]).sum(axis=1) / s[:, 0].sum(axis=1)),
        by_chance=float(np.abs(apart).sum(axis=1).mean() / total[0].sum()),
    )


def _drawn_again(sums: Floats, samples: int) -> Floats:
    """The sums over as many deals, drawn with replacement, float64[samples, …]."""
    deals = len(sums)
    draw = np.random.Generator(np.random.PCG64(1))
    flat = sums.reshape(deals, -1)
    drawn = np.empty((samples, flat.shape[1]))
    for sample in range(samples):
        drawn[sample] = np.bincount(draw.integers(deals, size=deals), minlength=deals) @ flat
    return drawn.reshape(samples, *sums.shape[1:])


def fit(decisions: Decisions) -> tuple[float, ...]:
    """The constants a, b, c, d, e of the correction that makes the outcomes likeliest.

    With n draws left the logit of the chance is (a + n c) times the average's logit, plus b + n d, plus e where the
    seat follows (chances.py).
    By Newton's method on the likelihood, which has one maximum unless the averages tell the outcomes apart without
    error. Averages of 0 and 1 are left out: what is certain is not corrected. Raises ValueError: no maximum was found,
    or with some number of draws left its slope is below LEAST_SLOPE, and a higher average would be no higher chance.
    """
    some = decisions[(decisions["average"] > 0) & (decisions["average"] < 1)]
    logits, left = np.log(some["average"]) - np.log1p(-some["average"]), some["draws_left"].astype(np.float64)
    inputs = np.stack([logits, np.ones(len(some)), left * logits, left, some["kind"] == FOLLOW], axis=1)
    target = some["won"].astype(np.float64)
    found = np.zeros(inputs.shape[1])  # from afar a step may overshoot
    for _ in range(50):
        chances = 1 / (1 + np.exp(-np.clip(inputs @ found, -500, 500)))
        slope = inputs.T @ (target - chances)
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs
        try:
            step = np.linalg.solve(curvature, slope)
        except np.linalg.LinAlgError:
            break
        found += step
        if np.abs(step).max() < 1e-10:
            _refuse_flat(found)
            return tuple(found.tolist())
    raise ValueError("too few decisions for a correction")


def _refuse_flat(found: Floats) -> None:
    slopes = [found[0] + left * found[2] for left in range(MAX_DRAWS + 1)]
    if flat := [left for left, slope in enumerate(slopes) if slope < LEAST_SLOPE]:
        raise ValueError(
            f"no correction: with {', '.join(map(str, flat))} draws left a higher average is no higher chance "
            f"(slope {min(slopes):.3f}); more decisions may help"
        )
