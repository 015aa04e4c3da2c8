"""When a request has arrived whole, judged from its bytes as they come, so that nobody has to wait for the rest."""

from __future__ import annotations

import re
from typing import Final

MOST_COLLECTED: Final = 128 * 1024
"""Bytes of one request that are collected; a longer one is read by the thread that answers it."""

_LONGEST_LINE: Final = 8190
_LINE_END: Final = b"\r\n"
_HEAD_END: Final = b"\r\n\r\n"
_BARE_END = re.compile(rb"(?<!\r)\n")
_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_LENGTH = re.compile(rb"0*[0-9]{1,6}")
_CHUNK_SIZE = re.compile(rb"0*([0-9A-Fa-f]{1,6})[ \t]*(?:;.*)?")
_EXPECTATION = re.compile(rb"\r\nexpect[ \t]*:[ \t]*100-continue[ \t]*(?=\r\n)", re.IGNORECASE)
_OLD = b" HTTP/1.0"


class Arrival:
    """The bytes of one request as they come; what belongs to the next one may follow them.

    It decides nothing about the request: whatever is unusual counts as arrived, for the parser knows what to say.
    """

    __slots__ = ("_body", "_chunked", "_end", "awaits_word", "data")

    def __init__(self) -> None:
        self.data = bytearray()
        self._body = 0  # where the body begins, once the head is there
        self._end = 0  # how many bytes there must be; of a chunked body, where its next chunk begins
        self._chunked = False
        self.awaits_word = False
        """Whether the client sends the body only once it is told to; the field that says so is no longer in `data`."""

    def add(self, data: bytes) -> bool:
        """Take some more bytes; whether there is nothing more to wait for."""
        searched = max(0, len(self.data) - len(_HEAD_END) + 1)
        self.data += data
        if len(self.data) > MOST_COLLECTED:
            return True
        if not self._body:
            end = self.data.find(_HEAD_END, searched)
            if end < 0:
                return self._is_hopeless(searched)
            self._body = self._end = end + len(_HEAD_END)
            self._take_out_expectation()
            if self._is_special():
                return True
        return self._has_last_chunk() if self._chunked else len(self.data) >= self._end

    def _is_hopeless(self, searched: int) -> bool:
        """Whether the head, not yet at its end, is wrong already: a line without CR, or too long a first one."""
        return bool(_BARE_END.search(self.data, max(0, searched - 1))) or (
            len(self.data) > _LONGEST_LINE and self.data.find(_LINE_END, 0, _LONGEST_LINE) < 0
        )

    def _take_out_expectation(self) -> None:
        """Leave the parser nothing to wait for: its thread would. HTTP/1.0 knows no such word (RFC 9110, 10.1.1)."""
        head, found = _EXPECTATION.subn(b"", self.data[: self._body])
        if found:
            self.awaits_word = not head.endswith(_OLD, 0, head.find(_LINE_END))
            self.data[: self._body] = head
            self._body = self._end = len(head)

    def _is_special(self) -> bool:
        """Whether the parser has to see the head before the body; otherwise `_end` or `_chunked` are known."""
        framing = _FRAMING.findall(self.data, 0, self._body)
        if not framing:
            return False
        if len(framing) > 1:
            return True
        name, value = framing[0][0].lower(), framing[0][1].strip()
        if name == b"content-length" and _LENGTH.fullmatch(value):
            self._end += int(value)
            return self._end > MOST_COLLECTED
        self._chunked = name == b"transfer-encoding" and value.lower() == b"chunked"
        return not self._chunked

    def _has_last_chunk(self) -> bool:
        while True:
            end = self.data.find(_LINE_END, self._end)
            if end < 0:
                return len(self.data) - self._end > _LONGEST_LINE
            size = _CHUNK_SIZE.fullmatch(self.data, self._end, end)
            if size is None:
                return True
            length = int(size[1], 16)
            if length == 0:  # trailers may follow, then an empty line
                return self.data.find(_HEAD_END, end) >= 0
            after = end + len(_LINE_END) + length + len(_LINE_END)
            if after > len(self.data):
                return False
            if not self.data.endswith(_LINE_END, 0, after):
                return True
            self._end = after
