"""A game as one request sees it: how it is opened, what an action needs of the world, and what it leads to."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service import auth, codec
from service.errors import UnknownGame

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.cards import Seat
    from service.hosted import HostedGame, LoggedEvent
    from service.retries import Answer, Once
    from service.slots import SearchSlots
    from service.store import GameStore

GAME_ID_BYTES = 16
_GAME_ID = re.compile(rf"[0-9a-f]{{{2 * GAME_ID_BYTES}}}", re.ASCII)


def now_in_milliseconds() -> int:
    """The time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Ports:
    """What the use cases need of the world outside: a store, search slots, a clock, and how long games are kept."""

    store: GameStore
    slots: SearchSlots
    active_ttl_seconds: int
    finished_ttl_seconds: int
    clock: Callable[[], int] = now_in_milliseconds
    gone: Callable[[], bool] | None = None
    """Whether nobody waits any more for the advice that is being searched."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A game as one request sees it; `viewer` is the seat of the request's token, None for the public.

    `record` is what is remembered under the request's idempotency key, `once` what will be.
    """

    hosted: HostedGame
    viewer: Seat | None
    record: bytes | None = None
    once: Once | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action led to: the game now, and every event since the version that was acted on.

    `answer` is what is recorded as the answer to a request with an idempotency key.
    """

    hosted: HostedGame
    events: tuple[LoggedEvent, ...]
    answer: Answer | None = None


def open_game(ports: Ports, game_id: str, token: str | None, record: str | None = None) -> Opened:
    """The game as the token's seat sees it, without a token as the public does. Raises UnknownGame, InvalidToken.

    `record` names what is remembered under an idempotency key, to be read with it.
    """
    # The store's keys are made of the id: what no game was ever given does not get near them.
    loaded = ports.store.load(game_id, record) if _GAME_ID.fullmatch(game_id) else None
    if loaded is None:
        raise UnknownGame
    viewer = None if token is None else auth.seat_of(loaded.game.access, token)
    return Opened(codec.decode_game(game_id, loaded.game.version, loaded.game.state), viewer, loaded.record)


def events_of(ports: Ports, game_id: str, after: int, limit: int) -> tuple[LoggedEvent, ...]:
    """At most `limit` of a game's events with versions above `after`, unredacted."""
    stored = ports.store.events(game_id, after, limit)
    return tuple(codec.decode_event(version, event) for version, event in stored)
