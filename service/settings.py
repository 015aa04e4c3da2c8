"""What a setting is: a dataclass's field that knows its environment variable, how it is read, and what it is for."""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable: how it is read, and what README's table says about it.

    `read` answers the value or raises ValueError with the second half of "NAME …"; `default` and `allowed`
    are words for people.
    """

    name: str
    description: str
    default: str
    allowed: str
    read: Callable[[str], object]


def setting(
    default: T,
    description: str,
    *,
    read: Callable[[str], object],
    allowed: str,
    shown: str | None = None,
    secret: bool = False,
) -> T:
    """A field of Config that carries its own description; typed as its default, as dataclasses do it."""
    metadata = {"description": description, "read": read, "allowed": allowed, "shown": shown}
    made: Any = field(default=default, metadata=metadata, repr=not secret)
    return made  # type: ignore[no-any-return]


def whole(default: int, description: str, minimum: int, maximum: int) -> int:
    """A field that is a whole number within these bounds."""
    allowed = f"{minimum} to {maximum}"

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,15}", text, re.ASCII) or not minimum <= int(text) <= maximum:
            raise ValueError(f"must be a whole number, {allowed}")
        return int(text)

    return setting(default, description, read=read, allowed=allowed)


def seconds(default: float, description: str, minimum: float, maximum: float) -> float:
    """A field that is a number of seconds within these bounds."""
    allowed = f"{minimum:g} to {maximum:g}"

    def read(text: str) -> float:
        if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII) or not minimum <= float(text) <= maximum:
            raise ValueError(f"must be a number of seconds, {allowed}")
        return float(text)

    assert math.isfinite(default)  # noqa: S101 - a table entry, not input
    return setting(default, description, read=read, allowed=allowed)


def choice(default: str, description: str, *choices: str) -> str:
    """A field that is one of these words, however they are written."""

    def read(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text.lower()

    return setting(default, description, read=read, allowed=", ".join(choices))


def declared(config: type) -> tuple[Setting, ...]:
    """The settings that a dataclass of them declares, in its order."""
    settings = []
    for entry in fields(config):
        shown = entry.metadata["shown"]
        if shown is None:
            assert entry.default is not MISSING  # noqa: S101 - a table entry, not input
            shown = f"{entry.default:g}" if isinstance(entry.default, float) else str(entry.default)
        metadata = entry.metadata
        settings.append(
            Setting(entry.name.upper(), metadata["description"], shown, metadata["allowed"], metadata["read"])
        )
    return tuple(settings)
