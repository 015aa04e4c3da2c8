"""The clock of a game between two people, and claiming a win on time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from service.opening import now_in_milliseconds
from service.redis_store import game_key
from tests.asking import Answer, Api, Json, Table, code
from tests.contract.interrupted import Process

SECONDS = 30
A_WEEK = 604_800


class Clock:
    """The service's clock, which can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> int:
        return now_in_milliseconds() + int(self.ahead * 1000)


@pytest.fixture
def clock(process: Process) -> Clock:
    """The clock of `process`."""
    made = Clock()
    services = process.services
    services._ports = replace(services.ports, clock=made)
    return made


def claim(table: Table, seat: int | None, **told: Any) -> Answer:
    return table.act(seat, "claim", told or None)


def deadline(table: Table) -> float | None:
    told = table.view()["turn_deadline"]
    return None if told is None else datetime.fromisoformat(told).timestamp()


# ------------------------------------------------------------------------------------------------- the clock
def test_the_clock_runs_from_the_deal_on_and_starts_again_with_every_action(process: Process, clock: Clock) -> None:
    table = process.api.table(turn_seconds=SECONDS)
    assert deadline(table) is None
    for turn in ("deal", "5 5", "6 6", "pass", "face_up", "4 4"):
        clock.ahead += 7
        before = clock() / 1000
        if turn == "deal":
            table.deal()
        else:
            table.play(turn)
        told = deadline(table)
        assert told is not None
        assert before + SECONDS - 0.002 <= told <= clock() / 1000 + SECONDS
    table.do(0, "resign")
    assert deadline(table) is None


def test_no_clock_runs_between_deals(process: Process, clock: Clock) -> None:
    from tests.asking import play_deal

    table = process.api.table(turn_seconds=SECONDS, rules={"points_to_win": 2}).deal()
    for _ in play_deal(table, 1):
        assert (deadline(table) is None) == (table.view()["phase"] == "awaiting_deal")
    assert table.view()["phase"] == "awaiting_deal"
    clock.ahead += 10 * SECONDS
    assert code(claim(table, 0)) == (409, "deadline_not_reached")


def test_the_computer_has_no_clock_and_nobody_claims_against_it(process: Process, clock: Clock) -> None:
    seats = [{"kind": "human"}, {"kind": "ai", "level": 1}]
    table = process.api.table(seats=seats, ai_reply="manual", turn_seconds=SECONDS).deal()
    assert deadline(table) is not None
    assert code(claim(table, 0)) == (409, "not_your_turn")  # it is the person who is awaited
    table.play("5 5")
    assert table.view()["to_act"] == 1
    assert deadline(table) is None
    clock.ahead += 10 * SECONDS
    assert code(claim(table, 0)) == (409, "deadline_not_reached")


# ------------------------------------------------------------------------------------------------- claiming
def test_the_waiting_seat_wins_once_the_deadline_has_passed_and_not_before(process: Process, clock: Clock) -> None:
    table = process.api.table(turn_seconds=SECONDS).deal().play("5 5")
    assert table.view()["to_act"] == 1
    early = claim(table, 0)
    assert code(early) == (409, "deadline_not_reached")
    assert early.json["current_version"] == 3
    clock.ahead += SECONDS - 2
    assert code(claim(table, 0)) == (409, "deadline_not_reached")
    clock.ahead += 2
    assert code(claim(table, 1)) == (409, "not_your_turn")
    answer = claim(table, 0)
    assert answer.status_code == 200
    (event,) = answer.json["events"]
    assert (event["type"], event["winner"], event["reason"], event["seat"]) == ("game_ended", 0, "time", None)
    game = answer.json["game"]
    assert (game["phase"], game["winner"], game["deal"], game["last_deal"]) == ("finished", 0, None, None)
    assert [seat["score"] for seat in game["seats"]] == [0, 0]
    assert process.api.get(f"{table.path}/deals/1").json["winner"] is None
    assert code(claim(table, 0)) == (409, "game_finished")


def test_who_is_late_may_still_act_until_somebody_claims(process: Process, clock: Clock) -> None:
    table = process.api.table(turn_seconds=SECONDS).deal()
    clock.ahead += 5 * SECONDS
    stale = {"version": table.view()["version"]}
    table.play("5 5")
    assert code(claim(table, 1, **stale)) == (412, "version_conflict")
    assert code(claim(table, 0)) == (409, "deadline_not_reached")


def test_without_a_clock_there_is_no_deadline_to_pass(process: Process, clock: Clock) -> None:
    table = process.api.table()
    for _ in range(2):
        clock.ahead += 604_800
        for seat in (0, 1):
            assert code(claim(table, seat)) == (409, "deadline_not_reached")
        if table.view()["deal"] is None:
            table.deal()


def test_in_the_draw_phase_the_seat_that_chooses_is_the_late_one(process: Process, clock: Clock) -> None:
    table = process.api.table(turn_seconds=SECONDS).deal().play("5 5", "pass")
    view = table.view()
    assert (view["phase"], view["to_act"]) == ("draw", 0)
    clock.ahead += SECONDS
    assert code(claim(table, 0)) == (409, "not_your_turn")
    assert claim(table, 1).json["game"]["winner"] == 1


def test_of_a_claim_and_an_action_at_once_one_takes_place(process: Process, clock: Clock) -> None:
    for _ in range(5):
        table = process.api.table(turn_seconds=SECONDS).deal()
        clock.ahead += SECONDS
        apis = [Api(process.app), Api(process.app)]
        body: Json = {"version": 2}
        asked = [("claim", body, 1), ("play", {**body, "cards": ["5", "5"]}, 0)]
        with ThreadPoolExecutor(2) as pool:
            answers = list(
                pool.map(
                    lambda one: one[0].post(f"{table.path}/{one[1][0]}", one[1][1], token=table.tokens[one[1][2]]),  # noqa: B023
                    zip(apis, asked, strict=True),
                )
            )
        assert sorted(answer.status_code for answer in answers) == [200, 412]
        assert table.view()["version"] == 3


def test_the_clock_of_a_real_service_runs_too(api: Api) -> None:
    table = api.table(turn_seconds=5).deal()
    assert code(claim(table, 1)) == (409, "deadline_not_reached")
    told = deadline(table)
    assert told is not None
    assert 4 < told - time.time() <= 5


def test_a_game_is_kept_longer_than_its_turns_may_take(process: Process) -> None:
    kept = process.services.ports.active_ttl_seconds
    store = process.store._client
    table = process.api.table(turn_seconds=A_WEEK)
    assert store.ttl(game_key(table.game_id)) <= kept
    table.deal()
    assert store.ttl(game_key(table.game_id)) > A_WEEK + kept - 60
