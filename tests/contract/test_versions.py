"""Which version a request acts on: If-Match or the body's member (RFC 9110, section 13.1.1)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.asking import Answer, Api, Table

if TYPE_CHECKING:
    from flask import Flask

ACTIONS = ["deal", "play", "pass", "draw-choice", "ai-move", "resign"]
BODIES: dict[str, dict[str, Any]] = {"play": {"cards": ["5", "5"]}, "draw-choice": {"source": "face_up"}}


def lead(table: Table, version: int | None = None, tag: str | None = None) -> Answer:
    """Seat 0 leads a pair, saying which version it acts on in the ways asked for."""
    body = {"cards": ["5", "5"], **({} if version is None else {"version": version})}
    headers = {} if tag is None else {"If-Match": tag}
    return table.api.post(f"{table.path}/play", body, token=table.tokens[0], headers=headers)


CURRENT = ['"2.0"', '"2.1"', '"2.p"', 'W/"2.0"', '"1.0", "2.0"', '"1.0",W/"2.p"', '"2.0-gzip"', '*, "2.0"', '"2.0", x']
OTHER = ['"1.0"', '"3.0"', '"1.0", "3.0"', '"2"', "2", "2.0", '"02.0"', '"2.0', '"2.0"x', "x", '"2x.0"', '"x.2"']


def test_a_tag_that_is_none_is_told_so(api: Api) -> None:
    table = api.table()
    for tag in ("1", '"1"', "garbage"):
        refused = api.post(f"{table.path}/deal", token=table.tokens[0], headers={"If-Match": tag})
        assert (refused.status_code, refused.json["current_version"]) == (412, 1)
        assert "If-Match names no version" in refused.json["detail"]


TOLD_TWICE = [(2, '"1.0"'), (1, '"2.0"'), (1, '"3.0"'), (2, "garbage"), (3, '"2.0", "3.0"')]


@pytest.mark.parametrize("tag", CURRENT)
def test_the_tag_of_any_viewer_of_the_current_version_counts(api: Api, tag: str) -> None:
    assert lead(api.table().deal(), tag=tag).json["game"]["version"] == 3


@pytest.mark.parametrize("tag", OTHER)
def test_any_other_tag_is_a_conflict_and_tells_the_current_version(api: Api, tag: str) -> None:
    table = api.table().deal()
    refused = lead(table, tag=tag)
    assert (refused.status_code, refused.json["code"]) == (412, "version_conflict")
    assert refused.json["current_version"] == 2
    assert table.view()["version"] == 2


@pytest.mark.parametrize("version", [-1, 0, 1, 3, 2**53 - 1])
def test_any_other_version_in_the_body_is_a_conflict(api: Api, version: int) -> None:
    refused = lead(api.table().deal(), version)
    assert (refused.status_code, refused.json["code"]) == (412, "version_conflict")


@pytest.mark.parametrize(("version", "tag"), TOLD_TWICE)
def test_header_and_body_that_differ_are_a_conflict(api: Api, version: int, tag: str) -> None:
    assert lead(api.table().deal(), version, tag).status_code == 412


@pytest.mark.parametrize("tag", ['"2.0"', '"1.0", "2.0"', "*", "", None])
def test_the_body_counts_beside_a_header_that_agrees_or_says_nothing(api: Api, tag: str | None) -> None:
    assert lead(api.table().deal(), 2, tag).status_code == 200


def test_the_body_may_say_the_version_as_a_number_with_a_zero_fraction(api: Api) -> None:
    table = api.table().deal()
    answer = api.post(f"{table.path}/play", raw=b'{"cards": ["5"], "version": 2.0}', token=table.tokens[0])
    assert answer.status_code == 200


@pytest.mark.parametrize("tag", [None, "*", "*, *", "", ",", " "])
@pytest.mark.parametrize("action", ACTIONS)
def test_saying_no_version_is_refused_and_tells_it(api: Api, action: str, tag: str | None) -> None:
    table = api.table().deal()
    headers = {} if tag is None else {"If-Match": tag}
    refused = api.post(f"{table.path}/{action}", BODIES.get(action), token=table.tokens[0], headers=headers)
    assert (refused.status_code, refused.json["code"]) == (428, "version_required")
    assert refused.json["current_version"] == 2
    assert table.view()["version"] == 2


@pytest.mark.parametrize("version", ["2", 2.5, True, None, [2], 2**53])
def test_a_version_is_an_integer(api: Api, version: Any) -> None:
    table = api.table().deal()
    refused = api.post(f"{table.path}/resign", {"version": version}, token=table.tokens[0])
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert [error["pointer"] for error in refused.json["errors"]] == ["/version"]


def test_the_tag_of_an_answer_is_good_for_the_next_action(api: Api) -> None:
    table = api.table()
    tag = api.get(table.path).headers["ETag"]
    for seat, action in ((0, "deal"), (0, "play"), (1, "pass"), (0, "draw-choice")):
        path = f"{table.path}/{action}"
        answer = api.post(path, BODIES.get(action), token=table.tokens[seat], headers={"If-Match": tag})
        assert answer.status_code == 200
        tag = answer.headers["ETag"]
        assert tag == f'"{answer.json["game"]["version"]}.{seat}"'


def test_of_racing_actions_one_succeeds_and_the_others_are_told_its_version(app: Flask, api: Api) -> None:
    table = api.table().deal()
    racers = [Table(Api(app), table.game_id, table.tokens) for _ in range(8)]
    with ThreadPoolExecutor(len(racers)) as pool:
        answers = list(pool.map(lambda racer: lead(racer, 2), racers))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] + [412] * 7
    assert {answer.json["current_version"] for answer in answers if answer.status_code == 412} == {3}
    assert table.view()["deal"]["played"] == ["5", "5"]
