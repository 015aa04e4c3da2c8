"""The computer's choices in a deal's record, computed again from what its seat knew at the time."""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import TYPE_CHECKING

from ai.policy import LEVELS, Budget, choose_action
from engine.notation import action_text
from engine.observation import observe
from service.hosted import SEED_BITS

if TYPE_CHECKING:
    from service.replay import Decision


class ChoiceCheck:
    """Called with each decision of a record, it searches again wherever the record tells of a search.

    The seed of a search has to follow from the deal's seed, so that nobody can have picked a lucky one:
    HMAC-SHA-256(key = the deal's seed, message = "search" and the number of actions before), its first 53 bits. The
    choice has to be what this version of the computer chooses; `count` is how many were.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, decision: Decision) -> None:
        """Raises RecordError: the computer would not have chosen this with that knowledge."""
        if not decision.event.has("search"):
            return
        told, deal = decision.event["search"], decision.deal
        message = f"search{len(deal.history)}".encode()
        digest = hmac.digest(decision.seed, message, "sha256")
        seed = int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
        told["seed"].expect(seed, "the deal's seed")
        simulations = told["simulations"]
        try:
            budget = Budget(simulations=simulations.value)
        except ValueError as error:
            raise simulations.error(str(error)) from None
        level = replace(LEVELS[told["level"].value], budget=budget)
        assert deal.to_act is not None  # noqa: S101 - somebody decided
        chosen = choose_action(observe(deal, deal.to_act), level, seed).action
        if chosen != decision.action:
            taken = action_text(chosen, deal.rules.edition)
            raise decision.event.error(f"this version of the computer chooses {taken} there with what its seat knew")
        self.count += 1
