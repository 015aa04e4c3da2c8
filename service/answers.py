"""How an answer becomes bytes: JSON by orjson, and answers without a body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from flask import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"


def json_response(
    body: Mapping[str, Any] | list[Any] | bytes,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    media_type: str = JSON,
) -> Response:
    """A JSON answer; `body` is a plain structure, or bytes that are JSON already.

    Raises TypeError for values JSON does not have; NaN and infinities become null.
    """
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    return Response(data, status, dict(headers or {}), content_type=media_type)


def bare_response(status: int, headers: Mapping[str, str] | None = None) -> Response:
    """An answer without a body and without a media type: 204, 304."""
    response = Response(status=status, headers=dict(headers or {}))
    response.headers.pop("Content-Type", None)
    return response
