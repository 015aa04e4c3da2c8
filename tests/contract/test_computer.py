"""The computer's moves: by itself, on demand, and computed again from a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.app import create_app
from service.slots import Urgency
from tests.advised import FEW, suggest
from tests.asking import Api, Json, play_deal, take
from tests.running import store_config

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore


def test_a_choice_of_the_computers_can_be_computed_again_from_the_record(api: Api) -> None:
    table = api.table(seats=[{"kind": "human"}, {"kind": "ai", "level": 4}], first_leader=1, deal_seeds=None).deal()
    for turn in play_deal(table, 11):
        assert turn["game"]["to_act"] in {0, None}
    record = api.get(f"{table.path}/deals/1").json
    chosen = [event for event in record["events"] if "search" in event]
    assert chosen
    assert {event["seat"] for event in chosen} == {1}
    assert all(event["search"]["level"] == 4 for event in chosen)
    lead = chosen[0]
    assert lead["version"] == record["events"][1]["version"]
    dealt = {**record["events"][0], "hands": [None, record["events"][0]["hands"][1]]}
    position = {
        "hand": dealt["hands"][1],
        "seat": 1,
        "opponent_hand_size": 12,
        "played": [],
        "face_up": dealt["face_up"],
        "draw_pile": 11,
        "history": [dealt],
        "simulations": lead["search"]["simulations"],
        "seed": lead["search"]["seed"],
    }
    assert api.post("/v1/suggestions", position).json["best"]["cards"] == lead["cards"]


def test_the_computer_answers_inside_the_request_that_hands_it_the_turn(api: Api) -> None:
    table = api.table(seats=[{"kind": "human"}, {"kind": "ai", "level": 1}], deal_seeds=None).deal()
    view = table.view(0)
    answer = take(table, view, view["legal_actions"][0])
    assert {event["seat"] for event in answer["events"]} == {0, 1}
    assert answer["game"]["to_act"] == 0
    assert all("search" not in event for event in answer["events"])


def test_a_manual_computer_waits_to_be_moved_and_makes_one_action(api: Api) -> None:
    seats = [{"kind": "human"}, {"kind": "ai", "level": 1}]
    table = api.table(seats=seats, first_leader=1, ai_reply="manual", deal_seeds=None).deal()
    assert table.view()["to_act"] == 1
    moved = table.do(0, "ai-move")
    assert moved["events"][0]["seat"] == 1
    assert moved["events"][0]["type"] == "played"


def test_two_computers_play_a_game_by_ai_moves_and_deals(api: Api) -> None:
    table = api.table(seats=[{"kind": "ai", "level": 1}] * 2, rules={"points_to_win": 1}, deal_seeds=None).deal()
    events: list[Json] = []
    while (view := table.view())["phase"] != "finished":
        assert view["legal_actions"] == []
        events += table.do(None, "ai-move")["events"]
    assert events[-1]["type"] == "game_ended"


def test_without_a_free_slot_advice_waits_in_vain_and_a_human_action_still_counts(valkey: EmbeddedStore) -> None:
    app = create_app(store_config(valkey.url, search_slots=1, search_wait_seconds=0.05))
    table = Api(app).table(seats=[{"kind": "human"}, {"kind": "ai", "level": 1}]).deal()
    slots = app.extensions["crisps"].ports.slots
    with slots.taken(Urgency.MOVE), slots.taken(Urgency.MOVE):  # one slot is for the computer's moves alone
        busy = suggest(table, 0, FEW)
        played = table.do(0, "play", {"cards": ["5", "5"]})
        stuck = table.act(0, "ai-move")
    assert [event["seat"] for event in played["events"]] == [0]
    assert played["game"]["to_act"] == table.view()["to_act"] == 1
    for refused in (busy, stuck):
        assert (refused.status_code, refused.json["code"]) == (503, "search_busy")
        assert refused.headers["Retry-After"] == str(refused.json["retry_after"])
    assert table.do(0, "ai-move")["events"][0]["seat"] == 1
