"""Players who play on while something crashes, and see whether anything that was answered is lost.

CRISPS_CRASHES says how often each kind of thing crashes.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.contract.client import NotDone, Seated, Unanswered, connected
from tests.contract.play_games import check_finished, settings_of, take_turn
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.client import Client
    from tests.contract.processes import OwnService

CRASHES = int(os.environ.get("CRISPS_CRASHES", "1"))
PLAYERS = 3
RECOVERY_SECONDS = 120.0
PASSING = {503}
"""What a service that is coming back may answer."""


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
