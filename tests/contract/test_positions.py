"""Advice on described positions: at any table, with or without what has happened there."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.cards import Edition
from tests.advised import FEW, described, history, suggest, without
from tests.asking import OPTIONS, Api, Json, Table, cards, play_deal


def test_a_described_position_gets_advice_without_a_version(api: Api, following: Table) -> None:
    advice = api.post("/v1/suggestions", described(following.view(0), **FEW)).json
    assert (advice["version"], advice["seat"]) == (None, 0)
    legal = following.view(0)["legal_actions"]
    assert sorted(map(str, legal)) == sorted(str(one["action"]) for one in advice["actions"])


def test_only_what_a_position_cannot_do_without_is_required(api: Api) -> None:
    refused = api.post("/v1/suggestions", {})
    pointers = sorted(error["pointer"] for error in refused.json["errors"])
    assert pointers == ["/draw_pile", "/hand", "/opponent_hand_size", "/played"]
    endgame = {"hand": cards("1 2 3"), "opponent_hand_size": 2, "played": cards(ENDGAME), "draw_pile": 0}
    assert api.post("/v1/suggestions", {**endgame, **FEW}).status_code == 200


# Five cards in hands after six draws: 31 are played, and nothing of these is left in the game but 1 2 3.
ENDGAME = "1 1 1 2 2 2 3 3 4 4 4 4 5 5 5 5 6 6 6 6 7 7 7 7 8 8 8 8 9 9 9"

RULES = [(list(Edition)[sum(options) % 2], options) for options in product((False, True), repeat=3)]


@pytest.mark.parametrize(("edition", "options"), RULES)
def test_with_its_history_a_described_position_gets_the_games_own_advice(
    api: Api, edition: Edition, options: tuple[bool, ...]
) -> None:
    rules = {"edition": edition, **dict(zip(OPTIONS, options, strict=True))}
    table = api.table(rules=rules, deal_seeds=None).deal()
    for turn, answer in enumerate(play_deal(table, f"advice{edition}{options}")):
        seat = answer["game"]["to_act"]
        if seat is None or turn % 6:
            continue
        own = without(suggest(table, seat, FEW).json)
        told = described(table.view(seat), history=history(table, seat), **FEW)
        assert without(api.post("/v1/suggestions", told).json) == own
        for event in told["history"]:
            for name in ("version", "at", "commitment"):
                event.pop(name, None)
        assert without(api.post("/v1/suggestions", told).json) == own


BAD_POSITIONS: list[tuple[Json, set[str]]] = [
    ({"hand": ["10", "1", "Q"]}, {"/hand/0", "/hand/2"}),
    ({"own_known": ["10"]}, {"/own_known/0"}),
    ({"opponent_known": ["10"]}, {"/opponent_known/0"}),
    ({"played": ["10"]}, {"/played/0"}),
    ({"face_up": "10"}, {"/face_up"}),
    ({"to_follow": ["10"]}, {"/to_follow/0"}),
    ({"hand": ["x"]}, {"/hand/0"}),
    ({"phase": "finished"}, {"/phase"}),
    ({"seat": 2}, {"/seat"}),
    ({"seat": None}, {"/seat"}),
    ({"version": 7}, {"/version"}),
    ({"draw_pile": "9"}, {"/draw_pile"}),
    ({"history": []}, {"/history"}),
    ({"history": [{"type": "created"}]}, {"/history/0/type"}),
    ({"history": [{}]}, {"/history/0/type"}),
    ({"rules": {"edition": "x"}}, {"/rules/edition"}),
    ({"face_up": "9"}, {"/draw_pile"}),
    ({"draw_pile": 8}, {"/draw_pile"}),
    ({"own_known": ["3"]}, {"/own_known"}),
    ({"opponent_known": ["7", "9"]}, {"/opponent_known"}),
    ({"to_follow": ["6", "7"]}, {"/to_follow"}),
    ({"opponent_hand_size": 0}, {"/opponent_hand_size"}),
]


@pytest.mark.parametrize(("wrong", "pointers"), BAD_POSITIONS, ids=[str(wrong) for wrong, _ in BAD_POSITIONS])
def test_a_position_that_cannot_be_is_refused_with_every_wrong_field(
    api: Api, following: Table, wrong: Json, pointers: set[str]
) -> None:
    right = described(following.view(0), **FEW)
    if wrong == {"face_up": "9"}:
        wrong = {**wrong, "draw_pile": 10}
    refused = api.post("/v1/suggestions", {**right, **wrong})
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert pointers <= {error["pointer"] for error in refused.json["errors"]}


def changed(told: list[Json], index: int, **members: Any) -> list[Json]:
    return [{**event, **members} if place == index else event for place, event in enumerate(told)]


BAD_HISTORIES: list[tuple[int, Json, str]] = [
    (0, {"starter": 1}, "/history/1"),
    (0, {"number": 0}, "/history/0/number"),
    (0, {"face_up": "10"}, "/history/0/face_up"),
    (0, {"hands": [None, None]}, "/history/0"),
    (0, {"hands": [["5"] * 5, None]}, "/history/0/hands/0"),
    (0, {"hands": [["10"], None]}, "/history/0/hands/0/0"),
    (0, {"hands": [None]}, "/history/0/hands"),
    (0, {"seat": 0}, "/history/0/seat"),
    (1, {"cards": ["1", "1"]}, "/history/1"),
    (1, {"cards": ["5", "6"]}, "/history/1/cards"),
    (1, {"cards": ["5"] * 5}, "/history/1/cards"),
    (1, {"kind": "single"}, "/history/1/kind"),
    (1, {"seat": 1}, "/history/1"),
    (2, {"cards": ["4", "4"]}, "/history/2"),
    (3, {"automatic": True}, "/history/3"),
    (3, {"automatic": None}, "/history/3/automatic"),
    (4, {"drawn": ["10", None]}, "/history/4/drawn/0"),
    (4, {"source": "draw_pile"}, "/history/4"),
    (4, {"face_up": None}, "/history/4"),
    (5, {"cards": ["3", "3"]}, "/to_follow"),
]


@pytest.mark.parametrize(("index", "members", "pointer"), BAD_HISTORIES, ids=[f"{i} {m}" for i, m, _ in BAD_HISTORIES])
def test_a_history_that_cannot_have_been_is_refused_at_its_event(
    api: Api, following: Table, index: int, members: Json, pointer: str
) -> None:
    told = changed(history(following, 0), index, **members)
    refused = api.post("/v1/suggestions", described(following.view(0), history=told, **FEW))
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request"), refused.text
    assert pointer in {error["pointer"] for error in refused.json["errors"]}


def test_R25_a_history_may_not_tell_what_its_seat_cannot_have_seen(api: Api, following: Table) -> None:
    told = history(following, 0)
    hands = [told[0]["hands"][0], cards("1 1 3 4 4 4 6 6 8 9 C C")]
    refused = api.post("/v1/suggestions", described(following.view(0), history=changed(told, 0, hands=hands)))
    assert [error["pointer"] for error in refused.json["errors"]] == ["/history/0"]


def test_a_history_that_ends_elsewhere_names_the_fields_that_differ(api: Api, following: Table) -> None:
    told = described(following.view(0), history=history(following, 0)[:-1])
    refused = api.post("/v1/suggestions", told)
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert {error["pointer"].split("/")[1] for error in refused.json["errors"]} >= {"history"}
