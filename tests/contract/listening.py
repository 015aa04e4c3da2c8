"""A client of live streams as a program of a player would be: it reads bytes, and believes nothing unchecked."""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
SILENCE_SECONDS = 11.0
"""Ten seconds are promised."""


class Cut(Exception):
    """The connection ended without the end of the answer."""


@dataclass
class Parsed:
    """Bytes of a stream so far: whole messages with their SSE id, and how often a sign of life came."""

    media_type: str
    messages: list[tuple[str | None, Json]] = field(default_factory=list)
    signs_of_life: int = 0
    retry: int | None = None
    _rest: bytes = b""

    def take(self, data: bytes) -> list[Json]:
        """The messages that these bytes complete."""
        before = len(self.messages)
        mark = b"\n\n" if self.media_type == SSE else b"\n"
        *blocks, self._rest = (self._rest + data).split(mark)
        for block in blocks:
            if self.media_type == SSE:
                self._take_block(block.decode())
            elif block:
                self.messages.append((None, json.loads(block)))
            else:
                self.signs_of_life += 1
        return [message for _, message in self.messages[before:]]

    def _take_block(self, block: str) -> None:
        identity = data = None
        for line in block.split("\n"):
            name, colon, value = line.partition(":")
            assert colon, line
            value = value.removeprefix(" ")
            match name:
                case "":
                    self.signs_of_life += 1
                case "id":
                    identity = value
                case "retry":
                    self.retry = int(value)
                case _:
                    assert (name, data) == ("data", None), block
                    data = value
        if data is not None:
            message = json.loads(data)
            assert identity == (str(message["version"]) if "version" in message else None)
            self.messages.append((identity, message))


class Follower:
    """One stream. Not to be shared between threads, but for `leave`."""

    def __init__(
        self,
        url: str,
        game_path: str,
        token: str | None = None,
        accept: str | None = SSE,
        headers: Mapping[str, str] | None = None,
        seconds: float = SILENCE_SECONDS,
        **query: object,
    ) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=seconds)
        sent = dict(headers or {})
        if accept is not None:
            sent["Accept"] = accept
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        asked = f"?{urlencode(query)}" if query else ""
        self._connection.request("GET", f"{game_path}/events{asked}", headers=sent)
        assert isinstance(self._connection.sock, socket.socket)
        self._socket = self._connection.sock
        self.answer = self._connection.getresponse()
        self.status = self.answer.status
        self.headers = {name.lower(): value for name, value in self.answer.getheaders()}
        self._shown = 0
        self.parsed = Parsed(self.headers["content-type"])

    def read(self, most: int = 65536) -> list[Json] | None:
        """The messages completed by the next bytes, at most `most` of them; None at the end. Raises Cut."""
        try:
            data = self.answer.read1(most)
        except (OSError, http.client.HTTPException) as error:
            raise Cut from error
        return self.parsed.take(data) if data else None

    def next(self) -> Json | None:
        """The next message, None at the end. Raises Cut."""
        while len(self.parsed.messages) == self._shown:
            if self.read() is None:
                self.leave()
                return None
        self._shown += 1
        return self.parsed.messages[self._shown - 1][1]

    def messages(self) -> Iterator[Json]:
        """All messages from here to the end. Raises Cut."""
        while (message := self.next()) is not None:
            yield message

    def tell(self) -> Json:
        """The next message, which has to come."""
        message = self.next()
        assert message is not None, "the stream has ended"
        return message

    def next_event(self) -> Json:
        """The next message that is no presence, which has to come."""
        while (message := self.tell())["type"] == "presence":
            pass
        return message

    def leave(self) -> None:
        """Close the connection, whatever state it is in."""
        self.answer.close()
        self._connection.close()


def is_event(message: Json) -> bool:
    """Whether a message is an event of the game."""
    return "version" in message and message["type"] != "snapshot"
