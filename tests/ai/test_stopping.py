"""A search that is told to stop stops, and being asked changes nothing of what it finds."""

from __future__ import annotations

import time

import pytest

from ai import advice, search
from ai.belief import Growth
from ai.policy import Budget, SearchStopped
from ai.policy import search as find
from engine.cards import FULL_DECK
from engine.deal import Deal
from engine.observation import Observation, observe
from engine.rules import Rules

BEGINNING = observe(Deal.start(Rules(), tuple(FULL_DECK), starter=0), 0)


@pytest.mark.parametrize("budget", [Budget(simulations=100_000), Budget(time_ms=5_000)])
def test_a_search_stops_before_its_budget_is_used_up(monkeypatch: pytest.MonkeyPatch, budget: Budget) -> None:
    monkeypatch.setattr(search, "LOOK_SECONDS", 0.0)
    asked = []

    def should_stop() -> bool:
        asked.append(True)
        return len(asked) == 2

    with pytest.raises(SearchStopped):
        find(BEGINNING, budget, 1, should_stop)
    assert len(asked) == 2


@pytest.mark.jit
def test_being_asked_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LOOK_SECONDS", 0.0)
    budget = Budget(simulations=4_000)
    asked = find(BEGINNING, budget, 1, lambda: False)
    alone = find(BEGINNING, budget, 1)
    assert (asked.actions, asked.simulations) == (alone.actions, alone.simulations)


@pytest.mark.jit
def test_what_is_made_ready_before_the_first_simulation_is_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(seen: Observation, growth: Growth, simulations: int, seed: int, proof: int) -> advice.Prepared:
        time.sleep(0.03)
        return prepare(seen, growth, simulations, seed, proof)

    prepare = advice.prepare
    monkeypatch.setattr(advice, "prepare", slow)
    begin = time.perf_counter()
    result = find(BEGINNING, Budget(time_ms=20), 1)
    assert 30 <= result.elapsed_ms <= 1000 * (time.perf_counter() - begin)
    assert result.simulations == advice.PACE.timed, "no time was left after the first look at the clock"


def test_it_is_not_asked_too_often() -> None:
    asked = []
    result = find(BEGINNING, Budget(time_ms=100), 1, lambda: bool(asked.append(True)))  # type: ignore[func-returns-value]
    assert len(asked) <= result.elapsed_ms / 1000 / search.LOOK_SECONDS
