"""Header fields that every answer carries: request id, caching, protection in browsers."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from flask import Flask, request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

REQUEST_ID = "X-Request-Id"
_SANE_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}", re.ASCII)
_KEY = "crisps.request_id"

DEFAULTS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    # An answer opened as a page of its own may load and embed nothing.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
_DEFAULTS = tuple((name.lower(), (name, value)) for name, value in DEFAULTS.items())

Fields = list[tuple[str, str]]


def request_id() -> str:
    """The current request's id: the client's X-Request-Id if it is harmless in a log, else a new one."""
    return _request_id(request.environ)


def _request_id(environ: dict[str, Any]) -> str:
    if _KEY not in environ:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        environ[_KEY] = given if _SANE_ID.fullmatch(given) else secrets.token_hex(16)
    return str(environ[_KEY])


def completed(fields: Fields, identifier: str) -> Fields:
    """An answer's header fields, and those that every answer carries unless it has its own."""
    given = {name.lower() for name, _ in fields}
    # werkzeug lists the methods of a path as a set, whose order differs between processes
    told = [(name, _in_order(value) if name == "Allow" else value) for name, value in fields]
    return [*told, *(field for name, field in _DEFAULTS if name not in given), (REQUEST_ID, identifier)]


def _in_order(methods: str) -> str:
    return ", ".join(sorted(methods.split(", ")))


def register(app: Flask) -> None:
    """Complete every answer of the application; what a view has set itself stays."""
    answer = app.wsgi_app

    def complete(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, fields: Fields, *failure: Any) -> Any:  # noqa: ANN401 - WSGI's (PEP 3333)
            return start_response(status, completed(fields, _request_id(environ)), *failure)

        return answer(environ, start)

    # Outside Flask on plain lists: an after_request function on werkzeug's Headers takes ten times as long.
    app.wsgi_app = complete  # type: ignore[method-assign]
