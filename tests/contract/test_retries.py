"""Requests with an Idempotency-Key take place once, and every repeat gets the first answer (service/retries.py)."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import pytest

from ai import policy
from service import replies
from service.slots import Urgency
from tests.asking import Answer, Api, Json, Table
from tests.contract.interrupted import Killed, Process, killed
from tests.contract.repeated import AGAINST_AI, KEY, PARALLEL, events, no_reply, send
from tests.stored import raw

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    policy.warm_up()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "fifty" not in request.node.name:  # after a crash there is nobody to wait for
        monkeypatch.setattr(replies, "PATIENCE_SECONDS", 0.02)


def a_reply_of_two(api: Api) -> tuple[Table, str, Json]:
    """A table where seat 0's pass is answered by two actions of the computer's: a draw choice and a lead."""
    table = api.table(seats=AGAINST_AI, first_leader=1).deal()
    return table, "pass", {"version": table.view()["version"]}


def a_reply_of_one(api: Api) -> tuple[Table, str, Json]:
    table = api.table(seats=AGAINST_AI).deal()
    return table, "play", {"version": table.view()["version"], "cards": ["5", "5"]}


def a_deal_and_a_lead(api: Api) -> tuple[Table, str, Json]:
    return api.table(seats=AGAINST_AI, first_leader=1), "deal", {"version": 1}


def a_resignation(api: Api) -> tuple[Table, str, Json]:
    table = api.table(seats=AGAINST_AI).deal()
    return table, "resign", {"version": table.view()["version"]}


def an_ai_move(api: Api) -> tuple[Table, str, Json]:
    table = api.table(seats=AGAINST_AI, first_leader=1, ai_reply="manual").deal()
    return table, "ai-move", {"version": table.view()["version"]}


SCENES = [a_reply_of_two, a_reply_of_one, no_reply, a_deal_and_a_lead, a_resignation, an_ai_move]
COMMITS = {a_reply_of_two: 3, a_reply_of_one: 2, no_reply: 1, a_deal_and_a_lead: 2, a_resignation: 1, an_ai_move: 1}


def check_done_once(table: Table, answer: Answer, version: int) -> None:
    """The answer tells all that happened since `version`, and that is all that happened."""
    assert answer.status_code == 200, answer.text
    told = events(table)
    assert [event["version"] for event in told] == list(range(1, len(told) + 1))
    assert answer.json["events"] == told[version:]
    assert answer.json["game"] == table.view(0)
    assert answer.headers["ETag"] == f'"{len(told)}.0"'


# ------------------------------------------------------------------------------------------------- repeats
@pytest.mark.parametrize("scene", SCENES)
def test_a_repeat_gets_the_first_answer_byte_for_byte_whatever_happens_after(api: Api, scene: Any) -> None:
    table, action, body = scene(api)
    first = send(api, table, action, body)
    check_done_once(table, first, body["version"])
    if table.view()["winner"] is None:
        table.do(0, "resign")
    before = events(table)
    for key in (KEY, f'"{KEY}"'):
        repeated = send(api, table, action, body, key=key)
        assert (repeated.data, repeated.headers["ETag"]) == (first.data, first.headers["ETag"])
    assert events(table) == before


@pytest.mark.parametrize("scene", SCENES)
def test_of_fifty_at_once_one_takes_place_and_all_get_its_answer(process: Process, other: Process, scene: Any) -> None:
    table, action, body = scene(process.api)
    apis = [Api(one.app) for one in (process, other) for _ in range(PARALLEL // 2)]
    with ThreadPoolExecutor(PARALLEL) as pool:
        answers = list(pool.map(lambda api: send(api, table, action, body), apis))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    told = events(table)[body["version"] :]
    assert answers[0].json["events"] == told
    assert sum(event["seat"] == 0 or event["type"] in {"dealt", "game_ended"} for event in told) <= 1
    assert send(process.api, table, action, body).data == answers[0].data


def test_without_a_key_nothing_is_remembered(api: Api, valkey: EmbeddedStore) -> None:
    table, action, body = a_reply_of_two(api)
    assert api.post(f"{table.path}/{action}", body, token=table.tokens[0]).status_code == 200
    again = api.post(f"{table.path}/{action}", body, token=table.tokens[0])
    assert (again.status_code, again.json["code"]) == (412, "version_conflict")
    assert not list(raw(valkey).scan_iter(f"crisps:{{{table.game_id}}}:key:*"))


# ------------------------------------------------------------------------------------------------- crashes
def moments(scene: Any) -> list[tuple[str, int]]:
    return [(f"{when} commit", number) for number in range(1, COMMITS[scene] + 1) for when in ("before", "after")]


CRASHES = [(scene, moment) for scene in SCENES for moment in moments(scene)]


@pytest.mark.parametrize(("scene", "moment"), CRASHES, ids=[f"{s.__name__} {m} {n}" for s, (m, n) in CRASHES])
def test_a_crash_at_any_write_leaves_what_the_repeat_completes(
    process: Process, other: Process, scene: Any, moment: tuple[str, int]
) -> None:
    table, action, body = scene(other.api)
    process.store.interrupt(*moment, killed)
    with pytest.raises(Killed):
        send(process.api, table, action, body)
    left = events(table)
    assert (len(left) == body["version"]) == (moment == ("before commit", 1))
    answer = send(other.api, table, action, body)
    check_done_once(table, answer, body["version"])
    assert events(table)[: len(left)] == left
    assert send(other.api, table, action, body).data == answer.data


@pytest.mark.parametrize("moment", ["before settling", "after settling"])
def test_a_crash_while_giving_up_the_reply_leaves_one_answer(process: Process, other: Process, moment: str) -> None:
    table, action, body = a_reply_of_one(other.api)
    process.store.interrupt(moment, 1, killed)
    with process.busy(), pytest.raises(Killed):
        send(process.api, table, action, body)
    answer = send(other.api, table, action, body)
    assert answer.json["game"]["to_act"] == (1 if moment == "after settling" else 0)
    assert [send(one.api, table, action, body).data for one in (process, other)] == [answer.data] * 2


@pytest.mark.parametrize("repeats", [1, 8])
def test_repeats_after_a_crash_race_for_the_reply_and_agree(process: Process, other: Process, repeats: int) -> None:
    table, action, body = a_reply_of_two(other.api)
    process.store.interrupt("after commit", 1, killed)
    with pytest.raises(Killed):
        send(process.api, table, action, body)
    apis = [Api(one.app) for one in (process, other) for _ in range(repeats)]
    with ThreadPoolExecutor(len(apis)) as pool:
        answers = list(pool.map(lambda api: send(api, table, action, body), apis))
    assert len({answer.data for answer in answers}) == 1
    assert answers[0].json["events"] == events(table)[body["version"] :][: len(answers[0].json["events"])]


# ------------------------------------------------------------------------------- no slot for the computer's reply
def test_an_answer_without_the_reply_stays_the_answer(process: Process, other: Process) -> None:
    table, action, body = a_reply_of_one(other.api)
    with process.busy():
        answer = send(process.api, table, action, body)
    assert (answer.status_code, answer.json["game"]["to_act"]) == (200, 1)
    assert [event["type"] for event in answer.json["events"]] == ["played"]
    assert send(other.api, table, action, body).data == answer.data
    assert table.view()["to_act"] == 1
    assert table.do(0, "ai-move")["game"]["to_act"] == 0
    assert send(other.api, table, action, body).data == answer.data


def test_who_gives_up_the_reply_while_another_makes_it_answers_with_it(process: Process, other: Process) -> None:
    table, action, body = a_reply_of_two(other.api)
    made: list[Answer] = []
    process.store.interrupt("before settling", 1, lambda: made.append(send(other.api, table, action, body)))
    with process.busy():
        answer = send(process.api, table, action, body)
    assert answer.data == made[0].data
    check_done_once(table, answer, body["version"])


@pytest.mark.parametrize(("scene", "commit"), [(a_reply_of_one, 1), (a_reply_of_two, 1), (a_reply_of_two, 2)])
def test_who_makes_the_reply_while_another_gives_it_up_answers_without_it(
    process: Process, other: Process, scene: Any, commit: int
) -> None:
    table, action, body = scene(other.api)
    process.store.interrupt("after commit", 1, killed)
    with pytest.raises(Killed):
        send(process.api, table, action, body)
    given_up: list[Answer] = []

    def give_up() -> None:
        with process.busy():
            given_up.append(send(process.api, table, action, body))

    other.store.interrupt("before commit", commit, give_up)
    answer = send(other.api, table, action, body)
    assert answer.data == given_up[0].data
    assert answer.json["game"]["to_act"] == 1
    assert table.view()["to_act"] == 0
    assert send(other.api, table, action, body).data == answer.data


def test_a_repeat_does_not_give_up_a_reply_that_is_being_made(
    process: Process, other: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, action, body = a_reply_of_one(other.api)
    monkeypatch.setattr(other.services.ports.slots, "wait_seconds", 20.0)
    repeats = ThreadPoolExecutor(1)
    waiting: list[Future[Answer]] = []

    def repeated() -> None:  # while the first has searched and not yet committed the reply
        waiting.append(repeats.submit(send, other.api, table, action, body))
        assert not wait(waiting, 10 * replies.PATIENCE_SECONDS).done

    with repeats:
        taken = [other.services.ports.slots.taken(Urgency.MOVE) for _ in range(2)]
        with taken[0], taken[1]:
            monkeypatch.setattr(other.services.ports.slots, "_queue", 0)  # so that it is refused at once
            process.store.interrupt("before commit", 2, repeated)
            first = send(process.api, table, action, body)
            again = waiting[0].result(20)
    check_done_once(table, first, body["version"])
    assert again.data == first.data


# --------------------------------------------------------------------------------------- others act in between
def test_a_reply_that_ai_move_made_is_in_the_answer(process: Process, other: Process) -> None:
    table, action, body = a_reply_of_two(other.api)
    process.store.interrupt("after commit", 1, killed)
    with pytest.raises(Killed):
        send(process.api, table, action, body)
    while table.view()["to_act"] == 1:
        table.do(0, "ai-move")
    answer = send(other.api, table, action, body)
    check_done_once(table, answer, body["version"])
    table.do(0, "resign")
    assert send(process.api, table, action, body).data == answer.data


def test_whatever_happened_before_the_answer_was_settled_is_in_it(process: Process, other: Process) -> None:
    table, action, body = a_reply_of_two(other.api)
    process.store.interrupt("after commit", 1, killed)
    with pytest.raises(Killed):
        send(process.api, table, action, body)
    table.do(0, "resign")
    answer = send(other.api, table, action, body)
    check_done_once(table, answer, body["version"])
    assert answer.json["game"]["winner"] == 1


def test_a_lost_race_for_the_reply_is_caught_up_with(process: Process, other: Process) -> None:
    table, action, body = a_reply_of_two(other.api)
    process.store.interrupt("before commit", 2, lambda: table.do(0, "ai-move"))
    answer = send(process.api, table, action, body)
    check_done_once(table, answer, body["version"])
    assert send(other.api, table, action, body).data == answer.data
