"""Games in Redis 7.0 or newer, or Valkey.

Keys of a game, all in one cluster slot and all with a time to live:

    crisps:{ID}             hash    v: version, state: codec bytes, access: token hashes, by: last request id
    crisps:{ID}:events      stream  entry VERSION-0, field e: the event's bytes
    crisps:{ID}:deals       hash    deal number -> head of that ended deal's record
    crisps:{ID}:key:NAME    string  a record: the answer to repeat for an idempotency key, or an analysis

Beside them crisps:ready, which whoever asks whether the store can be written to writes.

Every write is one run of a script: commit.lua, or settle.lua and admit.lua, which change no version. With replicas to
wait for, it counts once so many have it. Whatever goes wrong between here and the store becomes StoreUnavailable
(connections.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from redis.exceptions import NoScriptError

from service.connections import Script, connect, failing_as_unavailable
from service.errors import StoreUnavailable
from service.pools import close_idle
from service.store import Commit, Committed, Conflict, KeyRecord, Loaded, NewGame, StoredGame, UnknownGame

if TYPE_CHECKING:
    from collections.abc import Sequence

    import redis

    from service.config import Config


COMMIT: Final = Script("commit.lua")
SETTLE: Final = Script("settle.lua")
ADMIT: Final = Script("admit.lua")
OLDEST_SERVER: Final = (7, 0)
MAX_STREAM_ID: Final = 2**64 - 1
PROBE: Final = ("SET", "crisps:ready", b"", "EX", 60)
"""A write that changes no game."""


def game_key(game_id: str) -> str:
    """The key of a game, which all its other keys begin with."""
    return f"crisps:{{{game_id}}}"


def _record_key(game_id: str, name: str) -> str:
    return f"{game_key(game_id)}:key:{name}"


def store_of(config: Config) -> RedisGameStore:
    """The store that the settings name; it has not connected yet, so it may be made before a fork."""
    # what is waited for has to be told before the connection's own time is over
    return RedisGameStore(connect(config), config.store_replicas, config.store_timeout_seconds * 2 / 3)


class RedisGameStore:
    """GameStore in Redis or Valkey.

    With `replicas` a write is only answered once that many of them have it; `patience` is how many seconds that may
    take. Without them in time it is StoreUnavailable, as where an answer is lost: it may have taken place.
    """

    def __init__(self, client: redis.Redis, replicas: int = 0, patience: float = 1.0) -> None:
        # redis-py's commands are typed as either synchronous or awaitable, which fits neither kind of caller
        self._client: Any = client
        self._replicas = replicas
        self._patience_ms = round(1000 * patience)

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
                self._confirm(record)
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
                return self._written("EVALSHA", script.sha, len(keys), *keys, *arguments)
            except NoScriptError:  # a new or restarted server: nothing has run yet, and EVAL also teaches it
                return self._written("EVAL", script.text, len(keys), *keys, *arguments)

    def _written(self, *command: str | bytes | int) -> Any:  # noqa: ANN401 - as scripts answer
        """What a command that writes answers, once enough replicas have all that the server had then."""
        if not self._replicas:
            return self._client.execute_command(*command)
        pipeline = self._client.pipeline(transaction=False)
        pipeline.execute_command(*command)
        # WAIT is for what its own connection wrote, and the command may have found nothing to do
        pipeline.execute_command(*PROBE)
        pipeline.execute_command("WAIT", self._replicas, self._patience_ms)
        answer, _, reached = pipeline.execute()
        if reached < self._replicas:
            self.rest()  # somewhere else may be a master that has replicas
            raise StoreUnavailable(reason=f"{reached} replicas of {self._replicas} have the write")
        return answer

    def _confirm(self, record: bytes | None) -> bytes | None:
        """A record that is to be answered again, once enough replicas have it: its writer may have waited in vain."""
        if record is not None and self._replicas:
            self._written(*PROBE)
        return record

    def record(self, game_id: str, name: str) -> bytes | None:
        """See GameStore."""
        with failing_as_unavailable():
            return self._confirm(self._client.get(_record_key(game_id, name)))

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
        close_idle(self._client.connection_pool)

    def check(self) -> None:
        """See GameStore. Besides a write it asks INFO only, which hosted servers that hide CONFIG also answer."""
        with failing_as_unavailable():
            info = self._client.info("server", "memory", "persistence", "replication", "cluster")
        release = str(info.get("redis_version", "0"))
        if tuple(int(part) for part in release.split(".")[:2]) < OLDEST_SERVER:
            raise StoreUnavailable(reason=f"the server is Redis {release}; 7.0 or newer is needed")
        if info.get("cluster_enabled"):
            raise StoreUnavailable(reason="the server is a node of a Redis Cluster, which the service cannot use")
        if info.get("role") == "slave":
            raise StoreUnavailable(reason="the server is a replica and takes no writes")
        if info.get("maxmemory") and info.get("maxmemory_policy") != "noeviction":
            policy = info.get("maxmemory_policy")
            raise StoreUnavailable(reason=f"maxmemory-policy is {policy}, which drops live games: set noeviction")
        if info.get("aof_enabled") and info.get("aof_last_write_status", "ok") != "ok":
            raise StoreUnavailable(reason="the server cannot write its append-only file")
        if int(info.get("connected_slaves", 0)) < self._replicas:
            raise StoreUnavailable(reason=f"fewer than {self._replicas} replicas follow the server")
        with failing_as_unavailable():  # a server that loads, is full or cannot save answers INFO, and refuses this
            self._written(*PROBE)
