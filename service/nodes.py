"""JSON values that know where they stand, for reading documents that nobody has checked yet."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_QUOTE = 60


class RecordError(ValueError):
    """A record that does not verify; `pointer` (RFC 6901, "" is the whole document) says where, `detail` what."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(f"{pointer or 'the record'}: {detail}")
        self.pointer = pointer
        self.detail = detail


def quoted(value: object) -> str:
    """A value as JSON in printable ASCII, shortened: it may come from anywhere and go to a terminal."""
    text = json.dumps(value, default=str)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and its pointer. Every reading method raises RecordError where the value is something else."""

    value: Any
    pointer: str = ""

    def error(self, detail: str) -> RecordError:
        """What is wrong with this value."""
        return RecordError(self.pointer, detail)

    def has(self, name: str) -> bool:
        """Whether this is an object with such a member."""
        return isinstance(self.value, dict) and name in self.value

    def __getitem__(self, name: str) -> Node:
        """A member of this object."""
        if not isinstance(self.value, dict):
            raise self.error(f"{quoted(self.value)} is no object")
        token = name.replace("~", "~0").replace("/", "~1")
        if name not in self.value:
            raise RecordError(f"{self.pointer}/{token}", "this member is missing")
        return Node(self.value[name], f"{self.pointer}/{token}")

    def __iter__(self) -> Iterator[Node]:
        """The items of this array."""
        if not isinstance(self.value, list):
            raise self.error(f"{quoted(self.value)} is no array")
        return (Node(item, f"{self.pointer}/{index}") for index, item in enumerate(self.value))

    def text(self, pattern: str = "(?s:.*)") -> str:
        """This string, which has to match the whole of a regular expression."""
        if not isinstance(self.value, str) or re.fullmatch(pattern, self.value) is None:
            raise self.error(f"{quoted(self.value)} is not the text that belongs here")
        return self.value

    def truth(self) -> bool:
        """This true or false."""
        if not isinstance(self.value, bool):
            raise self.error(f"{quoted(self.value)} is neither true nor false")
        return self.value

    def whole(self, least: int, most: int) -> int:
        """This whole number, which has to lie between two bounds, both included."""
        if type(self.value) is not int or not least <= self.value <= most:
            raise self.error(f"{quoted(self.value)} is no whole number from {least} to {most}")
        return self.value

    def expect(self, expected: object, why: str) -> None:
        """Return if this is exactly `expected`, members of objects that are not expected aside."""
        if isinstance(expected, dict):
            for name, member in expected.items():
                self[name].expect(member, why)
        elif isinstance(expected, list) and isinstance(self.value, list) and len(expected) == len(self.value):
            for node, item in zip(self, expected, strict=True):
                node.expect(item, why)
        elif type(self.value) is not type(expected) or self.value != expected:
            raise self.error(f"{quoted(self.value)} where {why} gives {quoted(expected)}")
