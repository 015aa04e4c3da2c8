"""The store's master dies in the middle of games and another one takes over: no answered action is lost."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.contract.client import connected
from tests.contract.crashing import CRASHES, play_through
from tests.contract.listening import NDJSON, Follower
from tests.contract.processes import OwnService, own_service
from tests.contract.tables import Table
from tests.replicated import replicated_store
from tests.running import eventually

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 60 * CRASHES)]


def test_through_failovers_every_game_goes_on_and_streams_miss_nothing(tmp_path: Path) -> None:
    with (
        replicated_store(tmp_path / "store") as store,
        own_service(tmp_path / "service", **store.settings, STORE_REPLICAS="1", GAMES_PER_MINUTE="9999") as service,
    ):

        def fail_over(service: OwnService, chance: random.Random) -> None:
            killed = store.fail_over()
            store.start_server(killed, store.master)  # as whoever runs it would

        with connected(service.url) as client:
            table = Table(client)
            follower = Follower(service.url, table.path, accept=NDJSON)
            assert follower.tell()["type"] == "snapshot"
            table.act("deal")
            dealt = follower.next_event()
            play_through(service, fail_over)
            client.close()  # it has been idle for longer than connections are kept
            table.step(random.Random(1))
            followed = [dealt, follower.next_event()]
            told = client.want(200, "GET", f"{table.path}/history")["events"]
            assert followed == told[1:], service.log
            follower.leave()
            assert "ratelimit-remaining" in client.ask("POST", "/v1/games", {}).headers, "limits find the master too"
            assert eventually(lambda: client.ask("GET", "/readyz").status == 200)
