"""Logs: one JSON object a line on standard error, for people's eyes where that is a terminal.

What is logged of a request is a fixed list of fields (observed.py): no path, query, header or body, thus no token,
ticket, seed or card. Other lines are texts of ours, of gunicorn and of libraries; whatever in them looks like a
secret or a query string is blotted out.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import TYPE_CHECKING, Any

import orjson
import structlog
from flask import has_request_context, request
from gunicorn import glogging
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import JSONRenderer, TimeStamper, add_log_level, format_exc_info
from structlog.stdlib import ProcessorFormatter, add_logger_name

from service.headers import request_id

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from structlog.typing import FilteringBoundLogger, Processor

    from service.config import Config

_TEXTS = ("event", "exception", "reason")
# Tokens have 43 of these characters, seeds 64; a game's id has 32. Small letters only: a long name in a traceback.
_GAME = re.compile(r"[0-9a-f]{32}", re.ASCII)
_SECRET = re.compile(r"(?<![A-Za-z0-9_-])(?![a-z_-]+(?![A-Za-z0-9_-]))[A-Za-z0-9_-]{43,}")
_SHORTEST = len("/x?t")
_QUERY = re.compile(r"(/[^\s?'\"]*)\?[^\s'\"]+")
# Libraries that tell at level info what a log of requests tells already, keys of the store included, or at level debug
# all that they compile.
_TALKATIVE = ("flask-limiter", "numba", "werkzeug")

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))  # until somebody serves
log: FilteringBoundLogger = structlog.get_logger("service")
"""For lines with fields; modules that have only a text to tell may as well use logging."""


class GunicornLogger(glogging.Logger):
    """gunicorn's own lines, in the form and at the place of all others."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401 - gunicorn's Config
        """Called at start and at each reload."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


def blot_out(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:  # noqa: ANN401
    """A processor: no secret and no query string stays in a text."""
    for name in _TEXTS:
        text = event.get(name)
        if isinstance(text, str) and len(text) >= _SHORTEST:
            event[name] = _SECRET.sub("[...]", _QUERY.sub(r"\1?[...]", text))
    return event


def add_request(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:  # noqa: ANN401
    """A processor: the ids of the current request and of its game, where there are any."""
    if has_request_context():
        event["request_id"] = request_id()
        told = (request.view_args or {}).get("game_id")
        if told is not None and _GAME.fullmatch(told):
            event.setdefault("game_id", told)
    return event


def _as_json(event: Any, **_: Any) -> str:  # noqa: ANN401
    return orjson.dumps(event, default=repr).decode()


def configure(config: Config) -> None:
    """Log from here on as these settings say; may be called again."""
    for_eyes = config.log_format == "text" or (config.log_format == "auto" and sys.stderr.isatty())
    level = logging.getLevelNamesMapping()[config.log_level.upper()]
    common: list[Processor] = [
        add_request,
        add_log_level,
        TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    # neither form shows the values of variables: they are hands and tokens
    form = ConsoleRenderer(exception_formatter=plain_traceback) if for_eyes else JSONRenderer(serializer=_as_json)
    ending: list[Processor] = [format_exc_info, blot_out, form]
    structlog.configure(
        processors=[*common, *ending],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_StandardError,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=[*common, add_logger_name],
            processors=[ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


class _StandardError:
    """Where structlog writes to: each line is one write, so that those of threads and processes do not mix."""

    def __init__(self, *_: object) -> None:
        self._stream = sys.stderr

    def msg(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()

    debug = info = warning = error = critical = exception = msg
