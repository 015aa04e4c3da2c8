"""What live streams ask of the store, over one connection of their own that may wait for events.

Keys beside those of redis_store.py, in the same cluster slot as the game and with a time to live:

    crisps:{ID}:present         sorted set of SEAT:PROCESS, see presence.lua
    crisps:{ID}:ticket:DIGEST   string, see tickets.py
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from redis.exceptions import NoScriptError

from service.connections import Script, connect, failing_as_unavailable
from service.errors import StoreUnavailable
from service.pools import close_idle
from service.redis_store import game_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.config import Config

PRESENCE: Final = Script("presence.lua")

BLOCK_SECONDS: Final = 0.5
"""How long one read waits for events at most."""

MOST_EVENTS: Final = 100
"""Events of one game that one read answers at most."""

VOUCHED_SECONDS: Final = 8.0
"""How long a seat counts as present after a process last said so: a dropped connection has time to come back."""

SOME_COMMANDS: Final = 200
"""Commands sent in one go; more would hold up those of the requests."""


class LiveStore:
    """`connections` connections at most; whatever goes wrong on them is StoreUnavailable."""

    def __init__(self, config: Config, connections: int = 1) -> None:
        patient = replace(
            config,
            store_timeout_seconds=config.store_timeout_seconds + BLOCK_SECONDS,  # reading waits for events
            store_connections=connections,
        )
        # redis-py's commands are typed as either synchronous or awaitable, which fits neither kind of caller
        self._client: Any = connect(patient)
        self.connection_id: int | None = None

    def close(self) -> None:
        """Give up the connections."""
        with suppress(Exception):
            self._client.connection_pool.disconnect()  # the client's own close leaves a pool that it was given alone

    def rest(self) -> None:
        """Give up the connections that nobody uses now."""
        close_idle(self._client.connection_pool)

    def open(self) -> None:
        """Connect, and learn how the store calls this connection."""
        with failing_as_unavailable():
            self.connection_id = int(self._client.client_id())

    def read(self, positions: Mapping[str, int]) -> dict[str, list[tuple[int, bytes]]]:
        """By game the events above each position, as soon as there are any; nothing after BLOCK_SECONDS."""
        keys = {f"{game_key(game_id)}:events": game_id for game_id in positions}
        asked = {key: f"{positions[game_id]}-0" for key, game_id in keys.items()}
        with failing_as_unavailable():
            found = self._client.xread(asked, count=MOST_EVENTS, block=int(1000 * BLOCK_SECONDS))
        return {
            keys[key.decode()]: [(int(entry.partition(b"-")[0]), fields.get(b"e", b"")) for entry, fields in entries]
            for key, entries in found
        }

    def versions(self, game_ids: Sequence[str]) -> dict[str, int | None]:
        """The games' versions; None for one that is gone."""
        commands = [("HGET", game_key(game_id), "v") for game_id in game_ids]
        answers = self._all(commands)
        return {
            game_id: None if version is None else int(version)
            for game_id, version in zip(game_ids, answers, strict=True)
        }

    def present(self, vouched: Mapping[str, Sequence[str]]) -> dict[str, set[int]]:
        """By game the seats that some process vouches for, after vouching for these members (SEAT:PROCESS) itself."""
        milliseconds = int(1000 * VOUCHED_SECONDS)
        commands = [
            ("EVALSHA", PRESENCE.sha, 1, f"{game_key(game_id)}:present", milliseconds, *members)
            for game_id, members in vouched.items()
        ]
        try:
            answers = self._all(commands)
        except NoScriptError:
            with failing_as_unavailable():
                self._client.script_load(PRESENCE.text)
            answers = self._all(commands)
        return {
            game_id: {int(member.partition(b":")[0]) for member in members}
            for game_id, members in zip(vouched, answers, strict=True)
        }

    def wake(self, connection_id: int) -> bool:
        """Make another connection's read answer at once; False: it was not waiting, or may not be woken."""
        with failing_as_unavailable():
            return bool(self._client.client_unblock(connection_id))

    def keep(self, key: str, value: bytes, seconds: int) -> None:
        """Store a value for some time."""
        with failing_as_unavailable():
            self._client.set(key, value, ex=seconds)

    def look(self, key: str) -> bytes | None:
        """A value kept under a key."""
        with failing_as_unavailable():
            value: bytes | None = self._client.get(key)
        return value

    def take(self, key: str) -> bytes | None:
        """A value kept under a key, which is gone then: of any number of takers one gets it."""
        with failing_as_unavailable():
            value: bytes | None = self._client.getdel(key)
        return value

    def _all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        answers: list[Any] = []
        for first in range(0, len(commands), SOME_COMMANDS):
            pipeline = self._client.pipeline(transaction=False)
            for command in commands[first : first + SOME_COMMANDS]:
                pipeline.execute_command(*command)
            try:
                with failing_as_unavailable():
                    answers += pipeline.execute()
            except StoreUnavailable as error:
                if isinstance(error.__cause__, NoScriptError):
                    raise error.__cause__ from None
                raise
        return answers
