"""Examples of what the computer's searches find: the game of examples.py, looked at by its levels.

Seats and what was played follow from the game. What was found is in illustrations.json, as the service itself
answered; another version of the computer, or another kind of processor, may find something else.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import orjson

from engine.rules import Rules
from service import examples
from service.analysis import SEED, budget_for, decisions, summary
from service.views import action_json

if TYPE_CHECKING:
    from engine.cards import Seat

Json = dict[str, Any]

BUDGET: Json = {"simulations": 400, "seed": 1}
LEVEL_BUDGET: Json = {"level": 4}
TIME_BUDGET: Json = {"time_ms": 50}


@cache
def _found() -> dict[str, list[Json]]:
    """What searches found; `python openapi/search.py` writes it anew."""
    rows: dict[str, list[Json]] = orjson.loads(resources.files("service").joinpath("illustrations.json").read_bytes())
    return rows


def suggestion(version: int | None, *, history: bool = True) -> Json:
    """Advice to seat 0 at version 9; `history` tells whether what happened in the deal was looked at."""
    rated = _found()["with_history" if history else "without_history"]
    return {
        "version": version,
        "seat": 0,
        "win_probability": rated[0]["win_probability"],
        "best": rated[0]["action"],
        "actions": rated,
        "search": {**BUDGET, "elapsed_ms": 8.3},
    }


def analysis() -> Json:
    """The first deal, reviewed."""
    record, rules = examples.deal_record(), Rules()
    reviewed = [
        {
            "version": decision.version,
            "seat": decision.seat,
            "best": found["best"],
            "win_probability": found["win_probability"],
            "played": action_json(decision.action, rules.edition),
            "played_win_probability": found["played_win_probability"],
            "loss": round(max(0.0, found["win_probability"] - found["played_win_probability"]), 6),
        }
        for decision, found in zip(decisions(rules, record), _found()["decisions"], strict=True)
    ]
    return {
        "game": examples.record()["game"],
        "number": record.head.number,
        "winner": record.head.winner,
        "decisions": reviewed,
        "seats": [_summary(seat, reviewed) for seat in (0, 1)],
        "search": {"simulations": budget_for(len(reviewed)).simulations, "seed": SEED},
    }


def _summary(seat: Seat, reviewed: list[Json]) -> Json:
    told = summary(seat, reviewed)
    return {**told, "average_loss": round(told["average_loss"], 6)}
