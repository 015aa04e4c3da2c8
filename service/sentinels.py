"""The way to a store whose master Redis Sentinel chooses: each new connection goes to the one that it names then."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import redis
from redis.connection import parse_url
from redis.sentinel import MasterNotFoundError, Sentinel, SentinelConnectionPool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.config import Config


class _Sentinels(Sentinel):
    """redis-py's, asked by one thread at a time: it puts who answered first in its list, where two could lose one.

    Whoever waits longer than `seconds` for the others is told so.
    """

    def __init__(self, addresses: list[tuple[str, int]], seconds: float, **options: Any) -> None:  # noqa: ANN401
        super().__init__(addresses, sentinel_kwargs=options)  # type: ignore[no-untyped-call]
        self._asking = threading.Lock()
        self._seconds = seconds

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Where the master is. Raises MasterNotFoundError: nobody knows one, or it takes too long."""
        if not self._asking.acquire(timeout=self._seconds):
            raise MasterNotFoundError("the Sentinels take too long to answer")
        try:
            address: tuple[str, int] = super().discover_master(service_name)  # type: ignore[no-untyped-call]
        finally:
            self._asking.release()
        return address


class _MasterPool(SentinelConnectionPool, redis.BlockingConnectionPool):
    """Connections to the master; who finds none free waits. After a failover those to the old one are closed."""


def master_pool(config: Config, careful: Mapping[str, Any], size: Mapping[str, Any]) -> redis.BlockingConnectionPool:
    """Connections to the master of REDIS_SENTINELS; `careful` are options of a connection, `size` of the pool.

    All Sentinels together may take as long as one connection.
    """
    assert config.redis_url is not None  # noqa: S101 - checked with the settings
    told: dict[str, Any] = parse_url(config.redis_url)  # type: ignore[no-untyped-call]
    secure = urlsplit(config.redis_url).scheme == "rediss"
    ways = {"ssl": secure, **{name: told[name] for name in told if name.startswith("ssl_")}}
    identity = {name: told[name] for name in ("username", "password", "db") if name in told}
    addresses = [_address(sentinel) for sentinel in config.redis_sentinels]
    seconds = config.store_timeout_seconds
    brief = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), seconds / len(addresses))
    sentinels = _Sentinels(addresses, seconds, **{**careful, **brief}, **ways, password=config.redis_sentinel_password)
    # not parse_url's host: that is in lower case, and a master's name need not be
    name = unquote(urlsplit(config.redis_url).netloc.rpartition("@")[2])
    return _MasterPool(name, sentinels, **careful, **size, **ways, **identity)  # type: ignore[no-untyped-call]


def _address(sentinel: str) -> tuple[str, int]:
    host, _, port = sentinel.rpartition(":")
    return host.strip("[]"), int(port)
