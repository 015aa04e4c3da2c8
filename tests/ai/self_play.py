"""Deals that the network plays against itself, and their late decisions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ai.players import player_of
from engine.deal import MAX_DRAWS, Deal, Phase
from engine.rules import Rules
from tests.engine.dealing import choose, shuffled


def late_decisions(numbers: range, rules: Rules | None = None) -> Iterator[Deal]:
    """Moments after the last draw at which a seat has a choice.

    In two of three deals both seats play as the network does, in the third at random but seldom passing.
    """
    network = player_of("net")
    for number in numbers:
        rng = random.Random(f"late {number}")
        deal = Deal.start(rules or Rules(), shuffled(rng), number % 2)
        while deal.to_act is not None:
            if deal.draws == MAX_DRAWS and deal.phase is Phase.PLAY and len(deal.legal_actions()) > 1:
                yield deal
            action = network(deal, 0) if number % 3 else choose(deal, rng, 2)
            deal, _ = deal.apply(deal.to_act, action)
