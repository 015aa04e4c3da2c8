"""How often one client may create games and ask for advice; never how often it may play.

Flask-Limiter counts in the games' store, under keys of its own that expire with their minute, so that all processes
count together. Off unless GAMES_PER_MINUTE or ADVICE_PER_MINUTE say otherwise. Where the store cannot count, the
request passes, for the limits protect the service and not the games: creating a game fails by itself then, and advice
stays bounded by the search slots.
"""

from __future__ import annotations

import functools
import hashlib
import ipaddress
import logging
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from flask import Flask, Response, current_app, request
from flask_limiter import Limiter, RateLimitExceeded
from redis.exceptions import RedisClusterException, RedisError

from service import metrics
from service.connections import connect
from service.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config import Config

_log = logging.getLogger(__name__)

View = TypeVar("View", bound="Callable[..., Any]")

GAMES: Final = "games"
ADVICE: Final = "advice"
KEY_PREFIX: Final = "crisps:limit"
FAILURES: Final = (RedisError, RedisClusterException, OSError)
_MINUTE: Final = 60
_EXTENSION: Final = "crisps-limits"
_NETWORK_BITS: Final = 64  # what one IPv6 client is usually given


def client() -> str:
    """The current request's client as limits know it: a digest of its address, of its network for IPv6."""
    return hashlib.sha256(_network(request.remote_addr or "").encode()).hexdigest()[:32]


def _network(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:  # a unix socket's peer has none
        return "unknown"
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _NETWORK_BITS), strict=False))


def limited(scope: str) -> Callable[[View], View]:
    """Let a view be called only so often by one client, in all views of a scope together. Raises RateLimited."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def checking(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - a view's own
            limits: RateLimits | None = current_app.extensions.get(_EXTENSION)
            if limits is not None:
                limits.check(scope)
            return view(*args, **kwargs)

        return cast("View", checking)

    return decorate


class RateLimits:
    """The limits of one application; `per_minute` has the number of requests for each scope that is limited."""

    def __init__(self, app: Flask, config: Config, per_minute: dict[str, int]) -> None:
        self._limiter = Limiter(
            client,
            app=app,
            storage_uri="redis://",  # only says which kind: the connections are ours, with their time-outs
            storage_options=cast(
                "dict[str, Any]", {"connection_pool": connect(config).connection_pool, "key_prefix": KEY_PREFIX}
            ),
            strategy="fixed-window",
        )
        self._checks = {scope: self._counting(scope, number) for scope, number in per_minute.items() if number}
        app.after_request(self._tell)

    def _counting(self, scope: str, number: int) -> Callable[[], None]:
        def count() -> None:
            """Counted by being called."""

        count.__qualname__ = f"count_{scope}"  # Flask-Limiter tells functions apart by their names
        return self._limiter.shared_limit(f"{number}/minute", scope=scope)(count)

    def check(self, scope: str) -> None:
        """Count a request. Raises RateLimited: there were too many this minute."""
        counting = self._checks.get(scope)
        if counting is None:
            return
        try:
            counting()
        except RateLimitExceeded:
            raise RateLimited(self._seconds_to_tell()) from None
        except FAILURES as error:
            metrics.limit_failed()
            _log.warning("a request for %s was not counted: %s", scope, type(error).__name__)

    def _seconds_left(self) -> int:
        limit = self._limiter.current_limit
        return 1 if limit is None else max(1, limit.reset_at - int(time.time()))

    def _seconds_to_tell(self) -> int:
        """The same, and a whole minute where the store is no longer there to ask."""
        try:
            return self._seconds_left()
        except FAILURES:
            return _MINUTE

    def _tell(self, response: Response) -> Response:
        """RateLimit-Limit, -Remaining and -Reset (in seconds), on every answer that was counted."""
        limit = self._limiter.current_limit
        if limit is not None:
            try:
                remaining, seconds = limit.remaining, self._seconds_left()
            except FAILURES:  # it was there a moment ago
                return response
            response.headers["RateLimit-Limit"] = str(limit.limit.amount)
            response.headers["RateLimit-Remaining"] = str(remaining)
            response.headers["RateLimit-Reset"] = str(seconds)
        return response


def register(app: Flask, config: Config) -> None:
    """Apply the settings' limits to the application's `limited` views."""
    per_minute = {GAMES: config.games_per_minute, ADVICE: config.advice_per_minute}
    if any(per_minute.values()):
        app.extensions[_EXTENSION] = RateLimits(app, config, per_minute)
