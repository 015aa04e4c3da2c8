"""Events folded into a view: whoever applies them to a view of one version gets the view of a later one.

Written from the published description of views and events alone; it uses none of the service's code.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]

LABELS = {"boxed": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "C"]}
LABELS["classic"] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "Q"]


def foldable(view: Json) -> Json:
    """The part of a view that events determine: not the clock, not the promise of a shuffle, not what is legal."""
    rest = {name: value for name, value in view.items() if name not in {"turn_deadline", "legal_actions"}}
    coming = view["next_deal"]
    return {**rest, "next_deal": None if coming is None else (coming["number"], coming["starter"])}


def folded(view: Json, events: Iterable[Json]) -> Json:
    """The view after these events."""
    view = copy.deepcopy(view)
    for event in events:
        assert event["version"] == view["version"] + 1
        view["version"] = event["version"]
        _FOLDS[event["type"]](view, event)
    return view


def _dealt(view: Json, event: Json) -> None:
    viewer, starter, promised = view["viewer"], event["starter"], view["next_deal"]
    assert (event["number"], starter) == (promised["number"], promised["starter"])
    assert event["commitment"] == promised.get("commitment", event["commitment"])
    view.update(phase="play", to_act=starter, next_deal=None)
    view["deal"] = {
        "number": event["number"],
        "starter": starter,
        "commitment": event["commitment"],
        "hand": None if viewer is None else event["hands"][viewer],
        "hand_sizes": [12, 12],
        "known": [[], []],
        "face_up": event["face_up"],
        "draw_pile": 12 if event["face_up"] is None else 11,
        "played": [],
        "round": {"number": 1, "leader": starter, "plays": []},
        "to_follow": None,
    }


def _played(view: Json, event: Json) -> None:
    deal, seat, cards = view["deal"], event["seat"], event["cards"]
    assert view["to_act"] == seat
    if view["viewer"] == seat:
        for card in cards:
            deal["hand"].remove(card)
    for card in cards:
        if card in deal["known"][seat]:
            deal["known"][seat].remove(card)
    deal["hand_sizes"][seat] -= len(cards)
    deal["played"] = _ordered(view, deal["played"] + cards)
    deal["round"]["plays"].append({"seat": seat, "cards": cards})
    ranks = len(set(cards))
    shape = {"kind": event["kind"], "cards": cards, "rank": cards[-1], "length": ranks, "size": len(cards)}
    deal["to_follow"] = shape
    view["to_act"] = 1 - seat


def _passed(view: Json, event: Json) -> None:
    deal = view["deal"]
    assert view["to_act"] == event["seat"]
    view["to_act"] = 1 - event["seat"]
    deal["to_follow"] = None
    if deal["draw_pile"] == 0:
        _next_round(view)
    else:
        view["phase"] = "draw"


def _drew(view: Json, event: Json) -> None:
    deal, source = view["deal"], event["source"]
    face_up: str | None = deal["face_up"]
    assert view["phase"] == "draw"
    assert event["seat"] == (None if face_up is None else view["to_act"])
    if face_up is not None:
        taker = event["seat"] if source == "face_up" else 1 - event["seat"]
        assert event["drawn"][taker] == face_up
        deal["known"][taker] = _ordered(view, [*deal["known"][taker], face_up])
    if view["viewer"] is not None:
        deal["hand"] = _ordered(view, [*deal["hand"], event["drawn"][view["viewer"]]])
    deal["hand_sizes"] = [size + 1 for size in deal["hand_sizes"]]
    deal["draw_pile"] -= 2 if face_up is None or event["face_up"] is not None else 1
    deal["face_up"] = event["face_up"]
    _next_round(view)


def _next_round(view: Json) -> None:
    number = view["deal"]["round"]["number"] + 1
    view["phase"] = "play"
    view["deal"]["round"] = {"number": number, "leader": view["to_act"], "plays": []}


def _deal_ended(view: Json, event: Json) -> None:
    winner, number = event["winner"], event["number"]
    assert view["deal"]["hand_sizes"][winner] == 0
    view["seats"][winner]["score"] += 1
    scores = [seat["score"] for seat in view["seats"]]
    starter = 1 - view["deal"]["starter"] if scores[0] == scores[1] else scores.index(min(scores))
    view.update(phase="awaiting_deal", deal=None, to_act=None, last_deal={"number": number, "winner": winner})
    view["next_deal"] = {"number": number + 1, "starter": starter}


def _game_ended(view: Json, event: Json) -> None:
    if event["reason"] == "points":
        assert view["seats"][event["winner"]]["score"] == view["rules"]["points_to_win"]
    view.update(phase="finished", deal=None, to_act=None, winner=event["winner"], next_deal=None)


_FOLDS = {
    "dealt": _dealt,
    "played": _played,
    "passed": _passed,
    "drew": _drew,
    "deal_ended": _deal_ended,
    "game_ended": _game_ended,
}


def _ordered(view: Json, cards: list[str]) -> list[str]:
    return sorted(cards, key=LABELS[view["rules"]["edition"]].index)
