"""A store that something can be slipped into between two commits, and games at play on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from engine.rules import Rules
from service import usecases
from service.connections import connect
from service.hosted import AiReply
from service.opening import Opened, Outcome, Ports, open_game
from service.redis_store import RedisGameStore
from service.slots import SearchSlots
from service.store import Commit, Committed, Conflict, UnknownGame
from service.usecases import Creation
from tests.played import settings_of
from tests.running import store_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.cards import Seat
    from service.embedded import EmbeddedStore
    from service.hosted import SeatPair, Settings

ACTIVE, FINISHED = 5000, 600


class InterruptedStore(RedisGameStore):
    """The store; `before[n]` is done before the n-th commit from now on."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.before: dict[int, Callable[[], object]] = {}
        self.commits: list[Commit] = []

    def commit(self, commit: Commit) -> Committed | Conflict | UnknownGame:
        self.commits.append(commit)
        self.before.get(len(self.commits), lambda: None)()
        return super().commit(commit)

    def interrupt(self, number: int, what: Callable[[], object]) -> None:
        """Do something before the so many-th commit from now on."""
        self.commits.clear()
        self.before = {number: what}


@pytest.fixture
def held(valkey: EmbeddedStore) -> Iterator[InterruptedStore]:
    client = connect(store_config(valkey.url))
    yield InterruptedStore(client)
    client.close()


@pytest.fixture
def ports(held: InterruptedStore) -> Ports:
    ticks = iter(range(1_800_000_000_000, 1_900_000_000_000, 1000))
    return Ports(held, SearchSlots(1, queue=4, wait_seconds=0.02), ACTIVE, FINISHED, lambda: next(ticks))


def auto(seats: SeatPair, *, leader: int = 0, points: int = 1) -> Settings:
    settings = settings_of(Rules(points_to_win=points), seats, first_leader=leader)
    return replace(settings, ai_reply=AiReply.AUTO, deal_seeds=(bytes(range(32)),))


def reopened(ports: Ports, creation: Creation, seat: Seat | None) -> Opened:
    token = next((one.token for one in creation.tokens if one.seat == seat), None)
    return open_game(ports, creation.hosted.game_id, token)


def at_play(ports: Ports, settings: Settings) -> tuple[Creation, Opened]:
    """A new game, dealt, as the seat to act sees it; with the computer to act, as its first token does."""
    creation = usecases.create_game(ports, settings)
    dealt = usecases.deal(ports, reopened(ports, creation, creation.tokens[0].seat), "").hosted
    person = creation.tokens[0].seat if dealt.ai_to_act is not None else dealt.game.to_act
    return creation, reopened(ports, creation, person)


def some_action(opened: Opened) -> Any:
    assert opened.hosted.game.deal is not None
    return next(iter(opened.hosted.game.deal.legal_actions()))


def versions(outcome: Outcome) -> list[int]:
    return [logged.version for logged in outcome.events]
