"""Live streams of a running service: every event once, in order, to everybody, as everybody may know it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from service.listeners import Ending
from service.schemas.streams import MESSAGE
from tests.contract.client import Client, connected, history_of
from tests.contract.folding import foldable, folded
from tests.contract.listening import NDJSON, SSE, Follower, Parsed, is_event
from tests.contract.tables import PEOPLE, Table
from tests.strictly import check_shape

if TYPE_CHECKING:
    from collections.abc import Iterator


Json = dict[str, Any]


@pytest.fixture
def client(service_url: str) -> Iterator[Client]:
    with connected(service_url) as one:
        yield one


@pytest.mark.parametrize("accept", [SSE, NDJSON])
@pytest.mark.parametrize("seat", [0, 1, None])
def test_a_stream_is_a_snapshot_and_then_what_happens(
    service_url: str, client: Client, accept: str, seat: int | None
) -> None:
    table, chance = Table(client, rules={"points_to_win": 1}), random.Random(5)
    table.act("deal")
    follower = Follower(service_url, table.path, table.tokens.get(seat), accept)
    assert (follower.status, follower.headers["content-type"]) == (200, accept)
    snapshot = follower.tell()
    assert (snapshot["type"], snapshot["version"], snapshot["game"]) == ("snapshot", 2, table.view(seat))
    while table.step(chance)["winner"] is None:
        pass
    messages = [snapshot, *follower.messages()]
    for message in messages:
        check_shape(MESSAGE, message)
    told = [message for message in messages if is_event(message)]
    assert told == history_of(client, table.path, table.tokens.get(seat), after=2)
    assert foldable(folded(snapshot["game"], told)) == foldable(table.view(seat))
    assert messages[-1]["type"] == "game_ended"


ACCEPTS = [
    (None, SSE),
    ("*/*", SSE),
    ("text/*", SSE),
    (SSE, SSE),
    (NDJSON, NDJSON),
    ("application/*", NDJSON),
    (f"{SSE};q=0.5, {NDJSON}", NDJSON),
    (f"{NDJSON}, {SSE}", SSE),
    (f"{NDJSON}; charset=utf-8", NDJSON),
    (f"{SSE};charset=utf-8;q=0.4, {NDJSON};q=0.3", SSE),
]


@pytest.mark.parametrize(("accept", "media_type"), ACCEPTS)
def test_the_accept_header_chooses_the_form(
    service_url: str, client: Client, accept: str | None, media_type: str
) -> None:
    follower = Follower(service_url, Table(client).path, accept=accept)
    assert (follower.status, follower.headers["content-type"]) == (200, media_type)
    assert follower.tell()["type"] == "snapshot"
    follower.leave()


def test_a_client_that_takes_neither_form_is_refused(client: Client) -> None:
    answer = client.ask("GET", f"{Table(client).path}/events", Accept="application/json")
    assert (answer.status, answer.json["code"]) == (406, "not_acceptable")


def test_head_answers_the_headers_only(client: Client) -> None:
    answer = client.ask("HEAD", f"{Table(client).path}/events", Accept=NDJSON)
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, NDJSON, b"")


REFUSED = [("after=-1", "after"), ("after=x", "after"), ("after=1&after=2", "after"), ("since=1", "since")]


@pytest.mark.parametrize(("query", "parameter"), REFUSED)
def test_a_query_of_another_shape_is_refused(client: Client, query: str, parameter: str) -> None:
    answer = client.ask("GET", f"{Table(client).path}/events?{query}")
    assert (answer.status, answer.json["code"]) == (422, "invalid_request")
    assert [error["parameter"] for error in answer.json["errors"]] == [parameter]


def test_another_games_token_and_an_unknown_game_are_refused(client: Client) -> None:
    table, other = Table(client), Table(client)
    answer = client.ask("GET", f"{table.path}/events", token=other.tokens[0])
    assert (answer.status, answer.json["code"]) == (401, "invalid_token")
    answer = client.ask("GET", f"/v1/games/{'f' * 32}/events")
    assert (answer.status, answer.json["code"]) == (404, "unknown_game")


RESUMED = [
    ({}, {"after": 2}, [3, 4, 5]),
    ({"Last-Event-ID": "3"}, {}, [4, 5]),
    ({"Last-Event-ID": "4"}, {"after": 2}, [5]),
    ({"Last-Event-ID": "1"}, {}, [2, 3, 4, 5]),
    ({}, {"after": 0}, [1, 2, 3, 4, 5]),
    ({"Last-Event-ID": "0"}, {"after": 2}, [1, 2, 3, 4, 5]),
]


@pytest.mark.parametrize("accept", [SSE, NDJSON])
@pytest.mark.parametrize(("headers", "query", "versions"), RESUMED)
def test_a_known_version_resumes_without_a_snapshot(
    service_url: str, client: Client, headers: Json, query: Json, versions: list[int], accept: str
) -> None:
    table, chance = Table(client), random.Random(1)
    for _ in range(3):
        table.step(chance)
    follower = Follower(service_url, table.path, table.tokens[0], accept, headers, **query)
    while table.version < 5:
        table.step(chance)
    events = history_of(client, table.path, table.tokens[0])
    for version in versions:
        assert follower.next_event() == events[version - 1]
    follower.leave()


UNKNOWN = [
    ({}, {"after": 5}),
    ({}, {"after": 2**53 - 1}),
    ({"Last-Event-ID": "9"}, {"after": 1}),
    ({"Last-Event-ID": "x"}, {}),
    ({"Last-Event-ID": "x"}, {"after": 1}),
    ({"Last-Event-ID": ""}, {}),
    ({"Last-Event-ID": ""}, {"after": 1}),
    ({"Last-Event-ID": "-1"}, {}),
    ({"Last-Event-ID": "01"}, {}),
    ({"Last-Event-ID": "9" * 400}, {}),
]


@pytest.mark.parametrize(("headers", "query"), UNKNOWN)
def test_an_unknown_version_gets_a_snapshot(service_url: str, client: Client, headers: Json, query: Json) -> None:
    table = Table(client)
    table.act("deal")
    follower = Follower(service_url, table.path, headers=headers, **query)
    first = follower.tell()
    assert (first["type"], first["version"]) == ("snapshot", 2)
    follower.leave()


def test_the_stream_of_a_finished_game_ends_by_itself_however_it_begins(service_url: str, client: Client) -> None:
    table = Table(client)
    table.act("deal")
    table.act("resign")
    over = {"type": "stream_ended", "reason": "game_finished"}
    whole = Follower(service_url, table.path)
    snapshot, *rest = whole.messages()
    assert (snapshot["type"], rest) == ("snapshot", [over])
    assert whole.parsed.retry == 2**31 - 1  # a browser would come back for more, for ever
    late = Follower(service_url, table.path, after=1)
    assert [message["type"] for message in late.messages()] == ["dealt", "game_ended"]
    for accept in (SSE, NDJSON):
        nothing = Follower(service_url, table.path, accept=accept, headers={"Last-Event-ID": "3"})
        assert list(nothing.messages()) == [over]
    check_shape(MESSAGE, over)


def test_a_quiet_stream_shows_that_it_is_alive(service_url: str, client: Client) -> None:
    table = Table(client)
    followers = [Follower(service_url, table.path, accept=accept) for accept in (SSE, NDJSON)]
    for follower in followers:
        while not follower.parsed.signs_of_life:
            assert follower.read() is not None  # a longer silence than promised is a Cut
        follower.leave()


@pytest.mark.slow
def test_the_other_seat_is_seen_to_come_and_go(service_url: str, client: Client) -> None:
    table = Table(client)
    first = Follower(service_url, table.path, table.tokens[0])
    assert first.tell()["presence"] == [True, False]
    public = Follower(service_url, table.path, accept=NDJSON)
    assert public.tell()["presence"] == [True, False]
    second = Follower(service_url, table.path, table.tokens[1])
    assert second.tell()["presence"] == [True, True]
    came = {"type": "presence", "seat": 1, "online": True}
    assert (first.tell(), public.tell()) == (came, came)
    assert "presence" not in table.view(0)
    second.leave()
    assert (first.tell(), public.tell()) == ({**came, "online": False}, {**came, "online": False})
    first.leave()
    public.leave()


def test_the_computer_is_always_present(service_url: str, client: Client) -> None:
    table = Table(client, seats=[PEOPLE[0], {"kind": "ai", "level": 1}])
    follower = Follower(service_url, table.path)
    assert follower.tell()["presence"] == [False, True]
    follower.leave()


def test_a_ticket_opens_one_stream_as_its_seat(service_url: str, client: Client) -> None:
    table = Table(client)
    table.act("deal")
    told = client.want(200, "POST", f"{table.path}/stream-ticket", token=table.tokens[1])
    assert told.keys() == {"ticket", "expires_at"}
    assert client.ask("HEAD", f"{table.path}/events?ticket={told['ticket']}").status == 200
    follower = Follower(service_url, table.path, ticket=told["ticket"])
    assert follower.tell()["game"] == table.view(1)
    again = client.ask("GET", f"{table.path}/events?ticket={told['ticket']}")
    assert (again.status, again.json["code"]) == (401, "invalid_token")
    follower.leave()


def test_a_ticket_of_another_game_or_of_nobody_is_refused(client: Client) -> None:
    table, other = Table(client), Table(client)
    ticket = client.want(200, "POST", f"{other.path}/stream-ticket", token=other.tokens[0])["ticket"]
    for shown in (ticket, "x", "x" * 43, "%00"):
        answer = client.ask("GET", f"{table.path}/events?ticket={shown}")
        assert (answer.status, answer.json["code"]) == (401, "invalid_token")
    refused = client.ask("POST", f"{table.path}/stream-ticket")
    assert (refused.status, refused.json["code"]) == (401, "missing_token")


@pytest.mark.parametrize(("media_type", "unit"), [(SSE, "`data` of each event"), (NDJSON, "Each line")])
def test_the_document_tells_what_one_message_is_and_why_a_stream_ends(
    client: Client, media_type: str, unit: str
) -> None:
    document = client.want(200, "GET", "/openapi.json")
    operation = document["paths"]["/v1/games/{game_id}/events"]["get"]
    media = operation["responses"]["200"]["content"][media_type]
    schema = media["schema"]
    assert (schema["type"], schema["contentMediaType"], unit in schema["description"]) == (
        "string",
        "application/json",
        True,
    )
    shapes = document["components"]["schemas"]
    message = shapes[schema["contentSchema"]["$ref"].removeprefix("#/components/schemas/")]
    assert message["discriminator"]["mapping"].keys() == MESSAGE.schemas.keys()
    ended = shapes[message["discriminator"]["mapping"]["stream_ended"].removeprefix("#/components/schemas/")]
    for text in (operation["description"], ended["properties"]["reason"]["description"]):
        assert [reason for reason in Ending if f"`{reason}`" not in text] == []
    shown = Parsed(media_type).take(media["examples"]["begin"]["value"].encode())
    assert [one["type"] for one in shown] == ["snapshot", "dealt", "played"]
    for one in shown:
        check_shape(MESSAGE, one)
