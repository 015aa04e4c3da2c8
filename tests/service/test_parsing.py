"""Requests are read strictly, in the contract's order, and no bytes whatever make the service fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from service.fields import MAX_INTEGER
from service.flaws import MOST_FLAWS
from service.parsing import MAX_DEPTH, parse_json
from tests.service.posting import code, content, flaws, post, post_chunked, understood
from tests.service.probe_api import probe_app

LIMIT = 65_536


@pytest.fixture(name="client", scope="module")
def _client() -> FlaskClient:
    return probe_app().test_client()


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        'Application/JSON;charset="UTF-8"',
        "application/json; x=y",
    ],
)
def test_json_in_utf8_is_read(client: FlaskClient, media_type: str) -> None:
    assert understood(post(client, b'{"version": 7}', media_type))["version"] == 7


@pytest.mark.parametrize(
    "media_type",
    [None, "", "text/plain", "application/json; charset=latin-1", "application/merge-patch+json", "text/json"],
)
def test_a_body_that_is_not_declared_as_json_is_415(client: FlaskClient, media_type: str | None) -> None:
    assert code(post(client, b"{}", media_type)) == "unsupported_media_type"


def test_a_compressed_body_is_415(client: FlaskClient) -> None:
    answer = post(client, b"{}", headers={"Content-Encoding": "gzip"})
    assert code(answer) == "unsupported_media_type"
    assert "not compressed" in answer.get_json()["detail"]


@pytest.mark.parametrize("media_type", [None, "text/plain", "application/json"])
def test_an_empty_body_counts_as_an_empty_object(client: FlaskClient, media_type: str | None) -> None:
    assert understood(post(client, b"", media_type)) == {"leader": None, "guest": None}
    assert understood(post_chunked(client, b"", media_type or "")) == {"leader": None, "guest": None}


def test_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_413(client: FlaskClient) -> None:
    largest = b"{}" + b" " * (LIMIT - 2)
    for send in (post, post_chunked):
        assert send(client, largest).status_code == 200
        assert code(send(client, largest + b" ")) == "payload_too_large"


def test_the_limit_is_a_setting() -> None:
    client = probe_app(MAX_BODY_BYTES="1024").test_client()
    assert code(post(client, b"{}" + b" " * 1023)) == "payload_too_large"


# ---------------------------------------------------------------------------------- JSON
@pytest.mark.parametrize(
    "body",
    [
        b"nul",
        b"{",
        b"{} {}",
        b"{'a': 1}",
        b'{"a": 1,}',
        b'{"a": 01}',
        b'{"a": "\n"}',
        b" ",
        b'{"a": 1, "a": 1}',
        b'{"a": {"b": 1, "\\u0062": 2}}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b'{"a": "\xed\xa0\x80"}',
        b'{"a": "\\ud800"}',
        b'{"\\udc00": 1}',
        b'{"a": ["\\ud83d", "\\ude00"]}',
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
        b'"' + b'\\"' * 30_000,
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_no_json_or_ambiguous_json_is_malformed(client: FlaskClient, body: bytes) -> None:
    answer = post(client, body)
    assert (answer.status_code, code(answer)) == (400, "malformed_json")


def test_a_surrogate_pair_is_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


def test_brackets_inside_strings_do_not_count_as_depth() -> None:
    text = '[{["\\' * 100
    assert parse_json(json.dumps([text]).encode()) == [text]
    deepest = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert parse_json(deepest)


def test_many_objects_side_by_side_are_not_deep() -> None:
    assert parse_json(b"[" + b",".join([b"[]"] * 1000) + b"]") == [[]] * 1000


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**300), 10**300)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    ),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_every_json_value_reads_back_as_what_was_written(value: Any, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


# ---------------------------------------------------------------------------------- shape
@pytest.mark.parametrize("body", [b"[]", b"7", b'"x"', b"null", b"true"])
def test_a_body_that_is_no_object_is_invalid_as_a_whole(client: FlaskClient, body: bytes) -> None:
    assert flaws(post(client, body)) == {"": "Must be an object."}


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("7.0", 7), ("-0", 0), ("70e-1", 7), (str(MAX_INTEGER), MAX_INTEGER)]
)
def test_an_integer_is_what_json_schema_calls_one(client: FlaskClient, text: str, value: int) -> None:
    read = understood(post(client, f'{{"version": {text}}}'.encode()))["version"]
    assert (read, type(read)) == (value, int)


@pytest.mark.parametrize(
    "text", ['"7"', "true", "7.5", "null", "[7]", str(MAX_INTEGER + 1), f"-{MAX_INTEGER + 1}", "1e300", "9" * 300]
)
def test_nothing_else_is_an_integer(client: FlaskClient, text: str) -> None:
    assert set(flaws(post(client, f'{{"version": {text}}}'.encode()))) == {"/version"}


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ("option", "1"),
        ("option", '"true"'),
        ("option", "null"),
        ("cards", '{"0": "7"}'),
        ("cards", '"77"'),
        ("inner", "[]"),
        ("seats", "{}"),
        ("guest", "[]"),
        ("guest", "7"),
    ],
)
def test_a_value_of_another_type_is_refused_where_it_stands(client: FlaskClient, member: str, text: str) -> None:
    assert set(flaws(post(client, f'{{"{member}": {text}}}'.encode()))) == {f"/{member}"}


def test_every_flaw_is_named_at_its_json_pointer(client: FlaskClient) -> None:
    body = {
        "seats": [{"kind": "human", "x": 1}, {"kind": "ai", "level": "7"}, {"kind": "cat"}, {}, 7],
        "cards": ["7", 7],
        "inner": {"kind": "human", "name": ""},
        "a/b~c": 1,
        "": 2,
        "_schema": 3,
    }
    found = flaws(post(client, json.dumps(body).encode(), query="?after=x"))
    assert found == {
        "/seats/0/x": "Unknown member.",
        "/seats/1/level": "Must be an integer.",
        "/seats/2/kind": "Must be one of: human, ai.",
        "/seats/3/kind": "Missing data for required field.",
        "/seats/4": "Must be an object.",
        "/cards/1": "Must be a string.",
        "/inner/name": "Length must be between 1 and 40.",
        "/a~1b~0c": "Unknown member.",
        "/": "Unknown member.",
        "/_schema": "Unknown member.",
        "after": "Must be an integer.",
    }


def test_a_member_of_several_shapes_is_loaded_by_its_own(client: FlaskClient) -> None:
    body = understood(
        post(client, b'{"seats": [{"kind": "ai"}, {"kind": "human"}], "guest": {"kind": "ai", "level": 5}}')
    )
    assert body["seats"] == [{"kind": "ai", "level": 3}, {"kind": "human", "name": None}]
    assert body["guest"] == {"kind": "ai", "level": 5}


def test_null_is_taken_where_a_member_is_nullable(client: FlaskClient) -> None:
    assert understood(post(client, b'{"leader": null, "guest": null}')) == {"leader": None, "guest": None}


def test_thousands_of_flaws_get_a_short_answer(client: FlaskClient) -> None:
    body = json.dumps({f"m{number}": number for number in range(4000)}).encode()
    assert len(flaws(post(client, body))) == MOST_FLAWS


# ---------------------------------------------------------------------------------- query
def test_query_parameters_are_read(client: FlaskClient) -> None:
    assert content(post(client, b"", query="?after=7&wait=2.5"))["query"] == {"after": 7, "wait": 2.5}
    assert content(post(client, b"", query="?wait=1.75e-48"))["query"] == {"wait": 1.75e-48}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("?after=x", "after"),
        ("?after=", "after"),
        ("?after=7.0", "after"),
        ("?after=-1", "after"),
        ("?after=%2B7", "after"),
        ("?after=" + "9" * 5000, "after"),
        ("?after=\u0667", "after"),
        ("?after=1&after=1", "after"),
        ("?wait=1e999", "wait"),
        ("?wait=%2B1", "wait"),
        ("?wait=.5", "wait"),
        ("?wait=nan", "wait"),
        ("?wait=26", "wait"),
        ("?zzz", "zzz"),
        ("?zzz=1", "zzz"),
        ("?%FF=1", "\ufffd"),
        ("?=1", ""),
    ],
)
def test_a_parameter_that_is_wrong_unknown_or_repeated_is_named(
    client: FlaskClient, query: str, parameter: str
) -> None:
    assert set(flaws(post(client, b"", query=query))) == {parameter}


def test_an_operation_without_parameters_refuses_them_too(client: FlaskClient) -> None:
    assert set(flaws(client.get("/probe/1?version=1"))) == {"version"}
    assert set(flaws(client.get("/healthz?x"))) == {"x"}


def test_a_body_where_none_is_awaited_is_ignored(client: FlaskClient) -> None:
    answer = client.open("/probe/1", method="GET", data=b"{", content_type="text/plain")
    assert answer.json == {"kind": "ai", "level": 3}


# ---------------------------------------------------------------------------------- order of checks
def test_a_decorator_above_accepts_refuses_before_the_body_is_looked_at(client: FlaskClient) -> None:
    for body, media_type in ((b"{", "application/json"), (b"x" * (LIMIT + 1), "text/plain"), (b"[]", None)):
        answer = client.post("/probe/1?zzz=1", data=body, content_type=media_type)
        assert code(answer) == "missing_token"


def test_media_type_then_size_then_json_then_shape(client: FlaskClient) -> None:
    huge = b"[" * (LIMIT + 1)
    assert code(post(client, huge, "text/plain", "?zzz")) == "unsupported_media_type"
    assert code(post_chunked(client, huge, "text/plain")) == "unsupported_media_type"
    assert code(post(client, huge, query="?zzz")) == "payload_too_large"
    assert code(post(client, b"[", query="?zzz")) == "malformed_json"
    assert code(post(client, b"[]", query="?zzz")) == "invalid_request"
