"""Examples of what the computer's searches find: the game of examples.py, looked at by its levels.

Seats and what was played follow from the game. What was found is in illustrations.json, as the service itself
answered; another version of the computer, or another kind of processor, may find something else.
"""

from __future__ import annotations

from importlib import resources
from statistics import fmean
from typing import Any

import orjson

from service import examples
from service.analysis import SEED, budget_for

Json = dict[str, Any]

BUDGET: Json = {"simulations": 400, "seed": 1}
LEVEL_BUDGET: Json = {"level": 4}
TIME_BUDGET: Json = {"time_ms": 50}


def _found(name: str) -> list[Json]:
    """What searches found; `python openapi/search.py` writes it anew."""
    rows: list[Json] = orjson.loads(resources.files("service").joinpath("illustrations.json").read_bytes())[name]
    return rows


def suggestion(version: int | None, *, history: bool = True) -> Json:
    """Advice to seat 0 at version 9; `history` tells whether what happened in the deal was looked at."""
    rated = _found("with_history" if history else "without_history")
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
    record = examples.record()
    chosen = [event for event in record["events"] if event["type"] in {"played", "passed", "drew"}]
    decisions = [
        {
            "version": event["version"],
            "seat": event["seat"],
            "best": reviewed["best"],
            "win_probability": reviewed["win_probability"],
            "played": _chosen(event),
            "played_win_probability": reviewed["played_win_probability"],
            "loss": round(max(0.0, reviewed["win_probability"] - reviewed["played_win_probability"]), 6),
        }
        for event, reviewed in zip(chosen, _found("decisions"), strict=True)
    ]
    return {
        "game": record["game"],
        "number": record["number"],
        "winner": record["winner"],
        "decisions": decisions,
        "seats": [_summary(seat, decisions) for seat in (0, 1)],
        "search": {"simulations": budget_for(len(decisions)).simulations, "seed": SEED},
    }


def _summary(seat: int, decisions: list[Json]) -> Json:
    own = [one for one in decisions if one["seat"] == seat]
    return {
        "seat": seat,
        "decisions": len(own),
        "best_chosen": sum(one["best"] == one["played"] for one in own),
        "average_loss": round(fmean(one["loss"] for one in own), 6),
    }


def _chosen(event: Json) -> Json:
    match event["type"]:
        case "played":
            return {"type": "play", "cards": event["cards"], "kind": event["kind"]}
        case "passed":
            return {"type": "pass"}
        case _:
            return {"type": "draw", "source": event["source"]}
