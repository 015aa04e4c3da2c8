"""What lets pages of other origins use the API from a browser: on every answer, refusals and mistakes included.

Own code, for flask-cors 6 leaves `Vary: Origin` out of answers to origins that are not listed (a cache would then hand
them to one that is), and does not answer preflights for paths without a route (a page would not see the 404).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, request

from service.answers import bare_response
from service.headers import REQUEST_ID

if TYPE_CHECKING:
    from service.config import Config

ANY = "*"
EXPOSED = (
    "ETag",
    "Location",
    "Retry-After",
    REQUEST_ID,
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Allow",
    "WWW-Authenticate",
)
ACCEPTED = (
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    REQUEST_ID,
)
METHODS = "GET, HEAD, OPTIONS, POST"
KEPT_SECONDS = 7200  # the longest that Chromium keeps a preflight's answer


def register(app: Flask, config: Config) -> None:
    """Complete every answer of the application for the origins that may see it."""
    origins = frozenset(config.cors_origins)
    exposed, accepted = ", ".join(EXPOSED), ", ".join(ACCEPTED)
    if not origins:
        return

    def answer_preflight() -> Response | None:
        # Whatever the path: a page sees the refusal of the request itself only if the preflight succeeds.
        return bare_response(204) if _is_preflight() else None

    def complete(response: Response) -> Response:
        origin = request.environ.get("HTTP_ORIGIN")
        if ANY not in origins:
            response.vary.add("Origin")
            if origin not in origins:
                return response
        response.headers["Access-Control-Allow-Origin"] = ANY if ANY in origins else str(origin)
        response.headers["Access-Control-Expose-Headers"] = exposed
        if _is_preflight():
            response.headers["Access-Control-Allow-Methods"] = METHODS
            response.headers["Access-Control-Allow-Headers"] = accepted
            response.headers["Access-Control-Max-Age"] = str(KEPT_SECONDS)
        return response

    app.before_request(answer_preflight)
    app.after_request(complete)


def _is_preflight() -> bool:
    asked = request.environ
    return (
        asked["REQUEST_METHOD"] == "OPTIONS"
        and "HTTP_ORIGIN" in asked
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in asked
    )
