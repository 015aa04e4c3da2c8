"""Microseconds that the engine takes per call, and the same as multiples of a loop of integer sums timed in between.

Run: PYTHONPATH=. python tests/bench/bench_engine.py
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial

from engine.actions import Action
from engine.cards import FULL_DECK
from engine.deal import Deal
from engine.observation import observe, view_deal
from engine.rules import Rules

DEALS = 60
REPEATS = 5


def moments(rules: Rules) -> list[tuple[Deal, Action]]:
    """Every decision of some deals in which all legal actions are equally likely, with the action taken."""
    rng = random.Random(1)
    met: list[tuple[Deal, Action]] = []
    for number in range(DEALS):
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        deal = Deal.start(rules, tuple(deck), number % 2)
        while deal.to_act is not None:
            action = rng.choice(list(deal.legal_actions()))
            met.append((deal, action))
            deal, _ = deal.apply(deal.to_act, action)
    return met


def seconds(call: Callable[[], object]) -> float:
    """The processor time of the quickest of some runs: the one that was disturbed least."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def yardstick() -> int:
    """A loop of a thousand sums and bit operations, as the engine's hands are made of."""
    total = 0
    for number in range(1000):
        total = (total + number) & 0xFFFF
    return total


def call_all(call: Callable[[Deal, Action], object], met: list[tuple[Deal, Action]]) -> None:
    """The call at every moment."""
    for deal, action in met:
        call(deal, action)


def main() -> None:
    unit = seconds(lambda: [yardstick() for _ in range(20)]) / 20 * 1e6
    print(f"yardstick (1000 sums): {unit:.1f} µs")
    for name, rules in (
        ("base game", Rules()),
        ("turn skip, runs", Rules(automatic_turn_skip=True, crisps_in_runs=True)),
    ):
        met = moments(rules)
        calls: dict[str, Callable[[Deal, Action], object]] = {
            "apply": lambda deal, action: deal.apply(deal.to_act or 0, action),
            "legal_actions": lambda deal, _: deal.legal_actions(),
            "action in legal_actions": lambda deal, action: action in deal.legal_actions(),
            "view_deal": lambda deal, _: view_deal(deal, 0),
            "events": lambda deal, _: deal.events(),
            "observe": lambda deal, _: observe(deal, 0),
        }
        for what, call in calls.items():
            took = seconds(partial(call_all, call, met)) / len(met) * 1e6
            print(f"{name:16} {what:24} {took:8.2f} µs {took / unit:8.3f} yardsticks")


if __name__ == "__main__":
    main()
