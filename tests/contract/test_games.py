"""Creating games and viewing them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.asking import NO_GAME, PEOPLE, SEED, Answer, Api, cards

BASE = {
    "edition": "boxed",
    "crisps_in_runs": False,
    "no_face_up_draw": False,
    "automatic_turn_skip": False,
    "points_to_win": 3,
}


@pytest.mark.parametrize("raw", [None, b"", b"{}", b'{"rules": {}}'])
def test_nothing_said_makes_a_person_against_the_computer_at_level_3(api: Api, raw: bytes | None) -> None:
    created = api.post("/v1/games", raw=raw)
    assert created.status_code == 201
    game = created.json["game"]
    assert game["seats"] == [
        {"seat": 0, "kind": "human", "name": None, "score": 0},
        {"seat": 1, "kind": "ai", "level": 3, "score": 0},
    ]
    assert game["rules"] == BASE
    assert (game["phase"], game["version"], game["viewer"], game["to_act"]) == ("awaiting_deal", 1, None, None)
    assert (game["deal"], game["last_deal"], game["winner"], game["legal_actions"]) == (None, None, None, [])
    assert game["seeded"] is False
    assert [one["seat"] for one in created.json["tokens"]] == [0]


def test_a_new_game_lies_at_its_location_and_its_tokens_are_kept_from_caches(api: Api) -> None:
    created = api.post("/v1/games", {"seats": PEOPLE})
    game = created.json["game"]
    assert created.headers["Location"] == f"/v1/games/{game['id']}"
    assert created.headers["ETag"] == '"1.p"'
    assert created.headers["Cache-Control"] == "no-store"
    assert api.get(created.headers["Location"]).json == game


def test_each_person_gets_a_token_of_its_own_in_the_order_of_the_seats(api: Api) -> None:
    tokens = api.post("/v1/games", {"seats": PEOPLE}).json["tokens"]
    assert [one["seat"] for one in tokens] == [0, 1]
    assert tokens[0]["token"] != tokens[1]["token"]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", one["token"]) for one in tokens)


def test_a_game_between_two_computers_has_one_token_without_a_seat(api: Api) -> None:
    table = api.table(seats=[{"kind": "ai", "level": 1}, {"kind": "ai"}], ai_reply="auto")
    assert list(table.tokens) == [None]
    assert table.view()["viewer"] is None
    after = table.do(None, "deal")
    assert [event["type"] for event in after["events"]] == ["dealt"]
    assert after["game"]["deal"]["hand"] is None
    refused = table.act(None, "resign")
    assert (refused.status_code, refused.json["code"]) == (409, "not_your_turn")


def test_what_is_chosen_is_what_the_view_shows(api: Api) -> None:
    rules = {
        "edition": "classic",
        "crisps_in_runs": True,
        "no_face_up_draw": True,
        "automatic_turn_skip": True,
        "points_to_win": 99,
    }
    seats: list[dict[str, Any]] = [{"kind": "ai", "level": 5}, {"kind": "human", "name": "Zoë 🍟"}]
    table = api.table(seats=seats, rules=rules, first_leader=1, turn_seconds=60)
    view = table.view(1)
    assert view["rules"] == rules
    assert [{**seat, "seat": None, "score": None} for seat in view["seats"]] == [
        {**seat, "seat": None, "score": None} for seat in seats
    ]
    assert view["seeded"] is True
    assert view["next_deal"]["starter"] == 1


def test_the_settings_of_rules_may_be_given_one_by_one(api: Api) -> None:
    assert api.table(rules={"crisps_in_runs": True}).view()["rules"] == {**BASE, "crisps_in_runs": True}


def test_the_first_leader_is_drawn_at_random_unless_it_is_chosen(api: Api) -> None:
    assert {api.table(first_leader=None).view()["next_deal"]["starter"] for _ in range(40)} == {0, 1}
    for seat in (0, 1):
        assert {api.table(first_leader=seat).view()["next_deal"]["starter"] for _ in range(5)} == {seat}


def test_deal_seeds_set_the_shuffle_in_either_case_of_hexadecimal(api: Api) -> None:
    for seed in (SEED, SEED.upper()):
        hand = api.table(deal_seeds=[seed]).deal().view(0)["deal"]["hand"]
        assert hand == cards("2 2 2 3 5 5 5 5 8 8 9 9")


def test_a_clock_gives_whoever_is_to_act_a_deadline(api: Api) -> None:
    table = api.table(turn_seconds=60)
    assert table.view()["turn_deadline"] is None
    assert table.deal().view()["turn_deadline"].endswith("Z")


BAD_SETTINGS: list[tuple[Any, str]] = [
    ([], ""),
    (None, ""),
    ({"seats": []}, "/seats"),
    ({"seats": [{"kind": "human"}]}, "/seats"),
    ({"seats": [*PEOPLE, {"kind": "human"}]}, "/seats"),
    ({"seats": None}, "/seats"),
    ({"seats": {"0": {"kind": "human"}}}, "/seats"),
    ({"seats": ["human", {"kind": "human"}]}, "/seats/0"),
    ({"seats": [{}, {"kind": "human"}]}, "/seats/0/kind"),
    ({"seats": [{"kind": "robot"}, {"kind": "human"}]}, "/seats/0/kind"),
    ({"seats": [{"kind": "human", "level": 3}, {"kind": "human"}]}, "/seats/0/level"),
    ({"seats": [{"kind": "human"}, {"kind": "ai", "name": "Hal"}]}, "/seats/1/name"),
    ({"seats": [{"kind": "human"}, {"kind": "ai", "level": 0}]}, "/seats/1/level"),
    ({"seats": [{"kind": "human"}, {"kind": "ai", "level": 6}]}, "/seats/1/level"),
    ({"seats": [{"kind": "human"}, {"kind": "ai", "level": "3"}]}, "/seats/1/level"),
    ({"seats": [{"kind": "human"}, {"kind": "ai", "level": None}]}, "/seats/1/level"),
    ({"seats": [{"kind": "human", "name": ""}, {"kind": "human"}]}, "/seats/0/name"),
    ({"seats": [{"kind": "human", "name": "x" * 41}, {"kind": "human"}]}, "/seats/0/name"),
    ({"seats": [{"kind": "human", "name": "Ann\n"}, {"kind": "human"}]}, "/seats/0/name"),
    ({"seats": [{"kind": "human", "name": "A\u0000"}, {"kind": "human"}]}, "/seats/0/name"),
    ({"seats": [{"kind": "human", "name": "A\u0085"}, {"kind": "human"}]}, "/seats/0/name"),
    ({"seats": [{"kind": "human", "name": 1}, {"kind": "human"}]}, "/seats/0/name"),
    ({"seats": [{"kind": "human", "name": " "}, {"kind": "human"}]}, "/seats/0/name"),
    ({"rules": None}, "/rules"),
    ({"rules": []}, "/rules"),
    ({"rules": {"edition": "deluxe"}}, "/rules/edition"),
    ({"rules": {"edition": 1}}, "/rules/edition"),
    ({"rules": {"crisps_in_runs": 1}}, "/rules/crisps_in_runs"),
    ({"rules": {"points_to_win": 0}}, "/rules/points_to_win"),
    ({"rules": {"points_to_win": 100}}, "/rules/points_to_win"),
    ({"rules": {"points_to_win": True}}, "/rules/points_to_win"),
    ({"rules": {"wild_cards": True}}, "/rules/wild_cards"),
    ({"first_leader": 2}, "/first_leader"),
    ({"first_leader": True}, "/first_leader"),
    ({"ai_reply": "never"}, "/ai_reply"),
    ({"turn_seconds": 4}, "/turn_seconds"),
    ({"turn_seconds": 604_801}, "/turn_seconds"),
    ({"deal_seeds": []}, "/deal_seeds"),
    ({"deal_seeds": [SEED] * 198}, "/deal_seeds"),
    ({"deal_seeds": [SEED, SEED[:-1]]}, "/deal_seeds/1"),
    ({"deal_seeds": [SEED + "\n"]}, "/deal_seeds/0"),
    ({"deal_seeds": ["g" * 64]}, "/deal_seeds/0"),
    ({"deal_seeds": SEED}, "/deal_seeds"),
    ({"version": 1}, "/version"),
]


@pytest.mark.parametrize(("settings", "pointer"), BAD_SETTINGS, ids=[f"{p} {s!r:.40}" for s, p in BAD_SETTINGS])
def test_settings_that_no_game_has_are_refused_where_they_stand(api: Api, settings: Any, pointer: str) -> None:
    refused = api.post("/v1/games", raw=b"null") if settings is None else api.post("/v1/games", settings)
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


@pytest.mark.parametrize("name", ["x", "x" * 40, "🍟" * 40, " x ", "👩\u200d🍳", None])
def test_a_name_has_one_to_forty_characters_or_is_null(api: Api, name: str | None) -> None:
    table = api.table(seats=[{"kind": "human", "name": name}, {"kind": "human"}])
    assert table.view()["seats"][0]["name"] == name


def test_a_view_depends_on_whose_token_is_sent(api: Api) -> None:
    table = api.table().deal()
    views = [table.view(seat) for seat in (0, 1, None)]
    assert [view["viewer"] for view in views] == [0, 1, None]
    assert views[0]["deal"]["hand"] == cards("2 2 2 3 5 5 5 5 8 8 9 9")
    assert views[1]["deal"]["hand"] == cards("1 1 3 4 4 4 6 6 8 9 C C")
    assert views[2]["deal"]["hand"] is None
    assert [bool(view["legal_actions"]) for view in views] == [True, False, False]


def viewed(api: Api, path: str, tag: str | None, token: str | None = None) -> Answer:
    return api.get(path, token=token, headers={} if tag is None else {"If-None-Match": tag})


@pytest.mark.parametrize(("seat", "tag"), [(0, '"2.0"'), (1, '"2.1"'), (None, '"2.p"')])
def test_a_view_is_tagged_with_its_version_and_viewer_and_stays_private(api: Api, seat: int | None, tag: str) -> None:
    table = api.table().deal()
    for known in (None, tag):
        answer = viewed(api, table.path, known, table.tokens.get(seat))
        assert answer.status_code == (200 if known is None else 304)
        assert answer.headers["ETag"] == tag
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert "Authorization" in answer.headers["Vary"]


KNOWN = ['"2.p"', 'W/"2.p"', '"1.p", "2.p"', '"1.p",W/"2.p"', "*", ' "2.p" ', '"x", "2.p"']
UNKNOWN = ['"1.p"', '"2.0"', '"3.p"', "2.p", '"2.p', '"2.p"x', "", ",", 'w/"2.p"', '"02.p"', '"2.p-gzip"']


@pytest.mark.parametrize("tag", KNOWN)
def test_a_known_view_is_not_sent_again(api: Api, tag: str) -> None:
    answer = viewed(api, api.table().deal().path, tag)
    assert (answer.status_code, answer.data) == (304, b"")


@pytest.mark.parametrize("tag", UNKNOWN)
def test_any_other_tag_gets_the_whole_view(api: Api, tag: str) -> None:
    assert viewed(api, api.table().deal().path, tag).status_code == 200


def test_head_answers_as_get_without_a_body(api: Api) -> None:
    table = api.table().deal()
    head = api.ask("HEAD", table.path)
    assert (head.status_code, head.headers["ETag"], head.data) == (200, '"2.p"', b"")


@pytest.mark.parametrize("game_id", [NO_GAME, "x", "{a}", "a" * 31, "A" * 32, "%00", "a" * 3000, "é" * 32])
def test_what_is_no_games_id_is_an_unknown_game(api: Api, game_id: str) -> None:
    refused = api.get(f"/v1/games/{game_id}")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_game")


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic abc",
        "Token {token}",
        "{token}",
        "Bearer {token} x",
        "Bearer {token},",
    ],
)
def test_a_header_that_is_no_token_of_this_game_is_refused_for_reads_too(api: Api, given: str) -> None:
    table = api.table()
    refused = api.get(table.path, headers={"Authorization": given.format(token=table.tokens[0])})
    assert (refused.status_code, refused.json["code"]) == (401, "invalid_token")
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


def test_the_name_of_the_scheme_is_not_case_sensitive(api: Api) -> None:
    table = api.table()
    answer = api.get(table.path, headers={"Authorization": f"bearer {table.tokens[1]}"})
    assert answer.json["viewer"] == 1


def test_the_token_of_another_game_is_worth_nothing(api: Api) -> None:
    refused = api.get(api.table().path, token=api.table().tokens[0])
    assert (refused.status_code, refused.json["code"]) == (401, "invalid_token")
