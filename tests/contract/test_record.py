"""The record of a finished game: whole, the same in both forms, and one that anybody can verify."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from engine.cards import Edition
from service.nodes import RecordError
from service.verify import verify
from tests.asking import OPTIONS, Api, Json, Table, play_deal
from tests.running import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

LINES = {"Accept": "application/x-ndjson"}
RULES = [(list(Edition)[sum(options) % 2], options) for options in product((False, True), repeat=3)]


def played_out(api: Api, **settings: Any) -> Table:
    """A table whose game was played to its end by random actions."""
    table = api.table(**settings)
    while table.view()["phase"] != "finished":
        table.deal()
        for _ in play_deal(table, table.game_id):
            pass
    return table


def lines(app: Flask, table: Table) -> list[Json]:
    """The record as lines of JSON. Asked without the checking client, which knows JSON answers only."""
    answer = app.test_client().get(f"{table.path}/record", headers=LINES)
    assert answer.status_code == 200
    assert answer.content_type == "application/x-ndjson"
    assert answer.data.endswith(b"\n")
    return [orjson.loads(line) for line in answer.data.splitlines()]


@pytest.mark.parametrize(("edition", "options"), RULES)
def test_a_games_record_tells_all_of_it_in_either_form_and_verifies(
    api: Api, app: Flask, edition: Edition, options: tuple[bool, ...]
) -> None:
    rules = {"edition": edition, **dict(zip(OPTIONS, options, strict=True)), "points_to_win": 2}
    table = played_out(api, rules=rules, deal_seeds=None, turn_seconds=60)
    record, view = api.get(f"{table.path}/record").json, table.view()
    told = [*verify(record)]
    assert told[-1].startswith(f"game: {len(record['deals'])} deals make one game")
    deals = [api.get(f"{table.path}/deals/{number}").json for number in range(1, len(record["deals"]) + 1)]
    assert record["deals"] == deals
    about = {name: value for name, value in record.items() if name != "deals"}
    assert (about["rules"], about["seats"], about["winner"]) == (view["rules"], view["seats"], view["winner"])
    assert (about["reason"], about["turn_seconds"], about["seeded"]) == ("points", 60, False)
    assert lines(app, table) == [about, *deals]
    assert [*verify(lines(app, table))] == told


def test_a_game_given_up_in_mid_deal_verifies_with_a_deal_without_a_winner(api: Api, app: Flask) -> None:
    table = api.table().deal().play("5 5", "6 6")
    table.do(1, "resign")
    record = api.get(f"{table.path}/record").json
    assert (record["winner"], record["reason"]) == (0, "resignation")
    assert [deal["winner"] for deal in record["deals"]] == [None]
    assert [*verify(record)] == [*verify(lines(app, table))]


def test_a_game_given_up_before_its_first_deal_verifies_too(api: Api, app: Flask, tmp_path: Path) -> None:
    table = api.table()
    table.do(0, "resign")
    record = api.get(f"{table.path}/record").json
    assert record["deals"] == []
    assert [*verify(record)] == ["game: it ended before its first deal"]
    file = tmp_path / "record"
    file.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines(app, table)))
    command = [sys.executable, "-m", "service.verify", str(file)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.splitlines()[-1] == "verified"


CHANGES: list[tuple[str, Any, str]] = [
    ("winner", lambda record: 1 - record["winner"], "/winner"),
    ("reason", lambda _: "time", "/reason"),
    ("first_leader", lambda record: 1 - record["first_leader"], "/deals/0/starter"),
    ("deals", lambda record: record["deals"][:-1], "/reason"),
    ("deals", lambda record: record["deals"][1:], "/deals/0/number"),
]


@pytest.mark.parametrize(("name", "change", "pointer"), CHANGES)
def test_a_changed_record_does_not_verify(app: Flask, name: str, change: Any, pointer: str) -> None:
    api = Api(app)
    record = api.get(f"{played_out(api, rules={'points_to_win': 2}).path}/record").json
    with pytest.raises(RecordError) as caught:
        list(verify({**record, name: change(record)}))
    assert caught.value.pointer == pointer


def test_the_form_is_the_one_that_is_asked_for(api: Api, app: Flask) -> None:
    table = api.table()
    table.do(0, "resign")
    client = app.test_client()
    for accept, form in (
        ("*/*", "application/json"),
        ("application/json, application/x-ndjson;q=0.5", "application/json"),
        ("application/json;q=0.5, application/x-ndjson", "application/x-ndjson"),
        ("application/x-ndjson; charset=utf-8", "application/x-ndjson"),
        ("text/html", "application/json"),
    ):
        answer = client.get(f"{table.path}/record", headers={"Accept": accept})
        assert answer.content_type == form
        assert "Accept" in answer.headers["Vary"]


def test_only_a_finished_game_has_a_record(api: Api) -> None:
    table = api.table()
    for wanted in ("wrong_phase", "deal_in_progress"):
        refused = api.get(f"{table.path}/record")
        assert (refused.status_code, refused.json["code"]) == (409, wanted)
        if wanted == "wrong_phase":
            table.deal()
    table.do(1, "resign")
    assert api.get(f"{table.path}/record").status_code == 200
    assert api.get(f"{table.path}/record").data == api.get(f"{table.path}/record", token=table.tokens[1]).data
