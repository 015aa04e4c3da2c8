"""What is no proper HTTP, or comes too late, is answered by the server before any view sees it: as a problem, too."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from gunicorn import util
from gunicorn.workers.base import Worker

from service import cors, headers
from service.answers import PROBLEM_JSON
from service.problems import is_mistake, kind_of, problem_body

if TYPE_CHECKING:
    from service.config import Config
    from service.server import Server


def problem_bytes(error: Exception, identifier: str, config: Config) -> bytes:
    """The whole answer to a request that could not be read, after which the connection closes."""
    # The path may be unknown; an empty reference is the resource asked for, whichever that was (RFC 3986, 4.4).
    body = orjson.dumps(problem_body(error, ""))
    status = HTTPStatus(kind_of(error).status)
    fields = [
        ("Date", util.http_date()),
        ("Connection", "close"),
        ("Content-Type", PROBLEM_JSON),
        ("Content-Length", str(len(body))),
        *_for_other_origins(config),
    ]
    lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.completed(fields, identifier)]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _for_other_origins(config: Config) -> headers.Fields:
    if cors.ANY in config.cors_origins:
        return [
            ("Access-Control-Allow-Origin", cors.ANY),
            ("Access-Control-Expose-Headers", ", ".join(cors.EXPOSED)),
        ]
    # Which origin asks is not known where the head could not be read.
    return [("Vary", "Origin")] if config.cors_origins else []


class ProblemWorker(Worker):
    """The part of a worker that answers what could not be read."""

    app: Server

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:  # noqa: ANN401, ARG002
        """Log and answer an exception that came up outside the application.

        Its text is not logged, unlike gunicorn does: it quotes the line that is wrong, which may hold a token.
        """
        from service import metrics  # noqa: PLC0415 - server.py chooses the folder of figures first

        error = exc if isinstance(exc, Exception) else SystemError(type(exc).__name__)
        identifier = secrets.token_hex(16)
        if is_mistake(error):
            self.log.exception(  # noqa: LOG004 - called within one
                "request %s: handling it failed", identifier
            )
        else:
            address = addr[0] if isinstance(addr, tuple) else addr
            self.log.warning("request %s: invalid, from ip=%s: %s", identifier, address, type(error).__name__)
        metrics.request_refused(kind_of(error).status)
        try:
            util.write_nonblock(client, problem_bytes(error, identifier, self.app.config))
        except OSError:
            self.log.debug("request %s: nobody took the answer", identifier)
