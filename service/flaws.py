"""marshmallow's nested error messages as a flat list of flaws with RFC 6901 pointers."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from service.errors import Flaw

if TYPE_CHECKING:
    from collections.abc import Iterator

UNKNOWN_MEMBER = "Unknown member."
UNKNOWN_PARAMETER = "Unknown parameter."
# A body of thousands of unknown members needs no answer of the same size.
MOST_FLAWS = 50


def flaws_in(messages: Any) -> list[Flaw]:  # noqa: ANN401 - marshmallow: str, list and dict, nested at will
    """At most MOST_FLAWS flaws, sorted by member, each at its pointer into the body."""
    return list(islice(_walk(messages, ""), MOST_FLAWS))


def flaws_in_query(messages: dict[str, list[str]]) -> list[Flaw]:
    """The same for query parameters, which do not nest."""
    found = (Flaw(detail, parameter=name) for name, details in sorted(messages.items()) for detail in details)
    return list(islice(found, MOST_FLAWS))


def _walk(messages: Any, pointer: str) -> Iterator[Flaw]:  # noqa: ANN401
    if isinstance(messages, dict):
        # sorted, for marshmallow finds unknown members in a set's order, which differs between processes
        for key, inner in sorted(messages.items(), key=lambda item: (isinstance(item[0], str), item[0])):
            # marshmallow files what concerns an object as a whole under "_schema", a name that an
            # unknown member may have as well.
            whole = key == "_schema" and inner != [UNKNOWN_MEMBER]
            yield from _walk(inner, pointer if whole else f"{pointer}/{_token(key)}")
    elif isinstance(messages, list):
        for inner in messages:
            yield from _walk(inner, pointer)
    else:
        yield Flaw(str(messages), pointer=pointer)


def _token(key: str | int) -> str:
    """One reference token, escaped (RFC 6901, section 3)."""
    return str(key).replace("~", "~0").replace("/", "~1")
