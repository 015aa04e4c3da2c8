"""One scale of strength for many players, from the deals that some pairs of them have played."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ai.scores import Score

DRAWN_DEALS = 0.5
"""What each pairing counts more, half of it for either side, so that a player that lost every deal has a place too."""

SAMPLES = 400
_ELO = 400 / math.log(10)
_STEPS = 100

Floats = npt.NDArray[np.float64]
Names = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's place in Elo points, with the ends of its 95 % interval; the anchor's are all 0."""

    elo: float
    low: float
    high: float


def ratings(scores: Mapping[Names, Score], anchor: str, samples: int = SAMPLES, seed: int = 1) -> dict[str, Rating]:
    """The players' places, strongest first, of the model by Bradley and Terry (1952) at its greatest likelihood.

    By the names of who played whom, the first one's score. A difference of d points says that the stronger wins a share
    of 1 / (1 + 10 ** (-d / 400)). Intervals are from pairs drawn again with replacement within each pairing; where all
    pairs came to the same, with one more of each extreme that was not seen, for the few pairs played are no proof of
    it. Raises ValueError: some players are not connected with the anchor by pairings.
    """
    names = sorted({name for pairing in scores for name in pairing})
    places = np.array([[names.index(first), names.index(second)] for first, second in scores])
    _refuse_unconnected(names, places, anchor)
    played = [np.array(score.pairs) for score in scores.values()]
    deals = np.array([2.0 * len(pairs) for pairs in played])
    pools = [_pool(pairs) for pairs in played]
    draw = np.random.Generator(np.random.PCG64(seed))
    zero = names.index(anchor)
    best = _fit(places, np.array([2.0 * pairs.sum() for pairs in played]), deals, len(names), zero)
    drawn = np.empty((samples, len(names)))
    for sample in range(samples):
        again = [
            2.0 * pool[draw.integers(len(pool), size=len(pairs))].sum()
            for pool, pairs in zip(pools, played, strict=True)
        ]
        drawn[sample] = _fit(places, np.array(again), deals, len(names), zero)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    found = {name: Rating(float(best[k]), float(low[k]), float(high[k])) for k, name in enumerate(names)}
    return dict(sorted(found.items(), key=lambda item: -item[1].elo))


def _pool(pairs: Floats) -> Floats:
    """What a pairing's pairs are drawn again from."""
    if pairs.min() < pairs.max():
        return pairs
    return np.append(pairs, [extreme for extreme in (0.0, 1.0) if extreme != pairs[0]])


def expected(stronger: Rating, weaker: Rating) -> float:
    """The share of deals that the scale gives the first player against the second."""
    return 1 / (1 + math.exp((weaker.elo - stronger.elo) / _ELO))


def _fit(places: npt.NDArray[np.int64], won: Floats, deals: Floats, players: int, zero: int) -> Floats:
    """The players' places in Elo points, by Newton's method on the likelihood, which is concave."""
    won, deals = won + DRAWN_DEALS / 2, deals + DRAWN_DEALS
    free = np.delete(np.eye(players), zero, axis=1)
    difference = (np.eye(players)[places[:, 0]] - np.eye(players)[places[:, 1]]) @ free
    found = np.zeros(players - 1)
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-difference @ found))
        slope = difference.T @ (won - deals * share)
        curvature = (difference.T * (deals * share * (1 - share))) @ difference
        step = np.linalg.solve(curvature, slope)
        found += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return free @ found * _ELO


def _refuse_unconnected(names: list[str], places: npt.NDArray[np.int64], anchor: str) -> None:
    if anchor not in names:
        raise ValueError(f"{anchor} has played nobody")
    reached = {names.index(anchor)}
    while more := {b for pairing in places.tolist() for a, b in (pairing, pairing[::-1]) if a in reached} - reached:
        reached |= more
    if lonely := [name for place, name in enumerate(names) if place not in reached]:
        raise ValueError(f"not connected with {anchor}: {', '.join(lonely)}")
