"""Processes are killed in the middle of games: no answered action is lost, and every game goes on to its end.

CRISPS_CRASHES says how often each kind of process is killed; the players play on all the while.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.client import NotDone, Seated, Unanswered, connected
from tests.contract.play_games import check_finished, settings_of, take_turn
from tests.contract.processes import OwnService, own_service, without_orphans
from tests.contract.thinking import killed_while_thinking
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.contract.client import Client

CRASHES = int(os.environ.get("CRISPS_CRASHES", "1"))
PLAYERS = 3
RECOVERY_SECONDS = 120.0
PASSING = {503}
"""What a service that is coming back may answer."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 60 * CRASHES)]


class Player(threading.Thread):
    """Plays games one after the other, through crashes; `failure` is what went wrong.

    `may_lose` is how much of the time before a crash may be forgotten; nothing else may.
    """

    def __init__(self, url: str, number: int, may_lose: timedelta = timedelta(0)) -> None:
        super().__init__(daemon=True)
        self.answered = self.crashes_felt = self.games = self.lost = 0
        self.failure: BaseException | None = None
        self.enough = threading.Event()
        self._url = url
        self._chance = random.Random(number)
        self._may_lose = may_lose

    def run(self) -> None:
        """Play until `enough` is set, and then to the end of the game."""
        try:
            with connected(self._url, seconds=20) as client:
                while not self.enough.is_set():
                    self._play(client)
        except BaseException as error:  # noqa: BLE001 - the test raises it
            self.failure = error

    def _play(self, client: Client) -> None:
        settings = {**settings_of(self._chance.randrange(1000)), "ai_reply": "auto"}
        seated: Seated = self._through_crashes(lambda: Seated.create(client, settings))
        public = self._through_crashes(lambda: client.want(200, "GET", seated.path))
        while seated.view["winner"] is None:
            try:
                take_turn(seated, self._chance)
                self.answered += 1
            except Unanswered:
                self._recover(seated)
            except NotDone as error:
                if error.answer.status not in PASSING:
                    raise
                self._recover(seated)
        self._through_crashes(lambda: check_finished(seated, public, self._chance))
        self.games += 1

    def _recover(self, seated: Seated) -> None:
        self.crashes_felt += 1
        self._through_crashes(lambda: self._catch_up(seated))

    def _catch_up(self, seated: Seated) -> None:
        seen = seated.look()
        if self._may_lose and seen["version"] < seated.version:
            lost = [event for event in seated.events if event["version"] > seen["version"]]
            age = datetime.now(UTC) - datetime.fromisoformat(lost[0]["at"])
            assert age < self._may_lose + timedelta(seconds=RECOVERY_SECONDS)
            spread = datetime.fromisoformat(lost[-1]["at"]) - datetime.fromisoformat(lost[0]["at"])
            assert spread <= self._may_lose
            self.lost += len(lost)
            del seated.events[-len(lost) :]
            seated.view = seen
        seated.catch_up()

    def _through_crashes(self, work: Callable[[], Any]) -> Any:
        """What `work` answers, tried again while the service is away."""
        deadline = time.monotonic() + RECOVERY_SECONDS
        while True:
            try:
                return work()
            except Unanswered:
                if time.monotonic() > deadline:
                    raise
            except NotDone as error:
                if error.answer.status not in PASSING or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)


def play_through(
    service: OwnService, crash: Callable[[OwnService, random.Random], None], may_lose: timedelta = timedelta(0)
) -> None:
    """Crash a service CRASHES times at random moments while games are played, then let the games end."""
    chance = random.Random(11)
    players = [Player(service.url, number, may_lose) for number in range(PLAYERS)]
    for player in players:
        player.start()

    def answered() -> int:
        return sum(player.answered for player in players)

    def failed() -> bool:
        return any(player.failure for player in players)

    try:
        for _ in range(CRASHES):
            goal = answered() + chance.randrange(10, 60)
            assert eventually(lambda goal=goal: answered() >= goal or failed(), RECOVERY_SECONDS)  # type: ignore[misc]
            if failed():
                break
            time.sleep(chance.random() / 50)  # in any part of a request
            crash(service, chance)
    finally:
        for player in players:
            player.enough.set()
        for player in players:
            player.join(2 * RECOVERY_SECONDS)
    for player in players:
        assert not player.is_alive(), service.log
        if player.failure is not None:
            raise AssertionError(service.log) from player.failure
    assert sum(player.games for player in players) >= PLAYERS
    sys.stdout.write(
        f"{CRASHES} crashes felt {sum(player.crashes_felt for player in players)} times in "
        f"{sum(player.games for player in players)} games of {answered()} answered requests; "
        f"{sum(player.lost for player in players)} events lost\n"
    )


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
