"""Processes are killed in the middle of games: no answered action is lost, and every game goes on to its end.

CRISPS_CRASHES says how often each kind of process is killed; the players play on all the while.
"""

from __future__ import annotations

import contextlib
import random
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.contract.client import Seated, Unanswered, connected
from tests.contract.crashing import CRASHES, play_through
from tests.contract.processes import OwnService, own_service, without_orphans
from tests.contract.thinking import killed_while_thinking
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 60 * CRASHES)]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[OwnService]:
    with own_service(tmp_path) as running:
        yield running


def kill_a_worker(service: OwnService, chance: random.Random) -> None:
    workers = service.workers()
    victim = chance.choice(workers)
    victim.kill()
    assert eventually(lambda: not victim.alive and len(service.workers()) == len(workers)), service.log


def kill_the_store(service: OwnService, chance: random.Random) -> None:
    victim, server = service.store(), service.server()
    victim.kill()
    assert eventually(lambda: not victim.alive)
    assert service.store() != victim
    assert service.server() == server


def kill_everything(service: OwnService, chance: random.Random) -> None:
    service.kill_all()
    service.start()


def kill_the_supervisor(service: OwnService, chance: random.Random) -> None:
    everything = service.everything()
    everything[-1].kill()
    service.wait()
    assert not without_orphans(everything), service.log
    service.start()


def kill_the_server(service: OwnService, chance: random.Random) -> None:
    everything = service.everything()
    service.server().kill()
    assert service.wait() != 0
    assert not without_orphans(everything), service.log
    service.start()


@pytest.mark.parametrize(
    "crash", [kill_a_worker, kill_the_store, kill_everything, kill_the_supervisor, kill_the_server]
)
def test_no_answered_action_is_lost_and_every_game_goes_on(
    service: OwnService, crash: Callable[[OwnService, random.Random], None]
) -> None:
    everything = service.everything()
    play_through(service, crash)
    everything += service.everything()
    service.stop()
    assert not without_orphans(everything)


def test_with_everysec_at_most_two_seconds_are_lost(tmp_path: Path) -> None:
    # what a killed store has written is with the kernel and stays; only a power cut, which no test can make, takes it
    with own_service(tmp_path, APPENDFSYNC="everysec") as service:
        play_through(service, kill_everything, may_lose=timedelta(seconds=2))


def act_whatever_comes_of_it(url: str, seated: Seated) -> None:
    body = {"cards": seated.view["legal_actions"][0]["cards"], "version": seated.version}
    with connected(url) as client, contextlib.suppress(Unanswered):
        client.ask("POST", f"{seated.path}/play", body, seated.token)


def test_a_worker_killed_while_the_computer_thinks_leaves_its_action_due_and_ai_move_completes_it(
    service: OwnService,
) -> None:
    left_due = attempts = 0
    with connected(service.url) as client:
        while left_due < CRASHES:
            attempts += 1
            assert attempts <= 30 * CRASHES, f"the computer's action was left due {left_due} times only"
            seated = killed_while_thinking(service, client, act_whatever_comes_of_it)
            version = seated.version
            seated.catch_up()
            assert seated.events[version - 1]["seat"] == seated.seat
            if seated.ai_is_due:
                left_due += 1
                due_since = seated.version
                seated.post("ai-move", {})
                assert seated.events[due_since - 1]["seat"] == 1 - seated.seat
    sys.stdout.write(f"in {attempts} attempts the computer's action was left due {left_due} times, each completed\n")
