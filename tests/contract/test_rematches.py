"""Playing again: the next game of the same seats, each with its own token."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from tests.asking import Api, Table, code
from tests.stored import raw

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore
    from tests.contract.interrupted import Process

SECONDS = 30


def finished(api: Api, **settings: Any) -> Table:
    table = api.table(**settings).deal()
    table.do(next(iter(table.tokens)), "resign")
    return table


def rematch(table: Table, seat: int | None, status: int = 200) -> Table:
    """The next game as one seat gets it."""
    answer = table.act(seat, "rematch")
    assert answer.status_code == status, answer.text
    game_id = answer.json["game"]["id"]
    assert answer.headers["Location"] == f"/v1/games/{game_id}"
    assert [one["seat"] for one in answer.json["tokens"]] == [seat]
    return Table(table.api, game_id, {seat: answer.json["tokens"][0]["token"]})


def test_both_seats_get_the_same_next_game_each_its_own_token(api: Api) -> None:
    seats = [{"kind": "human", "name": "Ann"}, {"kind": "human", "name": None}]
    rules = {"edition": "classic", "no_face_up_draw": True, "points_to_win": 5}
    old = finished(api, seats=seats, rules=rules, turn_seconds=SECONDS, first_leader=1)
    first, second = rematch(old, 0, 201), rematch(old, 1)
    assert first.game_id == second.game_id != old.game_id
    both = Table(api, first.game_id, {**first.tokens, **second.tokens})
    before, now = old.view(), both.view(1)
    assert (now["version"], now["phase"], now["viewer"], now["seeded"]) == (1, "awaiting_deal", 1, False)
    assert now["rules"] == before["rules"]
    assert [{**seat, "score": 0} for seat in before["seats"]] == now["seats"]
    assert now["next_deal"]["starter"] == 0
    both.do(1, "deal")
    assert both.view()["turn_deadline"] is not None
    assert len({*old.tokens.values(), *both.tokens.values()}) == 4


def test_a_rematch_may_be_asked_for_again_at_any_time(api: Api) -> None:
    old = finished(api)
    first = rematch(old, 1, 201)
    assert rematch(old, 1).tokens == first.tokens
    first.do(1, "deal")
    again = old.act(1, "rematch")
    assert again.json["game"]["version"] == 2
    assert again.json["game"]["viewer"] is None
    assert again.json["tokens"] == [{"seat": 1, "token": first.tokens[1]}]


def test_a_rematch_has_a_rematch_with_the_leads_exchanged_again(api: Api) -> None:
    old = finished(api)
    games, leaders = {old.game_id}, []
    for _ in range(3):
        nexts = [rematch(old, 0, 201), rematch(old, 1)]
        old = Table(api, nexts[0].game_id, {**nexts[0].tokens, **nexts[1].tokens})
        leaders.append(old.view()["next_deal"]["starter"])
        games.add(old.game_id)
        old.do(0, "resign")
    assert leaders == [1, 0, 1]
    assert len(games) == 4


def test_against_the_computer_there_is_one_token(api: Api) -> None:
    old = finished(api, seats=[{"kind": "ai", "level": 2}, {"kind": "human"}])
    new = rematch(old, 1, 201)
    assert new.view(1)["seats"] == [{**seat, "score": 0} for seat in old.view()["seats"]]
    new.do(1, "deal")


def test_only_a_finished_games_seats_may_play_again(api: Api) -> None:
    table = api.table()
    assert code(table.act(0, "rematch")) == (409, "wrong_phase")
    table.deal()
    assert code(table.act(1, "rematch")) == (409, "wrong_phase")
    version = {"version": table.view()["version"]}
    assert code(api.post(f"{table.path}/rematch", version)) == (401, "missing_token")
    machines = api.table(seats=[{"kind": "ai", "level": 1}, {"kind": "ai", "level": 1}], ai_reply="manual").deal()
    while machines.view()["winner"] is None:
        machines.do(None, "deal" if machines.view()["deal"] is None else "ai-move")
    assert code(machines.act(None, "rematch")) == (409, "not_your_turn")


def test_neither_seat_nor_who_reads_the_store_can_take_the_others_place(api: Api, valkey: EmbeddedStore) -> None:
    old = finished(api)
    new = rematch(old, 0, 201)
    other = rematch(old, 1)
    kept = [orjson.loads(raw(valkey).hget(f"crisps:{{{game}}}", "access")) for game in (old.game_id, new.game_id)]
    hashes = [digest for access in kept for _, digest in access]
    assert [seat for seat, _ in kept[1]] == [0, 1]
    assert len(set(hashes)) == 4
    # old tokens, the other game's, and everything that lies in the store open nothing
    for token in (*old.tokens.values(), *hashes):
        assert code(api.get(new.path, token=token)) == (401, "invalid_token")
    for token in (new.tokens[0], other.tokens[1], *hashes):
        assert code(api.get(old.path, token=token)) == (401, "invalid_token")
    everything = b"".join(
        raw(valkey).dump(key) for game in (old, new) for key in raw(valkey).scan_iter(f"crisps:{{{game.game_id}}}*")
    )
    for token in (*old.tokens.values(), new.tokens[0], other.tokens[1]):
        assert token.encode() not in everything
    # a seat that has not asked is nobody's, whatever the first one does
    third = finished(api)
    alone = rematch(third, 1, 201)
    assert alone.view(1)["viewer"] == 1
    assert [seat for seat, _ in orjson.loads(raw(valkey).hget(f"crisps:{{{alone.game_id}}}", "access"))] == [1]
    assert rematch(third, 0).view(0)["viewer"] == 0


def test_both_seats_may_ask_at_once_and_often(process: Process, valkey: EmbeddedStore) -> None:
    for _ in range(5):
        old = finished(process.api)
        asking = [replace(old, api=Api(process.app)) for _ in range(12)]
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda one: one[1].act(one[0] % 2, "rematch"), enumerate(asking)))
        assert sorted(answer.status_code for answer in answers) == [200] * 11 + [201]
        assert len({answer.json["game"]["id"] for answer in answers}) == 1
        tokens = {(one["seat"], one["token"]) for answer in answers for one in answer.json["tokens"]}
        assert len(tokens) == 2
        new = Table(process.api, answers[0].json["game"]["id"], dict(tokens))
        assert [new.view(seat)["viewer"] for seat in (0, 1)] == [0, 1]
        stored = raw(valkey).hget(f"crisps:{{{new.game_id}}}", "access")
        assert len(orjson.loads(stored)) == 2


def test_with_a_key_a_rematch_answers_as_at_first(api: Api) -> None:
    old = finished(api)
    path, headers = f"{old.path}/rematch", {"Idempotency-Key": "again"}
    body = {"version": old.view()["version"]}
    first = api.post(path, body, token=old.tokens[0], headers=headers)
    assert first.status_code == 201
    rematch(old, 0).do(0, "deal")
    repeated = api.post(path, body, token=old.tokens[0], headers=headers)
    assert (repeated.status_code, repeated.data) == (201, first.data)
    assert code(api.post(path, {}, token=old.tokens[0], headers=headers)) == (422, "idempotency_key_reused")
    others = api.post(path, body, token=old.tokens[1], headers=headers)
    assert (others.status_code, others.json["game"]["version"]) == (200, 2)
