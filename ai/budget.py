"""How long a search may think, and what it may be asked for at most. Known without loading any kernel."""

from __future__ import annotations

from dataclasses import dataclass

MAX_SIMULATIONS = 100_000
MAX_TIME_MS = 5_000
MAX_SEED = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may think: until either limit is reached, MAX_SIMULATIONS where only time is given.

    Raises ValueError: neither limit, `simulations` outside 1 to 100,000 or `time_ms` outside 1 to 5,000.
    """

    simulations: int | None = None
    time_ms: int | None = None

    def __post_init__(self) -> None:
        if self.simulations is None and self.time_ms is None:
            raise ValueError("a budget limits simulations or time_ms")
        if self.simulations is not None and not 1 <= self.simulations <= MAX_SIMULATIONS:
            raise ValueError(f"simulations is 1 to {MAX_SIMULATIONS}, not {self.simulations}")
        if self.time_ms is not None and not 1 <= self.time_ms <= MAX_TIME_MS:
            raise ValueError(f"time_ms is 1 to {MAX_TIME_MS}, not {self.time_ms}")

    @property
    def most(self) -> int:
        """The most simulations that a search may run."""
        return MAX_SIMULATIONS if self.simulations is None else self.simulations
