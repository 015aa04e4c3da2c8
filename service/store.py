"""Where games are kept: the GameStore protocol, and its form in Redis 7.0 or newer, or Valkey.

Keys of a game, all in one cluster slot and all with a time to live:

    crisps:{ID}             hash    v: version, state: codec bytes, access: token hashes, by: last request id
    crisps:{ID}:events      stream  entry VERSION-0, field e: the event's bytes
    crisps:{ID}:deals       hash    deal number -> head of that ended deal's record
    crisps:{ID}:key:NAME    string  a record: the answer to repeat for an idempotency key, or an analysis

Every write is one run of a script: commit.lua, or settle.lua and admit.lua, which change no version. Whatever goes
wrong between here and the store becomes StoreUnavailable (connections.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from redis.exceptions import NoScriptError

from service.connections import Script, failing_as_unavailable, rest
from service.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import redis


COMMIT: Final = Script("commit.lua")
SETTLE: Final = Script("settle.lua")
ADMIT: Final = Script("admit.lua")
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
    """What to remember under an idempotency key; `name` is a digest and may hold no braces.

    `replaces` is the one value that it may replace. Where there is none: in a commit it replaces whatever is there, in
    `settle` nothing.
    """

    name: str
    value: bytes
    ttl_seconds: int
    replaces: bytes = b""


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
    numbers of deals that the action ends to the heads of their records.
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
    """The commit took place, by this attempt or by an earlier one with the same request id.

    `record` is what is remembered under its key instead of what it brought, None where that is there.
    """

    version: int
    record: bytes | None = None


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
        """True once the game is stored; False when the id is taken, or its record is there; nothing is changed then."""

    def commit(self, commit: Commit) -> Committed | Conflict | UnknownGame:
        """Store an action if the game is still at the expected version; of racing commits one succeeds."""

    def record(self, game_id: str, name: str) -> bytes | None:
        """What is remembered under a key's name, also when the game is gone; None: nothing."""

    def settle(self, game_id: str, key: KeyRecord) -> bytes:
        """Remember this unless something other than `key.replaces` is; what is remembered now."""

    def admit(self, game_id: str, known: bytes, access: bytes) -> bool:
        """Replace a game's token hashes if they still are `known`; whether they were."""

    def events(self, game_id: str, after: int, limit: int) -> list[tuple[int, bytes]]:
        """Events with versions above `after`, at most `limit` (>= 1), as (version, bytes), ascending."""

    def deal_head(self, game_id: str, number: int) -> bytes | None:
        """The head of an ended deal's record, or None: no such game or deal, or it has not ended."""

    def deal_heads(self, game_id: str) -> dict[int, bytes]:
        """The heads of all ended deals by number, ascending; empty also for an unknown game."""

    def rest(self) -> None:
        """Give up the connections that nobody uses now; the next ones to use them connect again."""

    def check(self) -> None:
        """Return if the store can keep games safely now; else raise StoreUnavailable, `reason` saying why."""


def game_key(game_id: str) -> str:
    """The key of a game, which all its other keys begin with."""
    return f"crisps:{{{game_id}}}"


def _record_key(game_id: str, name: str) -> str:
    return f"{game_key(game_id)}:key:{name}"


class RedisGameStore:
    """GameStore in Redis or Valkey."""

    def __init__(self, client: redis.Redis) -> None:
        # redis-py's commands are typed as either synchronous or awaitable, which fits neither kind of caller
        self._client: Any = client

    def load(self, game_id: str, key: str | None = None) -> Loaded | None:
        """See GameStore."""
        root = game_key(game_id)
        record = None
        with failing_as_unavailable():
            if key is None:
                fields = self._client.hmget(root, "v", "state", "access")
            else:
                pipeline = self._client.pipeline(transaction=False)
                pipeline.hmget(root, "v", "state", "access")
                pipeline.get(_record_key(game_id, key))
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
            kept = answer[1] if len(answer) > 1 else None
            return Committed(commit.expected_version + len(commit.events), kept)
        return Conflict(int(answer[1])) if answer[0] == 0 else UnknownGame()

    def _run(self, commit: Commit, access: bytes | None = None) -> list[Any]:
        """Run commit.lua and answer what it answers; with `access` it creates the game."""
        if not commit.events:
            raise ValueError("a commit without events would change a game without a new version")
        root, key = game_key(commit.game_id), commit.key
        keys = [root, f"{root}:events", f"{root}:deals"]
        if key is not None:
            keys.append(_record_key(commit.game_id, key.name))
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
            b"" if key is None else key.replaces,
        ]
        for version, event in enumerate(commit.events, commit.expected_version + 1):
            arguments += [f"{version}-0", event]
        for number, head in commit.ended_deals.items():
            arguments += [number, head]
        answer: list[Any] = self._evaluate(COMMIT, keys, arguments)
        return answer

    def _evaluate(self, script: Script, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:  # noqa: ANN401 - as scripts answer
        """Run a script and answer what it answers."""
        with failing_as_unavailable():
            try:
                return self._client.evalsha(script.sha, len(keys), *keys, *arguments)
            except NoScriptError:  # a new or restarted server: nothing has run yet, and EVAL also teaches it
                return self._client.eval(script.text, len(keys), *keys, *arguments)

    def record(self, game_id: str, name: str) -> bytes | None:
        """See GameStore."""
        with failing_as_unavailable():
            value: bytes | None = self._client.get(_record_key(game_id, name))
        return value

    def settle(self, game_id: str, key: KeyRecord) -> bytes:
        """See GameStore."""
        keys = [_record_key(game_id, key.name)]
        value: bytes = self._evaluate(SETTLE, keys, [key.replaces, key.value, key.ttl_seconds])
        return value

    def admit(self, game_id: str, known: bytes, access: bytes) -> bool:
        """See GameStore."""
        return bool(self._evaluate(ADMIT, [game_key(game_id)], [known, access]))

    def events(self, game_id: str, after: int, limit: int) -> list[tuple[int, bytes]]:
        """See GameStore."""
        if after >= MAX_STREAM_ID:
            return []
        with failing_as_unavailable():
            entries = self._client.xrange(f"{game_key(game_id)}:events", f"{after + 1}-0", "+", limit)
        return [(int(entry_id.partition(b"-")[0]), fields[b"e"]) for entry_id, fields in entries]

    def deal_head(self, game_id: str, number: int) -> bytes | None:
        """See GameStore."""
        with failing_as_unavailable():
            head: bytes | None = self._client.hget(f"{game_key(game_id)}:deals", str(number))
        return head

    def deal_heads(self, game_id: str) -> dict[int, bytes]:
        """See GameStore."""
        with failing_as_unavailable():
            heads = self._client.hgetall(f"{game_key(game_id)}:deals")
        return {number: heads[text] for number, text in sorted((int(text), text) for text in heads)}

    def rest(self) -> None:
        """See GameStore."""
        rest(self._client)

    def check(self) -> None:
        """See GameStore. Asks INFO only, which hosted servers that hide CONFIG also answer."""
        with failing_as_unavailable():
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
