"""The way to a store whose master Redis Sentinel chooses: each new connection goes to the one that it names then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import redis
from redis.connection import parse_url
from redis.exceptions import RedisError
from redis.sentinel import MasterNotFoundError, Sentinel, SentinelConnectionPool

from service.pools import close_idle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.config import Config


class _Sentinels(Sentinel):
    """redis-py's, for threads: it reorders its list while it asks, and two at once can lose a Sentinel from it."""

    _begin = 0

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Where the master is, asked of who knew it last first. Raises MasterNotFoundError, which tells what each says.

        Asking one may take its options' time for each step: to connect, to be let in, to answer.
        """
        told = []
        for place in range(len(self.sentinels)):
            number = (self._begin + place) % len(self.sentinels)
            sentinel = self.sentinels[number]
            try:
                masters: Any = sentinel.sentinel_masters()
                state = masters.get(service_name)
            except (RedisError, OSError) as error:
                answer = type(error).__name__
            else:
                if state and self.check_master_state(state, service_name):  # type: ignore[no-untyped-call]
                    self._begin = number
                    return state["ip"], state["port"]
                answer = "it is down" if state else "unknown"
            where = sentinel.connection_pool.connection_kwargs
            told.append(f"{where['host']}:{where['port']}: {answer}")
        raise MasterNotFoundError(f"no master {service_name!r} ({', '.join(told)})")


class _MasterPool(SentinelConnectionPool, redis.BlockingConnectionPool):
    """Connections to the master, of which who finds none free waits for one.

    One that is closed asks where the master is when it is used again, so all are kept: redis-py forgets those that lead
    elsewhere, but not their memory.
    """

    def owns_connection(self, connection: Any) -> bool:  # noqa: ANN401 - redis-py has no one type for them
        """Whether it is one of this pool's, wherever it leads."""
        return bool(connection.pid == self.pid)

    def release(self, connection: Any) -> None:  # noqa: ANN401
        """Take a connection back; one to a former master is closed."""
        if self.master_address != (connection.host, connection.port):
            connection.disconnect()
        super().release(connection)  # type: ignore[no-untyped-call]

    def disconnect(self, inuse_connections: bool = True) -> None:  # noqa: FBT001, FBT002 - redis-py's signature
        """Close all connections, or those that nobody uses."""
        if inuse_connections:
            super().disconnect()
        else:
            close_idle(self)  # redis-py's way closes them under the hands of whoever takes one meanwhile


def master_pool(config: Config, careful: Mapping[str, Any], size: Mapping[str, Any]) -> redis.BlockingConnectionPool:
    """Connections to the master of REDIS_SENTINELS; `careful` are options of a connection, `size` of the pool.

    Each Sentinel has its part of STORE_TIMEOUT_SECONDS for each step. With rediss:// it is spoken to by TLS too.
    """
    assert config.redis_url is not None  # noqa: S101 - checked with the settings
    told: dict[str, Any] = parse_url(config.redis_url)  # type: ignore[no-untyped-call]
    secure = urlsplit(config.redis_url).scheme == "rediss"
    ways = {"ssl": secure, **{name: told[name] for name in told if name.startswith("ssl_")}}
    identity: dict[str, Any] = {name: told[name] for name in ("username", "password", "db") if name in told}
    addresses = [_address(sentinel) for sentinel in config.redis_sentinels]
    part = config.store_timeout_seconds / len(addresses)
    brief: dict[str, Any] = {**careful, "socket_timeout": part, "socket_connect_timeout": part}
    asked = {**brief, **ways, "password": config.redis_sentinel_password}
    sentinels = _Sentinels(addresses, sentinel_kwargs=asked)  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {**careful, **size, **ways, **identity}
    return _MasterPool(unquote(config.store_place), sentinels, **options)  # type: ignore[no-untyped-call]


def _address(sentinel: str) -> tuple[str, int]:
    host, _, port = sentinel.rpartition(":")
    return host.strip("[]"), int(port)
