"""Where games are kept: the GameStore protocol, and its form in Redis 7.0 or newer, or Valkey.

Keys of a game, all in one cluster slot and all with a time to live:

    crisps:{ID}             hash    v: version, state: codec bytes, access: token hashes, by: last request id
    crisps:{ID}:events      stream  entry VERSION-0, field e: the event's bytes
    crisps:{ID}:deals       hash    deal number -> head of that ended deal's record
    crisps:{ID}:key:NAME    string  answer to repeat for an idempotency key

Every write is one run of commit.lua. Whatever goes wrong between here and the store becomes StoreUnavailable,
in `_failing_as_unavailable` and nowhere else.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Protocol

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisClusterException, RedisError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from service.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.config import Config

SCRIPT: Final = resources.files("service").joinpath("commit.lua").read_bytes()
SCRIPT_SHA: Final = hashlib.sha1(SCRIPT, usedforsecurity=False).hexdigest()  # how EVALSHA names a script
OLDEST_SERVER: Final = (7, 0)
MAX_STREAM_ID: Final = 2**64 - 1


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game as it lies in the store at one version. What its bytes mean, codec.py and auth.py know."""

    version: int
    state: bytes
    access: bytes


@dataclass(frozen=True, slots=True)
class Loaded:
    """What one load answers: the game, and the record of the idempotency key asked for, if there is one."""

    game: StoredGame
    record: bytes | None = None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """What to remember under an idempotency key; `name` is a digest and may hold no braces."""

    name: str
    value: bytes
    ttl_seconds: int


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game to create; its events get the versions 1 to len(events)."""

    game_id: str
    state: bytes
    access: bytes
    events: Sequence[bytes]
    ttl_seconds: int
    key: KeyRecord | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What one action does to a game at `expected_version`; events get the versions after it.

    `request_id` is new for each action and the same for each attempt to commit it. `ended_deals` maps the
    numbers of deals that the action ends to the heads of their records. A `key` replaces that name's record.
    """

    game_id: str
    request_id: str
    expected_version: int
    state: bytes
    events: Sequence[bytes]
    ttl_seconds: int
    ended_deals: Mapping[int, bytes] = field(default_factory=dict)
    key: KeyRecord | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit took place, by this attempt or by an earlier one with the same request id."""

    version: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The game is at another version than expected; nothing was changed."""

    current_version: int


@dataclass(frozen=True, slots=True)
class UnknownGame:
    """No game has this id, or it has expired; nothing was changed."""


class GameStore(Protocol):
    """What the use cases need of a store; without an answer in time, StoreUnavailable is raised."""

    def load(self, game_id: str, key: str | None = None) -> Loaded | None:
        """The game, and with a key's name that key's record, in one round trip; None: no such game.

        The record is read after the game: without a record the game shows no trace of that key's request.
        """

    def create(self, game: NewGame) -> bool:
        """True once the game is stored; False when the id is taken, and nothing is changed then."""

    def commit(self, commit: Commit) -> Committed | Conflict | UnknownGame:
        """Store an action if the game is still at the expected version; of racing commits one succeeds."""

    def events(self, game_id: str, after: int, limit: int) -> list[tuple[int, bytes]]:
        """Events with versions above `after`, at most `limit` (>= 1), as (version, bytes), ascending."""

    def deal_head(self, game_id: str, number: int) -> bytes | None:
        """The head of an ended deal's record, or None: no such game or deal, or it has not ended."""

    def deal_heads(self, game_id: str) -> dict[int, bytes]:
        """The heads of all ended deals by number, ascending; empty also for an unknown game."""

    def check(self) -> None:
        """Return if the store can keep games safely now; else raise StoreUnavailable, `reason` saying why."""


class _Client(redis.Redis):
    """redis-py's client without its repetitions, metrics and debug log, which take longer than the command itself."""

    def execute_command(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - redis-py's signature
        """Run one command once; whatever goes wrong on the way is raised, the connection closed then."""
        connection: Any = self.connection_pool.get_connection()
        try:
            connection.send_command(*args, check_health=False)
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call]
        finally:
            self.connection_pool.release(connection)


def connect(config: Config) -> redis.Redis:
    """A client for REDIS_URL that has not connected yet, so it may be made before a fork.

    Nothing is repeated on its own: redis-py's default runs a commit up to eleven times when replies get lost.
    A command waits at most STORE_TIMEOUT_SECONDS each for a free connection, to connect, and for its reply.
    """
    if config.redis_url is None:
        raise ValueError("there is no REDIS_URL to connect to; the launcher sets it for the embedded store")
    seconds = config.store_timeout_seconds
    pool = redis.BlockingConnectionPool.from_url(
        config.redis_url,
        max_connections=config.store_connections,
        timeout=seconds,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        retry=Retry(NoBackoff(), 0),
        # while these are on, the pool also hands out connections that still have an unread reply in them
        maint_notifications_config=MaintNotificationsConfig(enabled=False),
        driver_info=None,  # two round trips less for each new connection
    )
    return _Client(connection_pool=pool)


