"""The computer's five levels: how long each thinks, and how often the weak ones slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ai.budget import Budget

DEFAULT_LEVEL = 3


@dataclass(frozen=True, slots=True)
class Level:
    """One strength of the computer.

    `slip` is how much the level overlooks: it takes an action with a chance proportional to exp(the search's average /
    slip), so that close actions are mixed up and bad ones are rare; 0 is the best action always.
    `typical_ms` (one move, one core) and `strength` (shares of deals won against others) are measured: RESULTS.md.
    """

    number: int
    name: str
    budget: Budget
    slip: float
    typical_ms: float
    strength: Mapping[str, float] = field(hash=False)

    @property
    def least_ms(self) -> float:
        """How long a move of a hosted game takes at least, so that its time tells nothing of the hand it came from.

        Forced moves and certain wins are found sooner than others; about nineteen searches of twenty end before this.
        """
        return 1.5 * self.typical_ms


LEVELS: Mapping[int, Level] = MappingProxyType(
    {
        level.number: level
        for level in (
            Level(1, "beginner", Budget(simulations=20), 0.33, 2.0, {"greedy": 0.428}),
            Level(2, "casual", Budget(simulations=20), 0.10, 2.0, {"level 1": 0.763}),
            Level(3, "skilled", Budget(simulations=60), 0.03, 2.7, {"level 2": 0.741}),
            Level(4, "expert", Budget(simulations=200), 0.0, 5.5, {"level 3": 0.634, "textbook-10000": 0.710}),
            Level(
                5,
                "master",
                Budget(simulations=2_200),
                0.0,
                43.8,
                {"level 4": 0.579, "greedy": 0.966, "textbook-10000": 0.732, "clairvoyant-10000": 0.543},
            ),
        )
    }
)
"""By number, 1 the weakest."""


def levels_table() -> str:
    """README's table of the levels, in Markdown: number, name, milliseconds of a move, shares of deals won."""
    rows = []
    for level in LEVELS.values():
        shares = ", ".join(f"{share:.1%} against {opponent}" for opponent, share in level.strength.items())
        rows.append(f"| {level.number} | {level.name} | {level.typical_ms:g} ms | {shares} |")
    return "\n".join(["| level | name | one move, one core | deals won |", "|---|---|---|---|", *rows])
