"""Examples of what the computer's searches find: the game of examples.py, looked at by its levels.

Actions and seats follow from the game. The figures were found once, by the service itself; another version of the
computer, or another kind of processor, may find others.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any

from engine.cards import Edition
from engine.notation import action_of
from service import examples
from service.views import action_json

Json = dict[str, Any]

BUDGET: Json = {"simulations": 400, "seed": 1}
LEVEL_BUDGET: Json = {"level": 4}
TIME_BUDGET: Json = {"time_ms": 50}

_Rated = tuple[str, float, int]
# At version 9 seat 0 has to follow 2-3-4-5: action, chance to win the deal, visits.
_WITH_HISTORY: tuple[_Rated, ...] = (("pass", 0.6381, 392), ("6-7-8-9", 0.4807, 8))
_WITHOUT: tuple[_Rated, ...] = (("pass", 0.7104, 395), ("6-7-8-9", 0.3854, 5))

# For each decision of the first deal: the best action, its chance, and that of what was played.
_REVIEWED: tuple[tuple[str, float, float], ...] = (
    ("4", 0.5275, 0.3977),
    ("pass", 0.5152, 0.4190),
    ("pass", 0.5191, 0.3838),
    ("pass", 0.4436, 0.1910),
    ("pass", 0.5393, 0.5393),
    ("face_up", 0.1813, 0.1700),
    ("1-2-3", 0.1361, 0.0963),
    ("pass", 0.5488, 0.5198),
    ("pass", 0.2073, 0.2073),
    ("draw_pile", 0.4878, 0.3267),
    ("1-2-3-4", 0.9309, 0.9309),
    ("pass", 0.4701, 0.4701),
    ("face_up", 0.9999, 0.9999),
    ("3-4-5-6-7", 1.0, 1.0),
)
_REVIEW_SIMULATIONS = 250


def suggestion(version: int | None, *, history: bool = True) -> Json:
    """Advice to seat 0 at version 9; `history` tells whether what happened in the deal was looked at."""
    rated = [
        {"action": _shown(text), "win_probability": chance, "visits": visits}
        for text, chance, visits in (_WITH_HISTORY if history else _WITHOUT)
    ]
    return {
        "version": version,
        "seat": 0,
        "win_probability": rated[0]["win_probability"],
        "best": rated[0]["action"],
        "actions": rated,
        "search": {"simulations": 400, "elapsed_ms": 8.3, "seed": 1},
    }


def analysis() -> Json:
    """The first deal, reviewed."""
    record = examples.record()
    chosen = [event for event in record["events"] if event["type"] in {"played", "passed", "drew"}]
    decisions = [
        {
            "version": event["version"],
            "seat": event["seat"],
            "best": _shown(best),
            "win_probability": chance,
            "played": _chosen(event),
            "played_win_probability": played,
            "loss": round(max(0.0, chance - played), 6),
        }
        for event, (best, chance, played) in zip(chosen, _REVIEWED, strict=True)
    ]
    return {
        "game": record["game"],
        "number": record["number"],
        "winner": record["winner"],
        "decisions": decisions,
        "seats": [_summary(seat, decisions) for seat in (0, 1)],
        "search": {"simulations": _REVIEW_SIMULATIONS, "seed": 0},
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


def _shown(text: str) -> Json:
    return action_json(action_of(text), Edition.BOXED)
