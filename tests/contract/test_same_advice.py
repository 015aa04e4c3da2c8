"""A stored game and the same position described get the same advice, in every combination of editions and options.

CRISPS_SAME_ADVICE says for how many positions.
"""

from __future__ import annotations

import os
from itertools import cycle, product

import pytest

from engine.cards import Edition
from tests.advised import described, history, suggest, without
from tests.asking import OPTIONS, Api, play_deal

POSITIONS = int(os.environ.get("CRISPS_SAME_ADVICE", "64"))
RULES = list(product(Edition, product((False, True), repeat=3)))
SHARE = -(-POSITIONS // len(RULES))
BUDGETS = [
    {"simulations": 80, "seed": 1},
    {"simulations": 1, "seed": 0},
    {"simulations": 33, "seed": 2**53 - 1},
    {"level": 1},
    {"level": 2, "seed": 7},
]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("edition", "options"), RULES)
def test_a_stored_game_and_its_described_position_get_the_same_advice(
    api: Api, edition: Edition, options: tuple[bool, ...]
) -> None:
    rules = {"edition": edition, **dict(zip(OPTIONS, options, strict=True))}
    budgets, compared, phases, deal = cycle(BUDGETS), 0, set(), 0
    while compared < SHARE:
        deal += 1
        table = api.table(rules=rules, deal_seeds=[f"{deal:064x}"], first_leader=deal % 2).deal()
        # neighbouring positions are alike: few of each deal, from its first lead to its last choice
        stride = 1 if SHARE < 10 else 4
        for turn, answer in enumerate(play_deal(table, f"{edition}{options}{deal}")):
            seat = answer["game"]["to_act"]
            if compared >= SHARE:
                break
            if seat is None or (turn + deal) % stride:
                continue
            budget = next(budgets)
            stored = suggest(table, seat, budget).json
            view = table.view(seat)
            told = described(view, history=history(table, seat), **budget)
            answered = api.post("/v1/suggestions", told)
            assert answered.status_code == 200, answered.text
            assert (stored["version"], stored["seat"]) == (view["version"], seat)
            assert (answered.json["version"], answered.json["seat"]) == (None, seat)
            assert without(answered.json) == without(stored)
            assert [one["action"] for one in stored["actions"]].count(stored["best"]) == 1
            phases.add(view["phase"])
            compared += 1
    assert "play" in phases
