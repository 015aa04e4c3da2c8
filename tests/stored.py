"""Games and commits to put into a store, and a look at everything a store has of a game."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import redis

from service.redis_store import RedisGameStore
from service.store import Commit, NewGame

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore

ALL_BYTES = bytes(range(256))


def new_game(game_id: str, **changes: Any) -> NewGame:
    values: dict[str, Any] = {"state": b"at 1", "access": b"hashes", "events": [b"created"], "ttl_seconds": 1000}
    return NewGame(game_id, **{**values, **changes})


def action(game_id: str, expected_version: int = 1, **changes: Any) -> Commit:
    values: dict[str, Any] = {
        "request_id": secrets.token_hex(8),
        "state": b"next",
        "events": [b"played"],
        "ttl_seconds": 1000,
    }
    return Commit(game_id=game_id, expected_version=expected_version, **{**values, **changes})


def raw(valkey: EmbeddedStore) -> Any:
    return redis.Redis.from_url(valkey.url)


def contents(store: RedisGameStore, game_id: str) -> tuple[Any, ...]:
    return (store.load(game_id), store.events(game_id, 0, 1000), store.deal_heads(game_id))
