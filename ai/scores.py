"""What the scores of mirrored pairs say: a share with its interval, a difference in Elo, and when enough is known."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from enum import StrEnum

_NORMAL = 1.96
_FEWEST = 20
_ERROR = 0.05


@dataclass(frozen=True, slots=True)
class Score:
    """The share of deals that the first player won, from the scores of its pairs (0, 0.5 or 1 each)."""

    pairs: tuple[float, ...]

    @property
    def share(self) -> float:
        """The mean over pairs."""
        return sum(self.pairs) / len(self.pairs)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval, pairs as clusters; infinite for a single pair.

        Where all pairs came to the same it is 3 / n: what has not been seen in n pairs is at most that likely.
        """
        n = len(self.pairs)
        if n < 2:
            return math.inf
        variance = self.variance
        return _NORMAL * math.sqrt(variance / n) if variance else 3 / n

    @property
    def variance(self) -> float:
        """Of a pair's score, from two pairs on; exactly 0 where all came to the same."""
        n = len(self.pairs)
        # sums of halves and quarters are exact, so nothing is lost in the difference
        squares: float = sum(map(operator.mul, self.pairs, self.pairs))
        return (n * squares - sum(self.pairs) ** 2) / (n * (n - 1))

    def summary(self) -> dict[str, float | int | None]:
        """Its figures for a file: pairs, how many were won both times, once and not at all, share and margin."""
        counts = {name: self.pairs.count(value) for name, value in (("won", 1.0), ("split", 0.5), ("lost", 0.0))}
        margin = round(self.margin, 6) if len(self.pairs) > 1 else None
        return {"pairs": len(self.pairs), **counts, "share": round(self.share, 6), "margin": margin}

    def __str__(self) -> str:
        return f"{self.share:.4f} ± {self.margin:.4f} ({len(self.pairs)} pairs)"


def elo(share: float) -> float:
    """The difference in Elo that a share of points stands for; infinite at 0 and 1."""
    if not 0.0 < share < 1.0:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def elo_text(score: Score) -> str:
    """The difference with its interval, whose ends are those of the share's; infinite where that reaches 0 or 1."""
    share, margin = score.share, score.margin
    low, middle, high = elo(share - margin), elo(share), elo(share + margin)
    return f"{middle:+.0f} Elo ({low:+.0f} to {high:+.0f})"


class Verdict(StrEnum):
    """What a sequential test has come to."""

    WORSE = "the share is at most the lower one"
    BETTER = "the share is at least the higher one"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Sequential:
    """A sequential test of whether the first player's share is `low` or `high`, either error at most 5 %.

    The generalised ratio test on pair scores, their variance taken from the sample (Wald 1945; normal approximation).
    It looks from the twentieth pair on. Where all pairs came to the same, the variance is that of one that did not.
    """

    low: float
    high: float

    def evidence(self, score: Score) -> float:
        """The logarithm of how much likelier `high` makes these scores than `low`; 0 while there are too few."""
        n = len(score.pairs)
        if n < _FEWEST:
            return 0.0
        variance = score.variance or 0.25 / n
        return n * (self.high - self.low) * (2 * score.share - self.low - self.high) / (2 * variance)

    def verdict(self, score: Score) -> Verdict:
        """Whether enough is known."""
        bound = math.log((1 - _ERROR) / _ERROR)
        evidence = self.evidence(score)
        if abs(evidence) < bound:
            return Verdict.OPEN
        return Verdict.BETTER if evidence > 0 else Verdict.WORSE
