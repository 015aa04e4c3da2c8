"""The way to the store: clients and their connections, how a script is named, and what every failure becomes.

Whatever goes wrong between here and the store is StoreUnavailable, in `failing_as_unavailable` and nowhere else.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException, RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from service.errors import StoreUnavailable
from service.sentinels import master_pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.config import Config


class Script:
    """A script's text, and how EVALSHA names it."""

    def __init__(self, name: str) -> None:
        self.text = resources.files("service").joinpath(name).read_bytes()
        self.sha = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()


class _Client(redis.Redis):
    """redis-py's client without its repetitions, metrics and debug log, which take longer than the command itself."""

    def execute_command(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - redis-py's signature
        """Run one command once; whatever goes wrong on the way is raised, the connection closed then."""
        connection: Any = self.connection_pool.get_connection()
        try:
            connection.send_command(*args, check_health=False)
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call]
        except ResponseError:
            raise
        except BaseException:
            connection.disconnect()  # the answer may still come, and must not become the next command's
            raise
        finally:
            self.connection_pool.release(connection)


def connect(config: Config) -> redis.Redis:
    """A client for REDIS_URL that has not connected yet, so it may be made before a fork.

    Nothing is repeated on its own: redis-py's default runs a commit up to eleven times when replies get lost.
    A command waits at most STORE_TIMEOUT_SECONDS each for a free connection, to connect, and for its reply; behind
    Sentinels also for each step of asking them all (sentinels.py).
    """
    if config.redis_url is None:
        raise ValueError("there is no REDIS_URL to connect to; the launcher sets it for the embedded store")
    seconds = config.store_timeout_seconds
    careful: dict[str, Any] = {
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "retry": Retry(NoBackoff(), 0),
        # while these are on, the pool also hands out connections that still have an unread reply in them
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
        "driver_info": None,  # two round trips less for each new connection
    }
    size = {"max_connections": config.store_connections, "timeout": seconds}
    if config.redis_sentinels:
        return _Client(connection_pool=master_pool(config, careful, size))
    return _Client(connection_pool=redis.BlockingConnectionPool.from_url(config.redis_url, **careful, **size))


@contextmanager
def failing_as_unavailable() -> Iterator[None]:
    """Turn every failure of the store or of the way to it into StoreUnavailable.

    That includes refusals: out of memory, read-only replica, loading, disk full, not permitted.
    """
    try:
        yield
    except (RedisError, RedisClusterException, OSError) as error:
        raise StoreUnavailable(reason=f"{type(error).__name__}: {error}") from error
