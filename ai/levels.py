"""The computer's five levels: how long each thinks, and how often the weak ones slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ai.search import Budget

DEFAULT_LEVEL = 3


@dataclass(frozen=True, slots=True)
class Level:
    """One strength of the computer.

    `slip` is how much win probability the level overlooks: it takes an action with a chance proportional to
    exp(win probability / slip), so that close actions are mixed up and bad ones are rare; 0 is the best action always.
    `typical_ms` (one move, one core) and `strength` (shares of deals won against others) are measured: RESULTS.md.
    """

    number: int
    name: str
    budget: Budget
    slip: float
    typical_ms: float
    strength: Mapping[str, float] = field(hash=False)


LEVELS: Mapping[int, Level] = MappingProxyType(
    {
        level.number: level
        for level in (
            Level(1, "beginner", Budget(simulations=100), 0.12, 0.8, {"greedy": 0.387}),
            Level(2, "casual", Budget(simulations=200), 0.06, 0.9, {"greedy": 0.573, "level 1": 0.735}),
            Level(3, "skilled", Budget(simulations=300), 0.0, 1.1, {"greedy": 0.720, "level 2": 0.613}),
            Level(4, "expert", Budget(simulations=4_000), 0.0, 5.8, {"greedy": 0.840, "level 3": 0.683}),
            Level(5, "master", Budget(simulations=25_000), 0.0, 37.9, {"greedy": 0.838}),
        )
    }
)
"""By number, 1 the weakest."""
