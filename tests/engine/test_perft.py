"""Counts of legal action sequences against the file, and against the naive twin."""

from __future__ import annotations

import pytest

from engine.rules import Rules
from tests.engine import naive
from tests.engine.dealing import ALL_RULES, name_of
from tests.engine.perft import DECKS, GOLDEN, lines, naive_perft, perft, start


def test_the_counts_are_those_of_the_file() -> None:
    assert lines() == GOLDEN.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_the_naive_twin_counts_the_same(rules: Rules) -> None:
    options = naive.Options(rules.crisps_in_runs, rules.no_face_up_draw, rules.automatic_turn_skip)
    for number in range(len(DECKS)):
        deal = start(rules, number)
        table = naive.lay_out(options, deal.deck, deal.starter)
        assert naive_perft(table, 3) == perft(deal, 3)
