"""Dealing, playing, passing, drawing, resigning between two people, and what each is answered."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.cards import Edition
from tests.asking import OPTIONS, Api, cards, play_deal

BODIES: dict[str, dict[str, Any]] = {"play": {"cards": ["1"]}, "draw-choice": {"source": "face_up"}}


def types(answer: dict[str, Any]) -> list[str]:
    return [event["type"] for event in answer["events"]]


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


@pytest.mark.parametrize("seat", [0, 1])
def test_either_seat_may_ask_for_the_deal(api: Api, seat: int) -> None:
    table = api.table()
    promise = table.view()["next_deal"]
    answer = table.do(seat, "deal")
    assert types(answer) == ["dealt"]
    (dealt,) = answer["events"]
    assert dealt["commitment"] == promise["commitment"] == answer["game"]["deal"]["commitment"]
    assert dealt["hands"][seat] == answer["game"]["deal"]["hand"]
    assert dealt["hands"][1 - seat] is None
    assert answer["game"]["viewer"] == seat
    assert answer["game"]["next_deal"] is None


def test_the_client_seed_is_mixed_into_the_promised_shuffle(api: Api) -> None:
    table = api.table()
    table.do(0, "deal", {"client_seed": "crisps"})
    assert table.view(0)["deal"]["hand"] == cards("1 2 3 4 4 6 6 6 7 8 9 C")


@pytest.mark.parametrize("seed", ["", "x" * 64, "🍟" * 64, "\u0000\n"])
def test_a_client_seed_is_any_text_of_up_to_64_characters(api: Api, seed: str) -> None:
    assert types(api.table().do(0, "deal", {"client_seed": seed})) == ["dealt"]


@pytest.mark.parametrize("seed", ["x" * 65, "🍟" * 65, None, 7])
def test_anything_else_is_no_client_seed(api: Api, seed: Any) -> None:
    table = api.table()
    refused = table.act(0, "deal", {"client_seed": seed})
    assert code(refused) == (422, "invalid_request")
    assert [error["pointer"] for error in refused.json["errors"]] == ["/client_seed"]


def test_a_deal_in_mid_deal_is_the_wrong_phase(api: Api) -> None:
    refused = api.table().deal().act(0, "deal")
    assert code(refused) == (409, "wrong_phase")
    assert refused.json["current_version"] == 2


def test_R11_the_leader_may_lead_any_combination_in_any_order_of_cards(api: Api) -> None:
    answer = api.table().deal().do(0, "play", {"cards": ["9", "8", "9", "8"]})
    assert answer["events"][0]["cards"] == ["8", "8", "9", "9"]
    assert answer["events"][0]["kind"] == "stair"
    assert answer["game"]["deal"]["to_follow"] == {
        "kind": "stair",
        "cards": ["8", "8", "9", "9"],
        "rank": "9",
        "length": 2,
        "size": 4,
    }


REFUSED_PLAYS = [
    ("C", "cards_not_in_hand"),
    ("5 5 5 5 5", "cards_not_in_hand"),
    ("2 2 2 2", "cards_not_in_hand"),
    ("2 3", "not_a_combination"),
    ("2 2 3 3 3", "cards_not_in_hand"),
    ("5 5 8 8", "not_a_combination"),
]


@pytest.mark.parametrize(("text", "refusal"), REFUSED_PLAYS)
def test_cards_are_looked_for_in_the_hand_before_they_are_a_combination(api: Api, text: str, refusal: str) -> None:
    table = api.table().deal()
    refused = table.act(0, "play", {"cards": cards(text)})
    assert code(refused) == (422, refusal)
    assert refused.json["current_version"] == 2


def test_R12_a_pair_is_followed_by_a_pair_of_the_same_rank_or_higher(api: Api) -> None:
    table = api.table().deal().play("5 5")
    for text in ("4 4", "6", "4 4 4", "3 4"):
        refused = table.act(1, "play", {"cards": cards(text)})
        assert refused.json["code"] == ("not_a_combination" if text == "3 4" else "does_not_follow")
    assert table.play("6 6", "8 8").view()["deal"]["played"] == cards("5 5 6 6 8 8")


def test_R11_the_leader_may_not_pass(api: Api) -> None:
    assert code(api.table().deal().act(0, "pass")) == (422, "leader_may_not_pass")


def test_R18_after_a_pass_the_other_seat_chooses_where_to_draw(api: Api) -> None:
    table = api.table().deal().play("5 5")
    answer = table.do(1, "pass")
    assert types(answer) == ["passed"]
    game = answer["game"]
    assert (game["phase"], game["to_act"]) == ("draw", 0)
    assert (game["deal"]["to_follow"], game["deal"]["round"]["number"]) == (None, 1)
    assert table.view(0)["legal_actions"] == [
        {"type": "draw", "source": "face_up"},
        {"type": "draw", "source": "draw_pile"},
    ]
    for action in ("play", "pass"):
        refused = table.act(0, action, {"cards": ["8"]} if action == "play" else {})
        assert code(refused) == (409, "wrong_phase")
    drew = table.do(0, "draw-choice", {"source": "face_up"})
    assert types(drew) == ["drew"]
    assert drew["events"][0]["drawn"] == ["7", None]
    assert drew["game"]["deal"]["known"] == [["7"], []]
    assert table.view(1)["deal"]["hand"].count("7") == 1
    assert (drew["game"]["phase"], drew["game"]["to_act"]) == ("play", 0)


def test_R26_without_a_face_up_card_a_pass_draws_by_itself(api: Api) -> None:
    table = api.table(rules={"no_face_up_draw": True}).deal().play("5 5")
    answer = table.do(1, "pass")
    assert types(answer) == ["passed", "drew"]
    assert (answer["events"][1]["seat"], answer["events"][1]["source"]) == (None, None)
    assert code(table.act(0, "draw-choice", {"source": "face_up"})) == (409, "wrong_phase")


def test_R20_the_last_card_ends_the_deal_and_the_game_waits_for_the_next(api: Api) -> None:
    table = api.table().deal()
    *_, answer = play_deal(table, 7)
    assert types(answer) == ["played", "deal_ended"]
    winner = answer["events"][1]["winner"]
    assert answer["game"]["last_deal"] == {"number": 1, "winner": winner}
    assert [seat["score"] for seat in answer["game"]["seats"]] == [winner == 0, winner == 1]
    assert answer["game"]["next_deal"]["number"] == 2
    assert answer["game"]["next_deal"]["starter"] == 1 - winner
    assert answer["game"]["deal"] is None
    for action in ("play", "pass", "draw-choice"):
        assert code(table.act(0, action, BODIES.get(action))) == (409, "wrong_phase")


def test_R21_enough_points_end_the_game_and_nothing_can_be_done_any_more(api: Api) -> None:
    table = api.table(rules={"points_to_win": 1}).deal()
    *_, answer = play_deal(table, 8)
    assert types(answer) == ["played", "deal_ended", "game_ended"]
    assert answer["events"][2]["reason"] == "points"
    assert answer["game"]["winner"] == answer["events"][1]["winner"]
    assert answer["game"]["next_deal"] is None
    for action in ("deal", "play", "pass", "draw-choice", "ai-move", "resign"):
        assert code(table.act(0, action, BODIES.get(action))) == (409, "game_finished")


@pytest.mark.parametrize("turns", [None, [], ["5 5"], ["5 5", "pass"]])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_may_resign_in_every_phase_and_out_of_turn(api: Api, seat: int, turns: list[str] | None) -> None:
    table = api.table() if turns is None else api.table().deal().play(*turns)
    answer = table.do(seat, "resign")
    assert types(answer) == ["game_ended"]
    assert (answer["events"][0]["winner"], answer["events"][0]["reason"]) == (1 - seat, "resignation")
    game = answer["game"]
    assert (game["phase"], game["winner"], game["deal"], game["last_deal"]) == ("finished", 1 - seat, None, None)
    assert [one["score"] for one in game["seats"]] == [0, 0]


def test_a_label_that_only_the_other_edition_prints_is_refused_where_it_stands(api: Api) -> None:
    classic = api.table(rules={"edition": "classic"}).deal()
    for table, labels, wrong in ((classic, ["5", "1", "C"], [1, 2]), (api.table().deal(), ["10", "2", "Q"], [0, 2])):
        refused = api.post(f"{table.path}/play", {"cards": labels}, token=table.tokens[0])
        assert code(refused) == (422, "invalid_request")
        assert [error["pointer"] for error in refused.json["errors"]] == [f"/cards/{index}" for index in wrong]


BAD_BODIES: list[tuple[str, Any, list[str]]] = [
    ("play", {}, ["/cards"]),
    ("play", {"cards": []}, ["/cards"]),
    ("play", {"cards": ["5"] * 41}, ["/cards"]),
    ("play", {"cards": "5"}, ["/cards"]),
    ("play", {"cards": None}, ["/cards"]),
    ("play", {"cards": [5, "5", "x", None]}, ["/cards/0", "/cards/2", "/cards/3"]),
    ("play", {"cards": ["5"], "card": 1, "a/b~": 1}, ["/a~1b~0", "/card"]),
    ("play", [], [""]),
    ("draw-choice", {}, ["/source"]),
    ("draw-choice", {"source": "set_aside"}, ["/source"]),
    ("draw-choice", {"source": None}, ["/source"]),
    ("draw-choice", {"source": 1}, ["/source"]),
    ("deal", {"seed": "x"}, ["/seed"]),
    ("pass", {"cards": []}, ["/cards"]),
    ("ai-move", {"level": 5}, ["/level"]),
    ("resign", {"reason": "tired"}, ["/reason"]),
    ("resign", "resign", [""]),
]


@pytest.mark.parametrize(("action", "body", "pointers"), BAD_BODIES, ids=[f"{a} {b!r:.40}" for a, b, _ in BAD_BODIES])
def test_a_body_of_another_shape_changes_nothing(api: Api, action: str, body: Any, pointers: list[str]) -> None:
    table = api.table().deal()
    before = table.everything()
    refused = api.post(f"{table.path}/{action}", body, token=table.tokens[0], headers={"If-Match": '"2.0"'})
    assert code(refused) == (422, "invalid_request")
    assert sorted(error["pointer"] for error in refused.json["errors"]) == pointers
    assert table.everything() == before


def test_query_parameters_that_an_action_has_not_are_refused(api: Api) -> None:
    table = api.table().deal()
    refused = api.post(f"{table.path}/resign?version=2&x", {"version": 2}, token=table.tokens[0])
    assert code(refused) == (422, "invalid_request")
    assert sorted(error["parameter"] for error in refused.json["errors"]) == ["version", "x"]
    assert table.view()["version"] == 2


RULES = [(list(Edition)[sum(options) % 2], options) for options in product((False, True), repeat=3)]


@pytest.mark.parametrize(("edition", "options"), RULES)
def test_whole_games_show_each_viewer_what_its_legal_actions_lead_to(
    api: Api, edition: Edition, options: tuple[bool, ...]
) -> None:
    rules = {"edition": edition, "points_to_win": 1, **dict(zip(OPTIONS, options, strict=True))}
    table = api.table(rules=rules, deal_seeds=None).deal()
    told: dict[int, list[Any]] = {0: [], 1: []}
    game = table.view()
    last = game["version"]
    for turn, answer in enumerate(play_deal(table, f"{edition}{options}")):
        game = answer["game"]
        assert [event["version"] for event in answer["events"]] == [*range(last + 1, game["version"] + 1)]
        told[game["viewer"]] += answer["events"]
        last = game["version"]
        if turn % 7 == 0:
            assert game == table.view(game["viewer"])
            assert table.view()["legal_actions"] == []
    assert game["phase"] == "finished"
    for seat, events in told.items():
        history = api.get(f"{table.path}/history?limit=1000", token=table.tokens[seat]).json["events"]
        assert [event for event in events if event not in history] == []
        assert len(history) == last == sum(map(len, told.values())) + 2
