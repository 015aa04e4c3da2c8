"""What is checked first: each refusal hides everything that is wrong behind it (API.md, "Problem codes")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from tests.asking import NO_GAME, PEOPLE, Api, Table

if TYPE_CHECKING:
    from flask import Flask

BIG = 70_000


@dataclass(frozen=True)
class Operation:
    """An operation on a game; `body` is one that it accepts, `action` refusals of the action itself."""

    method: str
    suffix: str
    body: dict[str, Any] | None = None
    needs_token: bool = True
    changes: bool = True
    in_turn: bool = True
    wrong_phase: tuple[str, ...] | None = None
    action: tuple[tuple[dict[str, Any], str], ...] = field(default=(), hash=False)

    def __str__(self) -> str:
        return f"{self.method} {self.suffix}"


PLAYS = (
    ({"cards": ["C", "9"]}, "cards_not_in_hand"),
    ({"cards": ["5", "8"]}, "not_a_combination"),
    ({"cards": ["8"]}, "does_not_follow"),
)

# `wrong_phase` are the turns after which an operation is out of phase; none dealt at all with ().
OPERATIONS = [
    Operation("GET", "", needs_token=False, changes=False),
    Operation("GET", "/events", needs_token=False, changes=False),
    Operation("GET", "/history", needs_token=False, changes=False),
    Operation("GET", "/deals/1", needs_token=False, changes=False),
    Operation("POST", "/deal", {}, in_turn=False, wrong_phase=("5 5",)),
    Operation("POST", "/play", {"cards": ["1"]}, wrong_phase=("5 5", "pass"), action=PLAYS),
    Operation("POST", "/pass", {}, wrong_phase=("5 5", "pass"), action=(({}, "leader_may_not_pass"),)),
    Operation("POST", "/draw-choice", {"source": "face_up"}, wrong_phase=("5 5",)),
    Operation("POST", "/ai-move", {}, in_turn=False, wrong_phase=()),
    Operation("POST", "/resign", {}, in_turn=False),
    Operation("POST", "/claim", {}, in_turn=False),
    Operation("POST", "/rematch", {}, in_turn=False, wrong_phase=("5 5",)),
    Operation("POST", "/stream-ticket", {}, changes=False, in_turn=False),
    Operation("GET", "/record", needs_token=False, changes=False),
    Operation("GET", "/deals/1/analysis", needs_token=False, changes=False),
    Operation("POST", "/suggestions", {}, changes=False, wrong_phase=()),
]
WITH_BODY = [one for one in OPERATIONS if one.body is not None]
CHANGING = [one for one in OPERATIONS if one.changes]
IN_TURN = [one for one in OPERATIONS if one.body is not None and one.in_turn]
PHASED = [one for one in OPERATIONS if one.wrong_phase is not None]


@pytest.fixture(scope="module")
def shared(app: Flask) -> dict[str, Table]:
    """Tables that refusals leave as they are: one in play, seat 0 to follow a pair; one finished; two out of phase."""
    api = Api(app)
    tables = {"play": api.table().deal().play("5 5", "6 6"), "finished": api.table().deal()}
    tables["finished"].do(0, "resign")
    tables["awaiting"] = api.table()
    tables["draw"] = api.table().deal().play("5 5", "pass")
    tables["lead"] = api.table().deal()
    return tables


def code(api: Api, operation: Operation, table: Table, **asked: Any) -> str:
    """The refusal's code; nobody's view of the table and nothing of its history has changed."""
    before = table.everything()
    game_id = asked.pop("game_id", table.game_id)
    query = asked.pop("query", "")
    answer = api.ask(operation.method, f"/v1/games/{game_id}{operation.suffix}{query}", **asked)
    assert answer.status_code >= 400, answer.text
    assert table.everything() == before
    return str(answer.json["code"])


def raw(body: Any, size: int = 0) -> bytes:
    return orjson.dumps(body).ljust(size)


WORST: dict[str, Any] = {"raw": b"{" * BIG, "headers": {"Content-Type": "text/plain"}, "query": "?unknown=1"}


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.needs_token], ids=str)
def test_a_token_has_to_be_there_before_anything_else(api: Api, shared: dict[str, Table], operation: Operation) -> None:
    for table in shared.values():
        assert code(api, operation, table, game_id=NO_GAME, **WORST) == "missing_token"


@pytest.mark.parametrize("token", ["nobody's", "{other}", ""])
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_game_has_to_be_there_before_its_token_is_looked_at(
    api: Api, shared: dict[str, Table], operation: Operation, token: str
) -> None:
    token = token.format(other=shared["awaiting"].tokens[0])
    assert code(api, operation, shared["play"], game_id=NO_GAME, token=token, **WORST) == "unknown_game"
    assert code(api, operation, shared["play"], token=token, **WORST) == "invalid_token"


@pytest.mark.parametrize("table", ["play", "finished", "awaiting", "draw"])
@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_a_body_is_declared_then_short_then_json_then_shaped_then_at_a_version(
    api: Api, shared: dict[str, Table], operation: Operation, table: str
) -> None:
    at, token = shared[table], shared[table].tokens[1]
    plain, strange = {"Content-Type": "text/plain"}, {"unknown": 1, "version": "x"}
    steps: list[tuple[dict[str, Any], str]] = [
        ({"raw": b"{" * BIG, "headers": plain}, "unsupported_media_type"),
        ({"raw": b"{" * BIG}, "payload_too_large"),
        ({"raw": raw(strange, BIG)}, "payload_too_large"),
        ({"raw": b"{"}, "malformed_json"),
        ({"raw": raw(strange)}, "invalid_request"),
        ({"body": operation.body, "query": "?unknown=1"}, "invalid_request"),
    ]
    for asked, refusal in steps:
        assert code(api, operation, at, token=token, **asked) == refusal


@pytest.mark.parametrize("table", ["play", "finished", "awaiting", "draw"])
@pytest.mark.parametrize("operation", CHANGING, ids=str)
def test_a_version_is_told_and_current_before_the_game_is_looked_at(
    api: Api, shared: dict[str, Table], operation: Operation, table: str
) -> None:
    at, token = shared[table], shared[table].tokens[1]
    assert code(api, operation, at, token=token, body=operation.body) == "version_required"
    for version in (at.view()["version"] - 1, at.view()["version"] + 1):
        stale = {**(operation.body or {}), "version": version}
        assert code(api, operation, at, token=token, body=stale) == "version_conflict"
        tag = {"If-Match": f'"{version}.0"'}
        assert code(api, operation, at, token=token, body=operation.body, headers=tag) == "version_conflict"


@pytest.mark.parametrize(
    "operation", [one for one in WITH_BODY if one.suffix not in {"/rematch", "/stream-ticket"}], ids=str
)
def test_a_finished_game_is_finished_whatever_is_asked_of_it(
    api: Api, shared: dict[str, Table], operation: Operation
) -> None:
    at = shared["finished"]
    for seat in (0, 1):
        told = {**(operation.body or {}), "version": at.view()["version"]}
        assert code(api, operation, at, token=at.tokens[seat], body=told) == "game_finished"


@pytest.mark.parametrize("operation", PHASED, ids=str)
def test_the_phase_is_looked_at_before_whose_turn_it_is(
    api: Api, shared: dict[str, Table], operation: Operation
) -> None:
    turns = operation.wrong_phase
    at = shared["awaiting"] if not turns else shared["draw"] if "pass" in turns else shared["play"]
    for seat in (0, 1):
        told = {**(operation.body or {}), "version": at.view()["version"]}
        assert code(api, operation, at, token=at.tokens[seat], body=told) == "wrong_phase"


@pytest.mark.parametrize("operation", IN_TURN, ids=str)
def test_whose_turn_it_is_is_looked_at_before_what_is_done(
    api: Api, shared: dict[str, Table], operation: Operation
) -> None:
    at = shared["draw"] if operation.suffix == "/draw-choice" else shared["play"]
    waiting = 1 - at.view()["to_act"]
    for body in [operation.body or {}, *[body for body, _ in operation.action]]:
        told = {**body, "version": at.view()["version"]}
        assert code(api, operation, at, token=at.tokens[waiting], body=told) == "not_your_turn"


def test_what_is_done_is_looked_at_last(api: Api, shared: dict[str, Table]) -> None:
    for operation in IN_TURN:
        at = shared["lead"] if operation.suffix == "/pass" else shared["play"]
        for body, refusal in operation.action:
            told = {**body, "version": at.view()["version"]}
            assert code(api, operation, at, token=at.tokens[0], body=told) == refusal


def test_the_computer_cannot_be_moved_where_no_action_of_its_is_due(api: Api, shared: dict[str, Table]) -> None:
    (operation,) = [one for one in OPERATIONS if one.suffix == "/ai-move"]
    for name in ("play", "draw"):
        told = {"version": shared[name].view()["version"]}
        assert code(api, operation, shared[name], token=shared[name].tokens[0], body=told) == "not_your_turn"


def test_a_token_without_a_seat_is_never_to_act(api: Api) -> None:
    table = api.table(seats=[{"kind": "ai"}, {"kind": "ai"}]).deal()
    for operation in IN_TURN:
        if operation.suffix != "/draw-choice":  # which is out of phase
            told = {**(operation.body or {}), "version": table.view()["version"]}
            assert code_without_seats(api, operation, table, told) == "not_your_turn"


def code_without_seats(api: Api, operation: Operation, table: Table, body: dict[str, Any]) -> str:
    before = table.view()
    refused = api.post(f"{table.path}{operation.suffix}", body, token=table.tokens[None])
    assert table.view() == before
    return str(refused.json["code"])


@pytest.mark.parametrize("path", ["/v1/games", "/v1/suggestions"])
def test_without_a_game_the_body_is_all_there_is(api: Api, path: str) -> None:
    steps: list[tuple[dict[str, Any], str]] = [
        ({"raw": b"{" * BIG, "headers": {"Content-Type": "text/plain"}}, "unsupported_media_type"),
        ({"raw": b"{" * BIG}, "payload_too_large"),
        ({"raw": b"{"}, "malformed_json"),
        ({"raw": raw({"seats": PEOPLE, "unknown": 1})}, "invalid_request"),
    ]
    for asked, refusal in steps:
        assert api.post(f"{path}?unknown=1", token="anything", **asked).json["code"] == refusal


def test_every_operation_on_a_game_is_in_the_table(app: Flask) -> None:
    prefix = "/v1/games/<game_id>"
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith(prefix)]
    served = {
        (method, rule.rule.removeprefix(prefix).replace("<number>", "1"))
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert served == {(one.method, one.suffix) for one in OPERATIONS}
