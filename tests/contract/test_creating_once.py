"""A game that is created again with the same Idempotency-Key is the same game, with the same tokens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.asking import PEOPLE, Answer, Api, Json, Table
from tests.contract.repeated import AGAINST_AI, PARALLEL
from tests.stored import raw

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore
    from tests.contract.interrupted import Process


def create(api: Api, key: str, body: Json | None = None) -> Answer:
    return api.post("/v1/games", body, headers={"Idempotency-Key": key})


SEATS: list[Any] = [PEOPLE, AGAINST_AI, AGAINST_AI[::-1], [{"kind": "ai"}, {"kind": "ai"}]]


@pytest.mark.parametrize("seats", SEATS)
def test_creating_again_answers_the_same_game_and_tokens(api: Api, seats: Json, game_id: str) -> None:
    key, body = f"{game_id}-secret", {"seats": seats, "turn_seconds": 60}
    first = create(api, key, body)
    table = Table(api, first.json["game"]["id"], {one["seat"]: one["token"] for one in first.json["tokens"]})
    assert len(set(table.tokens.values())) == len(table.tokens)
    for one in first.json["tokens"]:
        assert table.view(one["seat"])["viewer"] == one["seat"]
    table.deal()
    for form in (key, f'"{key}"'):
        again = create(api, form, body)
        assert (again.status_code, again.data) == (201, first.data)
        assert [again.headers[name] for name in ("Location", "ETag")] == [
            first.headers[name] for name in ("Location", "ETag")
        ]


def test_fifty_creations_at_once_with_one_key_make_one_game(
    process: Process, other: Process, game_id: str, valkey: EmbeddedStore
) -> None:
    key = f"{game_id}-secret"
    apis = [Api(one.app) for one in (process, other) for _ in range(PARALLEL // 2)]
    before = sum(1 for _ in raw(valkey).scan_iter("crisps:{*}"))
    with ThreadPoolExecutor(PARALLEL) as pool:
        answers = list(pool.map(lambda api: create(api, key), apis))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.data for answer in answers}) == 1
    assert sum(1 for _ in raw(valkey).scan_iter("crisps:{*}")) == before + 1


def test_a_creations_key_is_a_secret_of_sixteen_characters(api: Api) -> None:
    refused = create(api, "a" * 15)
    assert (refused.status_code, refused.json["errors"][0]["parameter"]) == (422, "Idempotency-Key")
    assert create(api, "a" * 16).status_code == 201


def test_keys_make_games_and_tokens_of_their_own(api: Api, game_id: str) -> None:
    made = [create(api, f"{game_id}-secret-{number}", {"seats": PEOPLE}).json for number in (1, 2)]
    assert len({one["game"]["id"] for one in made}) == 2
    assert len({token["token"] for one in made for token in one["tokens"]}) == 4
    unasked = api.post("/v1/games", {"seats": PEOPLE}).json
    assert len(unasked["tokens"][0]["token"]) == len(made[0]["tokens"][0]["token"])


def test_the_same_secret_with_another_body_is_refused(api: Api, game_id: str) -> None:
    key = f"{game_id}-secret"
    assert create(api, key, {"first_leader": 0}).status_code == 201
    refused = create(api, key, {"first_leader": 1})
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")


def test_a_secret_older_than_its_record_is_refused_while_its_game_lives(
    api: Api, game_id: str, valkey: EmbeddedStore
) -> None:
    key = f"{game_id}-secret"
    made = create(api, key).json["game"]["id"]
    (name,) = raw(valkey).scan_iter(f"crisps:{{{made}}}:key:*")
    raw(valkey).delete(name)
    refused = create(api, key)
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")


def test_the_first_answer_outlives_the_game(api: Api, game_id: str, valkey: EmbeddedStore) -> None:
    key = f"{game_id}-secret"
    first = create(api, key)
    made = first.json["game"]["id"]
    raw(valkey).delete(*(f"crisps:{{{made}}}{part}" for part in ("", ":events", ":deals")))
    assert create(api, key).data == first.data
    assert api.get(f"/v1/games/{made}").status_code == 404
