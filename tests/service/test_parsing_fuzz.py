"""No bytes whatever make the service fail: a request is answered 2xx, or by a problem."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from service.answers import PROBLEM_JSON
from service.errors import MalformedJson
from service.parsing import parse_json
from tests.service.posting import content, post, post_chunked
from tests.service.probe_api import probe_app

_PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "\\u",
        "\\ud800",
        "null",
        "true",
        "NaN",
        "-",
        "1e999",
        "7",
        ".0",
        "e5",
        " ",
        '"version"',
        '"seats"',
        '"kind"',
        '"human"',
        '"ai"',
        '"level"',
        '"cards"',
        '"guest"',
        "\ufeff",
        "\x00",
        "é",
        "9" * 400,
    ]
)


@given(
    st.binary(max_size=200) | st.lists(_PIECES, max_size=30).map("".join).map(str.encode),
    st.sampled_from(
        ["application/json", "application/json", "text/plain", "", "application/json; charset=\xff", ";;;=", "a/b/c"]
    ),
    st.text(st.characters(codec="latin-1", exclude_characters="\r\n#"), max_size=20),
    st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_no_bytes_whatever_make_the_service_fail(body: bytes, media_type: str, query: str, chunked: bool) -> None:
    client = _FUZZED
    if chunked:
        answer = post_chunked(client, body, media_type)
    else:
        answer = post(client, body, media_type, environ_overrides={"QUERY_STRING": query})
    assert answer.status_code in {200, 400, 413, 415, 422}
    if answer.status_code != 200:
        assert answer.content_type == PROBLEM_JSON
        assert content(answer)["status"] == answer.status_code


_FUZZED = probe_app().test_client()


@given(st.binary(max_size=300))
@settings(max_examples=500, deadline=None)
def test_the_reader_answers_a_value_or_malformed_json(raw: bytes) -> None:
    try:
        value = parse_json(raw)
    except MalformedJson:
        return
    assert parse_json(json.dumps(value).encode()) == value
