"""How a stream's messages become bytes: server-sent events (WHATWG HTML, section 9.2) or lines of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"

NEVER_MILLISECONDS: Final = 2**31 - 1
"""The time after which a browser may open a stream again that has told everything there is."""


class Format(Protocol):
    """One way to write a stream."""

    media_type: str
    keep_alive: bytes

    def message(self, json: bytes, version: int | None = None) -> bytes:
        """A message; with a version it is one that a later stream can resume after."""

    def last(self) -> bytes:
        """What follows the last event of a finished game."""


class ServerSentEvents:
    """text/event-stream; the id of a message is its version."""

    media_type = SSE
    keep_alive = b":\n\n"

    def message(self, json: bytes, version: int | None = None) -> bytes:
        """See Format."""
        return b"data: %s\n\n" % json if version is None else b"id: %d\ndata: %s\n\n" % (version, json)

    def last(self) -> bytes:
        """A browser opens every stream that ends again, after this time: there is nothing more to come."""
        return b"retry: %d\n\n" % NEVER_MILLISECONDS


class JsonLines:
    """application/x-ndjson; an empty line says that the stream is alive."""

    media_type = NDJSON
    keep_alive = b"\n"

    def message(self, json: bytes, version: int | None = None) -> bytes:  # noqa: ARG002 - the message tells it itself
        """See Format."""
        return json + b"\n"

    def last(self) -> bytes:
        """See Format."""
        return b""


FORMATS: Final[Mapping[str, Format]] = {SSE: ServerSentEvents(), NDJSON: JsonLines()}
"""By media type, the first one being what a client gets that does not mind."""


def dumped(message: Mapping[str, Any]) -> bytes:
    """A message as one line of JSON."""
    return orjson.dumps(message)