@contextmanager
def _failing_as_unavailable() -> Iterator[None]:
    """Turn every failure of the store or of the way to it into StoreUnavailable.

    That includes refusals: out of memory, read-only replica, loading, disk full, not permitted.
    """
    try:
        yield
    except (RedisError, RedisClusterException, OSError) as error:
        raise StoreUnavailable(reason=f"{type(error).__name__}: {error}") from error


def _game_key(game_id: str) -> str:
    return f"crisps:{{{game_id}}}"


class RedisGameStore:
    """GameStore in Redis or Valkey."""

    def __init__(self, client: redis.Redis) -> None:
        # redis-py's commands are typed as either synchronous or awaitable, which fits neither kind of caller
        self._client: Any = client

    def load(self, game_id: str, key: str | None = None) -> Loaded | None:
        """See GameStore."""
        game_key = _game_key(game_id)
        record = None
        with _failing_as_unavailable():
            if key is None:
                fields = self._client.hmget(game_key, "v", "state", "access")
            else:
                pipeline = self._client.pipeline(transaction=False)
                pipeline.hmget(game_key, "v", "state", "access")
                pipeline.get(f"{game_key}:key:{key}")
                fields, record = pipeline.execute()
        version, state, access = fields
        if version is None:
            return None
        return Loaded(StoredGame(int(version), state, access), record)

    def create(self, game: NewGame) -> bool:
        """See GameStore."""
        first = Commit(game.game_id, "", 0, game.state, game.events, game.ttl_seconds, key=game.key)
        return bool(self._run(first, access=game.access)[0] == 1)

    def commit(self, commit: Commit) -> Committed | Conflict | UnknownGame:
        """See GameStore."""
        if not commit.request_id:
            raise ValueError("without a request id another request's commit could be taken for this one's")
        answer = self._run(commit)
        if answer[0] == 1:
            return Committed(commit.expected_version + len(commit.events))
        return Conflict(int(answer[1])) if answer[0] == 0 else UnknownGame()

    def _run(self, commit: Commit, access: bytes | None = None) -> list[Any]:
        """Run commit.lua and answer what it answers; with `access` it creates the game."""
        if not commit.events:
            raise ValueError("a commit without events would change a game without a new version")
        game_key, key = _game_key(commit.game_id), commit.key
        keys = [game_key, f"{game_key}:events", f"{game_key}:deals"]
        if key is not None:
            keys.append(f"{game_key}:key:{key.name}")
        arguments: list[str | bytes | int] = [
            "" if access is not None else commit.expected_version,
            commit.expected_version + len(commit.events),
            commit.request_id,
            commit.state,
            access or b"",
            commit.ttl_seconds,
            len(commit.events),
            len(commit.ended_deals),
            b"" if key is None else key.value,
            0 if key is None else key.ttl_seconds,
        ]
        for version, event in enumerate(commit.events, commit.expected_version + 1):
            arguments += [f"{version}-0", event]
        for number, head in commit.ended_deals.items():
            arguments += [number, head]
        with _failing_as_unavailable():
            try:
                answer: list[Any] = self._client.evalsha(SCRIPT_SHA, len(keys), *keys, *arguments)
            except NoScriptError:  # a new or restarted server: nothing has run yet, and EVAL also teaches it
                answer = self._client.eval(SCRIPT, len(keys), *keys, *arguments)
        return answer

    def events(self, game_id: str, after: int, limit: int) -> list[tuple[int, bytes]]:
        """See GameStore."""
        if after >= MAX_STREAM_ID:
            return []
        with _failing_as_unavailable():
            entries = self._client.xrange(f"{_game_key(game_id)}:events", f"{after + 1}-0", "+", limit)
        return [(int(entry_id.partition(b"-")[0]), fields[b"e"]) for entry_id, fields in entries]

    def deal_head(self, game_id: str, number: int) -> bytes | None:
        """See GameStore."""
        with _failing_as_unavailable():
            head: bytes | None = self._client.hget(f"{_game_key(game_id)}:deals", str(number))
        return head

    def deal_heads(self, game_id: str) -> dict[int, bytes]:
        """See GameStore."""
        with _failing_as_unavailable():
            heads = self._client.hgetall(f"{_game_key(game_id)}:deals")
        return {number: heads[text] for number, text in sorted((int(text), text) for text in heads)}

    def check(self) -> None:
        """See GameStore. Asks INFO only, which hosted servers that hide CONFIG also answer."""
        with _failing_as_unavailable():
            info = self._client.info("server", "memory", "persistence", "replication")
        release = str(info.get("redis_version", "0"))
        if tuple(int(part) for part in release.split(".")[:2]) < OLDEST_SERVER:
            raise StoreUnavailable(reason=f"the server is Redis {release}; 7.0 or newer is needed")
        if info.get("role") == "slave":
            raise StoreUnavailable(reason="the server is a replica and takes no writes")
        if info.get("maxmemory") and info.get("maxmemory_policy") != "noeviction":
            policy = info.get("maxmemory_policy")
            raise StoreUnavailable(reason=f"maxmemory-policy is {policy}, which drops live games: set noeviction")
        if info.get("aof_enabled") and info.get("aof_last_write_status", "ok") != "ok":
            raise StoreUnavailable(reason="the server cannot write its append-only file")
