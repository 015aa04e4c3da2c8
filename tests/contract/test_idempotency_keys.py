"""What an Idempotency-Key may be, what it belongs to, and what is remembered under it."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from service import documented, retries
from service.codec import UnknownFormat
from tests.asking import PEOPLE, SEED, Api, Table
from tests.contract.repeated import KEY, no_reply, send
from tests.stored import raw

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore


# --------------------------------------------------------------------------------------------- what is refused
def test_the_same_key_with_another_body_is_refused_before_the_version_is_looked_at(api: Api) -> None:
    table, action, body = no_reply(api)
    first = send(api, table, action, body)
    for changed in ({**body, "cards": ["5"]}, {"cards": ["5", "5"]}, {**body, "version": 3}):
        refused = send(api, table, action, changed)
        assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    malformed = send(api, table, action, {**body, "cards": ["10"]})
    assert malformed.json["code"] == "invalid_request"
    assert send(api, table, action, body).data == first.data


def test_the_header_that_tells_the_version_is_not_part_of_the_body(api: Api) -> None:
    table = api.table().deal()
    path, token = f"{table.path}/play", table.tokens[0]
    tags = ['"2.0"', '"3.0"', None]
    answers = []
    for tag in tags:
        headers = {"Idempotency-Key": KEY, **({"If-Match": tag} if tag else {})}
        answers.append(api.post(path, {"cards": ["5", "5"]}, token=token, headers=headers))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1


def test_an_empty_body_is_an_empty_object(api: Api) -> None:
    table = api.table()
    headers = {"Idempotency-Key": KEY, "If-Match": '"1.p"'}
    bodies: list[dict[str, Any]] = [{}, {"raw": b""}, {"raw": b"{}"}]
    answers = [api.post(f"{table.path}/deal", token=table.tokens[0], headers=headers, **body) for body in bodies]
    assert len({answer.data for answer in answers}) == 1


def test_bodies_are_compared_as_json(api: Api) -> None:
    table = api.table(seats=PEOPLE).deal()
    path, token, headers = f"{table.path}/play", table.tokens[0], {"Idempotency-Key": KEY}
    texts = [b'{"cards":["5","5"],"version":2}', b' { "version" : 2,\n"cards": ["5", "5"] } ']
    answers = [api.post(path, token=token, headers=headers, raw=text) for text in texts]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data == answers[1].data
    other = api.post(path, token=token, headers=headers, raw=b'{"cards":["5","5"],"version":3}')
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")


def test_bodies_are_the_same_however_a_whole_number_is_written(api: Api) -> None:
    table = api.table(seats=PEOPLE).deal()
    path, token, headers = f"{table.path}/play", table.tokens[0], {"Idempotency-Key": KEY}
    texts = [b'{"cards":["5","5"],"version":%b}' % number for number in (b"2", b"2.0", b"2e0", b"0.2E+1", b"20e-1")]
    answers = [api.post(path, token=token, headers=headers, raw=text) for text in texts]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1


@pytest.mark.parametrize(
    ("one", "another", "same"),
    [
        (b'{"a":[{"b":-7}]}', b'{"a":[{"b":-7.0}]}', True),
        (b"0", b"-0.0", True),
        (b"9007199254740991", b"9007199254740991.0", True),
        (b"7", b"7.5", False),
        (b"1", b"true", False),
        (b"1", b'"1"', False),
        (b"9007199254740993", b"9007199254740992.0", False),
        (b"1e300", b"2e300", False),
    ],
)
def test_only_numbers_of_the_same_value_make_bodies_the_same(one: bytes, another: bytes, same: bool) -> None:
    assert (retries.body_digest(one) == retries.body_digest(another)) is same


def test_problems_are_not_remembered(api: Api) -> None:
    table, action, body = no_reply(api)
    for wrong, code in (
        ({**body, "version": 1}, "version_conflict"),
        ({**body, "cards": ["C"]}, "cards_not_in_hand"),
        ({**body, "cards": ["5", "8"]}, "not_a_combination"),
        ({"cards": ["5", "5"]}, "version_required"),
    ):
        assert send(api, table, action, wrong).json["code"] == code
    assert send(api, table, action, body).status_code == 200


def test_a_key_belongs_to_its_path_and_its_token(api: Api) -> None:
    one, another = api.table(), api.table()
    first = send(api, one, "deal", {"version": 1})
    assert send(api, another, "deal", {"version": 1}).json["game"]["id"] == another.game_id
    assert send(api, one, "deal", {"version": 1}, seat=1).json["code"] == "version_conflict"
    assert send(api, one, "resign", {"version": 1}).json["code"] == "version_conflict"
    assert send(api, one, "deal", {"version": 1}).data == first.data
    assert send(api, one, "resign", {"version": 2}).status_code == 200


BAD_KEYS = ["", '""', "a b", '"a', "a" * 256, "\x7f", "\u00e9", '"a"b', '"\\a"']


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_key_out_of_shape_is_refused_after_the_body_and_before_the_version(api: Api, key: str) -> None:
    table = api.table()
    refused = send(api, table, "deal", {}, key=key)
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert [error.get("parameter") for error in refused.json["errors"]] == ["Idempotency-Key"]
    created = api.post("/v1/games", {}, headers={"Idempotency-Key": key})
    assert (created.status_code, created.json["code"]) == (422, "invalid_request")


GOOD_KEYS = ["a", '"', "\"'\\!~", "a" * 255]


@pytest.mark.parametrize("key", GOOD_KEYS)
def test_any_visible_characters_make_a_key(key: str) -> None:
    quoted = '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert retries.key_in(quoted) == key
    if not key.startswith('"'):
        assert retries.key_in(key) == key


def test_reading_and_asking_take_no_notice_of_a_key(api: Api) -> None:
    table = api.table().deal()
    headers = {"Idempotency-Key": ""}
    assert api.get(table.path, headers=headers).status_code == 200
    asked = api.post(f"{table.path}/suggestions", {"simulations": 5}, token=table.tokens[0], headers=headers)
    assert asked.status_code == 200


# --------------------------------------------------------------------------------------------- what is stored
def test_records_live_a_day_and_have_neither_keys_nor_tokens_in_them(api: Api, valkey: EmbeddedStore) -> None:
    client = raw(valkey)
    made = api.post("/v1/games", {"seats": PEOPLE, "deal_seeds": [SEED]}, headers={"Idempotency-Key": KEY + "stored"})
    tokens = {one["seat"]: one["token"] for one in made.json["tokens"]}
    table = Table(api, made.json["game"]["id"], tokens)
    for seat, action in ((0, "deal"), (1, "resign"), (0, "rematch"), (1, "rematch")):
        body = {"version": table.view()["version"]}
        assert send(api, table, action, body, seat=seat).status_code in {200, 201}
    rematch = send(api, table, "rematch", {"version": table.view()["version"]}).json
    names = list(client.scan_iter(f"crisps:{{{table.game_id}}}:key:*"))
    assert len(names) == 5
    assert all(86_000 < client.ttl(name) <= 86_400 for name in names)
    everything = b"".join(names)
    for name in names:
        line, _, compressed = client.get(name).partition(b"\n")
        everything += line + zlib.decompress(compressed)
    for secret in (KEY, *tokens.values(), rematch["tokens"][0]["token"]):
        assert secret.encode() not in everything


def test_a_record_of_another_format_is_not_taken_for_one_of_today() -> None:
    for stored in (b"", b"{}", b'{"format":2}', b"[]", b'{"format":1}', b'{"format":1,"body":"x","after":1}\nx'):
        with pytest.raises(UnknownFormat):
            retries.Record.decoded(stored)


def test_the_document_says_which_keys_are_taken() -> None:
    pattern = documented.PARAMETERS["Idempotency-Key"]["schema"]["pattern"]
    creating = documented.PARAMETERS["Creation-Key"]["schema"]["pattern"]
    quoted = ['"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"' for key in GOOD_KEYS]
    bare = [key for key in GOOD_KEYS if not key.startswith('"')]
    assert all(re.search(pattern, key) for key in quoted + bare)
    assert [key for key in BAD_KEYS if re.search(pattern, key)] == []
    assert [key for key in ("a" * 15, '"' + "a" * 15 + '"') if re.search(creating, key)] == []
    assert all(re.search(creating, key) for key in ("a" * 16, '"' + "a" * 16 + '"', "a" * 255))
