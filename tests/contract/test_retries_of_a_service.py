"""Repeated requests to a whole service whose workers are killed between an action and its answer."""

from __future__ import annotations

import contextlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.contract.client import Seated, Unanswered, connected
from tests.contract.processes import OwnService, own_service
from tests.contract.thinking import at_its_turn, killed_while_thinking, version_now
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.contract.client import Answer, Client

CRASHES = int(os.environ.get("CRISPS_CRASHES", "2"))
PARALLEL = 50
SECRET = "a-secret-key-of-a-game-{}"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + 30 * CRASHES)]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[OwnService]:
    with own_service(tmp_path) as running:
        yield running


def play(client: Client, seated: Seated) -> Answer:
    body = {"cards": seated.view["legal_actions"][0]["cards"], "version": seated.version}
    return client.ask("POST", f"{seated.path}/play", body, seated.token, Idempotency_Key="the-same")


def play_whatever_comes_of_it(url: str, seated: Seated) -> None:
    with connected(url) as client, contextlib.suppress(Unanswered):
        play(client, seated)


def through_crashes(url: str, seated: Seated) -> Answer:
    """The answer, asked for until there is one."""
    found: list[Answer] = []

    def answered() -> bool:
        with connected(url) as client, contextlib.suppress(Unanswered):
            answer = play(client, seated)
            if answer.status != 503:
                found.append(answer)
        return bool(found)

    assert eventually(answered, 60)
    return found[0]


def test_workers_killed_between_action_and_answer_leave_one_action_and_one_answer(service: OwnService) -> None:
    left_due = attempts = 0
    with connected(service.url) as client:
        while left_due < CRASHES:
            attempts += 1
            assert attempts <= 30 * CRASHES, f"the computer's action was left due {left_due} times only"
            seated = killed_while_thinking(service, client, play_whatever_comes_of_it)
            version = seated.version
            left_due += version_now(seated) == version + 1
            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(lambda _: through_crashes(service.url, seated), range(4)))  # noqa: B023
            assert {answer.status for answer in answers} == {200}
            assert len({answer.body for answer in answers}) == 1
            told = seated.history()
            assert answers[0].json["events"] == told[version:]
            assert [event["seat"] for event in told[version:]].count(0) == 1
    sys.stdout.write(f"in {attempts} attempts the computer's action was left due {left_due} times; one answer each\n")


def test_fifty_at_once_get_one_answer_from_two_workers(service: OwnService) -> None:
    with connected(service.url) as client:
        seated = at_its_turn(client)
        version = seated.version

        def ask(_: int) -> Answer:
            with connected(service.url) as own:
                return play(own, seated)

        def make(_: int) -> Answer:
            with connected(service.url) as own:
                made: Answer = own.ask("POST", "/v1/games", {}, Idempotency_Key=SECRET)
                return made

        with ThreadPoolExecutor(PARALLEL) as pool:
            answers, made = list(pool.map(ask, range(PARALLEL))), list(pool.map(make, range(PARALLEL)))
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == 1
        told = seated.history()[version:]
        assert answers[0].json["events"] == told[: len(answers[0].json["events"])]
        assert [event["seat"] for event in told].count(0) == 1
        assert {answer.status for answer in made} == {201}
        assert len({answer.body for answer in made}) == 1
