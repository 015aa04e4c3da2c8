"""A game's events page by page, and the records of ended deals."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tests.asking import NO_GAME, SEED, Api, Table, cards, play_deal

if TYPE_CHECKING:
    from flask import Flask


@pytest.fixture(scope="module")
def ended(app: Flask) -> Table:
    """A table whose first deal has ended."""
    table = Api(app).table()
    table.do(0, "deal", {"client_seed": "crisps"})
    assert list(play_deal(table, 3))
    return table


def test_a_history_begins_with_the_creation_and_counts_versions(api: Api) -> None:
    table = api.table().deal().play("5 5", "6 6", "pass", "draw_pile")
    told = api.get(f"{table.path}/history").json
    assert [event["type"] for event in told["events"]] == ["created", "dealt", "played", "played", "passed", "drew"]
    assert [event["version"] for event in told["events"]] == [1, 2, 3, 4, 5, 6]
    assert told["next_after"] is None


def test_each_viewer_is_told_what_it_may_know(api: Api) -> None:
    table = api.table().deal().play("5 5", "6 6", "pass", "draw_pile")
    shown = {}
    for seat in (0, 1, None):
        told = api.get(f"{table.path}/history", token=table.tokens.get(seat)).json["events"]
        shown[seat] = [hand is not None for hand in told[1]["hands"]], told[5]["drawn"]
    # Seat 1 chose the pile and seat 0 got the face-up card, which everybody saw.
    assert shown == {
        0: ([True, False], ["7", None]),
        1: ([False, True], ["7", "7"]),
        None: ([False, False], ["7", None]),
    }


PAGES = [(0, 2, [1, 2], 2), (2, 2, [3, 4], 4), (4, 2, [5], None), (3, 2, [4, 5], None), (0, 5, [1, 2, 3, 4, 5], None)]


@pytest.mark.parametrize(("after", "limit", "versions", "next_after"), PAGES)
def test_a_page_says_where_the_next_one_begins(
    api: Api, after: int, limit: int, versions: list[int], next_after: int | None
) -> None:
    table = api.table().deal().play("5 5", "6 6", "pass")
    page = api.get(f"{table.path}/history?after={after}&limit={limit}").json
    assert ([event["version"] for event in page["events"]], page["next_after"]) == (versions, next_after)


@pytest.mark.parametrize("after", [5, 6, 1000, 2**53 - 1])
def test_beyond_the_last_event_there_is_nothing(api: Api, after: int) -> None:
    table = api.table().deal().play("5 5", "6 6", "pass")
    assert api.get(f"{table.path}/history?after={after}").json == {"events": [], "next_after": None}


BAD_QUERIES = [
    ("after=-1", "after"),
    ("after=x", "after"),
    ("after=", "after"),
    ("after=1.0", "after"),
    ("limit=0", "limit"),
    ("limit=1001", "limit"),
    ("limit=1&limit=1", "limit"),
    ("before=3", "before"),
]


@pytest.mark.parametrize(("query", "parameter"), BAD_QUERIES)
def test_a_query_of_another_shape_is_refused(api: Api, query: str, parameter: str) -> None:
    refused = api.get(f"{api.table().path}/history?{query}")
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
    assert [error["parameter"] for error in refused.json["errors"]] == [parameter]


def test_an_ended_deals_record_is_whole_and_public(api: Api, ended: Table) -> None:
    record = api.get(f"{ended.path}/deals/1").json
    assert record["deck"] == (cards("6 9 6 C 3 4 6 7 1 2 8 4 8 8 8 5 1 4 3 2 7 9 5 2 4 C 9 1 7 3 3 C 5 5 2 9 7 1 6 C"))
    assert (record["seed"], record["client_seed"]) == (SEED, "crisps")
    assert record["commitment"] == hashlib.sha256(bytes.fromhex(SEED)).hexdigest()
    assert (record["number"], record["starter"]) == (1, 0)
    assert record["winner"] == ended.view()["last_deal"]["winner"]
    assert [len(hand) for hand in record["events"][0]["hands"]] == [12, 12]
    assert record["events"][-1]["type"] == "deal_ended"
    assert all(None not in event["drawn"] for event in record["events"] if event["type"] == "drew")


def test_an_ended_deals_record_agrees_with_what_each_seat_was_told(api: Api, ended: Table) -> None:
    record = api.get(f"{ended.path}/deals/1", token=ended.tokens[1]).json["events"]
    for seat in (0, 1):
        told = api.get(f"{ended.path}/history?after=1&limit=1000", token=ended.tokens[seat]).json["events"]
        assert len(told) == len(record)
        for seen, event in zip(told, record, strict=True):
            hidden = {name: value for name, value in event.items() if seen[name] != value}
            assert hidden.keys() <= {"hands", "drawn"}
            assert all(seen[name][seat] == value[seat] for name, value in hidden.items())


def test_a_deal_cut_short_by_resignation_has_a_record_without_a_winner(api: Api) -> None:
    table = api.table().deal().play("5 5")
    table.do(1, "resign")
    record = api.get(f"{table.path}/deals/1").json
    assert record["winner"] is None
    assert [event["type"] for event in record["events"]] == ["dealt", "played"]


def test_a_running_deal_keeps_its_record_closed(api: Api) -> None:
    table = api.table().deal()
    for token in (None, table.tokens[0]):
        refused = api.get(f"{table.path}/deals/1", token=token)
        assert (refused.status_code, refused.json["code"]) == (409, "deal_in_progress")


@pytest.mark.parametrize("number", ["0", "2", "-1", "01", "1.0", "x", "198", "9" * 30, "٣", "1%20"])
def test_a_number_that_no_deal_has_is_an_unknown_deal(api: Api, ended: Table, number: str) -> None:
    refused = api.get(f"{ended.path}/deals/{number}")
    assert (refused.status_code, refused.json["code"]) == (404, "unknown_deal")


def test_before_the_first_deal_there_is_no_record(api: Api) -> None:
    assert api.get(f"{api.table().path}/deals/1").json["code"] == "unknown_deal"


def test_a_wrong_token_is_refused_even_where_none_is_needed(api: Api, ended: Table) -> None:
    for path in ("deals/1", "history"):
        assert api.get(f"{ended.path}/{path}", token="x").json["code"] == "invalid_token"
        assert api.get(f"/v1/games/{NO_GAME}/{path}", token="x").json["code"] == "unknown_game"
