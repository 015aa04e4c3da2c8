"""Every answer leaves one line in the log and one count in the metrics, made of fields that can hold no secret."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response, g
from flask.globals import app_ctx, request_ctx

from service import metrics
from service.logs import log

if TYPE_CHECKING:
    from service.opening import Opened

_CREATING: Final = "games.Games"
_CREATED: Final = 201
# Asked every few seconds by machines: their lines are of interest to nobody.
_QUIET: Final = frozenset({"/healthz", "/readyz", "/metrics"})


def register(app: Flask) -> None:
    """Observe the application's answers as they leave; to be called before any other hook is registered."""
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    g.begun = time.perf_counter()


def _end(response: Response) -> Response:
    asked, kept = request_ctx.request, app_ctx.g  # each access by way of a proxy costs a microsecond
    seconds = time.perf_counter() - kept.begun
    route = None if asked.url_rule is None else asked.url_rule.rule
    metrics.request_answered(route, asked.method, response.status_code, seconds)
    tell = log.debug if route in _QUIET else log.info
    told: dict[str, Any] = {
        "method": asked.method if asked.method in metrics.METHODS else metrics.OTHER,
        "route": route or metrics.OTHER,
        "status": response.status_code,
        "ms": round(1000 * seconds, 2),
    }
    if asked.endpoint == _CREATING and response.status_code == _CREATED:
        told["game_id"] = response.headers["Location"].rpartition("/")[2]
    opened: Opened | None = kept.get("opened")
    if opened is not None:
        told["viewer"] = "public" if opened.viewer is None else opened.viewer
    if "problem" in kept:
        told["problem"] = kept.problem
    tell("request", **told)  # logs.py adds request and game id
    return response
